//! What the profiles `strict` and `paranoid` ask beyond the sink gate. They only ever add an ask.

use super::gather::Gathered;
use super::note::Note;
use super::sink_gate::{look_up, plain_values};
use super::{Merged, Weighed, scalar_text};
use crate::arg_path::leaves;
use crate::call::Call;
use crate::contract::Profile;
use crate::destination::{Destination, Kind};
use crate::facts::Facts;
use crate::value::Value;

/// More words than a name has: content, not a target.
const MAX_TARGET_WORDS: usize = 8;

/// The further findings of the tool's profile.
pub(super) fn profile(call: &Call, contract: &Merged, facts: &Facts<'_>, gathered: &[Gathered]) -> Vec<Note> {
    let writes = contract.destructive || contract.exfiltrating || !contract.write_params.is_empty();
    let paranoid = contract.profile == Profile::Paranoid && writes;
    let strict = contract.profile >= Profile::Strict && contract.destructive;
    if !paranoid && !strict {
        return Vec::new();
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
    plain_values(call, facts, &unnamed, "not_named_by_user", role).into_iter().collect()
}

fn is_target(value: &Value) -> bool {
    match value {
        Value::String(text) => text.split_whitespace().count() <= MAX_TARGET_WORDS && !text.contains('\n'),
        Value::Number(_) => true,
        _ => false,
    }
}
