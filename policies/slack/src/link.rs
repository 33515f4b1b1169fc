//! Links in a message, and whether one is long enough to carry data to whoever answers it.

use bouncer_pack_table::find;

/// Every `http` and `https` link of a text, as far as Slack would follow it.
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

/// Whether a link can carry more than where it leads: a query, a fragment, a log-in, a long part of a path or host.
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
