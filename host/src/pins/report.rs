//! What is told on stderr: a first sight, what looks odd in it, and what differs from the record.

use super::{Part, Recorded, store};
use crate::home::Home;
use bouncer_core::pin::finding::findings;
use bouncer_core::shown::{shell_word, shown};

/// More findings than this are counted, not shown.
const MOST: usize = 10;

/// A part was recorded for the first time. `again`: another part of the server was known before.
pub(super) fn first_sight(record: &Recorded, part: Part, again: bool, home: Option<&Home>) {
    let (server, word) = (shown(record.key.name(), 80), shell_word(record.key.name(), 80));
    let count = record.definitions(part).count();
    if part == Part::Tools {
        let others = home.and_then(|home| store::all(home).ok()).unwrap_or_default();
        let own = record.key.id();
        let other = others.iter().any(|entry| {
            entry.id != own && entry.record.as_ref().is_ok_and(|r| r.key.name() == record.key.name())
        });
        let other =
            if other { "; a server of this name was recorded before with another command" } else { "" };
        tracing::warn!(
            "first sight of `{server}`: {count} {} recorded as they are, trusted on first use{other}; see `bouncer pins list {word}`",
            if count == 1 { "tool" } else { "tools" }
        );
    } else if again && count > 0 {
        tracing::info!("first sight of {count} {} of `{server}`", part.word());
    }
    let mut odd = 0;
    for (name, definition) in record.definitions(part) {
        for finding in findings(definition) {
            odd += 1;
            if odd <= MOST {
                tracing::warn!(
                    "{} `{}` of `{server}`: {} at `{}`: {}",
                    part.one(),
                    shown(name, 80),
                    finding.rule.words(),
                    shown(&finding.at, 120),
                    finding.excerpt
                );
            }
        }
    }
    if odd > MOST {
        tracing::warn!("and {} more; see `bouncer pins list {word}`", odd - MOST);
    }
}

/// What differs from the record is not what it was.
pub(super) fn pending(record: &Recorded, part: Part) {
    let (mut changed, mut added, mut removed) = (0, 0, 0);
    for (name, listed) in record.pending(part) {
        match (listed, record.definition(part, name)) {
            (None, _) => removed += 1,
            (Some(_), None) => added += 1,
            (Some(_), Some(_)) => changed += 1,
        }
    }
    if changed + added + removed == 0 {
        return;
    }
    let (server, word) = (shown(record.key.name(), 80), shell_word(record.key.name(), 80));
    let (what, but) = match part {
        Part::Tools => ("tools", "calls of changed and added ones are refused"),
        Part::Prompts => ("prompts", "the client sees the recorded ones"),
        Part::Templates => ("resource templates", "the client sees the recorded ones"),
        Part::Instructions => ("instructions", "the client sees the recorded ones"),
    };
    if changed + added == 0 {
        // Servers list less to some clients; what is gone cannot be called and stays recorded.
        tracing::info!("{removed} recorded {what} of `{server}` are not listed any more");
        return;
    }
    tracing::warn!(
        "the {what} of `{server}` are not the recorded ones: {changed} changed, {added} added, {removed} removed; {but} until you accept them; hint: `bouncer pins diff {word}`"
    );
}
