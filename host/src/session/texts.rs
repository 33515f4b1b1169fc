//! The texts of a session: indexed, or waiting to be. Indexing takes longer than handing an answer on, so it is done when
//! nothing else is to do, or when somebody asks, whichever comes first: what is asked is always asked of everything.

use super::{Backlog, Piece};
use bouncer_core::arg_path::ArgPath;
use bouncer_core::destination::Destination;
use bouncer_core::evidence::Evidence;
use bouncer_core::provenance::{Index, Source};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Bytes that may wait beside the last piece. Beyond, who records indexes: memory must not fill faster than it is read.
/// Some large answers one after the other are handed on before any is indexed; a call right after them waits for that.
const MOST: usize = 64 << 20;

#[derive(Debug)]
pub(super) struct Texts {
    index: Index,
    waiting: VecDeque<Waiting>,
    /// About as many bytes wait.
    pub(super) bytes: usize,
    /// See [`MOST`].
    pub(super) most: usize,
    /// For each piece, in the order in which they came: which of the client's calls it answered, 0 for none.
    numbers: Vec<u64>,
    /// Something could not be indexed: there are holes in what is known to be untrusted.
    pub(super) broken: bool,
}

impl Default for Texts {
    fn default() -> Self {
        Self {
            index: Index::default(),
            waiting: VecDeque::new(),
            bytes: 0,
            most: MOST,
            numbers: Vec::new(),
            broken: false,
        }
    }
}

#[derive(Debug)]
struct Waiting {
    source: Source,
    piece: Piece,
    /// About how many bytes the piece has.
    size: usize,
    directories: Vec<ArgPath>,
}

impl Texts {
    /// Takes the pieces of an answer.
    pub(super) fn push(&mut self, number: u64, source: &Source, pieces: Vec<Piece>, directories: &[ArgPath]) {
        let last = pieces.len();
        for piece in pieces {
            let size = piece.size();
            self.numbers.push(number);
            self.bytes += size;
            self.waiting.push_back(Waiting {
                source: source.clone(),
                piece,
                size,
                directories: directories.to_vec(),
            });
        }
        while self.bytes > self.most && self.waiting.len() > last && self.index_one() {}
    }

    /// Indexes the piece that has waited longest. Whether there was one.
    pub(super) fn index_one(&mut self) -> bool {
        let Some(Waiting { source, piece, size, directories }) = self.waiting.pop_front() else {
            self.bytes = 0;
            return false;
        };
        self.bytes = self.bytes.saturating_sub(size);
        let index = &mut self.index;
        let indexed = catch_unwind(AssertUnwindSafe(|| match &piece {
            Piece::Text(text) => index.record_text(&source, text, &directories),
            Piece::Value(value) => index.record_value(&source, value, &directories),
        }));
        self.broken |= indexed.is_err();
        true
    }

    /// What waits to be indexed; `None` where nothing does.
    pub(super) fn backlog(&self) -> Option<Backlog> {
        Some(Backlog { came: self.numbers.len(), next: self.waiting.front()?.size })
    }

    fn all(&mut self) -> &mut Index {
        while self.index_one() {}
        &mut self.index
    }

    /// Takes the user's own words.
    pub(super) fn prompt(&mut self, text: &str) {
        self.all().record_prompt(text);
    }

    /// What all that came so far knows of a destination.
    pub(super) fn evidence(&mut self, destination: &Destination) -> Evidence {
        let mut evidence = self.all().evidence(destination);
        let Evidence { directory, field, text, near, composed, .. } = &mut evidence;
        let beside = [near, composed].into_iter().flatten().map(|(_, sighting)| sighting);
        for sighting in [directory, field, text].into_iter().flatten().chain(beside) {
            let piece = usize::try_from(sighting.call).ok().and_then(|call| call.checked_sub(1));
            sighting.call = piece.and_then(|at| self.numbers.get(at)).copied().unwrap_or_default();
        }
        evidence
    }
}
