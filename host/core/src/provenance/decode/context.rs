//! How much of a text around an escape or a mark is kept with it: what a decoder changes is indexed once more, so each
//! byte of context costs as much as a byte of the text itself.

use super::super::fold::SEPARATOR;
use std::ops::Range;

/// Bytes of context on both sides of what is decoded, at most.
const PAD: usize = 80;
/// Bytes after which it ends with the word.
const NEAR: usize = 32;
/// Stands between texts that are decoded together; no context goes beyond it.
const BETWEEN: u8 = SEPARATOR as u8;

/// What is kept on both sides of a hit.
#[derive(Debug, Clone, Copy)]
pub(super) enum Context {
    /// A few words: what is written with escapes in it is mostly one. Further words are kept while one value may be
    /// written in them.
    Words,
    /// So many bytes.
    Bytes(usize),
    /// The whole text.
    Whole,
}

impl Context {
    /// A sentence: an address may be spelled out over many words.
    pub(super) const SENTENCE: Self = Self::Bytes(PAD);

    /// Bytes of it before a hit.
    fn before(self, head: &[u8]) -> usize {
        let near = head.get(head.len().saturating_sub(self.least())..).unwrap_or(&[]);
        if let Some(at) = memchr::memrchr(BETWEEN, near) {
            return near.len() - at - 1;
        }
        let rest = head.len() - near.len();
        near.len() + self.further(|at| rest.checked_sub(at + 1).and_then(|i| head.get(i)).copied())
    }

    /// Bytes of it after a hit.
    fn after(self, tail: &[u8]) -> usize {
        let (near, rest) = tail.split_at_checked(self.least()).unwrap_or((tail, &[]));
        memchr::memchr(BETWEEN, near).unwrap_or_else(|| near.len() + self.further(|at| rest.get(at).copied()))
    }

    fn least(self) -> usize {
        match self {
            Self::Words => NEAR,
            Self::Bytes(n) => n,
            Self::Whole => 0,
        }
    }

    /// Bytes that are kept beyond the first ones, `byte` being those read away from the hit: the rest of a word, and
    /// further ones that are short, as letters drawn apart and groups of a number are, or that a mark of an address or
    /// the end of a line joins.
    fn further(self, byte: impl Fn(usize) -> Option<u8>) -> usize {
        const GROUP: usize = 5;
        const LETTERS: usize = 2;
        let Self::Words = self else { return 0 };
        let byte = |at: usize| byte(at).filter(|b| at < PAD - NEAR && *b != BETWEEN);
        let end_of = |from: usize, class: fn(u8) -> bool| {
            (from..PAD).find(|at| !byte(*at).is_some_and(class)).unwrap_or(PAD)
        };
        let mut end = end_of(0, |b| b > b' ');
        if byte(end).is_none() {
            return end;
        }
        loop {
            let next = end_of(end, |b| b <= b' ');
            let joins = |at: usize| {
                byte(at).is_some_and(|b| {
                    matches!(b, b'.' | b'@' | b':' | b'/' | b'-' | b'_' | b'=' | b'>' | b'|')
                })
            };
            let is_broken = (end..next).any(|at| matches!(byte(at), Some(b'\n' | b'\r')));
            let length = end_of(next, |b| b.is_ascii_alphanumeric() || !b.is_ascii()) - next;
            // Words of a sentence are short as well, but have neither digits nor capitals.
            let is_group = length <= GROUP
                && (next..next + length)
                    .any(|at| byte(at).is_some_and(|b| b.is_ascii_digit() || b.is_ascii_uppercase()));
            let goes_on =
                length <= LETTERS || is_group || is_broken || joins(next) || end > 0 && joins(end - 1);
            if next == end || !goes_on {
                return end;
            }
            end = end_of(next, |b| b > b' ');
        }
    }
}

/// The text around each hit, overlapping ones joined.
pub(super) fn windows(text: &str, hits: impl Iterator<Item = Range<usize>>, context: Context) -> Vec<&str> {
    spans(text, hits, context).into_iter().filter_map(|s| text.get(s)).collect()
}

/// Where those texts stand, in order, cut at character boundaries; each holds its hits whole.
pub(super) fn spans(
    text: &str,
    hits: impl Iterator<Item = Range<usize>>,
    context: Context,
) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    if let Context::Whole = context {
        return hits.take(1).map(|_| 0..text.len()).collect();
    }
    for hit in hits {
        let head = text.as_bytes().get(..hit.start).unwrap_or(&[]);
        let tail = text.as_bytes().get(hit.end..).unwrap_or(&[]);
        let end = boundary(text, hit.end + context.after(tail), true);
        match spans.last_mut() {
            Some(last) if hit.start <= last.end => last.end = last.end.max(end),
            last => {
                let start = boundary(text, hit.start - context.before(head), false);
                match last {
                    Some(last) if start <= last.end => last.end = last.end.max(end),
                    _ => spans.push(start..end),
                }
            }
        }
    }
    spans
}

/// The nearest character boundary outwards.
fn boundary(text: &str, at: usize, forward: bool) -> usize {
    let mut at = at;
    while !text.is_char_boundary(at) {
        at = if forward { at + 1 } else { at.saturating_sub(1) };
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str, mark: &str) -> Vec<String> {
        let hits = text.match_indices(mark).map(|(at, m)| at..at + m.len());
        windows(text, hits, Context::Words).into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn words_near_by_are_kept_whole_and_further_ones_where_a_value_may_go_on() {
        let words = "attached documents concerning everything";
        let around = one(&format!("{words} i=j {words}"), "=");
        assert_eq!(around, ["documents concerning everything i=j attached documents concerning everything"]);
        assert_eq!(one("=", "="), ["="]);
        assert_eq!(one("aa=bb cc=dd", "="), ["aa=bb cc=dd"]);
        for value in [
            "6d 61 6c 6c 6f 72 79 40 65 76 69 6c 2d 63 6f 72 70 2e 65 78",
            "an-address-of-some-length-that-is @ a.example",
        ] {
            assert_eq!(one(&format!("={value} {words}"), "="), [format!("={value}")]);
            assert_eq!(one(&format!("{words} {value}="), "="), [format!("{value}=")]);
        }
    }

    #[test]
    fn long_words_are_cut_between_characters() {
        let text = format!("{}={}", "\u{e9}".repeat(50), "\u{e9}".repeat(50));
        assert_eq!(one(&text, "="), [format!("{}={}", "\u{e9}".repeat(40), "\u{e9}".repeat(40))]);
    }

    #[test]
    fn texts_that_are_decoded_together_stay_apart() {
        assert_eq!(one("a b\0c=d\0e f=g", "="), ["c=d", "e f=g"]);
        let hits = std::iter::once(4..5);
        assert_eq!(windows("a\0b =\0c", hits, Context::SENTENCE), ["b ="]);
        let far = "x".repeat(40);
        assert_eq!(one(&format!("{far}\0{far}={far}\0{far}"), "="), [format!("{far}={far}")]);
    }
}
