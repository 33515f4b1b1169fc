//! What the profiles `strict` and `paranoid` ask beyond the sink gate. They only ever add an ask.

use super::gather::Gathered;
use super::note::{Note, argument_name, destination_key};
use super::sink_gate::{look_up, plain_values, seen};
use super::{Merged, Weighed, scalar_text};
use crate::arg_path::leaves;
use crate::call::Call;
use crate::contract::Profile;
use crate::destination::{Destination, Kind, find_in_text};
use crate::facts::Facts;
use crate::shown::shown;
use crate::value::Value;
use crate::verdict::{ContractName, Trust, Verdict};

/// More words than a name has: content, not a target.
const MAX_TARGET_WORDS: usize = 8;

/// The further findings of the tool's profile.
pub(super) fn profile(call: &Call, contract: &Merged, facts: &Facts<'_>, gathered: &[Gathered]) -> Vec<Note> {
    let writes = contract.destructive || contract.exfiltrating || !contract.write_params.is_empty();
    let mut notes = Vec::new();
    if contract.profile >= Profile::Strict && writes {
        notes.extend(content(call, contract, facts, gathered));
    }
    let paranoid = contract.profile == Profile::Paranoid && writes;
    let strict = contract.profile >= Profile::Strict && contract.destructive;
    if !paranoid && !strict {
        return notes;
    }
    let role = if paranoid { "decides what is written" } else { "decides what may be lost" };
    let unnamed: Vec<Weighed> = leaves(call.arguments())
        .into_iter()
        .filter(|(pointer, value)| {
            !value.is_unfilled() && !gathered.iter().any(|g| g.destination.argument == *pointer)
        })
        .filter(|(_, value)| paranoid || is_target(value))
        .filter_map(|(pointer, value)| Some((pointer, scalar_text(value)?)))
        .map(|(argument, text)| Destination {
            kind: Kind::Unknown,
            raw: text.clone(),
            canonical: text,
            argument,
        })
        .map(|destination| look_up(destination, call.tool(), contract, facts))
        .filter(|weighed| weighed.evidence.vouch.is_none())
        .collect();
    let unnamed: Vec<&Weighed> = unnamed.iter().collect();
    notes.extend(plain_values(call, facts, &unnamed, "not_named_by_user", role));
    notes
}

/// Links, addresses and accounts inside content that come from a text somebody else wrote.
fn content(call: &Call, contract: &Merged, facts: &Facts<'_>, gathered: &[Gathered]) -> Vec<Note> {
    let mut notes = Vec::new();
    for (pointer, value) in leaves(call.arguments()) {
        let Some(text) = value.as_str() else { continue };
        if gathered.iter().any(|g| g.destination.argument == pointer) {
            continue;
        }
        for mut found in find_in_text(text) {
            found.argument.clone_from(&pointer);
            let weighed = look_up(found, call.tool(), contract, facts);
            if weighed.evidence.trust() != Trust::Tainted {
                continue;
            }
            let (argument, raw) = (argument_name(&pointer), shown(&weighed.destination.raw, 200));
            let origin = weighed.evidence.text.as_ref().map(seen).unwrap_or_default();
            let text = format!("{argument} holds `{raw}`, which comes from {origin}");
            let key = destination_key(facts.server, call.tool(), &weighed.destination);
            notes.push(
                Note::new(ContractName::SinkGate, Verdict::Ask, "tainted_content", text)
                    .about(&weighed.destination, &weighed.evidence)
                    .question(key, &pointer, &weighed.destination.raw),
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
