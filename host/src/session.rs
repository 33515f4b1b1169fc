//! What a session knows: everything that its servers sent, what a human approved, how often each tool was called.
//!
//! One plain mutex around all of it, held for look-ups, never while a peer or a policy module is waited for. What is heard
//! comes in through an inbox with a lock of its own (see [`inbox`]), is kept as it came, and is indexed when there is time, or
//! when somebody looks something up (see [`texts`]). When that fails half-way (a bug, a file that cannot be read), the session
//! is *broken*: what is not known for certain to be untainted must not be judged as if it were, so every later judgement is
//! refused.
//!
//! A *shared* session also lies in a folder: what this process hears is written there before the client gets it (whoever
//! hands it on flushes first), and what the client's other proxies and hooks wrote is read before a judgement, once
//! for all calls that came together.

mod heard;
mod inbox;
mod output;
mod record;
#[cfg(test)]
mod tests;
mod texts;

use crate::store::{Others, SessionKey, Store, StoreError};
use bouncer_core::arg_path::ArgPath;
use bouncer_core::destination::Destination;
use bouncer_core::evidence::Evidence;
use bouncer_core::facts::Provenance;
use bouncer_core::provenance::Source;
use bouncer_core::ruling::Question;
use heard::{Heard, Kept, LARGE};
use inbox::Inbox;
pub use output::{Output, OutputKind};
use record::Event;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
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
    inbox: Mutex<Inbox>,
}

/// What is behind the lock. Implements what the core asks of it.
#[derive(Debug, Default)]
pub struct Known {
    /// Looking something up indexes what waits for it.
    texts: RefCell<Texts>,
    others: Option<Others>,
    /// What the others wrote before this time has been read.
    caught_up: Option<Instant>,
    /// Server, tool, question.
    findings: BTreeSet<(String, String, String)>,
    /// Server, then tool: calls attempted.
    attempts: BTreeMap<String, BTreeMap<String, u64>>,
    broken: bool,
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
        Self { id, ..Self::default() }
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
        let Store { own, others } = Store::join(sessions, key)?;
        let known = Mutex::new(Known { others: Some(others), ..Known::default() });
        let inbox = Mutex::new(Inbox::shared(own));
        Ok(Self { id: key.folder(), known, inbox })
    }

    /// A poisoned lock means that a thread died while it changed what is known.
    fn inbox(&self) -> MutexGuard<'_, Inbox> {
        self.inbox.lock().unwrap_or_else(|poisoned: PoisonError<MutexGuard<'_, Inbox>>| {
            let mut inbox = poisoned.into_inner();
            inbox.unwritten = true;
            inbox
        })
    }

    /// What is known, with all that this process has heard. A poisoned lock is taken as by [`Self::inbox`].
    fn known(&self) -> MutexGuard<'_, Known> {
        let mut known = self.known.lock().unwrap_or_else(|poisoned: PoisonError<MutexGuard<'_, Known>>| {
            let mut known = poisoned.into_inner();
            known.broken = true;
            known
        });
        let mut inbox = self.inbox();
        known.broken |= inbox.unwritten;
        known.texts.get_mut().extend(inbox.take());
        drop(inbox);
        known.texts.get_mut().keep_within();
        known
    }

    /// The same, with what the session's other processes wrote, up to `came` at least.
    fn all_known(&self, came: Option<Instant>) -> MutexGuard<'_, Known> {
        let mut known = self.known();
        if came.is_none_or(|came| known.caught_up.is_none_or(|at| at <= came))
            && let Some(answered) = known.catch_up()
        {
            let mut inbox = self.inbox();
            inbox.answered = inbox.answered.max(answered);
        }
        known
    }

    /// Runs `look` on the one snapshot that a judgement is made from.
    ///
    /// `came` is when what is judged had come, where that is known: a client cannot know what its other proxies wrote only
    /// later, so that their files are read once for all that came together.
    ///
    /// # Errors
    /// [`Broken`] after an internal fault, or where the session folder cannot be read or written.
    pub fn with<T>(&self, came: Option<Instant>, look: impl FnOnce(&mut Known) -> T) -> Result<T, Broken> {
        self.all_known(came).unless_broken(look)
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
        came: Option<Instant>,
        look: impl FnOnce(&mut Known, u64) -> T,
    ) -> Result<T, Broken> {
        if budget {
            // Written before the others are read: of two calls at the same time at least one sees the other.
            self.inbox().keep(|out| record::attempted(out, server, tool));
        }
        let mut known = self.all_known(came.filter(|_| !budget));
        let attempts = known.count(server, tool);
        known.unless_broken(|known| look(known, attempts))
    }

    /// Indexes one of what waits for that; returns what waits then. For idle moments; nothing is lost without. Most of the
    /// work is done while others can use the session.
    pub fn index_one(&self) -> Option<Backlog> {
        let next = self.known().texts.get_mut().next();
        next.inspect(|heard| heard.digest());
        let mut known = self.known();
        let texts = known.texts.get_mut();
        texts.index_digested();
        texts.backlog()
    }

    /// What waits to be indexed; `None` where nothing does.
    pub fn backlog(&self) -> Option<Backlog> {
        self.known().texts.get_mut().backlog()
    }

    /// Records the answer to a call of the client's. `directories` are the places in it that only the user or their
    /// organisation can write. The client's other proxies can read it after the next [`Self::flush`].
    pub fn record(
        &self,
        source: impl Into<Arc<Source>>,
        output: Output<'_>,
        directories: impl Into<Arc<[ArgPath]>>,
    ) {
        let mut inbox = self.inbox();
        let number = inbox.answered.saturating_add(1);
        if inbox.hear(number, source.into(), output, directories.into()) {
            drop(inbox);
            drop(self.known());
        }
    }

    /// Records what an upstream sent otherwise: greetings, lists, notifications, requests. Likewise.
    pub fn record_aside(&self, source: impl Into<Arc<Source>>, output: Output<'_>) {
        let full = self.inbox().hear(0, source.into(), output, Arc::default());
        if full {
            drop(self.known());
        }
    }

    /// Shows the session's other processes what was recorded. To be called before any of it reaches the client.
    ///
    /// # Errors
    /// [`Broken`] where they cannot know of it: then nothing of it may reach the client, whose other servers would be sent
    /// what this one said as if nobody had. Every later judgement is refused as well.
    pub fn flush(&self) -> Result<(), Broken> {
        let mut inbox = self.inbox();
        inbox.flush();
        inbox.is_told()
    }

    /// Remembers a human's yes to `questions` for the rest of the session.
    pub fn approve(&self, server: &str, tool: &str, questions: &[&Question]) {
        let mut known = self.known();
        for question in questions {
            self.inbox().keep(|out| record::approved(out, server, tool, &question.key));
            known.findings.insert((server.to_owned(), tool.to_owned(), question.key.clone()));
        }
    }

    /// Records the user's own words.
    ///
    /// # Errors
    /// [`Broken`] where they cannot be written.
    pub fn prompt(&self, text: &str) -> Result<(), Broken> {
        self.inbox().keep(|out| record::prompt(out, text));
        self.with(None, |known| known.texts.get_mut().prompt(text))
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
        // Names are copied at the first call only.
        let known = self.attempts.get_mut(server).and_then(|tools| tools.get_mut(tool));
        let count = match known {
            Some(count) => count,
            None => self.attempts.entry(server.to_owned()).or_default().entry(tool.to_owned()).or_default(),
        };
        *count = count.saturating_add(1);
        *count
    }

    /// How many attempts were counted so far.
    #[must_use]
    pub fn attempts(&self, server: &str, tool: &str) -> u64 {
        self.attempts.get(server).and_then(|tools| tools.get(tool)).copied().unwrap_or_default()
    }

    fn is_broken(&self) -> bool {
        self.broken || self.texts.borrow().broken
    }

    /// Takes in what the client's other processes have recorded, in the order of time. Returns the highest number of an
    /// answer among it.
    fn catch_up(&mut self) -> Option<u64> {
        let others = self.others.as_mut()?;
        // What is written while this reads may be missed.
        self.caught_up = Some(Instant::now());
        let mut events = Vec::new();
        let mut unreadable = false;
        let read = others.read_new(|record| {
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
        let mut answered = None;
        for (_, event) in events {
            match event {
                Event::Heard { number, source, directories, kind, kept } => {
                    answered = answered.max(Some(number));
                    let heard = Heard::new(number, source.into(), kind, kept, directories.into());
                    self.texts.get_mut().extend([Arc::new(heard)]);
                    self.texts.get_mut().keep_within();
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
        answered
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
