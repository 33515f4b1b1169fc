//! One form for texts and for values looked up in them: NFKC, lower case, blanks collapsed, invisible characters gone.
//!
//! Folding only ever helps to *find* a value in untrusted text; nothing is vouched for by its folded form.

use super::bits::{self, CHUNK};
use icu_normalizer::ComposingNormalizerBorrowed;
use std::borrow::Cow;

/// Stands between two texts in the index; folding never yields it.
pub(super) const SEPARATOR: char = '\0';

/// Characters without a shape of their own: zero-width, bidi controls, tags, variation selectors, soft hyphen.
pub(super) fn invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// The folded form of a text.
pub(super) fn fold(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    // Nothing before: a blank would lead.
    let mut blank = true;
    while !rest.is_empty() {
        let ascii = ascii_len(rest.as_bytes());
        // The last of them may be the base of an accent that follows.
        let plain = if ascii == rest.len() { ascii } else { ascii.saturating_sub(1) };
        let (head, tail) = rest.split_at_checked(plain).unwrap_or((rest, ""));
        fold_ascii(head.as_bytes(), &mut out, &mut blank);
        let (other, after) = tail.split_at_checked(end_of_other(tail)).unwrap_or((tail, ""));
        fold_other(other, &mut out, &mut blank);
        rest = after;
    }
    if blank && out.last() == Some(&b' ') {
        out.pop();
    }
    // Made of whole characters only.
    String::from_utf8(out).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
}

/// Where a run of characters outside of ASCII ends; a few others between two such do not end it.
fn end_of_other(text: &str) -> usize {
    const APART: usize = 24;
    let mut end = 0;
    for (at, b) in text.bytes().enumerate() {
        if !b.is_ascii() {
            end = at + 1;
        } else if at >= end + APART {
            break;
        }
    }
    // The first is the ASCII byte before the run, or the run begins here.
    end
}

/// Folds a run of characters outside of ASCII, with the one before it.
fn fold_other(text: &str, out: &mut Vec<u8>, blank: &mut bool) {
    if text.is_empty() {
        return;
    }
    // Invisible characters go first: they would keep a base and its accent apart.
    let visible: Cow<'_, str> = match text.chars().any(invisible) {
        true => text.chars().filter(|c| !invisible(*c)).collect(),
        false => Cow::Borrowed(text),
    };
    let nfkc = ComposingNormalizerBorrowed::new_nfkc();
    let mut lower = String::with_capacity(visible.len());
    for c in nfkc.normalize(&visible).chars() {
        if c.is_ascii() { lower.push(c.to_ascii_lowercase()) } else { lower.extend(c.to_lowercase()) }
    }
    for c in nfkc.normalize(&lower).chars() {
        if c.is_whitespace() || c.is_control() {
            if !*blank {
                out.push(b' ');
            }
            *blank = true;
        } else if !invisible(c) {
            *blank = false;
            // The ideographic full stop separates labels as `.` does.
            let c = if c == '\u{3002}' { '.' } else { c };
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
}

/// Lower case; blanks and control characters are a blank. Of operations that there are for many bytes at a time.
fn fold_byte(b: u8) -> u8 {
    let upper = u8::from(b.wrapping_sub(b'A') < 26) << 5;
    let delete = u8::from(b == 0x7f).wrapping_neg() & (0x7f ^ b' ');
    b.max(b' ') ^ upper ^ delete
}

/// Several blanks are one.
fn fold_ascii(text: &[u8], out: &mut Vec<u8>, blank: &mut bool) {
    let (chunks, rest) = text.as_chunks::<CHUNK>();
    for chunk in chunks {
        let mut folded = *chunk;
        for b in &mut folded {
            *b = fold_byte(*b);
        }
        let blanks = bits::of_chunk(&folded, |b| b == b' ');
        let mut keep = !(blanks & (blanks << 1 | u64::from(*blank)));
        *blank = blanks >> (CHUNK - 1) == 1;
        if keep == u64::MAX {
            out.extend_from_slice(&folded);
            continue;
        }
        while keep != 0 {
            let start = keep.trailing_zeros() as usize;
            let len = (keep >> start).trailing_ones() as usize;
            out.extend_from_slice(folded.get(start..start + len).unwrap_or(&[]));
            keep &= u64::MAX.checked_shl(u32::try_from(start + len).unwrap_or(0)).unwrap_or(0);
        }
    }
    for b in rest {
        let c = fold_byte(*b);
        if (c != b' ') | !*blank {
            out.push(c);
        }
        *blank = c == b' ';
    }
}

/// How many bytes at the beginning are ASCII.
fn ascii_len(text: &[u8]) -> usize {
    const STEP: usize = 64;
    let plain = text.chunks(STEP).take_while(|chunk| chunk.is_ascii()).map(<[u8]>::len).sum::<usize>();
    plain + text.get(plain..).unwrap_or(&[]).iter().take_while(|b| b.is_ascii()).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition, over the whole text at once.
    fn plainly(text: &str) -> String {
        let nfkc = ComposingNormalizerBorrowed::new_nfkc();
        let visible: String = text.chars().filter(|c| !invisible(*c)).collect();
        let lower: String = nfkc.normalize(&visible).chars().flat_map(char::to_lowercase).collect();
        let all = nfkc.normalize(&lower).replace('\u{3002}', ".");
        let kept: String =
            all.chars().filter(|c| !invisible(*c)).map(|c| if c.is_control() { ' ' } else { c }).collect();
        kept.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn an_accent_joins_the_letter_before_it() {
        assert_eq!(fold("Cafe\u{301}  X"), "caf\u{e9} x");
        assert_eq!(fold("e\u{200b}\u{301}"), "\u{e9}");
        assert_eq!(fold(" \u{a0} a \u{3000}\n b \u{200b} "), "a b");
    }

    proptest! {
        #[test]
        fn piece_by_piece_is_as_the_whole(text in "[aE .\n\u{e9}\u{301}\u{200b}\u{a0}\u{ff21}\u{3002}\u{1100}\u{1161}\u{130}\u{ad}]{0,24}") {
            prop_assert_eq!(fold(&text), plainly(&text));
        }
    }
}
