//! Pinning and budget: may this tool be called at all, and how often.

use super::Merged;
use super::note::Note;
use crate::facts::Facts;
use crate::pin::Pin;
use crate::shown::{shell_word, shown};
use crate::verdict::{ContractName, Verdict};

/// Unknown or changed: an ask that no answer helps, so a deny without asking.
pub(super) fn pinning(tool: &str, facts: &Facts<'_>) -> Note {
    let tool = shown(tool, 80);
    let note = |verdict, code, text| Note::new(ContractName::Pinning, verdict, code, text);
    match &facts.pin {
        Pin::Known => note(Verdict::Allow, "known_tool", format!("`{tool}` is the tool that was recorded")),
        Pin::Unknown => note(
            Verdict::Ask,
            "unknown_tool",
            format!("`{tool}` is not a tool that `{}` lists", shown(facts.server, 80)),
        ),
        Pin::Changed { what } => note(
            Verdict::Ask,
            "changed_tool",
            format!(
                "the definition of `{tool}` has changed ({}) and nobody has accepted the change; hint: `bouncer pins diff {}`",
                shown(what, 300),
                shell_word(facts.server, 80)
            ),
        ),
        Pin::Unreadable { why } => note(Verdict::Deny, "pins_unreadable", shown(why, 600)),
    }
}

/// Attempts, not successes.
pub(super) fn budget(tool: &str, contract: &Merged, facts: &Facts<'_>) -> Note {
    let note = |verdict, code, text| Note::new(ContractName::Budget, verdict, code, text);
    let tool = shown(tool, 80);
    match &contract.max_calls {
        None => note(Verdict::Allow, "no_budget", format!("`{tool}` has no budget")),
        Some((0, said)) => {
            note(Verdict::Deny, "forbidden", format!("`{tool}` is forbidden: `max_calls` is 0")).said(said)
        }
        Some((max, said)) if facts.attempts > *max => note(
            Verdict::Deny,
            "budget_exceeded",
            format!(
                "`{tool}` may be called {max} times in a session, and this is attempt {}",
                facts.attempts
            ),
        )
        .said(said),
        Some((max, said)) => {
            note(Verdict::Allow, "within_budget", format!("attempt {} of {max}", facts.attempts)).said(said)
        }
    }
}
