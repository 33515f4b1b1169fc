//! Addresses broken over lines or drawn apart by blanks. Most stand whole on one line, which is known by looking at the ends
//! of their words.

use super::super::bits::Places;
use super::context::{Context, windows};
use memchr::memmem::Finder;
use std::ops::Range;
use std::sync::LazyLock;

/// An address broken over lines or drawn apart by blanks.
pub(super) fn rejoined(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    // Marks of an address that is not plainly written.
    let mut marks: Vec<_> = memchr::memchr_iter(b'@', text.as_bytes()).map(|i| i..i + 1).collect();
    static SCHEME: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("://"));
    static WWW: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("www."));
    for finder in [&SCHEME, &WWW] {
        marks.extend(finder.find_iter(text.as_bytes()).map(|i| i..i + finder.needle().len()));
    }
    if marks.is_empty() {
        return out;
    }
    let blanks = Places::of(text.as_bytes(), may_be_blank);
    marks.sort_by_key(|r| r.start);
    let broken = marks.into_iter().filter_map(|m| broken_near(text.as_bytes(), &blanks, &m));
    for w in windows(text, broken, Context::Words) {
        let joined = [w.contains('\n').then(|| without_breaks(w)), Some(without_blanks(w))];
        out.extend(joined.into_iter().flatten().filter(|joined| joined.len() < w.len()));
    }
    out
}

/// Line breaks gone, with a hyphen before and blanks and signs of quotation after.
fn without_breaks(text: &str) -> String {
    let blank = [' ', '\t'];
    let mut out = String::with_capacity(text.len());
    for (i, line) in text.split_inclusive('\n').enumerate() {
        let line = if i > 0 { line.trim_start_matches([' ', '\t', '>', '|']) } else { line };
        out.push_str(line.strip_suffix('\n').map_or(line, |line| {
            let line = line.strip_suffix('\r').unwrap_or(line).trim_end_matches(blank);
            line.strip_suffix('-').unwrap_or(line).trim_end_matches(blank)
        }));
    }
    out
}

/// Blanks around the marks of an address gone.
fn without_blanks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['@', '.', ':', '/']) {
        let (before, mark) = rest.split_at(at);
        let (mark, after) = mark.split_at(1);
        out.push_str(before.trim_end());
        out.push_str(mark);
        rest = after.trim_start();
    }
    out.push_str(rest);
    out
}

/// The word of this mark and the blanks around it, where the address may be broken: beside the mark, or where its word ends
/// or begins, the line ends or a dot, slash or the like is left over. Most addresses stand whole on one line and cost
/// nothing more. What is not ASCII may be a blank.
fn broken_near(text: &[u8], blanks: &Places, mark: &Range<usize>) -> Option<Range<usize>> {
    const NEAR: usize = 72;
    let (end, start) = (blanks.from(mark.end, NEAR), blanks.before(mark.start, NEAR));
    let (back, front) = (text.get(end..).unwrap_or(&[]), text.get(..start).unwrap_or(&[]));
    let room = |used: usize| NEAR.saturating_sub(used);
    let blank_after = back.iter().take(room(end - mark.end)).take_while(|b| **b <= b' ').count();
    let blank_before = front.iter().rev().take(room(mark.start - start)).take_while(|b| **b <= b' ').count();
    // An address at the beginning or end of the text is whole there.
    let is_broken = end == mark.end && !back.is_empty()
        || start == mark.start && !front.is_empty()
        || end - mark.end < NEAR && goes_on(text.get(..end).unwrap_or(&[]).last(), back.iter().take(NEAR))
        || mark.start - start < NEAR
            && goes_on(text.get(start..).unwrap_or(&[]).first(), front.iter().rev().take(NEAR));
    is_broken.then_some(start - blank_before..end + blank_after)
}

/// Whether a word goes on beyond the blanks at its end: what follows these, and what it ends with.
fn goes_on<'t>(last: Option<&u8>, rest: impl Iterator<Item = &'t u8>) -> bool {
    let leads_on = |b: u8| matches!(b, b'.' | b'-' | b'/' | b':' | b'@' | b'_' | b'=' | b'|' | b'>');
    for b in rest {
        match b {
            b' ' | b'\t' | 0x0b | 0x0c => {}
            // Another text begins.
            0 => return false,
            // Line breaks, and what may be shown as nothing.
            ..b' ' | 0x7f.. => return true,
            _ => return leads_on(*b) || last.is_some_and(|b| leads_on(*b)),
        }
    }
    false
}

/// Blanks and control characters, and what is not ASCII.
fn may_be_blank(b: u8) -> bool {
    (b <= b' ') | (b >= 0x7f)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use regex::Regex;

    proptest! {
        #[test]
        fn breaks_and_blanks_go_as_their_patterns_say(text in "[ab@./ \t\r\n>|\u{a0}-]{0,24}") {
            let breaks = Regex::new(r"[ \t]*-?[ \t]*\r?\n[ \t>|]*").unwrap();
            prop_assert_eq!(without_breaks(&text), breaks.replace_all(&text, ""));
            let blanks = Regex::new(r"\s*([@.:/])\s*").unwrap();
            prop_assert_eq!(without_blanks(&text), blanks.replace_all(&text, "$1"));
        }
    }
}
