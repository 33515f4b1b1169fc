//! What a session knows: everything that its servers sent, what a human approved, how often each tool was called.
//!
//! One plain mutex around all of it, held for look-ups and for recording, never while a peer or a policy module is waited
//! for. What is heard is kept as it came and indexed when there is time, or when somebody looks something up (see
//! [`texts`]). When that fails half-way (a bug, a file that cannot be read), the session is *broken*: what is not known for
//! certain to be untainted must not be judged as if it were, so every later judgement is refused.
//!
//! A *shared* session also lies in a folder: what this process hears is written there before the client gets it (whoever
//! hands it on flushes first), and what the client's other proxies and hooks wrote is read before each judgement.

mod heard;
mod output;
mod record;
#[cfg(test)]
mod tests;
mod texts;

use crate::store::{SessionKey, Store, StoreError};
use bouncer_core::arg_path::ArgPath;
use bouncer_core::destination::Destination;
use bouncer_core::evidence::Evidence;
use bouncer_core::facts::Provenance;
use bouncer_core::provenance::Source;
use bouncer_core::ruling::Question;
use heard::{Heard, Kept, LARGE};
pub use output::{Output, OutputKind};
use record::Event;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use texts::Texts;

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
    /// Looking something up indexes what waits for it.
    texts: RefCell<Texts>,
    store: Option<Store>,
    /// Server, tool, question.
    findings: BTreeSet<(String, String, String)>,
    /// Server, tool: calls attempted.
    attempts: BTreeMap<(String, String), u64>,
    /// How many of the client's calls were answered.
    answered: u64,
    broken: bool,
    /// Something could not be written for the session's other processes.
    unwritten: bool,
}

/// What waits to be indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backlog {
    /// How many came so far, indexed or not: a number that grows says that there is other work to do.
    pub came: usize,
    /// About how many bytes the next one has.
    pub next: usize,
}

impl Session {
    /// An empty session.
    #[must_use]
    pub fn new(id: String) -> Self {
        Self { id, known: Mutex::default() }
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
        let known = Mutex::new(Known { store, ..Known::default() });
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
        known.unless_broken(look)
    }

    /// As [`Self::with`], once one attempt to call a tool is counted; `look` is told how many there were with it. Where
    /// the tool has a `budget`, those of the session's other processes are among them, which are told of this one.
    ///
    /// # Errors
    /// As [`Self::with`].
    pub fn with_attempt<T>(
        &self,
        server: &str,
        tool: &str,
        budget: bool,
        look: impl FnOnce(&mut Known, u64) -> T,
    ) -> Result<T, Broken> {
        let mut known = self.lock();
        if budget {
            // Written before the others are read: of two calls at the same time at least one sees the other.
            known.keep(|out| record::attempted(out, server, tool));
        }
        known.catch_up();
        let attempts = known.count(server, tool);
        known.unless_broken(|known| look(known, attempts))
    }

    /// Indexes one of what waits for that; returns what waits then. For idle moments; nothing is lost without. Most of the
    /// work is done while others can use the session.
    pub fn index_one(&self) -> Option<Backlog> {
        let next = self.lock().texts.get_mut().next();
        next.inspect(|heard| heard.digest());
        let mut known = self.lock();
        let texts = known.texts.get_mut();
        texts.index_digested();
        texts.backlog()
    }

    /// What waits to be indexed; `None` where nothing does.
    pub fn backlog(&self) -> Option<Backlog> {
        self.lock().texts.get_mut().backlog()
    }

    /// Records the answer to a call of the client's. `directories` are the places in it that only the user or their
    /// organisation can write. The client's other proxies can read it after the next [`Self::flush`].
    pub fn record(&self, source: &Source, output: Output<'_>, directories: &[ArgPath]) {
        let mut known = self.lock();
        let number = known.answered.saturating_add(1);
        known.record(number, source, output, directories);
    }

    /// Records what an upstream sent otherwise: greetings, lists, notifications, requests. Likewise.
    pub fn record_aside(&self, source: &Source, output: Output<'_>) {
        self.lock().record(0, source, output, &[]);
    }

    /// Shows the session's other processes what was recorded. To be called before any of it reaches the client.
    ///
    /// # Errors
    /// [`Broken`] where they cannot know of it: then nothing of it may reach the client, whose other servers would be sent
    /// what this one said as if nobody had. Every later judgement is refused as well.
    pub fn flush(&self) -> Result<(), Broken> {
        let mut known = self.lock();
        known.flush();
        if known.unwritten { Err(Broken) } else { Ok(()) }
    }

    /// Remembers a human's yes to `questions` for the rest of the session.
    pub fn approve(&self, server: &str, tool: &str, questions: &[&Question]) {
        let mut known = self.lock();
        for question in questions {
            known.keep(|out| record::approved(out, server, tool, &question.key));
            known.findings.insert((server.to_owned(), tool.to_owned(), question.key.clone()));
        }
    }

    /// Records the user's own words.
    ///
    /// # Errors
    /// [`Broken`] where they cannot be written.
    pub fn prompt(&self, text: &str) -> Result<(), Broken> {
        self.with(|known| {
            known.keep(|out| record::prompt(out, text));
            known.texts.get_mut().prompt(text);
        })
    }
}

impl Known {
    fn unless_broken<T>(&mut self, look: impl FnOnce(&mut Self) -> T) -> Result<T, Broken> {
        if self.is_broken() {
            return Err(Broken);
        }
        let seen = look(self);
        if self.is_broken() { Err(Broken) } else { Ok(seen) }
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

    fn record(&mut self, number: u64, source: &Source, output: Output<'_>, directories: &[ArgPath]) {
        let Output { kind, bytes } = output;
        let mut kept = None;
        if let Some(store) = &mut self.store {
            let head = |out: &mut Vec<u8>| record::heard(out, number, source, kind, directories);
            let written = if bytes.len() > LARGE {
                store.write(head, bytes).map(|(place, from)| kept = Some(Kept::There(place, from)))
            } else {
                store.queue(|out| {
                    head(out);
                    out.extend_from_slice(bytes);
                })
            };
            self.note(written);
        }
        let kept = kept.unwrap_or_else(|| Kept::Here(bytes.into()));
        self.hear(Heard::new(number, source.clone(), kind, kept, directories.to_vec()));
    }

    fn hear(&mut self, heard: Heard) {
        self.answered = self.answered.max(heard.number);
        self.texts.get_mut().push(heard);
    }

    fn is_broken(&self) -> bool {
        self.broken || self.texts.borrow().broken
    }

    /// Writes one record at once.
    fn keep(&mut self, record: impl FnOnce(&mut Vec<u8>)) {
        if let Some(store) = &mut self.store {
            let queued = store.queue(record);
            self.note(queued);
            self.flush();
        }
    }

    fn flush(&mut self) {
        if let Some(store) = &mut self.store {
            let written = store.flush();
            self.note(written);
        }
    }

    fn note(&mut self, kept: Result<(), StoreError>) {
        if let Err(error) = kept {
            tracing::error!("{error}; every call is refused from now on");
            self.broken = true;
            self.unwritten = true;
        }
    }

    /// Takes in what the client's other processes have recorded, in the order of time.
    fn catch_up(&mut self) {
        let Some(store) = &mut self.store else { return };
        let mut events = Vec::new();
        let mut unreadable = false;
        let read = store.read_new(|record| {
            let kept = |from: usize| match record.bytes.get(from..).unwrap_or_default() {
                said if said.len() > LARGE => Kept::There(record.place(), from),
                said => Kept::Here(said.into()),
            };
            match record::read(record.bytes, kept) {
                Some(event) => events.push(event),
                None => unreadable = true,
            }
        });
        if let Err(error) = &read {
            tracing::error!("{error}; every call is refused from now on");
        }
        self.broken |= unreadable || read.is_err();
        events.sort_by_key(|(time, _)| *time);
        for (_, event) in events {
            match event {
                Event::Heard { number, source, directories, kind, kept } => {
                    self.hear(Heard::new(number, source, kind, kept, directories));
                }
                Event::Approved(server, tool, key) => {
                    self.findings.insert((server, tool, key));
                }
                Event::Attempted(server, tool) => {
                    self.count(&server, &tool);
                }
                Event::Prompt(text) => self.texts.get_mut().prompt(&text),
            }
        }
    }
}

impl Provenance for Known {
    fn evidence(&self, _server: &str, _tool: &str, destination: &Destination) -> Evidence {
        self.texts.borrow_mut().evidence(destination)
    }

    fn approved_finding(&self, server: &str, tool: &str, key: &str) -> bool {
        self.findings.contains(&(server.to_owned(), tool.to_owned(), key.to_owned()))
    }
}
