//! What packs look for in one mail: header lines that add receivers, receivers dressed as others, files that travel
//! along.

use crate::address;
use bouncer_guest::prelude::*;

/// Adds a destination that the host did not find by itself.
pub fn add(
    judgement: &mut Judgement,
    destinations: &[Destination],
    value: impl Into<String>,
    kind: Kind,
    pointer: &str,
) {
    let value = value.into();
    let same = |d: &Destination| {
        d.argument == pointer
            && (d.canonical.eq_ignore_ascii_case(&value) || d.value.eq_ignore_ascii_case(&value))
    };
    let given = destinations.iter().any(same);
    let found = (value, kind, pointer.to_owned());
    if !found.0.trim().is_empty() && !given && !judgement.destinations().contains(&found) {
        let (value, kind, pointer) = found;
        judgement.push_destination(value, kind, pointer);
    }
}

/// Refuses a line break in an argument that becomes a header line: what follows the break would be a header of the
/// caller's choice, a `Bcc` for one.
pub fn headers(call: &Call<'_>, paths: &[&str], judgement: &mut Judgement) {
    for (pointer, text) in paths.iter().flat_map(|path| call.leaves(path)) {
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

/// Every receiver that the host did not find by itself, and names that show another address than the receiver's.
pub fn receivers(call: &Call<'_>, paths: &[&str], destinations: &[Destination], judgement: &mut Judgement) {
    for (pointer, text) in paths.iter().flat_map(|path| call.leaves(path)) {
        let found = address::read(&text);
        for address in &found.delivered {
            add(judgement, destinations, address.clone(), Kind::Email, &pointer);
        }
        let misleading =
            |shown: &&String| !found.delivered.iter().any(|address| address.eq_ignore_ascii_case(shown));
        if let Some(shown) = found.shown.iter().find(misleading) {
            let text = format!("the receiver's name shows `{shown}`, but the mail goes to another address");
            judgement.push(Finding::ask("misleading_name", text).at(pointer));
        }
    }
}

/// Asks about local files that are hidden or lie in a hidden folder, where keys and tokens are kept.
pub fn hidden_files(call: &Call<'_>, paths: &[&str], judgement: &mut Judgement) {
    for (pointer, path) in paths.iter().flat_map(|path| call.leaves(path)) {
        if names(&path).is_none_or(|names| names.iter().any(|name| name.starts_with('.'))) {
            let text =
                "the attachment is a hidden file or lies in a hidden folder, where keys and tokens are kept";
            judgement.push(Finding::ask("hidden_attachment", text).at(pointer));
        }
    }
}

/// Asks where a reply goes to whoever wrote in the thread, beside what the arguments name.
pub fn reply_all(call: &Call<'_>, pointer: &str, judgement: &mut Judgement) {
    if call.get(pointer).is_some_and(|value| !matches!(value, Value::Null | Value::Bool(false))) {
        let text = "the receivers are everyone who wrote in the thread, not only those named";
        judgement.push(Finding::ask("reply_all", text).at(pointer));
    }
}

/// Adds every mail address that stands as a word in a text.
pub fn add_addresses(judgement: &mut Judgement, destinations: &[Destination], text: &str, pointer: &str) {
    let ends = |c: char| {
        c.is_whitespace() || matches!(c, ',' | ';' | '<' | '>' | '"' | '\'' | '(' | ')' | '[' | ']')
    };
    for word in text.split(ends) {
        let word = word.trim_matches(['.', ':']);
        if word.split_once('@').is_some_and(|(local, domain)| !local.is_empty() && domain.contains('.')) {
            add(judgement, destinations, word, Kind::Email, pointer);
        }
    }
}

/// The names in a path, `.` and `x/..` resolved; `None` where it leads above its start.
#[must_use]
pub fn names(path: &str) -> Option<Vec<&str>> {
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
