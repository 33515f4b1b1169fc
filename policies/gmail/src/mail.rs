//! One mail that is sent, or drafted for sending.

use crate::Settings;
use bouncer_guest::prelude::*;
use bouncer_pack_table::mail::{self, names};

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
    mail::headers(call, &HEADERS, &mut judgement);
    mail::receivers(call, &["/to", "/cc", "/bcc"], destinations, &mut judgement);
    participants(call, &mut judgement);
    attachments(call, settings, &mut judgement);
    judgement
}

/// A reply to all goes to whoever wrote in the thread, beside what the arguments name.
fn participants(call: &Call<'_>, judgement: &mut Judgement) {
    let asked = judgement.findings().len();
    mail::reply_all(call, "/reply_all", judgement);
    if judgement.findings().len() == asked {
        return;
    }
    let thread = ["/thread_id", "/in_reply_to"].into_iter().find_map(|at| Some((at, call.text(at)?)));
    if let Some((pointer, thread)) = thread.filter(|(_, thread)| !thread.trim().is_empty()) {
        judgement.push_destination(thread, Kind::Reference, pointer);
    }
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

fn lies_in(path: &str, folder: &str) -> bool {
    // A relative path lies wherever the server was started.
    let absolute =
        |path: &str| path.starts_with('/') || path.starts_with('\\') || path.chars().nth(1) == Some(':');
    match (names(path), names(folder)) {
        (Some(path_names), Some(folder)) => absolute(path) && path_names.starts_with(&folder),
        _ => false,
    }
}
