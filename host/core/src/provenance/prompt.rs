//! The user's own words: what they name is vouched for, exactly as typed, but not what stands inside a passage that
//! they quote from an answer.

use crate::destination::{self, Destination, Kind};
use std::collections::BTreeSet;
use std::ops::Range;

/// A run of this many folded characters that an answer held before is a quotation.
pub(super) const QUOTE: usize = 40;
/// A quoted run that reaches no further than this beyond a destination is the user naming it.
const SLACK: usize = 12;

#[derive(Debug, Default)]
pub(super) struct Prompts {
    named: BTreeSet<(Kind, String)>,
    /// Prompts without what they quote, blanks collapsed, otherwise as typed.
    words: Vec<String>,
}

impl Prompts {
    /// Records a prompt; `quoted` are its byte ranges that an answer held before.
    pub(super) fn add(&mut self, text: &str, quoted: &[Range<usize>]) {
        for found in destination::find_with_places(text) {
            let span = &found.span;
            let laundered = quoted
                .iter()
                .any(|q| q.start < span.end && span.start < q.end && q.len() > span.len() + SLACK);
            if !laundered {
                self.named.insert((found.destination.kind, found.destination.canonical));
            }
        }
        let mut kept = String::with_capacity(text.len());
        let mut from = 0;
        for q in quoted.iter().filter(|q| q.len() >= QUOTE) {
            kept.push_str(text.get(from..q.start).unwrap_or(""));
            // Nothing may be put together from what stands before and after a quotation.
            kept.push_str(" \u{0} ");
            from = q.end.max(from);
        }
        kept.push_str(text.get(from..).unwrap_or(""));
        self.words.push(kept.split_whitespace().collect::<Vec<_>>().join(" "));
    }

    /// Whether the user named this destination.
    pub(super) fn names(&self, d: &Destination) -> bool {
        if self.named.contains(&(d.kind, d.canonical.clone())) {
            return true;
        }
        match d.kind {
            Kind::Email | Kind::Host => false,
            Kind::Url => destination::url_parts(&d.canonical).is_some_and(|p| {
                (p.scheme == "https" || p.scheme == "http")
                    && ((p.is_root() && self.named.contains(&(Kind::Host, p.host.clone())))
                        // Typed without a scheme, it was read as `https`.
                        || p.scheme == "http" && self.words.iter().any(|w| !w.contains("://"))
                            && self.named.contains(&(Kind::Url, d.canonical.replacen("http://", "https://", 1))))
            }),
            Kind::Channel | Kind::User => self.says(destination::bare_name(&d.raw), true),
            _ => self.says(d.raw.trim(), d.raw.chars().all(|c| c.is_alphabetic() || c == ' ')) || self.says(&d.canonical, false),
        }
    }

    /// Whether the words themselves stand in a prompt, whole.
    fn says(&self, words: &str, any_case: bool) -> bool {
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        if words.is_empty() || !words.chars().any(char::is_alphanumeric) {
            return false;
        }
        let fold = |t: &str| if any_case { t.to_lowercase() } else { t.to_owned() };
        let needle = fold(&words);
        self.words.iter().any(|prompt| {
            let prompt = fold(prompt);
            prompt.match_indices(needle.as_str()).any(|(at, m)| {
                super::token::stands_alone(
                    prompt.get(..at).unwrap_or(""),
                    m,
                    prompt.get(at + m.len()..).unwrap_or(""),
                )
            })
        })
    }
}
