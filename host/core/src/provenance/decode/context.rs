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
    /// A few words: what is written with escapes in it is mostly one, and a text of letters drawn apart has short ones.
    Words,
    /// So many bytes.
    Bytes(usize),
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
        let rest = head.get(..head.len() - near.len()).unwrap_or(&[]);
        near.len() + self.rest_of_word(rest.iter().rev())
    }

    /// Bytes of it after a hit.
    fn after(self, tail: &[u8]) -> usize {
        let (near, rest) = tail.split_at_checked(self.least()).unwrap_or((tail, &[]));
        memchr::memchr(BETWEEN, near).unwrap_or_else(|| near.len() + self.rest_of_word(rest.iter()))
    }

    fn least(self) -> usize {
        match self {
            Self::Words => NEAR,
            Self::Bytes(n) => n,
        }
    }

    fn rest_of_word<'t>(self, rest: impl Iterator<Item = &'t u8>) -> usize {
        match self {
            Self::Words => rest.take(PAD - NEAR).take_while(|b| **b > b' ').count(),
            Self::Bytes(_) => 0,
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
    fn words_near_by_are_kept_whole() {
        let words = "a1 b2 c3 d4 e5 f6 g7 h8 long-before";
        assert_eq!(
            one(&format!("{words} i=j {words} k"), "="),
            ["b2 c3 d4 e5 f6 g7 h8 long-before i=j a1 b2 c3 d4 e5 f6 g7 h8 long-before"]
        );
        assert_eq!(one("=", "="), ["="]);
        assert_eq!(one("aa=bb cc=dd", "="), ["aa=bb cc=dd"]);
    }

    #[test]
    fn long_words_are_cut_between_characters() {
        let text = format!("{}={}", "\u{e9}".repeat(50), "\u{e9}".repeat(50));
        assert_eq!(one(&text, "="), [format!("{}={}", "\u{e9}".repeat(40), "\u{e9}".repeat(40))]);
    }

    #[test]
    fn texts_that_are_decoded_together_stay_apart() {
        assert_eq!(one("a b\0c=d\0e f=g", "="), ["c=d", "e f=g"]);
        let hits = [4..5].into_iter();
        assert_eq!(windows("a\0b =\0c", hits, Context::SENTENCE), ["b ="]);
    }
}
