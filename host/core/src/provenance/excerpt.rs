//! The words around a sighting, for a person: nothing in them moves a cursor or turns a line round.

use super::fold::invisible;

/// Characters an excerpt may have, the marks included.
const LONGEST: usize = 160;
/// Characters of the value itself that are shown.
const VALUE: usize = 96;

/// `before**value**after`, cut to 160 characters.
pub(super) fn around(before: &str, value: &str, after: &str) -> String {
    let value = cut_end(&shown(value.chars().take(VALUE + 1)), VALUE);
    let room = LONGEST.saturating_sub(value.chars().count() + 4) / 2;
    let head: String = {
        let mut last: Vec<char> = before.chars().rev().take(room + 1).collect();
        last.reverse();
        shown(last.into_iter())
    };
    let tail = shown(after.chars().take(room + 1));
    let head_len = head.chars().count();
    let head = if head_len > room {
        format!("\u{2026}{}", head.chars().skip(head_len - room + 1).collect::<String>())
    } else {
        head
    };
    format!("{head}**{value}**{}", cut_end(&tail, room))
}

fn cut_end(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let mut out: String = text.chars().take(room.saturating_sub(1)).collect();
    out.push('\u{2026}');
    out
}

/// Control and bidi characters as `\u{..}`.
pub(super) fn shown(text: impl Iterator<Item = char>) -> String {
    let mut out = String::new();
    for c in text {
        match c {
            '\n' | '\r' | '\t' => out.push(' '),
            c if c.is_control() || invisible(c) || matches!(c, '\u{2028}' | '\u{2029}') => {
                out.extend(c.escape_unicode());
            }
            c => out.push(c),
        }
    }
    out
}
