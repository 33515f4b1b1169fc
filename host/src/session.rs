//! What a session knows: everything that its servers sent, what a human approved, how often each tool was called.
//!
//! One plain mutex around all of it, held for look-ups and for recording, never while something is read, written or
//! run. When recording fails half-way (a bug), the session is *broken*: what is not known for certain to be untainted
//! must not be judged as if it were, so every later judgement is refused.
//!
//! A *shared* session also lies in a folder: what this process hears is written there before anybody acts on it, and
//! what the client's other proxies and hooks wrote is read before each judgement.

mod record;
#[cfg(test)]
mod tests;

use crate::store::{SessionKey, Store, StoreError};
use bouncer_core::arg_path::ArgPath;
use bouncer_core::destination::Destination;
use bouncer_core::evidence::Evidence;
use bouncer_core::facts::Provenance;
use bouncer_core::provenance::{Index, Source};
use bouncer_core::ruling::Question;
use bouncer_core::value::Value;
use record::Event;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The session's memory could not be kept whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the session's record of untrusted text could not be kept whole\nhint: see the log on stderr, then restart the session"
)]
pub struct Broken;

/// One session, shared by all threads of a proxy.
#[derive(Debug, Default)]
pub struct Session {
    id: String,
    known: Mutex<Known>,
}

/// What is behind the lock. Implements what the core asks of it.
#[derive(Debug, Default)]
pub struct Known {
    index: Index,
    store: Option<Store>,
    /// Server, tool, question.
    findings: BTreeSet<(String, String, String)>,
    /// Server, tool: calls attempted.
    attempts: BTreeMap<(String, String), u64>,
    /// How many of the client's calls were answered.
    answered: u64,
    /// For each piece that the index holds, in its order: which of the client's calls it answered, 0 for none.
    numbers: Vec<u64>,
    broken: bool,
}

/// A piece of an upstream's answer that is to be recorded.
#[derive(Debug)]
pub enum Piece {
    /// Words.
    Text(String),
    /// A structured answer.
    Value(Value),
}

impl Session {
    /// An empty session.
    #[must_use]
    pub fn new(id: String) -> Self {
        Self { id, known: Mutex::new(Known { index: Index::new(), ..Known::default() }) }
    }

    /// The session's id, for audit lines.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// A session that lies in a folder below `sessions`, with all that has happened in it so far.
    ///
    /// # Errors
    /// Where the folder cannot be used.
    pub fn shared(sessions: &Path, key: &SessionKey) -> Result<Self, StoreError> {
        let store = Some(Store::join(sessions, key)?);
        let known = Mutex::new(Known { index: Index::new(), store, ..Known::default() });
        Ok(Self { id: key.folder(), known })
    }

    /// A poisoned lock means that a thread died while it changed what is known.
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(|poisoned: PoisonError<MutexGuard<'_, Known>>| {
            let mut known = poisoned.into_inner();
            known.broken = true;
            known
        })
    }

    /// Runs `look` on the one snapshot that a judgement is made from.
    ///
    /// # Errors
    /// [`Broken`] after an internal fault, or where the session folder cannot be read or written.
    pub fn with<T>(&self, look: impl FnOnce(&mut Known) -> T) -> Result<T, Broken> {
        let mut known = self.lock();
        known.catch_up();
        if known.broken {
            return Err(Broken);
        }
        let seen = look(&mut known);
        if known.broken { Err(Broken) } else { Ok(seen) }
    }

    /// Records the answer to a call of the client's. `directories` are the places in it that only the user or their
    /// organisation can write. When this returns, the client's other proxies can read it.
    pub fn record(&self, source: &Source, pieces: &[Piece], directories: &[ArgPath]) {
        let mut known = self.lock();
        // The number that a person will read counts the whole session's calls.
        known.catch_up();
        let number = known.answered.saturating_add(1);
        known.record(number, source, pieces, directories);
    }

    /// Records what an upstream sent otherwise: greetings, lists, notifications, requests.
    pub fn record_aside(&self, source: &Source, pieces: &[Piece]) {
        self.lock().record(0, source, pieces, &[]);
    }

    /// Remembers a human's yes to `questions` for the rest of the session.
    pub fn approve(&self, server: &str, tool: &str, questions: &[&Question]) {
        let mut known = self.lock();
        for question in questions {
            known.keep(&record::approved(server, tool, &question.key));
            known.findings.insert((server.to_owned(), tool.to_owned(), question.key.clone()));
        }
    }

    /// Records the user's own words.
    ///
    /// # Errors
    /// [`Broken`] where they cannot be written.
    pub fn prompt(&self, text: &str) -> Result<(), Broken> {
        self.with(|known| {
            known.keep(&record::prompt(text));
            known.index.record_prompt(text);
        })
    }
}

impl Known {
    /// Counts one attempt to call a tool, and returns how many there were with it.
    pub fn attempt(&mut self, server: &str, tool: &str) -> u64 {
        // Written before the others are read: of two calls at the same time at least one sees the other.
        self.keep(&record::attempted(server, tool));
        self.catch_up();
        self.count(server, tool)
    }

    fn count(&mut self, server: &str, tool: &str) -> u64 {
        let count = self.attempts.entry((server.to_owned(), tool.to_owned())).or_default();
        *count = count.saturating_add(1);
        *count
    }

    /// How many attempts were counted so far.
    #[must_use]
    pub fn attempts(&self, server: &str, tool: &str) -> u64 {
        self.attempts.get(&(server.to_owned(), tool.to_owned())).copied().unwrap_or_default()
    }

    fn record(&mut self, number: u64, source: &Source, pieces: &[Piece], directories: &[ArgPath]) {
        if self.store.is_some() {
            self.keep(&record::heard(number, source, pieces, directories));
        }
        self.hear(number, source, pieces, directories);
    }

    /// Indexes an answer. A panic half-way would leave holes in what is known to be untrusted.
    fn hear(&mut self, number: u64, source: &Source, pieces: &[Piece], directories: &[ArgPath]) {
        self.answered = self.answered.max(number);
        self.numbers.extend(pieces.iter().map(|_| number));
        let index = &mut self.index;
        let recorded = catch_unwind(AssertUnwindSafe(|| {
            for piece in pieces {
                match piece {
                    Piece::Text(text) => index.record_text(source, text, directories),
                    Piece::Value(value) => index.record_value(source, value, directories),
                }
            }
        }));
        if recorded.is_err() {
            self.broken = true;
        }
    }

    fn keep(&mut self, record: &[u8]) {
        let Some(store) = &mut self.store else { return };
        if let Err(error) = store.append(record) {
            tracing::error!("{error}; every call is refused from now on");
            self.broken = true;
        }
    }

    /// Takes in what the client's other processes have recorded, in the order of time.
    fn catch_up(&mut self) {
        let Some(store) = &mut self.store else { return };
        let mut events = Vec::new();
        let mut unreadable = false;
        let read = store.read_new(|bytes| match record::read(bytes) {
            Some(event) => events.push(event),
            None => unreadable = true,
        });
        if let Err(error) = &read {
            tracing::error!("{error}; every call is refused from now on");
        }
        self.broken |= unreadable || read.is_err();
        events.sort_by_key(|(time, _)| *time);
        for (_, event) in events {
            match event {
                Event::Heard(number, source, pieces, directories) => {
                    self.hear(number, &source, &pieces, &directories);
                }
                Event::Approved(server, tool, key) => {
                    self.findings.insert((server, tool, key));
                }
                Event::Attempted(server, tool) => {
                    self.count(&server, &tool);
                }
                Event::Prompt(text) => self.index.record_prompt(&text),
            }
        }
    }
}

impl Provenance for Known {
    fn evidence(&self, _server: &str, _tool: &str, destination: &Destination) -> Evidence {
        let mut evidence = self.index.evidence(destination);
        let Evidence { directory, field, text, near, composed, .. } = &mut evidence;
        let beside = [near, composed].into_iter().flatten().map(|(_, sighting)| sighting);
        for sighting in [directory, field, text].into_iter().flatten().chain(beside) {
            let piece = usize::try_from(sighting.call).ok().and_then(|call| call.checked_sub(1));
            sighting.call = piece.and_then(|at| self.numbers.get(at)).copied().unwrap_or_default();
        }
        evidence
    }

    fn approved_finding(&self, server: &str, tool: &str, key: &str) -> bool {
        self.findings.contains(&(server.to_owned(), tool.to_owned(), key.to_owned()))
    }
}
