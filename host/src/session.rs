//! What a session knows: everything that its servers sent, what a human approved, how often each tool was called.
//!
//! One plain mutex around all of it, held for look-ups and for recording, never while something is read, written or
//! run. When recording fails half-way (a bug), the session is *broken*: what is not known for certain to be untainted
//! must not be judged as if it were, so every later judgement is refused.

use bouncer_core::arg_path::ArgPath;
use bouncer_core::destination::{Destination, Kind};
use bouncer_core::evidence::{Evidence, Vouch};
use bouncer_core::facts::Provenance;
use bouncer_core::provenance::{Index, Source};
use bouncer_core::ruling::{Question, Ruling};
use bouncer_core::value::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

/// The session's memory could not be kept whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an internal fault left the session's record of untrusted text incomplete; restart the session")]
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
    /// Server, tool, destination.
    destinations: BTreeSet<(String, String, Kind, String)>,
    /// Server, tool, question.
    findings: BTreeSet<(String, String, String)>,
    /// Server, tool: calls attempted.
    attempts: BTreeMap<(String, String), u64>,
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

    /// Runs `look` on the one snapshot that a judgement is made from.
    ///
    /// # Errors
    /// [`Broken`] after an internal fault.
    pub fn with<T>(&self, look: impl FnOnce(&mut Known) -> T) -> Result<T, Broken> {
        let mut known = self.known.lock().map_err(|_| Broken)?;
        if known.broken { Err(Broken) } else { Ok(look(&mut known)) }
    }

    /// Records what an upstream sent. `directories` are the places in it that only the user or their organisation can
    /// write.
    pub fn record(&self, source: &Source, pieces: &[Piece], directories: &[ArgPath]) {
        let Ok(mut known) = self.known.lock() else { return };
        let index = &mut known.index;
        let recorded = catch_unwind(AssertUnwindSafe(|| {
            for piece in pieces {
                match piece {
                    Piece::Text(text) => index.record_text(source, text, directories),
                    Piece::Value(value) => index.record_value(source, value, directories),
                }
            }
        }));
        if recorded.is_err() {
            known.broken = true;
        }
    }

    /// Remembers a human's yes to `questions` for the rest of the session.
    pub fn approve(&self, server: &str, tool: &str, questions: &[&Question], ruling: &Ruling) {
        let Ok(mut known) = self.known.lock() else { return };
        for question in questions {
            known.findings.insert((server.to_owned(), tool.to_owned(), question.key.clone()));
            let asked = ruling.findings.iter().filter_map(|f| f.destination.as_ref());
            for d in asked.filter(|d| d.argument == question.argument && d.raw == question.subject) {
                known.destinations.insert((server.to_owned(), tool.to_owned(), d.kind, d.canonical.clone()));
            }
        }
    }
}

impl Known {
    /// Counts one attempt to call a tool, and returns how many there were with it.
    pub fn attempt(&mut self, server: &str, tool: &str) -> u64 {
        let count = self.attempts.entry((server.to_owned(), tool.to_owned())).or_default();
        *count = count.saturating_add(1);
        *count
    }

    /// How many attempts were counted so far.
    #[must_use]
    pub fn attempts(&self, server: &str, tool: &str) -> u64 {
        self.attempts.get(&(server.to_owned(), tool.to_owned())).copied().unwrap_or_default()
    }

    /// Words of the user's own.
    pub fn prompt(&mut self, text: &str) {
        self.index.record_prompt(text);
    }
}

impl Provenance for Known {
    fn evidence(&self, server: &str, tool: &str, destination: &Destination) -> Evidence {
        let mut evidence = self.index.evidence(destination);
        let key = (server.to_owned(), tool.to_owned(), destination.kind, destination.canonical.clone());
        if evidence.vouch.is_none() && self.destinations.contains(&key) {
            evidence.vouch = Some(Vouch::Approval);
        }
        evidence
    }

    fn approved_finding(&self, server: &str, tool: &str, key: &str) -> bool {
        self.findings.contains(&(server.to_owned(), tool.to_owned(), key.to_owned()))
    }
}
