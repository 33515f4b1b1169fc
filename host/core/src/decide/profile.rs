//! What the profiles ask beyond the sink gate. They only ever add an ask. In every profile a call that sends asks about a
//! link in what it sends that stands only in a text of somebody else: a trusted receiver does not make the link the user's.

use super::note::{Note, approved, argument_name, destination_key, key};
use super::sink_gate::{look_up, plain_values, seen, seen_in_words};
use super::{Merged, Weighed, scalar_text};
use crate::arg_path::leaves;
use crate::call::Call;
use crate::contract::Profile;
use crate::destination::{Destination, Kind, find_in_text, read};
use crate::evidence::{Sighting, Vouch};
use crate::facts::Facts;
use crate::provenance::readings;
use crate::shown::shown;
use crate::value::Value;
use crate::verdict::{ContractName, Trust, Verdict};
use std::collections::BTreeSet;

/// More words than a name has: content, not a target.
const MAX_TARGET_WORDS: usize = 8;

/// The further findings of the tool's profile.
pub(super) fn profile(call: &Call, contract: &Merged, facts: &Facts<'_>, weighed: &[Weighed]) -> Vec<Note> {
    let losing = contract.destructive || !contract.binds.is_empty();
    let writes = losing || contract.exfiltrating || !contract.write_params.is_empty();
    let mut notes = Vec::new();
    if !contract.uses_up.is_empty() {
        notes.extend(uses_up(call, contract, facts));
    }
    if contract.exfiltrating || contract.profile >= Profile::Strict && writes {
        notes.extend(content(call, contract, facts, weighed));
    }
    let paranoid = contract.profile == Profile::Paranoid && writes;
    let strict = contract.profile >= Profile::Strict && losing;
    if !paranoid && !strict {
        return notes;
    }
    if contract.destructive && call.arguments().is_unfilled() {
        let tool = shown(call.tool(), 80);
        let text = format!("`{tool}` can lose something for good, and the call does not say what");
        notes.push(whole_call(call, facts, "no_target", text));
    }
    let role = match (paranoid, contract.destructive) {
        (true, _) => "decides what is written",
        (false, true) => "decides what may be lost",
        (false, false) => "decides what is paid, booked or set",
    };
    // What the gate objects to by itself, or a person answered for, is not asked about twice. A gate that lets a value
    // pass for another reason (a directory, a sink's allowlist) does not mean that the user named it.
    let settled = |pointer: &str| {
        weighed.iter().filter(|w| w.destination.argument == pointer).any(|w| {
            w.evidence.trust() != Trust::Trusted
                || matches!(w.evidence.vouch, Some(Vouch::Approval | Vouch::Prompt))
        })
    };
    let unnamed: Vec<Weighed> = leaves(call.arguments())
        .into_iter()
        .filter(|(pointer, value)| !value.is_unfilled() && !settled(pointer))
        .filter(|(_, value)| paranoid || is_target(value))
        .filter_map(|(pointer, value)| Some((pointer, scalar_text(value)?)))
        .flat_map(|(pointer, text)| read(Kind::Unknown, &text, &pointer))
        .map(|destination| look_up(destination, call.tool(), contract, facts))
        .filter(|weighed| weighed.evidence.vouch.is_none())
        .collect();
    let unnamed: Vec<&Weighed> = unnamed.iter().collect();
    notes.extend(plain_values(call, facts, &unnamed, "not_named_by_user", role));
    notes
}

/// A read that changes what it reads, and of which the user's own words say nothing.
fn uses_up(call: &Call, contract: &Merged, facts: &Facts<'_>) -> Option<Note> {
    let named = subject(call.tool()).is_some_and(|words| {
        let name = Destination::new(Kind::Unknown, &words, words.clone(), "");
        look_up(name, call.tool(), contract, facts).evidence.vouch == Some(Vouch::Prompt)
    });
    let tool = shown(call.tool(), 80);
    let text =
        format!("`{tool}` changes what it reads, by its own description, and the user did not name it");
    (!named).then(|| {
        let mut note = whole_call(call, facts, "uses_up", text);
        note.finding.said.clone_from(&contract.uses_up);
        note
    })
}

/// What a tool's name says it is about: `unread emails` of `get_unread_emails`, `newMessages` of `readNewMessages`.
fn subject(tool: &str) -> Option<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut lower = false;
    for c in tool.chars() {
        if !c.is_alphanumeric() || c.is_uppercase() && lower {
            words.push(String::new());
        }
        lower = c.is_lowercase();
        if let (true, Some(word)) = (c.is_alphanumeric(), words.last_mut()) {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    let rest = words.get(1..).unwrap_or_default().join(" ");
    (rest.chars().filter(|c| c.is_alphabetic()).count() >= 4).then_some(rest)
}

/// A question about the call as such.
fn whole_call(call: &Call, facts: &Facts<'_>, code: &'static str, text: String) -> Note {
    let key = key(facts.server, call.tool(), "call", code);
    let verdict = if approved(call.tool(), &key, facts) { Verdict::Allow } else { Verdict::Ask };
    Note::new(ContractName::SinkGate, verdict, code, text).question(key, "", call.tool())
}

/// Links, addresses and accounts inside content that come from a text somebody else wrote.
fn content(call: &Call, contract: &Merged, facts: &Facts<'_>, weighed: &[Weighed]) -> Vec<Note> {
    let mut notes = Vec::new();
    for (pointer, value) in leaves(call.arguments()) {
        let Some(text) = value.as_str() else { continue };
        // What stands in a name is no content: the name as a whole is weighed.
        let name = |w: &Weighed| {
            w.destination.argument == pointer && matches!(w.destination.kind, Kind::Channel | Kind::User)
        };
        if weighed.iter().any(name) {
            continue;
        }
        let mut inside_it = find_in_text(text);
        // A mail program follows the link that `&#47;` and the like spell, too.
        let mut known: BTreeSet<_> = inside_it.iter().map(|d| (d.kind, d.canonical.clone())).collect();
        for found in readings(text).iter().flat_map(|reading| find_in_text(reading)) {
            if known.insert((found.kind, found.canonical.clone())) {
                inside_it.push(found);
            }
        }
        for mut found in inside_it {
            if contract.profile < Profile::Strict && !matches!(found.kind, Kind::Url | Kind::Host) {
                continue;
            }
            found.argument.clone_from(&pointer);
            // The same words, read as another kind or as the whole of the argument, are weighed already.
            let gated = |w: &Weighed| {
                w.destination.argument == pointer
                    && (w.destination.canonical == found.canonical
                        || w.destination.raw.trim() == found.raw.trim())
            };
            if weighed.iter().any(gated) {
                continue;
            }
            let mut inside = look_up(found, call.tool(), contract, facts);
            if inside.destination.kind == Kind::Host && inside.evidence.trust() == Trust::Unproven {
                // A mail program makes a link of a bare name: is the domain above it somebody else's?
                let link = read(Kind::Url, &format!("https://{}/", inside.destination.canonical), &pointer);
                let links = link.into_iter().map(|link| look_up(link, call.tool(), contract, facts));
                inside.evidence.composed = links.filter_map(|w| w.evidence.composed).next();
            }
            if inside.evidence.trust() != Trust::Tainted {
                continue;
            }
            let (argument, raw) = (argument_name(&pointer), shown(&inside.destination.raw, 200));
            let composed = inside.evidence.composed.as_ref().map(|(_, sighting)| sighting);
            let origin = inside.evidence.text.as_ref().or(composed);
            let comes_from = |seen: fn(&Sighting) -> String| {
                format!("{argument} holds `{raw}`, which comes from {}", origin.map(seen).unwrap_or_default())
            };
            let key = destination_key(facts.server, call.tool(), &inside.destination);
            notes.push(
                Note::new(ContractName::SinkGate, Verdict::Ask, "tainted_content", comes_from(seen))
                    .about(&inside.destination, &inside.evidence)
                    .question(key, &pointer, &inside.destination.raw)
                    .asking(comes_from(seen_in_words)),
            );
        }
    }
    notes
}

fn is_target(value: &Value) -> bool {
    match value {
        Value::String(text) => text.split_whitespace().count() <= MAX_TARGET_WORDS && !text.contains('\n'),
        Value::Number(_) => true,
        _ => false,
    }
}
