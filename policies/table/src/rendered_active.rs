//! Code and styles in HTML that put an address together which stands nowhere.

use super::{is_break, resolved};
use crate::find;

/// Whether the text brings along code, or a style sheet that cannot be read.
#[must_use]
pub fn is_active(text: &str) -> bool {
    let lower = resolved(text).to_ascii_lowercase();
    let tight: String = lower.chars().filter(|c| !is_break(*c)).collect();
    lower.match_indices('<').any(|(at, _)| runs(lower.get(at..).unwrap_or_default()))
        || find(&lower, "http-equiv").is_some()
        || find(&tight, "javascript:").is_some()
        || has_handler(&lower)
        || escapes(&lower)
        || holds_data(&tight)
}

/// Whether a tag runs code or shows a page of its own; `<object>`, as in `List<Object>`, shows nothing.
fn runs(tag: &str) -> bool {
    const PAGES: [&str; 5] = ["iframe", "frame", "object", "embed", "base"];
    let name = tag.get(1..).unwrap_or_default();
    let end = name.find(|c: char| c.is_whitespace() || matches!(c, '/' | '>')).unwrap_or(name.len());
    let (name, rest) = name.split_at(end);
    name == "script" || PAGES.contains(&name) && !rest.starts_with('>')
}

/// `onload=` and its kin inside of a tag. A tag may begin inside of what another takes for a text in quotes,
/// so all readings are followed at once.
fn has_handler(lower: &str) -> bool {
    const TAG: u8 = 1;
    const NAMES: u8 = 2;
    const VALUE: u8 = 4;
    const BARE: u8 = 8;
    const DOUBLE: u8 = 16;
    const SINGLE: u8 = 32;
    let (mut state, mut before, mut open) = (0, ' ', false);
    for (at, letter) in lower.char_indices() {
        let starts = before.is_whitespace() || matches!(before, '/' | '"' | '\'');
        if state & NAMES != 0 && starts && letter == 'o' && handles(lower.get(at..).unwrap_or_default()) {
            return true;
        }
        let blank = letter.is_whitespace();
        let next = |one: u8| match (one, letter) {
            (DOUBLE, '"') | (SINGLE, '\'') => NAMES,
            (DOUBLE | SINGLE, _) => one,
            (_, '>') => 0,
            // A name may begin with the mark.
            (NAMES, '=') => NAMES | VALUE,
            (VALUE, '"') => DOUBLE,
            (VALUE, '\'') => SINGLE,
            (VALUE, _) if !blank => BARE,
            (TAG, '/') => NAMES,
            (TAG | BARE, _) if blank => NAMES,
            _ => one,
        };
        if state != 0 {
            let readings = [TAG, NAMES, VALUE, BARE, DOUBLE, SINGLE].into_iter();
            state = readings.filter(|one| state & one != 0).fold(0, |all, one| all | next(one));
        }
        if open && letter.is_ascii_alphabetic() {
            state |= TAG;
        }
        (before, open) = (letter, letter == '<');
    }
    false
}

fn handles(attribute: &str) -> bool {
    let name = attribute.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(attribute.len());
    let rest = attribute.get(name..).unwrap_or_default();
    attribute.starts_with("on") && name > 2 && rest.trim_start().starts_with('=')
}

/// Whether a style is written with escapes, which can hide an address and what fetches it.
fn escapes(lower: &str) -> bool {
    if !lower.contains('\\') {
        return false;
    }
    // A drawing's own attributes are styles as well.
    find(lower, "<svg").is_some()
        || lower.match_indices("style").any(|(at, word)| {
            let (before, rest) = lower.split_at(at);
            let rest = rest.get(word.len()..).unwrap_or_default();
            let sheet = before.ends_with('<').then(|| find(rest, "</style").unwrap_or(rest.len()));
            let value = rest.trim_start().strip_prefix('=').map(str::trim_start).unwrap_or_default();
            let mut value = value.chars();
            let inside = match value.next() {
                Some(quote @ ('"' | '\'')) => value.take_while(|c| *c != quote).any(|c| c == '\\'),
                first => first
                    .into_iter()
                    .chain(value)
                    .take_while(|c| !c.is_whitespace() && *c != '>')
                    .any(|c| c == '\\'),
            };
            inside || sheet.and_then(|end| rest.get(..end)).is_some_and(|sheet| sheet.contains('\\'))
        })
}

/// Whether a page, a style sheet or a program is written into an address; pictures and fonts are none.
fn holds_data(tight: &str) -> bool {
    const STILL: [&str; 5] = ["image/", "font/", "audio/", "video/", "application/font"];
    let loads = ["<link", "@import"].iter().any(|word| find(tight, word).is_some());
    tight.match_indices("data:").any(|(at, word)| {
        let rest = tight.get(at.saturating_add(word.len())..).unwrap_or_default();
        let end = rest.find([',', '"', '\'', '<', '>', ')']).unwrap_or_default();
        let kind = rest.get(..end).unwrap_or_default().trim();
        let active = kind.contains('/')
            && ["css", "html", "script", "xml"].iter().any(|word| find(kind, word).is_some());
        let written = rest.get(end..).is_some_and(|rest| rest.starts_with(','));
        written && !STILL.iter().any(|still| kind.starts_with(still)) && (active || loads)
    })
}

/// The text as a style is read: `\68` and `\h` are `h`.
pub(super) fn without_escapes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        plain.push_str(before);
        let digits = after.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
        let (code, tail) = after.split_at_checked(digits).unwrap_or_default();
        match u32::from_str_radix(code, 16) {
            Ok(code) => {
                plain.push(char::from_u32(code).unwrap_or('\u{fffd}'));
                let blank = tail.chars().next().filter(|c| c.is_whitespace());
                rest = tail.get(blank.map_or(0, char::len_utf8)..).unwrap_or_default();
            }
            Err(_) => rest = after,
        }
    }
    plain.push_str(rest);
    plain
}
