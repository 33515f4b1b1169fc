//! Links in a message, and whether one is long enough to carry data to whoever answers it.

use crate::find;
use bouncer_guest::prelude::*;

/// Every `http` and `https` link of a text, as far as a chat program would follow it.
#[must_use]
pub fn links(text: &str) -> Vec<String> {
    let lower = text.to_ascii_lowercase();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = lower.get(at..).and_then(|rest| find(rest, "http")).map(|offset| at + offset) {
        at = start + 4;
        let Some(rest) = lower.get(start..) else { break };
        // `https:\/\/` is how a JSON text may write it.
        let schemes = ["http://", "https://", "http:\\/\\/", "https:\\/\\/"];
        if !schemes.iter().any(|scheme| rest.starts_with(scheme)) {
            continue;
        }
        let Some(tail) = text.get(start..) else { break };
        let end = tail
            .find(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '<' | '>' | '|' | '"' | '`'));
        let link = tail.get(..end.unwrap_or(tail.len())).unwrap_or_default();
        at = start + link.len().max(4);
        found.push(unescaped(link).trim_end_matches(['.', ',', ')', ']', '\'', '\\']).to_owned());
    }
    found
}

/// The link with `\/` as `/`.
fn unescaped(link: &str) -> String {
    let mut plain = String::with_capacity(link.len());
    let mut letters = link.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '\\' || letters.peek() != Some(&'/') {
            plain.push(letter);
        }
    }
    plain
}

/// Whether a link can carry more than where it leads: a query, a fragment, a log-in, a long part of a path or
/// host.
#[must_use]
pub fn carries_data(link: &str) -> bool {
    let rest = find(link, "://").and_then(|at| link.get(at + 3..)).unwrap_or(link);
    let (place, query) = match rest.find(['?', '#']) {
        Some(at) => (rest.get(..at).unwrap_or_default(), rest.get(at + 1..).unwrap_or_default()),
        None => (rest, ""),
    };
    let mut parts = place.split('/');
    let authority = parts.next().unwrap_or_default();
    let long = |part: &str| part.len() > 40;
    query.len() > 16
        || authority.contains('@')
        || authority.split('.').any(|label| label.len() > 24)
        || authority.len() > 60
        || parts.clone().any(long)
        || parts.map(str::len).sum::<usize>() > 120
}

/// Every link inside of these arguments as a destination that the host did not find by itself.
pub fn add(call: &Call<'_>, paths: &[&str], destinations: &[Destination], judgement: &mut Judgement) {
    for (pointer, text) in paths.iter().flat_map(|path| call.leaves(path)) {
        for link in links(&text) {
            crate::mail::add(judgement, destinations, link, Kind::Url, &pointer);
        }
    }
}

/// The links of a text, and what some chats take for one without a scheme: `x.io/path`.
#[must_use]
pub fn with_bare(text: &str) -> Vec<String> {
    let ends = |c: char| {
        c.is_whitespace()
            || matches!(c, ',' | ';' | '<' | '>' | '"' | '\'' | '`' | '(' | ')' | '[' | ']' | '|')
    };
    let words = text.split(ends).map(|word| word.trim_matches(['.', ':', '*', '_', '!']));
    let bare = words.filter(|word| find(word, "://").is_none() && is_bare(word)).map(str::to_owned);
    links(text).into_iter().chain(bare).collect()
}

/// Names of files that are no names of hosts.
const FILES: [&str; 24] = [
    "bz2", "css", "csv", "doc", "docx", "gz", "htm", "html", "jpeg", "jpg", "js", "json", "log", "pdf",
    "png", "pptx", "svg", "toml", "ts", "txt", "xlsx", "xml", "xz", "yaml",
];

fn is_bare(word: &str) -> bool {
    let (host, rest) = match word.find(['/', '?', '#', ':']) {
        Some(at) => (word.get(..at).unwrap_or_default(), true),
        None => (word, false),
    };
    let labels: Vec<&str> = host.split('.').collect();
    let is_label = |label: &&str| {
        !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_')
    };
    let last = labels.last().copied().unwrap_or_default().to_ascii_lowercase();
    // A name with one dot may be a file's; with a path or a name above it, it is a host's.
    labels.iter().all(is_label)
        && last.len() > 1
        && !last.starts_with(|c: char| c.is_ascii_digit())
        && (rest && labels.len() > 1 || labels.len() > 2 && !FILES.contains(&last.as_str()))
}

/// Asks about a link that can carry data, of those that `find` finds: who sends a message lets the chat fetch
/// its links for a preview.
pub fn asked(call: &Call<'_>, paths: &[&str], find: fn(&str) -> Vec<String>, judgement: &mut Judgement) {
    for (pointer, text) in paths.iter().flat_map(|path| call.leaves(path)) {
        if let Some(link) = find(&text).into_iter().find(|link| carries_data(link)) {
            let start: String = link.chars().take(60).collect();
            let dots = if start.len() < link.len() { "..." } else { "" };
            let said = format!(
                "the chat may fetch `{start}{dots}` for a preview, and the link is long enough to carry data"
            );
            judgement.push(Finding::ask("link_carries_data", said).at(pointer));
        }
    }
}

/// Runs of digits that are as long as a telephone number.
#[must_use]
pub fn phones(text: &str) -> Vec<String> {
    let is_digit = |c: char| c.is_ascii_digit() || matches!(c, ' ' | '-' | '(' | ')' | '.');
    let mut found = Vec::new();
    for run in text.split(|c: char| !is_digit(c) && c != '+') {
        let digits = run.chars().filter(char::is_ascii_digit).count();
        if (7..=15).contains(&digits) {
            found.push(run.trim().to_owned());
        }
    }
    found
}
