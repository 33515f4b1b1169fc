//! Further texts that a text stands for: what a reader would make of its escapes, encodings and disguises.
//!
//! Each decoder looks only at windows around what it understands, so that plain text costs little and a decoded copy
//! never replaces the text itself. Bounded in depth, size and, by those, time. ROT13 is left alone: any word is one.

mod bytes;
mod disguise;
mod escapes;

use std::ops::Range;

/// How many decoders may be needed one after the other.
const DEPTH: usize = 3;
/// What decoding may add to a text, at least.
const BUDGET: usize = 64 << 10;
/// Characters of context kept on both sides of what is decoded.
const PAD: usize = 80;

/// A further text and how it was come by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Variant {
    pub(super) via: &'static str,
    pub(super) text: String,
}

type Decoder = fn(&str) -> Vec<String>;
const DECODERS: [(&str, Decoder); 11] = [
    ("percent escapes", escapes::percent),
    ("html entities", escapes::html),
    ("string escapes", escapes::string),
    ("quoted-printable", escapes::quoted_printable),
    ("base64", bytes::base64),
    ("hex", bytes::hex),
    ("invisible characters", disguise::invisible_as_blank),
    ("look-alike characters", disguise::look_alikes),
    ("markup", disguise::markup),
    ("a spelled-out form", disguise::spelled_out),
    ("a broken line", disguise::rejoined),
];

/// All further texts of `text`, without `text` itself. Which ones a bound cuts off depends on the text alone.
pub(super) fn variants(text: &str) -> Vec<Variant> {
    let mut out: Vec<Variant> = Vec::new();
    let mut left = BUDGET.max(text.len());
    let mut from = 0;
    for depth in 0..DEPTH {
        let until = out.len();
        let layer: Vec<Variant> = if depth == 0 {
            decode(text, &mut left)
        } else {
            out.get(from..until).unwrap_or(&[]).iter().flat_map(|v| decode(&v.text, &mut left)).collect()
        };
        from = until;
        for v in layer {
            if v.text != text && !out.iter().any(|o| o.text == v.text) {
                out.push(v);
            }
        }
        if out.len() == until || out.len() > 4096 {
            break;
        }
    }
    out
}

fn decode(text: &str, left: &mut usize) -> Vec<Variant> {
    let mut out = Vec::new();
    for (via, decoder) in DECODERS {
        for decoded in decoder(text) {
            if decoded.trim().is_empty() || decoded.len() > *left {
                continue;
            }
            *left -= decoded.len();
            out.push(Variant { via, text: decoded });
        }
    }
    out
}

/// The text around each hit, overlapping ones joined, cut at blanks where there are any near.
fn windows(text: &str, hits: impl Iterator<Item = Range<usize>>) -> Vec<&str> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    for hit in hits {
        let start = boundary(text, hit.start.saturating_sub(PAD), false);
        let end = boundary(text, (hit.end + PAD).min(text.len()), true);
        match spans.last_mut() {
            Some(last) if start <= last.end => last.end = last.end.max(end),
            _ => spans.push(start..end),
        }
    }
    spans.into_iter().filter_map(|s| text.get(s)).collect()
}

/// The nearest character boundary outwards.
fn boundary(text: &str, at: usize, forward: bool) -> usize {
    let mut at = at;
    while !text.is_char_boundary(at) {
        at = if forward { at + 1 } else { at.saturating_sub(1) };
    }
    at
}
