//! A person's side: what waits to be accepted, and accepting it. Only what was looked at can be accepted.

use super::record::{Part, Recorded};
use super::store::{self, PinsError};
use super::{ServerKey, now};
use crate::home::Home;
use bouncer_core::pin::Hash;
use bouncer_core::pin::change::{Change, Class, changes};
use bouncer_core::shown::shell_word;
use bouncer_core::value::Value;

/// One definition that is not as recorded.
#[derive(Debug, Clone)]
pub struct Difference {
    /// Of which part.
    pub part: Part,
    /// Its name; empty for instructions.
    pub name: String,
    /// As recorded; `None` where it was added.
    pub recorded: Option<Value>,
    /// As it was last listed; `None` where it is not listed any more.
    pub listed: Option<Value>,
    /// What kinds of change, gravest first.
    pub changes: Vec<Change>,
}

/// Why nothing was accepted.
#[derive(Debug, thiserror::Error)]
pub enum AcceptError {
    /// See [`PinsError`].
    #[error(transparent)]
    Pins(#[from] PinsError),
    /// It changed between looking and accepting.
    #[error(
        "the server lists something else by now, so nothing was accepted\nhint: look again: `bouncer pins diff {0}`"
    )]
    Moved(String),
}

/// Everything that waits for a person.
#[must_use]
pub fn differences(record: &Recorded) -> Vec<Difference> {
    let mut found = Vec::new();
    for part in Part::ALL {
        for (name, listed) in record.pending(part) {
            let recorded = record.definition(part, name);
            let changes = match (recorded, listed) {
                (Some(old), Some(new)) => changes(old, new),
                (None, _) => vec![Change { class: Class::Added, at: String::new() }],
                (Some(_), None) => vec![Change { class: Class::Removed, at: String::new() }],
            };
            found.push(Difference {
                part,
                name: name.to_owned(),
                recorded: recorded.cloned(),
                listed: listed.cloned(),
                changes,
            });
        }
    }
    found
}

/// Takes the differences that were shown into the record. None of them, where one is not what it was when it was shown.
///
/// # Errors
/// An [`AcceptError`].
pub fn accept(home: &Home, key: &ServerKey, shown: &[Difference]) -> Result<Recorded, AcceptError> {
    let mut moved = false;
    let record = store::update_and_sync(home, key, |record| {
        let same = |a: Option<&Value>, b: Option<&Value>| a.map(Hash::of) == b.map(Hash::of);
        moved = shown.iter().any(|one| {
            let listed = record.pending.get(&one.part).and_then(|pending| pending.get(&one.name));
            listed.is_none_or(|listed| !same(listed.as_ref(), one.listed.as_ref()))
                || !same(record.definition(one.part, &one.name), one.recorded.as_ref())
        });
        if moved || shown.is_empty() {
            return false;
        }
        for one in shown {
            if let Some(pending) = record.pending.get_mut(&one.part) {
                pending.remove(&one.name);
            }
            let pinned = record.pinned.entry(one.part).or_default();
            match &one.listed {
                Some(listed) => pinned.insert(one.name.clone(), listed.clone()),
                None => pinned.remove(&one.name),
            };
        }
        record.accepted = Some(now());
        true
    })?;
    if moved { Err(AcceptError::Moved(shell_word(key.name(), 80))) } else { Ok(record) }
}
