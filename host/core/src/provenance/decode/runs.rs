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
    /// Seven digits or more, at most three bytes between two of them, none a letter.
    pub(super) phones: Vec<Range<usize>>,
    /// What begins like an account number: two letters and two digits.
    pub(super) accounts: Vec<Range<usize>>,
}

/// Finds both in one go.
pub(super) fn numbers(text: &[u8]) -> Numbers {
    const TOGETHER: usize = 3;
    const DIGITS: usize = 7;
    const ACCOUNT: usize = 48;
    let byte = |at: Option<usize>| at.and_then(|at| text.get(at)).copied().unwrap_or(b' ');
    let mut out = Numbers::default();
    let mut now: Range<usize> = 0..0;
    let mut count = 0_usize;
    let is_grouped = |now: &Range<usize>, count: usize| {
        // Digits alone are compared as they stand, but for a country's prefix.
        now.len() > count || text.get(now.clone()).is_some_and(|d| d.starts_with(b"00"))
    };
    bits::runs(
        text,
        |b| b.is_ascii_digit(),
        |run| {
            let apart =
                || text.get(now.end..run.start).is_some_and(|b| b.iter().any(u8::is_ascii_alphabetic));
            if count == 0 || run.start - now.end > TOGETHER || apart() {
                if count >= DIGITS && is_grouped(&now, count) {
                    out.phones.push(now.clone());
                }
                now.start = run.start;
                count = 0;
                let letter = |back: usize| byte(run.start.checked_sub(back)).is_ascii_alphabetic();
                if run.len() > 1
                    && letter(1)
                    && letter(2)
                    && !byte(run.start.checked_sub(3)).is_ascii_alphanumeric()
                {
                    out.accounts.push(run.start - 2..(run.start + ACCOUNT).min(text.len()));
                }
            }
            now.end = run.end;
            count += run.len();
        },
    );
    if count >= DIGITS && is_grouped(&now, count) {
        out.phones.push(now);
    }
    out
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
        assert_eq!(one(numbers(b"call +49 (0)30 123 45 or 12 34").phones), (1, Some(6..21)));
        assert_eq!(one(numbers(b"0049301234567").phones), (1, Some(0..13)));
        assert_eq!(one(numbers(b"to DE89 3704 0044").accounts), (1, Some(3..17)));
        for none in ["1234567", "123456 and 1", "1a2b3c4d5e6f7a", "ABC12 34"] {
            assert_eq!(numbers(none.as_bytes()), Numbers::default(), "{none}");
        }
    }

    #[test]
    fn others_are_all_characters_outside_of_ascii() {
        let text = "a\u{e9}bc\u{1f600}\u{430}";
        assert_eq!(others(text), [(1, '\u{e9}'), (5, '\u{1f600}'), (9, '\u{430}')]);
    }
}
