//! Pinning and budget: may this tool be called at all, and how often. A budget that somebody wrote down denies what is
//! beyond it; a guessed one asks, or whoever hijacks an agent could use up what the user still wants to do.

use super::Merged;
use super::note::{Note, approved, key};
use super::usual;
use crate::facts::Facts;
use crate::pin::Pin;
use crate::shown::{shell_word, shown};
use crate::verdict::{ContractName, Verdict};

/// Unknown or changed: an ask that no answer helps, so a deny without asking.
pub(super) fn pinning(tool: &str, contract: &Merged, facts: &Facts<'_>) -> Note {
    let (verdict, code, text) = match facts.pin {
        Pin::Known => (Verdict::Allow, "known_tool", usual::recorded(tool, contract)),
        Pin::Unknown => {
            let text =
                format!("`{}` is not a tool that `{}` lists", shown(tool, 80), shown(facts.server, 80));
            (Verdict::Ask, "unknown_tool", text.into())
        }
        Pin::Changed { what } => {
            let text = format!(
                "the definition of `{}` has changed ({}) and nobody has accepted the change; hint: `bouncer pins diff {}`",
                shown(tool, 80),
                shown(what, 300),
                shell_word(facts.server, 80)
            );
            (Verdict::Ask, "changed_tool", text.into())
        }
        Pin::Unreadable { why } => (Verdict::Deny, "pins_unreadable", shown(why, 600).into()),
    };
    Note::new(ContractName::Pinning, verdict, code, text)
}

/// Attempts, not successes.
pub(super) fn budget(tool: &str, contract: &Merged, facts: &Facts<'_>, notes: &mut Vec<Note>) {
    if contract.max_calls.is_none() && contract.guessed_calls.is_none() {
        let text = usual::unlimited(tool, contract);
        notes.push(Note::new(ContractName::Budget, Verdict::Allow, "no_budget", text));
        return;
    }
    notes.extend(written(tool, contract, facts));
    notes.extend(guessed(tool, contract, facts));
}

fn written(tool: &str, contract: &Merged, facts: &Facts<'_>) -> Option<Note> {
    let (max, said) = contract.max_calls.as_ref()?;
    let (verdict, code, text) = if *max == 0 {
        let text = format!("`{}` is forbidden: `max_calls` is 0", shown(tool, 80));
        (Verdict::Deny, "forbidden", text)
    } else if facts.attempts > *max {
        (Verdict::Deny, "budget_exceeded", beyond(tool, *max, facts))
    } else {
        (Verdict::Allow, "within_budget", format!("attempt {} of {max}", facts.attempts))
    };
    Some(Note::new(ContractName::Budget, verdict, code, text).said(said))
}

/// A yes is good for as many calls again as the budget has.
fn guessed(tool: &str, contract: &Merged, facts: &Facts<'_>) -> Option<Note> {
    let (max, said) = contract.guessed_calls.as_ref()?;
    let lot = facts.attempts.saturating_sub(1).checked_div(*max).unwrap_or(facts.attempts);
    if lot == 0 {
        let text = format!("attempt {} of {max}", facts.attempts);
        return Some(Note::new(ContractName::Budget, Verdict::Allow, "within_budget", text).said(said));
    }
    let key = key(facts.server, tool, "budget", &lot.to_string());
    let verdict = if approved(tool, &key, facts) { Verdict::Allow } else { Verdict::Ask };
    Some(
        Note::new(ContractName::Budget, verdict, "beyond_budget", beyond(tool, *max, facts))
            .said(said)
            .question(key, "", &format!("another call of {tool}")),
    )
}

fn beyond(tool: &str, max: u64, facts: &Facts<'_>) -> String {
    let tool = shown(tool, 80);
    format!("`{tool}` may be called {max} times in a session, and this is attempt {}", facts.attempts)
}
