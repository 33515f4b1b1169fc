//! Further texts that a text stands for: what a reader would make of its escapes, encodings and disguises.
//!
//! Each decoder looks only at windows around what it understands, so that plain text costs little and a decoded copy
//! never replaces the text itself. Bounded in depth, size and, by those, time; where a bound cut something off, that is
//! told. ROT13 is left alone: any word is one.

mod bytes;
mod disguise;
mod escapes;
mod runs;

use super::fold::fold;
use std::collections::BTreeSet;
use std::ops::Range;

/// How many decoders may be needed one after the other.
const DEPTH: usize = 3;
/// What one decoder may add to a text, in bytes, or twice its length where that is more. Each has its own, so that none
/// can use up another's.
const BUDGET: usize = 64 << 10;
/// What all of them may add, as a multiple of that.
const TOTAL: usize = 6;
/// Further texts of one text.
const MOST: usize = 16 << 10;
/// Characters of context kept on both sides of what is decoded.
const PAD: usize = 80;

/// A further text and how it was come by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Variant {
    pub(super) via: &'static str,
    /// Folded.
    pub(super) folded: String,
}

/// All that a text stands for beside itself.
#[derive(Debug, Default)]
pub(super) struct Variants {
    pub(super) found: Vec<Variant>,
    /// There was more than the bounds allow.
    pub(super) cut: bool,
}

/// Takes a text and its folded form.
type Decoder = fn(&str, &str) -> Vec<String>;
const DECODERS: [(&str, Decoder); 14] = [
    ("percent escapes", |t, _| escapes::percent(t)),
    ("html entities", |t, _| escapes::html(t)),
    ("string escapes", |t, _| escapes::string(t)),
    ("quoted-printable", |t, _| escapes::quoted_printable(t)),
    ("base64", |t, _| bytes::base64(t)),
    ("hex", |t, _| bytes::hex(t)),
    ("invisible characters", |t, _| disguise::invisible_as_blank(t)),
    ("look-alike characters", |t, _| disguise::look_alikes(t)),
    ("markup", |t, _| disguise::markup(t)),
    ("a spelled-out form", |_, folded| disguise::spelled_out(folded)),
    ("a broken line", |t, _| disguise::rejoined(t)),
    ("a run-on sentence", |t, _| disguise::sentences(t)),
    ("letters drawn apart", |t, _| disguise::letters(t)),
    ("a grouped number", |t, _| disguise::numbers(t)),
];

/// All further texts of `text`, whose folded form is `folded`. Which ones a bound cuts off depends on the text alone.
pub(super) fn variants(text: &str, folded: &str) -> Variants {
    let each = BUDGET.max(text.len().saturating_mul(2));
    let mut total = each.saturating_mul(TOTAL);
    let mut out = Variants::default();
    let mut known: BTreeSet<String> = BTreeSet::new();
    let mut layer = decode(text, folded, each, &mut out.cut);
    for depth in 1..=DEPTH {
        let mut fresh: Vec<(String, String)> = Vec::new();
        for (via, decoded) in layer.drain(..) {
            let now = fold(&decoded);
            if now.is_empty() || now == folded || known.contains(&now) {
                continue;
            }
            if decoded.len() > total || out.found.len() == MOST {
                out.cut = true;
                continue;
            }
            total -= decoded.len();
            known.insert(now.clone());
            fresh.push((decoded, now.clone()));
            out.found.push(Variant { via, folded: now });
        }
        if depth < DEPTH {
            layer = fresh.iter().flat_map(|(t, f)| decode(t, f, each, &mut out.cut)).collect();
        }
    }
    out
}

/// What each decoder makes of one text.
fn decode(text: &str, folded: &str, budget: usize, cut: &mut bool) -> Vec<(&'static str, String)> {
    let mut out = Vec::new();
    for (via, decoder) in DECODERS {
        let mut left = budget;
        for decoded in decoder(text, folded) {
            if decoded.len() > left {
                *cut = true;
                continue;
            }
            left -= decoded.len();
            out.push((via, decoded));
        }
    }
    out
}

/// The text around each hit, overlapping ones joined, cut at character boundaries.
fn windows(text: &str, hits: impl Iterator<Item = Range<usize>>) -> Vec<&str> {
    windows_of(text, hits, PAD)
}

fn windows_of(text: &str, hits: impl Iterator<Item = Range<usize>>, pad: usize) -> Vec<&str> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    for hit in hits {
        let start = boundary(text, hit.start.saturating_sub(pad), false);
        let end = boundary(text, (hit.end + pad).min(text.len()), true);
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
