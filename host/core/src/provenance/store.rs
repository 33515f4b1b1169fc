//! The folded texts of a session, in shards: the oldest shard goes when the cap is reached.

use super::fold::SEPARATOR;
use super::signatures::Signatures;
use std::collections::VecDeque;

/// Where a text came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Origin {
    /// Number of the answer, from 1.
    pub(super) call: u64,
    /// JSON pointer into it.
    pub(super) pointer: Box<str>,
    /// How it was decoded; empty where it was not.
    pub(super) via: &'static str,
    /// It is a whole field: a match of all of it is the field's matter, a match inside of it is text.
    pub(super) field: bool,
}

#[derive(Debug)]
struct Segment {
    start: usize,
    origin: Origin,
}

#[derive(Debug, Default)]
struct Shard {
    text: String,
    segments: Vec<Segment>,
    signatures: Signatures,
}

/// One occurrence of a needle: the folded text it stands in, where, and whose it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hit<'a> {
    pub(super) segment: &'a str,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) origin: &'a Origin,
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

    /// Adds one folded text.
    pub(super) fn push(&mut self, folded: &str, origin: Origin) {
        if folded.is_empty() {
            return;
        }
        let size = self.shard_size();
        if self.shards.back().is_none_or(|s| s.text.len() >= size) {
            self.shards.push_back(Shard::default());
        }
        if let Some(shard) = self.shards.back_mut() {
            let start = shard.text.len();
            shard.segments.push(Segment { start, origin });
            shard.text.push_str(folded);
            shard.text.push(SEPARATOR);
            self.bytes += folded.len() as u64 + 1;
            shard.signatures.grow(shard.text.as_bytes());
        }
        while self.bytes > self.cap {
            let Some(old) = self.shards.pop_front() else { break };
            self.bytes = self.bytes.saturating_sub(old.text.len() as u64);
            let last = old.segments.last().map_or(0, |s| s.origin.call);
            self.forgotten = self.forgotten.max(last);
        }
    }

    /// Calls `visit` for each occurrence, oldest first, until it returns `true`; whether it did.
    pub(super) fn find<'s>(&'s self, needle: &str, mut visit: impl FnMut(Hit<'s>) -> bool) -> bool {
        if needle.is_empty() || needle.contains(SEPARATOR) {
            return false;
        }
        self.shards.iter().any(|shard| {
            shard.signatures.find(shard.text.as_bytes(), needle.as_bytes(), |at| {
                shard.hit(at, needle.len()).is_some_and(&mut visit)
            })
        })
    }
}

impl Shard {
    fn hit(&self, at: usize, len: usize) -> Option<Hit<'_>> {
        let i = self.segments.partition_point(|s| s.start <= at).checked_sub(1)?;
        let segment = self.segments.get(i)?;
        let end = self.segments.get(i + 1).map_or(self.text.len(), |s| s.start);
        let text = self.text.get(segment.start..end.checked_sub(SEPARATOR.len_utf8())?)?;
        let start = at - segment.start;
        Some(Hit { segment: text, start, end: start + len, origin: &segment.origin })
    }
}
