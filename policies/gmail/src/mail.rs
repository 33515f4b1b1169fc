//! One mail that is sent, or drafted for sending.

use crate::{Settings, address};
use bouncer_guest::prelude::*;

/// Arguments that become header lines.
const HEADERS: [&str; 11] = [
    "/to",
    "/cc",
    "/bcc",
    "/subject",
    "/inReplyTo",
    "/threadId",
    "/mimeType",
    "/from_name",
    "/from_email",
    "/in_reply_to",
    "/references",
];

pub(crate) fn sent(call: &Call<'_>, destinations: &[Destination], settings: &Settings) -> Judgement {
    let mut judgement = Judgement::new();
    for header in HEADERS {
        for (pointer, text) in call.leaves(header) {
            // Servers build the message as lines: what follows the break would be a header of the caller's choice, a
            // `Bcc` for one.
            if text.contains(['\r', '\n', '\u{0}', '\u{85}', '\u{2028}', '\u{2029}']) {
                judgement.push(
                    Finding::deny(
                        "header_injection",
                        "a line break in a header can add receivers that no argument shows",
                    )
                    .at(pointer),
                );
            }
        }
    }
    for list in ["/to", "/cc", "/bcc"] {
        for (pointer, text) in call.leaves(list) {
            receivers(&text, &pointer, destinations, &mut judgement);
        }
    }
    participants(call, &mut judgement);
    attachments(call, settings, &mut judgement);
    judgement
}

/// Every receiver that the host did not find by itself, and names that show another address than the receiver's.
fn receivers(text: &str, pointer: &str, destinations: &[Destination], judgement: &mut Judgement) {
    let found = address::read(text);
    for address in &found.delivered {
        let known = |d: &Destination| {
            d.argument == pointer
                && (d.canonical.eq_ignore_ascii_case(address) || d.value.eq_ignore_ascii_case(address))
        };
        if !destinations.iter().any(known) {
            judgement.push_destination(address.clone(), Kind::Email, pointer);
        }
    }
    let misleading =
        |shown: &&String| !found.delivered.iter().any(|address| address.eq_ignore_ascii_case(shown));
    if let Some(shown) = found.shown.iter().find(misleading) {
        let text = format!("the receiver's name shows `{shown}`, but the mail goes to another address");
        judgement.push(Finding::ask("misleading_name", text).at(pointer));
    }
}

/// A reply to all goes to whoever wrote in the thread, beside what the arguments name.
fn participants(call: &Call<'_>, judgement: &mut Judgement) {
    let said = |value: &Value| !matches!(value, Value::Null | Value::Bool(false));
    if !call.get("/reply_all").is_some_and(said) {
        return;
    }
    let thread = ["/thread_id", "/in_reply_to"].into_iter().find_map(|at| Some((at, call.text(at)?)));
    if let Some((pointer, thread)) = thread.filter(|(_, thread)| !thread.trim().is_empty()) {
        judgement.push_destination(thread, Kind::Reference, pointer);
    }
    judgement.push(
        Finding::ask("reply_all", "the receivers are everyone who wrote in the thread, not only those named")
            .at("/reply_all"),
    );
}

/// Local files and fetched addresses that travel with the mail.
fn attachments(call: &Call<'_>, settings: &Settings, judgement: &mut Judgement) {
    for (pointer, url) in call.leaves("/attachments/*/url") {
        judgement.push_destination(url, Kind::Url, pointer);
    }
    let paths = call.leaves("/attachments").into_iter().filter(|(pointer, _)| is_path(pointer));
    for (pointer, path) in paths {
        if !settings.attachments_from.is_empty() {
            if !settings.attachments_from.iter().any(|folder| lies_in(&path, folder)) {
                let text = "the attachment lies outside the folders that attachments may come from";
                judgement.push(Finding::deny("attachment_outside", text).at(pointer));
            }
        } else if names(&path).is_none_or(|names| names.iter().any(|name| name.starts_with('.'))) {
            let text =
                "the attachment is a hidden file or lies in a hidden folder, where keys and tokens are kept";
            judgement.push(Finding::ask("hidden_attachment", text).at(pointer));
        }
    }
}

/// `/attachments/0` and `/attachments/0/path`, not `/attachments/0/content`.
fn is_path(pointer: &str) -> bool {
    let mut parts = pointer.split('/').skip(3);
    match parts.next() {
        None => true,
        Some(member) => member == "path",
    }
}

/// The names in a path, `.` and `x/..` resolved; `None` where it leads above its start.
fn names(path: &str) -> Option<Vec<&str>> {
    let path = path.strip_prefix("file://").unwrap_or(path);
    let mut names = Vec::new();
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => {
                names.pop()?;
            }
            name => names.push(name),
        }
    }
    Some(names)
}

fn lies_in(path: &str, folder: &str) -> bool {
    // A relative path lies wherever the server was started.
    let absolute =
        |path: &str| path.starts_with('/') || path.starts_with('\\') || path.chars().nth(1) == Some(':');
    match (names(path), names(folder)) {
        (Some(path_names), Some(folder)) => absolute(path) && path_names.starts_with(&folder),
        _ => false,
    }
}
