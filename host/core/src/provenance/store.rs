//! The folded texts of a session, in shards: the oldest shard goes when the cap is reached. An answer larger than a shard has
//! one of its own, so that it takes no others along.

use super::decode::{Variant, Via};
use super::fold::SEPARATOR;
use super::signatures::Signatures;
use std::collections::VecDeque;

/// Where a text came from, and all that was decoded from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Origin {
    /// Where its texts begin.
    start: usize,
    /// Number of the answer, from 1.
    pub(super) call: u64,
    /// JSON pointer into it.
    pub(super) pointer: Box<str>,
    /// It is a whole field: a match of all of it is the field's matter, a match inside of it is text.
    pub(super) field: bool,
}

/// One text. There are many short ones: it is kept small.
#[derive(Debug)]
struct Segment {
    start: usize,
    via: Via,
}

/// The folded texts of one answer, one after the other, on their way into the store.
#[derive(Debug, Default)]
pub(super) struct Texts {
    text: String,
    origins: Vec<Origin>,
    segments: Vec<Segment>,
}

impl Texts {
    /// Takes what stands at `pointer`, and what was decoded from it.
    pub(super) fn push(&mut self, folded: String, variants: Vec<Variant>, pointer: &str, field: bool) {
        let start = self.text.len();
        self.push_text(folded, Via::default());
        for Variant { via, folded } in variants {
            self.push_text(folded, via);
        }
        if self.text.len() > start {
            self.origins.push(Origin { start, call: 0, pointer: pointer.into(), field });
        }
    }

    /// Bytes of the pointers.
    #[cfg(test)]
    pub(super) fn places(&self) -> usize {
        self.origins.iter().map(|origin| origin.pointer.len()).sum()
    }

    fn push_text(&mut self, folded: String, via: Via) {
        if folded.is_empty() {
            return;
        }
        self.segments.push(Segment { start: self.text.len(), via });
        // The first one is nearly all there is.
        if self.text.is_empty() {
            self.text = folded;
        } else {
            self.text.push_str(&folded);
        }
        self.text.push(SEPARATOR);
    }
}

#[derive(Debug, Default)]
struct Shard {
    texts: Texts,
    signatures: Signatures,
}

/// One occurrence of a needle: the folded text it stands in, where, and whose it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hit<'a> {
    pub(super) segment: &'a str,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) origin: &'a Origin,
    /// How the text was decoded from it, where it was.
    pub(super) via: Option<&'static str>,
}

impl Hit<'_> {
    /// The whole segment is the needle.
    pub(super) fn is_whole(&self) -> bool {
        self.start == 0 && self.end == self.segment.len()
    }

    pub(super) fn before(&self) -> &str {
        self.segment.get(..self.start).unwrap_or("")
    }

    pub(super) fn after(&self) -> &str {
        self.segment.get(self.end..).unwrap_or("")
    }
}

#[derive(Debug)]
pub(super) struct Store {
    shards: VecDeque<Shard>,
    cap: u64,
    bytes: u64,
    /// Answers up to this one are no longer, or no longer fully, known.
    pub(super) forgotten: u64,
}

impl Store {
    pub(super) fn new(cap: u64) -> Self {
        Self { shards: VecDeque::new(), cap, bytes: 0, forgotten: 0 }
    }

    fn shard_size(&self) -> usize {
        usize::try_from((self.cap / 8).clamp(1 << 12, 64 << 20)).unwrap_or(64 << 20)
    }

    /// Adds the texts of answer number `call`.
    pub(super) fn add(&mut self, mut texts: Texts, call: u64) {
        let size = self.shard_size();
        let new = texts.text.len();
        if self.shards.back().is_none_or(|s| s.texts.text.len().saturating_add(new) > size) {
            self.shards.push_back(Shard::default());
        }
        self.bytes += texts.text.len() as u64;
        texts.origins.iter_mut().for_each(|origin| origin.call = call);
        if let Some(shard) = self.shards.back_mut() {
            shard.add(texts);
        }
        while self.bytes > self.cap {
            let Some(old) = self.shards.pop_front() else { break };
            self.bytes = self.bytes.saturating_sub(old.texts.text.len() as u64);
            let last = old.texts.origins.last().map_or(0, |origin| origin.call);
            self.forgotten = self.forgotten.max(last);
        }
    }

    /// Calls `visit` for each occurrence, oldest first, until it returns `true`; whether it did.
    pub(super) fn find<'s>(&'s self, needle: &str, mut visit: impl FnMut(Hit<'s>) -> bool) -> bool {
        if needle.is_empty() || needle.contains(SEPARATOR) {
            return false;
        }
        self.shards.iter().any(|shard| {
            shard.signatures.find(shard.texts.text.as_bytes(), needle.as_bytes(), |at| {
                shard.hit(at, needle.len()).is_some_and(&mut visit)
            })
        })
    }
}

impl Shard {
    fn add(&mut self, texts: Texts) {
        let Texts { text, origins, segments } = &mut self.texts;
        let offset = text.len();
        if offset == 0 {
            self.texts = texts;
        } else {
            text.push_str(&texts.text);
            origins.extend(texts.origins.into_iter().map(|o| Origin { start: o.start + offset, ..o }));
            segments.extend(texts.segments.into_iter().map(|s| Segment { start: s.start + offset, ..s }));
        }
        self.signatures.grow(self.texts.text.as_bytes());
    }

    fn hit(&self, at: usize, len: usize) -> Option<Hit<'_>> {
        let Texts { text, origins, segments } = &self.texts;
        let origin = origins.get(origins.partition_point(|o| o.start <= at).checked_sub(1)?)?;
        let i = segments.partition_point(|s| s.start <= at).checked_sub(1)?;
        let segment = segments.get(i)?;
        let end = segments.get(i + 1).map_or(text.len(), |s| s.start);
        let text = text.get(segment.start..end.checked_sub(SEPARATOR.len_utf8())?)?;
        let start = at - segment.start;
        Some(Hit { segment: text, start, end: start + len, origin, via: segment.via.name() })
    }
}
