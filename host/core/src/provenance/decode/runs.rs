//! Where in a text the few bytes stand that a decoder is about. Most texts have none, so what matters is how fast that
//! is known.

use super::super::bits::{self, CHUNK, ones};
use std::ops::Range;

/// Calls `visit` with the place of each byte of a class (of ASCII) from `from` on, in order, until it says where to go
/// on; a place before the next byte goes on with that one.
#[inline]
pub(super) fn each(text: &[u8], class: impl Fn(u8) -> bool + Copy, mut visit: impl FnMut(usize) -> usize) {
    let mut next = 0;
    for (i, word) in bits::of_text(text, class).enumerate() {
        for at in ones(word).map(|at| i * CHUNK + at) {
            if at >= next {
                next = visit(at).max(at + 1);
            }
        }
    }
}

/// The longest run of bytes of a class that holds the byte at `at`, not before `floor`.
pub(super) fn around(text: &[u8], at: usize, floor: usize, class: impl Fn(u8) -> bool) -> Range<usize> {
    let head = text.get(floor..at).unwrap_or(&[]);
    let tail = text.get(at..).unwrap_or(&[]);
    let before = head.iter().rev().take_while(|b| class(**b)).count();
    let after = tail.iter().take_while(|b| class(**b)).count();
    at - before..at + after
}

/// The runs of a class that are at least `shortest` long, which is at most 64. Most texts have short ones only, which are
/// not looked at.
#[inline]
pub(super) fn at_least(text: &[u8], shortest: usize, class: impl Fn(u8) -> bool + Copy) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut words = bits::of_text(text, class).chain([0]);
    let mut now = words.next().unwrap_or(0);
    let mut end = 0;
    for (i, next) in words.enumerate() {
        let long = bits::long_runs(u128::from(now) | u128::from(next) << CHUNK, shortest);
        for at in ones(u64::try_from(long & u128::from(u64::MAX)).unwrap_or(0)).map(|at| i * CHUNK + at) {
            if at >= end {
                end = around(text, at, at, class).end;
                out.push(at..end);
            }
        }
        now = next;
    }
    out
}

/// Each character outside of ASCII and where it stands.
pub(super) fn others(text: &str) -> Vec<(usize, char)> {
    let mut out = Vec::new();
    each(
        text.as_bytes(),
        |b| b >= 0xc0,
        |at| {
            out.extend(text.get(at..).and_then(|t| t.chars().next()).map(|c| (at, c)));
            at + 1
        },
    );
    out
}

/// Where numbers may stand that are written in groups.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Numbers {
    /// Seven digits or more in groups, between two of which stands what may group a telephone number.
    pub(super) phones: Vec<Range<usize>>,
    /// What begins like an account number, two letters and two digits, and is long enough for one.
    pub(super) accounts: Vec<Range<usize>>,
}

/// Finds both in one go.
pub(super) fn numbers(text: &[u8]) -> Numbers {
    const TOGETHER: usize = 3;
    let mut out = Numbers::default();
    let mut phone = Phone::default();
    bits::runs(
        text,
        |b| b.is_ascii_digit(),
        |run| {
            let before = |back: usize| run.start.checked_sub(back).and_then(|at| text.get(at));
            let ends = !text.get(run.end).is_some_and(|b| is_of_word(*b));
            if phone.digits > 0 {
                let is_joined = run.start - phone.span.end <= TOGETHER
                    && text.get(phone.span.end..run.start).is_some_and(|b| b.iter().all(|b| groups(*b)));
                if is_joined && ends {
                    return phone.add(&run);
                }
                out.phones.extend(phone.taken(text));
            }
            if !before(1).is_some_and(|b| is_of_word(*b)) {
                if ends {
                    phone.add(&run);
                }
            } else if run.len() > 1
                && before(1).is_some_and(u8::is_ascii_alphabetic)
                && before(2).is_some_and(u8::is_ascii_alphabetic)
                && !before(3).is_some_and(u8::is_ascii_alphanumeric)
            {
                out.accounts.extend(account(text, run.start - 2));
            }
        },
    );
    out.phones.extend(phone.taken(text));
    out
}

/// Groups of digits so far.
#[derive(Default)]
struct Phone {
    span: Range<usize>,
    digits: usize,
}

impl Phone {
    fn add(&mut self, group: &Range<usize>) {
        if self.digits == 0 {
            self.span.start = group.start;
        }
        self.span.end = group.end;
        self.digits += group.len();
    }

    /// The number, if it is one that is compared otherwise than as it stands; the next group begins another.
    fn taken(&mut self, text: &[u8]) -> Option<Range<usize>> {
        let Self { mut span, digits } = std::mem::take(self);
        let mark = span.start.checked_sub(1).and_then(|at| text.get(at));
        let international = mark == Some(&b'+') || text.get(span.clone())?.starts_with(b"00");
        let least = if international { 5 } else { 7 };
        if digits < least || span.len() == digits && !international {
            return None;
        }
        span.start -= usize::from(matches!(mark, Some(b'+' | b'(')));
        Some(span)
    }
}

/// Whether a byte may stand between the groups of a telephone number; outside of ASCII are blanks and dashes.
fn groups(b: u8) -> bool {
    matches!(b, b' ' | b'(' | b')' | b'.' | b'-' | b'/' | 0x80..)
}

fn is_of_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

/// From the beginning of what may be an account number so much as one may take.
fn account(text: &[u8], start: usize) -> Option<Range<usize>> {
    const SPAN: usize = 60;
    /// Letters and digits of the shortest, and how many of these are digits.
    const LEAST: (usize, usize) = (14, 8);
    let (mut symbols, mut digits, mut gap, mut end) = (0, 0, false, start);
    for (at, b) in text.iter().enumerate().skip(start).take(SPAN) {
        match b {
            b'0'..=b'9' => (symbols, digits, gap, end) = (symbols + 1, digits + 1, false, at + 1),
            b'a'..=b'z' | b'A'..=b'Z' => (symbols, gap, end) = (symbols + 1, false, at + 1),
            // A blank that no line breaks at has two bytes.
            0xc2 => {}
            b' ' | b'-' | 0xa0 if !gap => gap = true,
            _ => break,
        }
    }
    (symbols >= LEAST.0 && digits >= LEAST.1).then_some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts from a small generator, in which the classes come and go.
    fn texts() -> Vec<Vec<u8>> {
        let mut state = 11_u64;
        let mut next = move |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        (0..400)
            .map(|_| (0..next(400)).map(|_| b"aAbz09 .\n-"[usize::try_from(next(10)).unwrap()]).collect())
            .collect()
    }

    #[test]
    fn long_runs_are_those_that_a_plain_scan_finds() {
        for text in texts() {
            for shortest in [1, 2, 5, 12] {
                let class = |b: u8| b.is_ascii_alphanumeric();
                let mut plain = Vec::new();
                let mut start = 0;
                for (i, b) in text.iter().chain(b" ").enumerate() {
                    if !class(*b) {
                        if i - start >= shortest && i > start {
                            plain.push(start..i);
                        }
                        start = i + 1;
                    }
                }
                assert_eq!(
                    at_least(&text, shortest, class),
                    plain,
                    "{shortest} {:?}",
                    String::from_utf8_lossy(&text)
                );
            }
        }
    }

    #[test]
    fn every_byte_of_a_class_is_visited_once_and_skipping_is_heeded() {
        for text in texts() {
            let plain: Vec<usize> = (0..text.len()).filter(|i| text[*i] == b'A').collect();
            let mut got = Vec::new();
            each(
                &text,
                |b| b == b'A',
                |at| {
                    got.push(at);
                    0
                },
            );
            assert_eq!(got, plain);
            let mut far = Vec::new();
            each(
                &text,
                |b| b == b'A',
                |at| {
                    far.push(at);
                    at + 70
                },
            );
            assert!(far.windows(2).all(|w| w[1] >= w[0] + 70));
        }
    }

    #[test]
    fn numbers_are_groups_of_digits() {
        let one = |found: Vec<Range<usize>>| (found.len(), found.first().cloned());
        assert_eq!(one(numbers(b"call +49 (0)30 123 45 or 12 34").phones), (1, Some(5..21)));
        assert_eq!(one(numbers(b"call +49 12 3").phones), (1, Some(5..13)));
        assert_eq!(one(numbers(b"0049301234567").phones), (1, Some(0..13)));
        assert_eq!(one(numbers(b"030/12345 and x1 23456-8").phones), (1, Some(0..9)));
        assert_eq!(one(numbers(b"1 234567 8x").phones), (1, Some(0..8)));
        assert_eq!(one(numbers(b"to DE89 3704 0044 05").accounts), (1, Some(3..20)));
        assert_eq!(one(numbers("DE89\u{a0}3704\u{a0}0044\u{a0}05".as_bytes()).accounts), (1, Some(0..20)));
        assert_eq!(one(numbers(b"to DE89 3704 0044").accounts), (0, None));
        for none in ["1234567", "123456 and 1", "1a2b3c4d5e6f7a", "ABC12 34", "12345,6789"] {
            assert_eq!(numbers(none.as_bytes()), Numbers::default(), "{none}");
        }
    }

    #[test]
    fn others_are_all_characters_outside_of_ascii() {
        let text = "a\u{e9}bc\u{1f600}\u{430}";
        assert_eq!(others(text), [(1, '\u{e9}'), (5, '\u{1f600}'), (9, '\u{430}')]);
    }
}
