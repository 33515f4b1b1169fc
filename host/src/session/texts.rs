//! The texts of a session: indexed, or waiting to be. Indexing takes longer than handing an answer on, so it is done when
//! nothing else is to do, or when somebody asks, whichever comes first: what is asked is always asked of everything.

use super::Backlog;
use super::heard::{Heard, Lost};
use bouncer_core::destination::Destination;
use bouncer_core::evidence::Evidence;
use bouncer_core::provenance::Index;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes that may wait in memory beside what came last. Beyond, whoever takes in more indexes first: memory must not fill
/// faster than it is read.
const MOST_HERE: usize = 64 << 20;
/// Bytes that may wait in all, beside what came last. A call right after them waits for that, and all else with it: some 4 s
/// on one thread.
const MOST: usize = 256 << 20;
/// So many bytes are digested together, each part by the next thread that is free; less would not be worth a thread.
const TOGETHER: usize = 16 << 20;
const WORTH_A_THREAD: usize = 256 << 10;
const MOST_THREADS: usize = 4;

#[derive(Debug)]
pub(super) struct Texts {
    index: Index,
    waiting: VecDeque<Arc<Heard>>,
    /// So many bytes wait.
    pub(super) bytes: usize,
    /// They take so many in memory.
    pub(super) here: usize,
    /// See [`MOST_HERE`].
    pub(super) most_here: usize,
    /// See [`MOST`].
    pub(super) most: usize,
    /// How many came so far.
    came: usize,
    /// For each answer of the index: which of the client's calls it answered, 0 for none.
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
            here: 0,
            most_here: MOST_HERE,
            most: MOST,
            came: 0,
            numbers: Vec::new(),
            broken: false,
        }
    }
}

impl Texts {
    /// Takes what was heard. [`Self::keep_within`] is to follow.
    pub(super) fn extend(&mut self, all: impl IntoIterator<Item = Arc<Heard>>) {
        for heard in all {
            self.came += 1;
            self.bytes += heard.size();
            self.here += heard.here();
            self.waiting.push_back(heard);
        }
    }

    /// Indexes what is too much to wait.
    pub(super) fn keep_within(&mut self) {
        while (self.bytes > self.most || self.here > self.most_here) && self.waiting.len() > 1 {
            self.index_some(self.waiting.len() - 1);
        }
    }

    /// What has waited longest, to be digested without the session's lock.
    pub(super) fn next(&self) -> Option<Arc<Heard>> {
        self.waiting.front().map(Arc::clone)
    }

    /// Indexes what is digested, in the order in which it came.
    pub(super) fn index_digested(&mut self) {
        while let Some(heard) = self.waiting.pop_front_if(|heard| heard.is_digested()) {
            self.bytes = self.bytes.saturating_sub(heard.size());
            self.here = self.here.saturating_sub(heard.here());
            let (index, numbers) = (&mut self.index, &mut self.numbers);
            let added = catch_unwind(AssertUnwindSafe(|| {
                for digest in heard.take()? {
                    numbers.push(heard.number);
                    index.add(&heard.source, digest);
                }
                Ok::<(), Lost>(())
            }));
            self.broken |= !matches!(added, Ok(Ok(())));
        }
    }

    /// Indexes some of the `most` that have waited longest. Where that is worth it other threads digest as well, in no certain
    /// order, which changes nothing: what is added is added in the order in which it came.
    fn index_some(&mut self, most: usize) {
        let mut size = 0;
        let some: Vec<Arc<Heard>> = self
            .waiting
            .iter()
            .take(most)
            .take_while(|heard| {
                let is_first = size == 0;
                size += heard.size().max(1);
                is_first || size <= TOGETHER
            })
            .map(Arc::clone)
            .collect();
        let next = AtomicUsize::new(0);
        let digest_next = || some.get(next.fetch_add(1, Ordering::Relaxed)).inspect(|heard| heard.digest());
        let threads = threads_for(&some);
        std::thread::scope(|scope| {
            for _ in 1..threads {
                // Where no thread can be had, this one does it all.
                let _ = std::thread::Builder::new().spawn_scoped(scope, || while digest_next().is_some() {});
            }
            while digest_next().is_some() {
                self.index_digested();
            }
        });
        self.index_digested();
    }

    /// What waits to be indexed; `None` where nothing does.
    pub(super) fn backlog(&self) -> Option<Backlog> {
        Some(Backlog { came: self.came, next: self.waiting.front()?.size() })
    }

    fn all(&mut self) -> &mut Index {
        while !self.waiting.is_empty() {
            self.index_some(usize::MAX);
        }
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
            let answer = usize::try_from(sighting.call).ok().and_then(|call| call.checked_sub(1));
            sighting.call = answer.and_then(|at| self.numbers.get(at)).copied().unwrap_or_default();
        }
        evidence
    }
}

fn threads_for(all: &[Arc<Heard>]) -> usize {
    let size: usize = all.iter().map(|heard| heard.size()).sum();
    let useful = all.len().min(size / WORTH_A_THREAD).min(MOST_THREADS);
    if useful < 2 { 1 } else { std::thread::available_parallelism().map_or(1, usize::from).min(useful) }
}
