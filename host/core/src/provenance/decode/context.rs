//! How much of a text around an escape or a mark is kept with it: what a decoder changes is indexed once more, so each
//! byte of context costs as much as a byte of the text itself.

use super::super::fold::SEPARATOR;
use std::ops::Range;

/// Bytes of context on both sides of what is decoded, at most.
const PAD: usize = 80;
/// Words of context on both sides, the one that is decoded being the first.
const WORDS: usize = 4;

/// What is kept on both sides of a hit.
#[derive(Debug, Clone, Copy)]
pub(super) enum Context {
    /// The word it stands in and a few more: what is written with escapes in it is mostly one word.
    Words,
    /// So many bytes.
    Bytes(usize),
}

impl Context {
    /// A sentence: an address may be spelled out over many words.
    pub(super) const SENTENCE: Self = Self::Bytes(PAD);

    fn before(self, head: &[u8]) -> usize {
        match self {
            Self::Words => words(head.iter().rev()),
            Self::Bytes(n) => bytes(head.iter().rev(), n),
        }
    }

    fn after(self, tail: &[u8]) -> usize {
        match self {
            Self::Words => words(tail.iter()),
            Self::Bytes(n) => bytes(tail.iter(), n),
        }
    }
}

/// Stands between texts that are decoded together; no context goes beyond it.
const BETWEEN: u8 = SEPARATOR as u8;

fn bytes<'t>(bytes: impl Iterator<Item = &'t u8>, most: usize) -> usize {
    bytes.take(most).take_while(|b| **b != BETWEEN).count()
}

/// Bytes until the last of the words ends. Letters drawn apart and lone marks are no words.
fn words<'t>(bytes: impl Iterator<Item = &'t u8>) -> usize {
    let (mut len, mut words, mut letters) = (0, 0, 0);
    for b in bytes.take(PAD) {
        if *b > b' ' {
            letters += u8::from(is_letter(*b));
        } else {
            words += usize::from(letters > 1);
            if words == WORDS || *b == BETWEEN {
                break;
            }
            letters = 0;
        }
        len += 1;
    }
    len
}

/// Of a word; written without branches.
fn is_letter(b: u8) -> bool {
    ((b | 0x20).wrapping_sub(b'a') < 26) | (b.wrapping_sub(b'0') < 10) | (b >= 0x80)
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
    fn a_word_has_three_neighbours_on_each_side() {
        assert_eq!(one("a1 b2 c3 d4 e5=f6 g7 h8 i9 j0", "="), ["b2 c3 d4 e5=f6 g7 h8 i9"]);
        assert_eq!(one("=", "="), ["="]);
    }

    #[test]
    fn letters_drawn_apart_and_marks_are_no_words() {
        assert_eq!(one("one two b o b = e v i l . i o then", "="), ["one two b o b = e v i l . i o then"]);
    }

    #[test]
    fn long_words_are_cut_between_characters_and_near_hits_share_one_window() {
        let text = format!("{}={}", "\u{e9}".repeat(50), "\u{e9}".repeat(50));
        let around = one(&text, "=");
        assert_eq!(around, [format!("{}={}", "\u{e9}".repeat(40), "\u{e9}".repeat(40))]);
        assert_eq!(one("aa=bb cc=dd", "="), ["aa=bb cc=dd"]);
    }
}
