//! What the session has seen: every output of an upstream, told apart into fields and texts, normalised, decoded and indexed.
//!
//! Two rules hold everywhere. What *loosens* (a directory entry, the user's words) is compared exactly, in the
//! canonical form of the destination's own kind. What *tightens* (a text, a field, something near) is compared folded
//! and decoded. Nothing here reads a clock or a file; the same records give the same evidence.

mod bits;
mod decode;
mod digest;
mod excerpt;
mod fields;
mod fold;
mod lookup;
mod near;
mod prompt;
mod prose;
mod signatures;
mod store;
mod structure;
mod token;

#[cfg(test)]
mod tests;

use crate::arg_path::ArgPath;
use crate::value::Value;
pub use digest::Digest;
use std::ops::Range;
use store::Store;

/// The default cap on the text kept, in bytes.
const CAP: u64 = 1 << 30;

/// Where an output came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The user's name for the server.
    pub server: String,
    /// The tool, or `resources/read`, `prompts/get`, `notifications/message`, `error`, ...
    pub tool: String,
}

/// What a reader's program may make of a text beside itself: its escapes undone.
#[must_use]
pub(crate) fn readings(text: &str) -> Vec<String> {
    decode::undone(text)
}

/// The index of one session.
#[derive(Debug)]
pub struct Index {
    texts: Store,
    fields: fields::Fields,
    prompts: prompt::Prompts,
    /// Source of each answer; the first is number 1.
    answers: Vec<u32>,
    sources: Vec<Source>,
    /// The last answer that held more encoded text than is decoded; 0 for none.
    undecoded: u64,
}

impl Default for Index {
    fn default() -> Self {
        Self::with_cap(CAP)
    }
}

impl Index {
    /// An empty index that keeps 1 GiB of text.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// With a cap on the text kept, in bytes (default 1 GiB); beyond it the oldest becomes *unproven*.
    #[must_use]
    pub fn with_cap(cap: u64) -> Self {
        Self {
            texts: Store::new(cap),
            fields: fields::Fields::new(usize::try_from(cap / 2).unwrap_or(usize::MAX)),
            prompts: prompt::Prompts::default(),
            answers: Vec::new(),
            sources: Vec::new(),
            undecoded: 0,
        }
    }

    /// Records a text. If it is JSON or YAML it is told apart into fields; `directories` are granted places in it.
    pub fn record_text(&mut self, source: &Source, text: &str, directories: &[ArgPath]) {
        self.add(source, Digest::of_text(text, directories));
    }

    /// Records a structured answer.
    pub fn record_value(&mut self, source: &Source, value: &Value, directories: &[ArgPath]) {
        self.add(source, Digest::of_value(value, directories));
    }

    /// Records what was digested before; the order of these calls is the order of the answers.
    pub fn add(&mut self, source: &Source, digest: Digest) {
        let call = self.answer(source);
        if digest.cut {
            self.undecoded = call;
        }
        self.fields.full |= digest.full;
        digest.fields.into_iter().for_each(|field| self.fields.add(field, call));
        self.texts.add(digest.texts, call);
    }

    /// Records words of the user's own (a prompt, an answer to an elicitation): what it names is vouched for.
    pub fn record_prompt(&mut self, text: &str) {
        let quoted = self.quoted(text);
        self.prompts.add(text, &quoted);
    }

    /// Whether a recorded text holds this one, which is folded: lower case, NFKC, single blanks.
    #[must_use]
    pub fn holds(&self, folded: &str) -> bool {
        self.texts.find(folded, |_| true)
    }

    fn answer(&mut self, source: &Source) -> u64 {
        let at = self.sources.iter().rposition(|s| s == source).unwrap_or_else(|| {
            self.sources.push(source.clone());
            self.sources.len() - 1
        });
        self.answers.push(u32::try_from(at).unwrap_or(u32::MAX));
        self.answers.len() as u64
    }

    /// Server and tool of answer number `call`.
    fn named(&self, call: u64) -> (String, String) {
        let at = usize::try_from(call).ok().and_then(|c| self.answers.get(c.checked_sub(1)?));
        at.and_then(|i| self.sources.get(*i as usize))
            .map_or_else(|| (String::new(), String::new()), |s| (s.server.clone(), s.tool.clone()))
    }

    /// The byte ranges of a prompt that some answer held before, word for word.
    fn quoted(&self, text: &str) -> Vec<Range<usize>> {
        // Folded character by character, so that places in the prompt are known.
        let mut folded: Vec<(char, usize)> = Vec::new();
        for (at, c) in text.char_indices() {
            let mut buffer = [0; 4];
            let f = fold::fold(c.encode_utf8(&mut buffer));
            if f.is_empty() {
                if c.is_whitespace() && folded.last().is_some_and(|(l, _)| *l != ' ') {
                    folded.push((' ', at));
                }
                continue;
            }
            folded.extend(f.chars().map(|f| (f, at)));
        }
        let mut out: Vec<Range<usize>> = Vec::new();
        for window in folded.windows(prompt::QUOTE) {
            let needle: String = window.iter().map(|(c, _)| *c).collect();
            if !self.holds(&needle) {
                continue;
            }
            let (Some((_, start)), Some((c, last))) = (window.first(), window.last()) else { continue };
            let end = text
                .get(*last..)
                .and_then(|t| t.chars().next())
                .map_or(last + c.len_utf8(), |c| last + c.len_utf8());
            match out.last_mut() {
                Some(o) if *start <= o.end => o.end = end,
                _ => out.push(*start..end),
            }
        }
        out
    }
}
