//! The sink gate: may this destination receive this call? The table of the design, destination by destination.

use super::gather::{Gathered, Why};
use super::note::{Note, approved, argument_name, destination_key, digest, key};
use super::{Merged, Weighed};
use crate::arg_path::leaves;
use crate::call::{Call, Method};
use crate::contract::OnTainted;
use crate::destination::{self, Destination, Kind};
use crate::evidence::{Evidence, Sighting, Vouch};
use crate::facts::Facts;
use crate::shown::{sentence, shown};
use crate::value::Value;
use crate::verdict::{ContractName, Verdict};

/// What is known of a destination, with the allowlist and the approvals for this one call.
pub(super) fn look_up(destination: Destination, tool: &str, contract: &Merged, facts: &Facts<'_>) -> Weighed {
    let mut evidence = facts.provenance.evidence(facts.server, tool, &destination);
    if let Some((entry, said)) = contract.trusted.iter().find(|(entry, _)| entry.vouches(&destination)) {
        evidence.vouch = Some(Vouch::Allowlist(format!("{} ({})", entry.as_str(), said.place)));
    } else if evidence.vouch.is_none()
        && approved(tool, &destination_key(facts.server, tool, &destination), facts)
    {
        evidence.vouch = Some(Vouch::Approval);
    }
    let name = matches!(destination.kind, Kind::Channel | Kind::User);
    if name && evidence.unreliable.is_none() && destination.raw.contains([',', ';', '\n', '\r']) {
        evidence.unreliable = Some("it could be read as a list of names".to_owned());
    }
    Weighed { destination, evidence }
}

/// Names are split where a server may take a list. Where the text as a whole is a directory's very entry (a channel may
/// be called anything, commas and lines included), it is one name; that it could be read as a list stays a doubt, so
/// that the best it gets is a question.
pub(super) fn whole_names(call: &Call, contract: &Merged, facts: &Facts<'_>, gathered: &mut Vec<Gathered>) {
    let mut arguments: Vec<String> = gathered.iter().map(|g| g.destination.argument.clone()).collect();
    arguments.dedup();
    for argument in arguments {
        let of_it = |g: &Gathered| g.destination.argument == argument;
        let parts: Vec<&Gathered> = gathered.iter().filter(|g| of_it(g)).collect();
        let kind = parts.iter().map(|g| g.destination.kind).find(|k| matches!(k, Kind::Channel | Kind::User));
        let (Some(kind), true) = (kind, parts.len() > 1 && parts.iter().all(|g| g.why == Why::Declared))
        else {
            continue;
        };
        let text = call.arguments().pointer(&argument).and_then(Value::as_str);
        let Some((text, canonical)) = text.and_then(|t| Some((t, destination::canonical(kind, t)?))) else {
            continue;
        };
        let whole = Destination { kind, raw: text.to_owned(), canonical, argument: argument.clone() };
        let seen = look_up(whole.clone(), call.tool(), contract, facts).evidence;
        if seen.directory.is_none() || matches!(seen.vouch, Some(Vouch::Allowlist(_))) {
            continue;
        }
        let said = parts.iter().flat_map(|g| g.said.iter().cloned()).collect();
        let at = gathered.iter().position(of_it).unwrap_or_default();
        gathered.retain(|g| !of_it(g));
        gathered.insert(at, Gathered { destination: whole, why: Why::Declared, said });
    }
}

/// The findings about all destinations of a call. `gathered` and `weighed` go in step.
pub(super) fn sink_gate(
    call: &Call,
    contract: &Merged,
    facts: &Facts<'_>,
    gathered: &[Gathered],
    weighed: &[Weighed],
) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut values: Vec<&Weighed> = Vec::new();
    for (one, weighed) in gathered.iter().zip(weighed) {
        let (verdict, code, text) = judge(call, contract, weighed, seen);
        let unseen = matches!(code, "unknown_destination" | "unreliable");
        let guessed = matches!(one.why, Why::NoSinkFilled | Why::UnknownArgument)
            || unseen && is_inside_an_object(&weighed.destination.argument);
        if verdict == Verdict::Ask && guessed && weighed.destination.kind == Kind::Unknown {
            values.push(weighed);
            continue;
        }
        let mut note = Note::new(ContractName::SinkGate, verdict, code, text)
            .about(&weighed.destination, &weighed.evidence);
        note.finding.said.clone_from(&one.said);
        if verdict == Verdict::Ask {
            let key = destination_key(facts.server, call.tool(), &weighed.destination);
            let (_, _, asked) = judge(call, contract, weighed, seen_in_words);
            note = note.question(key, &weighed.destination.argument, &weighed.destination.raw).asking(asked);
        }
        notes.push(note);
    }
    notes.extend(plain_values(call, facts, &values, "unproven_values", "could say who receives it"));
    let sends = contract.exfiltrating && call.method() == Method::CallTool;
    if sends && gathered.is_empty() && call.arguments().is_unfilled() {
        notes.push(no_destination(call, facts));
    }
    notes
}

/// A member of an object, at whatever depth: one of many values that somebody declared as a whole.
fn is_inside_an_object(pointer: &str) -> bool {
    pointer.split('/').skip(2).any(|part| crate::value::array_index(part).is_none())
}

/// Values that are no destinations by their form are asked about together, once for the call.
pub(super) fn plain_values(
    call: &Call,
    facts: &Facts<'_>,
    values: &[&Weighed],
    code: &'static str,
    role: &str,
) -> Option<Note> {
    let first = values.first()?;
    let mut all: Vec<&str> = values
        .iter()
        .flat_map(|w| [w.destination.argument.as_str(), w.destination.canonical.as_str()])
        .collect();
    all.insert(0, code);
    let key = key(facts.server, call.tool(), "values", &digest(all));
    let named: Vec<String> = values
        .iter()
        .take(8)
        .map(|w| format!("{} = `{}`", argument_name(&w.destination.argument), shown(&w.destination.raw, 80)))
        .collect();
    let more = values.len().saturating_sub(named.len());
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    let each = if values.len() == 1 { "it" } else { "each" };
    let text = format!("{}{more}: {each} {role}, and nothing vouches for it", named.join(", "));
    let verdict = if approved(call.tool(), &key, facts) { Verdict::Allow } else { Verdict::Ask };
    let argument = if values.len() == 1 { first.destination.argument.as_str() } else { "" };
    Some(
        Note::new(ContractName::SinkGate, verdict, code, text)
            .about(&first.destination, &first.evidence)
            .question(key, argument, &format!("values of {}", call.tool())),
    )
}

fn no_destination(call: &Call, facts: &Facts<'_>) -> Note {
    let key = key(facts.server, call.tool(), "call", "no_destination");
    let verdict = if approved(call.tool(), &key, facts) { Verdict::Allow } else { Verdict::Ask };
    let text = format!("`{}` sends, but the call does not say to whom", shown(call.tool(), 80));
    Note::new(ContractName::SinkGate, verdict, "no_destination", text).question(key, "", call.tool())
}

/// The table. What is worse comes first, so more bad evidence never loosens. `seen` words a sighting.
fn judge(
    call: &Call,
    contract: &Merged,
    weighed: &Weighed,
    seen: fn(&Sighting) -> String,
) -> (Verdict, &'static str, String) {
    let Weighed { destination, evidence } = weighed;
    // The end of a long address tells; of a long name only the beginning does, and the rest may be written to persuade.
    let length = if matches!(destination.kind, Kind::Channel | Kind::User) { 64 } else { 200 };
    let name = format!("{} = `{}`", argument_name(&destination.argument), shown(&destination.raw, length));
    let Evidence { vouch, directory, field, text, near, composed, visit, unreliable } = evidence;
    if let Some(vouch) = vouch {
        return (Verdict::Allow, "vouched", format!("{name}: {}", vouched(vouch)));
    }
    if let Some((what, sighting)) = composed {
        let what = sentence(what, 200);
        // A link that the server itself shows to a person carries nothing of the agent's.
        let verdict = if call.method() == Method::ShowLink { Verdict::Ask } else { Verdict::Deny };
        return (verdict, "composed_destination", format!("{name}: {what}: {}", seen(sighting)));
    }
    if let (Some(sighting), None, None) = (text, field, directory) {
        let said = format!("{name}: seen only inside {}", seen(sighting));
        let looser = contract.on_tainted.as_ref().is_some_and(|(choice, _)| *choice == OnTainted::Ask);
        return if looser {
            (Verdict::Ask, "tainted_destination", said)
        } else if *visit && is_visit(call, destination) {
            (Verdict::Ask, "tainted_link", format!("{said} (a visit that carries nothing else)"))
        } else {
            (Verdict::Deny, "tainted_destination", said)
        };
    }
    let doubt = text.is_some() || near.is_some() || unreliable.is_some();
    if let Some(sighting) = directory {
        let said = format!("{name}: seen as {}", seen(sighting));
        return match (text, near, unreliable) {
            _ if !doubt => (Verdict::Allow, "directory", said),
            (Some(text), _, _) => (
                Verdict::Ask,
                "directory_and_text",
                format!("{said}; but also inside {}", seen(&briefly(text))),
            ),
            (_, Some((what, near)), _) => (
                Verdict::Ask,
                "near_destination",
                format!("{said}; but {}: {}", sentence(what, 200), seen(near)),
            ),
            _ => (Verdict::Ask, "unreliable", format!("{said}; but it cannot be looked up reliably")),
        };
    }
    if let Some(sighting) = field {
        let also = text.as_ref().map_or(String::new(), |t| format!("; also inside {}", seen(&briefly(t))));
        let said = format!("{name}: seen as {}{also}", seen(sighting));
        let verdict = if contract.deny_fields.is_empty() { Verdict::Ask } else { Verdict::Deny };
        return (verdict, "field_destination", said);
    }
    if let Some((what, sighting)) = near {
        let what = sentence(what, 200);
        return (
            Verdict::Ask,
            "near_destination",
            format!("{name}: not seen itself, but {what}: {}", seen(sighting)),
        );
    }
    match unreliable {
        Some(why) => (
            Verdict::Ask,
            "unreliable",
            format!("{name}: it cannot be looked up reliably: {}", shown(why, 200)),
        ),
        None => {
            (Verdict::Ask, "unknown_destination", format!("{name}: seen nowhere, and nothing vouches for it"))
        }
    }
}

/// Following a link as it stands: no other text goes along.
fn is_visit(call: &Call, destination: &Destination) -> bool {
    destination.kind == Kind::Url
        && leaves(call.arguments()).iter().all(|(pointer, value)| {
            *pointer == destination.argument || !matches!(value, Value::String(_)) || value.is_unfilled()
        })
}

fn vouched(vouch: &Vouch) -> String {
    match vouch {
        Vouch::Allowlist(entry) => format!("allowed by {}", shown(entry, 200)),
        Vouch::Approval => "approved by a person".to_owned(),
        Vouch::Prompt => "named by the user".to_owned(),
    }
}

/// Few words around it: the place itself is known, and more of an attacker's text than that only persuades.
fn briefly(sighting: &Sighting) -> Sighting {
    const AROUND: usize = 16;
    let excerpt = &sighting.excerpt;
    let mut brief = sighting.clone();
    if let Some((before, rest)) = excerpt.split_once("**")
        && let Some((value, after)) = rest.split_once("**")
    {
        let skip = before.chars().count().saturating_sub(AROUND);
        let head: String = before.chars().skip(skip).collect();
        let tail: String = after.chars().take(AROUND).collect();
        let dots = |cut: bool| if cut { "\u{2026}" } else { "" };
        brief.excerpt =
            format!("{}{head}**{value}**{tail}{}", dots(skip > 0), dots(after.chars().nth(AROUND).is_some()));
    }
    brief
}

/// A sighting for the log and for the agent.
pub(super) fn seen(sighting: &Sighting) -> String {
    let number = match sighting.call {
        0 => String::new(),
        call => format!(", call {call}"),
    };
    told(sighting, &number)
}

/// A sighting for the person who is asked. The call is counted in words' form (`2nd`), so that a bare number in the
/// question is always one of the call's own values.
pub(super) fn seen_in_words(sighting: &Sighting) -> String {
    let number = match sighting.call {
        0 => String::new(),
        call => format!(", {} call", ordinal(call)),
    };
    told(sighting, &number)
}

fn ordinal(number: u64) -> String {
    let ending = match (number % 100, number % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

fn told(sighting: &Sighting, number: &str) -> String {
    use crate::evidence::Place;
    let place = match sighting.place {
        Place::Directory => "an entry of the directory",
        Place::Field => "a field of the answer of",
        Place::Text => "text from",
    };
    let pointer = match sighting.pointer.as_str() {
        "" => String::new(),
        pointer => format!(" at {}", argument_name(pointer)),
    };
    format!(
        "{place} {}/{}{number}{pointer}: {}",
        shown(&sighting.server, 80),
        shown(&sighting.tool, 80),
        shown(&sighting.excerpt, 200)
    )
}
