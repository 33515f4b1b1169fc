//! Names taken apart into words, so that `sendEmailTo`, `send-email-to` and `SEND_EMAIL_TO` are one name.
//! Knows nothing of what the words mean.

/// Words of one name; a longer name is cut here, which bounds the work on hostile schemas.
const MAX_CHARS: usize = 256;

/// Splits at case changes, digits and everything that is no letter or digit; lower-cased, plural `s` taken off.
/// An acronym stays whole (`webhookURL`, `userIDs`).
pub(super) fn split(name: &str) -> Vec<String> {
    let chars: Vec<char> = name.chars().take(MAX_CHARS).collect();
    let mut words = Vec::new();
    let mut word = String::new();
    let mut before: Option<char> = None;
    for (at, &here) in chars.iter().enumerate() {
        let next = chars.get(at + 1).copied();
        if !here.is_alphanumeric() {
            flush(&mut words, &mut word);
            before = None;
            continue;
        }
        if before.is_some_and(|b| is_border(b, here, next, chars.get(at + 2).copied())) {
            flush(&mut words, &mut word);
        }
        word.extend(here.to_lowercase());
        before = Some(here);
    }
    flush(&mut words, &mut word);
    words
}

/// Whether a new word starts at `here`.
fn is_border(before: char, here: char, next: Option<char>, after: Option<char>) -> bool {
    if before.is_numeric() != here.is_numeric() {
        return true;
    }
    if !here.is_uppercase() {
        return false;
    }
    if !before.is_uppercase() {
        return true;
    }
    // The last capital of a run belongs to the next word (`URLPath`), unless only a plural `s` follows (`userIDs`).
    let plural = next == Some('s') && !after.is_some_and(char::is_alphanumeric);
    next.is_some_and(char::is_lowercase) && !plural
}

fn flush(words: &mut Vec<String>, word: &mut String) {
    if !word.is_empty() {
        words.push(singular(&std::mem::take(word)));
    }
}

/// A word without its plural ending; only roughly English, the same for both sides of every comparison.
fn singular(word: &str) -> String {
    if word.chars().count() <= 3 {
        // `ids` and `ips`, but not `aws` or `dns`, whose `s` is their own.
        return match word {
            "ids" => "id".to_owned(),
            "ips" => "ip".to_owned(),
            _ => word.to_owned(),
        };
    }
    if let Some(stem) = word.strip_suffix("ies") {
        return format!("{stem}y");
    }
    for ending in ["sses", "xes", "ches", "shes"] {
        if word.ends_with(ending) {
            return word.strip_suffix("es").unwrap_or(word).to_owned();
        }
    }
    match word.strip_suffix('s') {
        Some(stem) if !stem.ends_with(['s', 'u', 'i', 'a']) => stem.to_owned(),
        _ => word.to_owned(),
    }
}

/// Whether any of `words` is in `list`.
pub(super) fn any(words: &[String], list: &[&str]) -> bool {
    words.iter().any(|w| list.contains(&w.as_str()))
}

/// Whether the last of `words` is in `list`.
pub(super) fn last(words: &[String], list: &[&str]) -> bool {
    words.last().is_some_and(|w| list.contains(&w.as_str()))
}

/// Whether `pair` stands in `words`, one right after the other.
pub(super) fn pair(words: &[String], first: &str, second: &str) -> bool {
    words.windows(2).any(|w| matches!(w, [a, b] if a == first && b == second))
}
