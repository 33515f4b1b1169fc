//! What a server's tools, prompts, resource templates and instructions were when they were first seen, and what it says
//! otherwise since.
//!
//! The first sight is trusted and reported. After that a definition that differs is *changed* until a person accepts
//! it: its tool is not called, and the client goes on seeing the recorded definition. Every difference counts, cosmetic
//! ones too; [`bouncer_core::pin::change`] only says what kind it is. What was not recorded is unknown, and the client
//! sees its name and nothing else that the server wrote.

pub mod key;
pub mod record;
mod report;
pub mod review;
pub mod serve;
pub mod store;

#[cfg(test)]
mod tests;

pub use key::ServerKey;
pub use record::{Part, Recorded};
pub use store::PinsError;

use crate::home::Home;
use bouncer_core::pin::change::{changes, in_words};
use bouncer_core::pin::{Hash, Pin};
use bouncer_core::tool::{ServerIdentity, Tool};
use bouncer_core::value::Value;
use record::{Definitions, Pending};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::SystemTime;

/// The pins of one server as one proxy works with them.
#[derive(Debug)]
pub struct Pins {
    /// Where they are kept; `None` in memory only.
    home: Option<Home>,
    record: Recorded,
    stamp: Option<store::Stamp>,
    /// Why the record cannot be read or kept.
    trouble: Option<PinsError>,
    /// The last complete list of tools.
    listed: Vec<Tool>,
    /// What went to the client before anything was recorded.
    shown: BTreeMap<(Part, String), Value>,
    /// What lists to the client had against the record: a server may list one thing to Bouncer and another to the
    /// client.
    strays: BTreeMap<(Part, String), Stray>,
    /// Of which parts this process has told that something waits.
    told: BTreeSet<Part>,
}

/// A definition that was on its way to the client and is not the recorded one.
#[derive(Debug)]
struct Stray {
    definition: Value,
    /// It went to the client, before there was a record. Then it counts for the rest of the session; one that was
    /// withheld counts until the server announces a new list, or a person accepts one.
    arrived: bool,
}

impl Pins {
    /// Pins that live as long as this value.
    #[must_use]
    pub fn in_memory() -> Self {
        Self::with(None, ServerKey::command("", &[], Path::new("/")))
    }

    /// The pins of a server, kept in Bouncer's folder. A record that cannot be read makes every tool
    /// [`Pin::Unreadable`].
    #[must_use]
    pub fn stored(home: Home, key: ServerKey) -> Self {
        let mut pins = Self::with(Some(home), key);
        pins.read();
        if let Some(trouble) = &pins.trouble {
            tracing::error!("{trouble}");
        }
        pins
    }

    fn with(home: Option<Home>, key: ServerKey) -> Self {
        Self {
            home,
            record: Recorded::new(key, now()),
            stamp: None,
            trouble: None,
            listed: Vec::new(),
            shown: BTreeMap::new(),
            strays: BTreeMap::new(),
            told: BTreeSet::new(),
        }
    }

    /// Takes a complete list of tools. The first one is recorded as it is; of a later one, each tool comes back as it
    /// was *recorded*, with how the listed definition stands to it. A tool that was not in the first list is unknown.
    pub fn compare(&mut self, identity: &ServerIdentity, listed: Vec<Tool>) -> Vec<(Tool, Pin)> {
        let definitions = listed.iter().map(|tool| tool.definition.clone()).collect();
        self.listed = listed;
        self.see(Some(identity), Part::Tools, definitions);
        self.tools()
    }

    /// The tools of the last complete list, each as it was recorded, with how it stands to its record now.
    #[must_use]
    pub fn tools(&self) -> Vec<(Tool, Pin)> {
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for tool in &self.listed {
            *seen.entry(&tool.name).or_default() += 1;
        }
        let stand = |tool: &Tool| {
            if let Some(trouble) = &self.trouble {
                return (tool.clone(), Pin::Unreadable { why: one_line(trouble) });
            }
            let recorded = self.record.definition(Part::Tools, &tool.name).cloned();
            // Two tools of one name: which of them a call would run is not known.
            let once = seen.get(tool.name.as_str()) == Some(&1);
            let Some(recorded) = recorded.filter(|_| once).and_then(Tool::from_definition) else {
                return (tool.clone(), Pin::Unknown);
            };
            let stray = self.strays.get(&(Part::Tools, tool.name.clone()));
            let differs = |definition: &&Value| Hash::of(definition) != Hash::of(&recorded.definition);
            let stray = stray.map(|stray| &stray.definition).filter(differs);
            let other = Some(&tool.definition).filter(differs).or(stray);
            let pin = match other {
                None => Pin::Known,
                Some(other) => Pin::Changed { what: in_words(&changes(&recorded.definition, other)) },
            };
            (recorded, pin)
        };
        self.listed.iter().map(stand).collect()
    }

    /// How a tool stands that the server does not list.
    #[must_use]
    pub fn otherwise(&self) -> Pin {
        let why = self.trouble.as_ref().map(one_line);
        why.map_or(Pin::Unknown, |why| Pin::Unreadable { why })
    }

    /// The server lists no tools, or none that can be relied on.
    pub fn forget_listed(&mut self) {
        self.listed = Vec::new();
    }

    /// Takes the complete list of one part: records it where nothing of this part was, and otherwise keeps what differs
    /// for a person to look at.
    pub fn see(&mut self, identity: Option<&ServerIdentity>, part: Part, listed: Vec<Value>) {
        let mut once = Definitions::new();
        let mut twice = BTreeSet::new();
        for definition in listed {
            let Some(name) = part.name_of(&definition) else { continue };
            if once.insert(name.clone(), definition).is_some() {
                twice.insert(name);
            }
        }
        once.retain(|name, _| !twice.contains(name));
        // What the client was shown before is held against what is recorded now.
        let shown = std::mem::take(&mut self.shown);
        let (of_part, rest): (BTreeMap<_, _>, BTreeMap<_, _>) =
            shown.into_iter().partition(|((of, _), _)| *of == part);
        self.shown = rest;
        let arrived = |definition| Stray { definition, arrived: true };
        self.strays.extend(of_part.into_iter().map(|(name, shown)| (name, arrived(shown))));
        let strays = self.strays_of(part);
        let (mut first, mut news) = (false, false);
        let was_known = !self.record.pinned.is_empty();
        self.change(|record| {
            (first, news) = (false, false);
            let mut changed = touch(record, identity);
            let Some(pinned) = record.pinned.get(&part) else {
                record.pinned.insert(part, once.clone());
                note_strays(record, part, &strays);
                first = true;
                return true;
            };
            let mut pending: Pending = once
                .iter()
                .filter(|(name, listed)| pinned.get(*name).map(Hash::of) != Some(Hash::of(listed)))
                .map(|(name, listed)| (name.clone(), Some(listed.clone())))
                .collect();
            let gone = pinned.keys().filter(|name| !once.contains_key(*name) && !twice.contains(*name));
            pending.extend(gone.map(|name| (name.clone(), None)));
            let before = record.pending.insert(part, pending).unwrap_or_default();
            note_strays(record, part, &strays);
            news = record.pending.get(&part).is_some_and(|now| *now != before);
            changed |= news;
            changed
        });
        self.drop_strays(part);
        if self.home.is_some() && self.trouble.is_none() {
            if first {
                report::first_sight(&self.record, part, was_known, self.home.as_ref());
            }
            // Once in each session, and whenever it is something else.
            if self.told.insert(part) || news {
                report::pending(&self.record, part);
            }
        }
    }

    /// Reads the record anew where somebody replaced it since, as `bouncer pins accept` does. Whether it was.
    pub fn refresh(&mut self) -> bool {
        let Some(home) = &self.home else { return false };
        if store::stamp(home, &self.record.key) == self.stamp {
            return false;
        }
        let accepted = self.record.accepted.clone();
        self.read();
        for part in Part::ALL {
            self.drop_strays(part);
        }
        if self.record.accepted != accepted {
            self.strays.retain(|_, stray| stray.arrived);
        }
        true
    }

    /// Whether an entry is not, or not only, what was recorded of it, and nobody has accepted that. One that was added
    /// since is another entry, which nobody took for this one.
    pub fn has_changed(&mut self, part: Part, name: &str) -> bool {
        self.refresh();
        let mut pending = self.record.pending(part);
        self.trouble.is_some()
            || self.record.definition(part, name).is_some()
                && (pending.any(|(waiting, listed)| waiting == name && listed.is_some())
                    || self.strays.contains_key(&(part, name.to_owned())))
    }

    /// The server announces that this part is another list from now on.
    pub fn announced(&mut self, part: Part) {
        self.strays.retain(|(of, _), stray| *of != part || stray.arrived);
    }

    fn read(&mut self) {
        let Some(home) = &self.home else { return };
        // Before the reading: a replacement in between is noticed the next time.
        self.stamp = store::stamp(home, &self.record.key);
        match store::load(home, &self.record.key) {
            Ok(record) => {
                self.record = record.unwrap_or_else(|| Recorded::new(self.record.key.clone(), now()));
                self.trouble = None;
            }
            Err(error) => self.trouble = Some(error),
        }
    }

    /// Changes the record, on disk where it is kept there. `change` may run more than once.
    fn change(&mut self, mut change: impl FnMut(&mut Recorded) -> bool) {
        let Some(home) = &self.home else {
            change(&mut self.record);
            return;
        };
        let stamp = store::stamp(home, &self.record.key);
        if stamp.is_some() && stamp == self.stamp && self.trouble.is_none() {
            let mut record = self.record.clone();
            if !change(&mut record) {
                return;
            }
        }
        match store::update(home, &self.record.key, change) {
            Ok(record) => {
                self.stamp = store::stamp(home, &record.key);
                self.record = record;
                self.trouble = None;
            }
            Err(error) => {
                tracing::error!("{error}");
                self.trouble = Some(error);
            }
        }
    }

    fn strays_of(&self, part: Part) -> Definitions {
        let of_part = self.strays.iter().filter(|((of, _), _)| *of == part);
        of_part.map(|((_, name), stray)| (name.clone(), stray.definition.clone())).collect()
    }

    /// Forgets the strays that are what is recorded, now that it may have changed.
    fn drop_strays(&mut self, part: Part) {
        let record = &self.record;
        self.strays.retain(|(of, name), stray| {
            *of != part || record.definition(part, name).map(Hash::of) != Some(Hash::of(&stray.definition))
        });
    }
}

/// What the client was shown, or would have been, against the record.
fn note_strays(record: &mut Recorded, part: Part, strays: &Definitions) -> bool {
    let mut changed = false;
    for (name, stray) in strays {
        let differs = record.definition(part, name).map(Hash::of) != Some(Hash::of(stray));
        if differs {
            let before = record.pending.entry(part).or_default().insert(name.clone(), Some(stray.clone()));
            changed |= before.flatten().as_ref() != Some(stray);
        }
    }
    changed
}

/// Notes who it was and when. Whether that is worth writing.
fn touch(record: &mut Recorded, identity: Option<&ServerIdentity>) -> bool {
    let mut changed = false;
    if let Some(identity) = identity {
        for (kept, said) in [
            (&mut record.reported_name, &identity.reported_name),
            (&mut record.reported_version, &identity.reported_version),
        ] {
            if kept != said {
                kept.clone_from(said);
                changed = true;
            }
        }
    }
    let now = now();
    // To the hour: `2026-11-30T08`.
    if record.last_seen.get(..13) != now.get(..13) {
        record.last_seen = now;
        changed = true;
    }
    changed
}

fn one_line(trouble: &PinsError) -> String {
    trouble.to_string().replace('\n', "; ")
}

fn now() -> String {
    crate::audit::timestamp(SystemTime::now())
}
