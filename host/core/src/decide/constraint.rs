//! Constraints on arguments: where a path may lead, what a value must look like.
//!
//! The disk was asked by the host beforehand ([`paths_of`], `Facts::resolved_paths`); what it did not answer is denied.

use super::gather::leaves_under;
use super::note::{Note, argument_name, destination_key};
use super::path::{named, normalised, within};
use super::{Merged, scalar_text};
use crate::call::Call;
use crate::contract::Said;
use crate::destination::{Destination, Kind};
use crate::evidence::Vouch;
use crate::facts::Facts;
use crate::shown::shown;
use crate::value::Value;
use crate::verdict::{ContractName, Verdict};

/// What the host has to resolve before `floor` (see `Facts::resolved_paths`): the path values of the call, also as they
/// are once `..` is collapsed as text, and the prefixes. Each once, in order.
#[must_use]
pub fn paths_of(call: &Call, contract: &Merged) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    if contract.allowed_path_prefixes.is_empty() && contract.home_prefixes.is_empty() {
        return paths;
    }
    for (path, _) in &contract.write_params {
        for (_, value) in leaves_under(path, call.arguments()) {
            if let Some(named) = value.as_str().and_then(|text| named(text).ok()) {
                paths.push(normalised(&named));
                paths.push(named);
            }
        }
    }
    let lists = contract.allowed_path_prefixes.iter().chain(&contract.home_prefixes);
    paths.extend(lists.flat_map(|(list, _)| list.iter().cloned()));
    paths.sort();
    paths.dedup();
    paths
}

/// Every path and pattern of the contract.
pub(super) fn constraint(call: &Call, contract: &Merged, facts: &Facts<'_>, notes: &mut Vec<Note>) {
    paths(call, contract, facts, notes);
    for (path, pattern, said) in &contract.arg_patterns {
        for (pointer, value) in leaves_under(path, call.arguments()) {
            let Some(text) = scalar_text(value) else { continue };
            if !pattern.regex.as_ref().is_some_and(|regex| regex.is_match(&text)) {
                notes.push(
                    deny(
                        "pattern_mismatch",
                        format!(
                            "{} = `{}` does not match `{}` as a whole",
                            argument_name(&pointer),
                            shown(&text, 120),
                            shown(&pattern.written, 120)
                        ),
                    )
                    .said(said),
                );
            }
        }
    }
}

fn deny(code: &'static str, text: String) -> Note {
    Note::new(ContractName::Constraint, Verdict::Deny, code, text)
}

fn paths(call: &Call, contract: &Merged, facts: &Facts<'_>, notes: &mut Vec<Note>) {
    if contract.allowed_path_prefixes.is_empty() && contract.home_prefixes.is_empty() {
        return;
    }
    if contract.write_params.is_empty() {
        // Whoever confines paths means some; which, nobody said.
        notes.extend(contract.allowed_path_prefixes.iter().map(|(_, said)| {
            deny(
                "no_write_params",
                "`allowed_path_prefixes` is set, but no argument is known to be a path; hint: name it in `write_params`"
                    .to_owned(),
            )
            .said(said)
        }));
        return;
    }
    let mut seen: Vec<String> = Vec::new();
    for (path, _) in &contract.write_params {
        for (pointer, value) in leaves_under(path, call.arguments()) {
            if *value == Value::Null || seen.contains(&pointer) {
                continue;
            }
            notes.extend(one_path(call, contract, facts, &pointer, value));
            seen.push(pointer);
        }
    }
}

fn one_path(call: &Call, contract: &Merged, facts: &Facts<'_>, pointer: &str, value: &Value) -> Vec<Note> {
    let argument = argument_name(pointer);
    let Some(text) = value.as_str() else {
        return vec![deny("not_a_path", format!("{argument} is to name a path, but is no text"))];
    };
    let quoted = shown(text, 200);
    let path = match named(text) {
        Ok(path) => path,
        Err(why) => return vec![deny("bad_path", format!("{argument} = `{quoted}`: {why}"))],
    };
    let lexical = normalised(&path);
    let (Some(resolved), Some(collapsed)) =
        (facts.resolved_paths.get(&path), facts.resolved_paths.get(&lexical))
    else {
        return vec![deny(
            "unresolved_path",
            format!("{argument} = `{quoted}`: where it leads could not be found out"),
        )];
    };
    // A server may open the path as it is, or collapse `..` first: every reading has to lie within.
    let mut forms = vec![resolved.as_str(), collapsed.as_str()];
    if lexical.starts_with('/') {
        forms.push(&lexical);
    }
    let outside = |list: &[String]| {
        forms.iter().copied().find(|form| {
            !list.iter().any(|prefix| {
                within(form, prefix) || facts.resolved_paths.get(prefix).is_some_and(|p| within(form, p))
            })
        })
    };
    let mut notes = Vec::new();
    for (list, said) in &contract.allowed_path_prefixes {
        if let Some(form) = outside(list) {
            let text = outside_text(&argument, &quoted, form, list);
            notes.push(deny("outside_prefix", text).said(said));
        }
    }
    for (list, said) in &contract.home_prefixes {
        if let Some(form) = outside(list) {
            let text = outside_text(&argument, &quoted, form, list);
            notes.push(outside_home(call, contract, facts, (pointer, &quoted, resolved), text, said));
        }
    }
    if notes.is_empty() {
        let text = format!("{argument} = `{quoted}` lies within the allowed folders");
        notes.push(Note::new(ContractName::Constraint, Verdict::Allow, "within_prefix", text));
    }
    notes
}

fn outside_text(argument: &str, quoted: &str, form: &str, list: &[String]) -> String {
    let folders: Vec<String> = list.iter().take(5).map(|p| format!("`{}`", shown(p, 200))).collect();
    let leads =
        if form == quoted { String::new() } else { format!(" leads to `{}`, which", shown(form, 200)) };
    format!("{argument} = `{quoted}`{leads} is not below {}", folders.join(", "))
}

/// An ask that an approval of the place it really leads to answers, or the user's own naming of it.
fn outside_home(
    call: &Call,
    contract: &Merged,
    facts: &Facts<'_>,
    (pointer, quoted, resolved): (&str, &str, &str),
    text: String,
    said: &Said,
) -> Note {
    let destination = Destination {
        kind: Kind::Path,
        raw: quoted.to_owned(),
        canonical: resolved.to_owned(),
        argument: pointer.to_owned(),
    };
    let weighed = super::sink_gate::look_up(destination, call.tool(), contract, facts);
    let verdict = if weighed.evidence.vouch.is_some() { Verdict::Allow } else { Verdict::Ask };
    let text = match weighed.evidence.vouch {
        Some(Vouch::Approval) => format!("{text}, but a person approved it"),
        Some(_) => format!("{text}, but the user named it"),
        None => text,
    };
    let key = destination_key(facts.server, call.tool(), &weighed.destination);
    Note::new(ContractName::Constraint, verdict, "outside_home", text)
        .said(said)
        .about(&weighed.destination, &weighed.evidence)
        .question(key, pointer, quoted)
}
