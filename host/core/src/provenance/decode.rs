//! Further texts that a text stands for: what a reader would make of its escapes, encodings and disguises.
//!
//! Each decoder looks only at windows around what it understands, so that plain text costs little and a decoded copy
//! never replaces the text itself. Bounded in depth, size and, by those, time; where a bound cut something off, that is
//! told. ROT13 is left alone: any word is one.

mod broken;
mod bytes;
mod context;
mod disguise;
mod escapes;
mod runs;

use super::fold::{SEPARATOR, fold};
use context::Context;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::num::NonZeroU8;

/// How many decoders may be needed one after the other.
const DEPTH: usize = 3;
/// What one decoder may add to a text, in bytes, or twice its length where that is more. Each has its own, so that none
/// can use up another's.
const BUDGET: usize = 64 << 10;
/// What all of them may add, as a multiple of that.
const TOTAL: usize = 6;
/// Further texts of one text.
const MOST: usize = 16 << 10;
/// Separates the labels of a host as `.` does.
const IDEOGRAPHIC_STOP: char = '\u{3002}';

/// How a text was come by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Via(Option<NonZeroU8>);

impl Via {
    /// The decoder's name; `None` for what is as it came.
    pub(super) fn name(self) -> Option<&'static str> {
        DECODERS.get(usize::from(self.0?.get()) - 1).map(|decoder| decoder.via)
    }

    /// By the decoder at this place of the list.
    fn decoder(at: usize) -> Self {
        Self(u8::try_from(at + 1).ok().and_then(NonZeroU8::new))
    }
}

/// A further text and how it was come by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Variant {
    pub(super) via: Via,
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

/// Bytes of a text that say which decoders could find something in it, as bits.
mod mark {
    pub(super) const PERCENT: u16 = 1;
    pub(super) const AMPERSAND: u16 = 1 << 1;
    pub(super) const BACKSLASH: u16 = 1 << 2;
    pub(super) const PLUS: u16 = 1 << 3;
    pub(super) const EQUALS: u16 = 1 << 4;
    pub(super) const UPPER: u16 = 1 << 5;
    pub(super) const DIGIT: u16 = 1 << 6;
    pub(super) const OTHER: u16 = 1 << 7;
    pub(super) const MARKUP: u16 = 1 << 8;
    pub(super) const DOT: u16 = 1 << 9;
    pub(super) const AT: u16 = 1 << 10;
    pub(super) const SLASH: u16 = 1 << 11;
    pub(super) const ALL: u16 = u16::MAX;

    /// The marks of a text: of most, the first stands near the beginning or there is none, which a search for it tells fast.
    pub(super) fn of(text: &str) -> u16 {
        let bytes = text.as_bytes();
        let one = |mark: u16, b: u8| if memchr::memchr(b, bytes).is_some() { mark } else { 0 };
        let any = |mark: u16, is: bool| if is { mark } else { 0 };
        // Without branches in a piece, which makes vector instructions of it.
        let has = |class: fn(&u8) -> bool| {
            bytes.chunks(64).any(|piece| piece.iter().fold(false, |seen, b| seen | class(b)))
        };
        one(PERCENT, b'%')
            | one(AMPERSAND, b'&')
            | one(BACKSLASH, b'\\')
            | one(PLUS, b'+')
            | one(EQUALS, b'=')
            | one(DOT, b'.')
            | one(AT, b'@')
            | one(SLASH, b'/')
            | any(UPPER, has(u8::is_ascii_uppercase))
            | any(DIGIT, has(u8::is_ascii_digit))
            | any(OTHER, !bytes.is_ascii())
            | any(
                MARKUP,
                memchr::memchr3(b'<', b'*', b'`', bytes).or(memchr::memchr2(b'[', b'_', bytes)).is_some(),
            )
    }
}

/// How a text is decoded.
struct Decoder {
    via: &'static str,
    /// Nothing is found in a text with none of these.
    needs: u16,
    /// Takes a text and its folded form.
    decode: fn(&str, &str) -> Vec<String>,
    /// Only cuts words apart or joins what stood apart: nothing comes to light that could be decoded once more.
    is_last: bool,
}

const fn decoder(via: &'static str, needs: u16, decode: fn(&str, &str) -> Vec<String>) -> Decoder {
    Decoder { via, needs, decode, is_last: false }
}

const DECODERS: [Decoder; 16] = [
    decoder("percent escapes", mark::PERCENT, |t, _| escapes::percent(t)),
    decoder("html entities", mark::AMPERSAND, |t, _| escapes::html(t, Context::Words)),
    decoder("string escapes", mark::BACKSLASH | mark::PLUS, |t, _| escapes::string(t, Context::Words)),
    decoder("quoted-printable", mark::EQUALS, |t, _| escapes::quoted_printable(t, Context::Words)),
    decoder("base64", mark::UPPER, |t, _| bytes::base64(t)),
    decoder("base32", mark::UPPER, |t, _| bytes::base32(t)),
    decoder("hex", mark::DIGIT, |t, _| bytes::hex(t)),
    decoder("invisible characters", mark::OTHER, |t, _| disguise::invisible_as_blank(t)),
    decoder("tag characters", mark::OTHER, |t, _| disguise::tags(t)),
    decoder("look-alike characters", mark::OTHER, |t, _| disguise::look_alikes(t)),
    decoder("markup", mark::MARKUP, |t, _| disguise::markup(t)),
    decoder("a spelled-out form", mark::ALL, |_, folded| disguise::spelled_out(folded)),
    decoder("letters drawn apart", mark::AT | mark::DOT, |t, _| disguise::letters(t)),
    Decoder {
        is_last: true,
        ..decoder("a broken line", mark::AT | mark::DOT | mark::SLASH, |t, _| broken::rejoined(t))
    },
    Decoder { is_last: true, ..decoder("a run-on sentence", mark::DOT, |t, _| disguise::sentences(t)) },
    Decoder { is_last: true, ..decoder("a grouped number", mark::DIGIT, |t, _| disguise::numbers(t)) },
];

/// A whole text as a mail or web program shows it: its entities and escapes undone. No windows and no guesses (broken
/// lines, markup), since what is found in it is asked about.
pub(super) fn undone(text: &str) -> Vec<String> {
    let escapes = [escapes::html, escapes::string, escapes::quoted_printable];
    let mut out: Vec<String> = escapes.iter().flat_map(|undo| undo(text, Context::Whole)).collect();
    if text.contains(IDEOGRAPHIC_STOP) {
        out.push(text.replace(IDEOGRAPHIC_STOP, "."));
    }
    out
}

/// All further texts of `text`, whose folded form is `folded`. Which ones a bound cuts off depends on the text alone.
pub(super) fn variants(text: &str, folded: &str) -> Variants {
    let each = BUDGET.max(text.len().saturating_mul(2));
    let mut total = each.saturating_mul(TOTAL);
    let mut cut = false;
    // By folded text: how manieth it is, and how it was come by.
    let mut known: BTreeMap<String, (usize, Via)> = BTreeMap::new();
    let mut layer = decode(&without_separators(text), folded, each, &mut cut);
    for _ in 0..DEPTH {
        let mut fresh = Joined::default();
        for Decoded { via, text: decoded, is_last } in layer {
            let now = fold(&decoded);
            if now.is_empty() || now == folded || known.contains_key(&now) {
                continue;
            }
            if decoded.len() > total || known.len() == MOST {
                cut = true;
                continue;
            }
            total -= decoded.len();
            if !is_last {
                fresh.add(&decoded, &now);
            }
            known.insert(now, (known.len(), via));
        }
        layer = decode(&fresh.text, &fresh.folded, each, &mut cut);
        if layer.is_empty() {
            break;
        }
    }
    // What is left to be decoded beyond the last layer is not known.
    cut |= layer.iter().any(|d| {
        let now = fold(&d.text);
        !d.is_last && !now.is_empty() && !known.contains_key(&now)
    });
    let mut found: Vec<(usize, Variant)> =
        known.into_iter().map(|(folded, (nth, via))| (nth, Variant { via, folded })).collect();
    found.sort_unstable_by_key(|(nth, _)| *nth);
    Variants { found: found.into_iter().map(|(_, v)| v).collect(), cut }
}

/// Several decoded texts, to be decoded once more in one go: most are short. No decoder reaches over what is between.
#[derive(Default)]
struct Joined {
    text: String,
    folded: String,
}

impl Joined {
    fn add(&mut self, text: &str, folded: &str) {
        for (to, from) in [(&mut self.text, &*without_separators(text)), (&mut self.folded, folded)] {
            to.push_str(from);
            to.push(SEPARATOR);
        }
    }
}

/// With another control character in the place of each that would look like the end of the text.
fn without_separators(text: &str) -> Cow<'_, str> {
    match memchr::memchr(SEPARATOR as u8, text.as_bytes()) {
        Some(_) => Cow::Owned(text.replace(SEPARATOR, "\u{1}")),
        None => Cow::Borrowed(text),
    }
}

struct Decoded {
    via: Via,
    text: String,
    is_last: bool,
}

/// What each decoder makes of one text.
fn decode(text: &str, folded: &str, budget: usize, cut: &mut bool) -> Vec<Decoded> {
    let mut out = Vec::new();
    if text.is_empty() {
        return out;
    }
    let marks = mark::of(text);
    for (at, Decoder { needs, decode, is_last, .. }) in DECODERS.into_iter().enumerate() {
        if needs & marks == 0 && needs != mark::ALL {
            continue;
        }
        let mut left = budget;
        for text in decode(text, folded) {
            if text.len() > left {
                *cut = true;
                continue;
            }
            left -= text.len();
            out.push(Decoded { via: Via::decoder(at), text, is_last });
        }
    }
    out
}
