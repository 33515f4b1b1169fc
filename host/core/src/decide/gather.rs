//! Which values of a call are destinations. Where nobody declared a receiver, or none is filled, all of them are.

use super::{Merged, scalar_text};
use crate::arg_path::{ArgPath, leaves};
use crate::call::Call;
use crate::contract::{Layer, Said, Sink};
use crate::destination::{Destination, Kind, read};
use crate::value::Value;
use std::collections::BTreeSet;

/// Why a value is taken for a destination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Why {
    /// A layer declared the argument to be a sink.
    Declared,
    /// No declared sink is filled.
    NoSinkFilled,
    /// The pinned schema does not know the argument.
    UnknownArgument,
    /// A policy module found it inside an argument.
    Module(String),
}

/// A destination and why it is one.
#[derive(Debug, Clone)]
pub(super) struct Gathered {
    pub(super) destination: Destination,
    pub(super) why: Why,
    pub(super) said: Vec<Said>,
}

/// All destinations of a call of a sending tool, each once.
pub(super) fn gather(call: &Call, contract: &Merged) -> Vec<Gathered> {
    let arguments = call.arguments();
    let mut all: Vec<Gathered> = Vec::new();
    for (sink, said) in &contract.sinks {
        let found = of_sink(sink, said, arguments, contract);
        extend(&mut all, found, &Why::Declared, std::slice::from_ref(said), contract);
    }
    let why = if narrowed(&all, contract) { Why::UnknownArgument } else { Why::NoSinkFilled };
    for (name, value) in arguments.as_object().unwrap_or_default() {
        let known = contract.known_arguments.as_ref().is_some_and(|names| names.contains(name));
        if known && why == Why::UnknownArgument {
            continue;
        }
        // A pack cannot have meant an argument that the tool does not have.
        let than = if known { None } else { Some(&Layer::Project) };
        let top = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
        let mut found = Vec::new();
        values_in(&top, value, Kind::Unknown, &mut found);
        found.retain(|d| {
            !contract.is_harmless(&d.argument, than)
                && !all.iter().any(|g| g.destination.argument == d.argument)
        });
        extend(&mut all, found, &why, &[], contract);
    }
    for destination in nested(arguments) {
        let listed = all.iter().any(|g| g.destination.argument == destination.argument);
        if !listed && !contract.is_harmless(&destination.argument, Some(&Layer::Project)) {
            extend(&mut all, vec![destination], &Why::UnknownArgument, &[], contract);
        }
    }
    all
}

/// What receivers are called where servers hand an argument on as it is (a message, headers), whatever its schema says.
const RECEIVERS: [&str; 6] = ["to", "cc", "bcc", "recipient", "recipients", "envelope"];

/// Values inside of arguments under the name of a receiver.
fn nested(arguments: &Value) -> Vec<Destination> {
    let is_named = |pointer: &str| {
        let mut names = pointer.split('/').skip(2);
        names.any(|name| RECEIVERS.contains(&name.to_ascii_lowercase().as_str()))
    };
    let inner = leaves(arguments).into_iter();
    let inner = inner.filter(|(pointer, value)| is_named(pointer) && !value.is_unfilled());
    inner
        .flat_map(|(pointer, value)| {
            scalar_text(value).map(|text| readable(Kind::Unknown, &text, &pointer)).unwrap_or_default()
        })
        .collect()
}

/// Whether each voice that calls the tool a sender sees a sink filled: one of the narrowing layers', or its own. A pack
/// without a grant, or a repository's file, cannot turn what others gate into content by declaring a sink.
fn narrowed(declared: &[Gathered], contract: &Merged) -> bool {
    let by_narrowing = declared.iter().any(|g| said_by(g, &contract.narrowing));
    by_narrowing
        || (!contract.exfiltrating_by_narrowing
            && contract
                .exfiltrating_by_others
                .iter()
                .all(|layer| declared.iter().any(|g| g.said.iter().any(|s| s.layer == *layer))))
}

fn said_by(gathered: &Gathered, layers: &BTreeSet<Layer>) -> bool {
    gathered.said.iter().any(|said| layers.contains(&said.layer))
}

/// One place with one canonical form is one destination, though layers may call it a user and an address: the kind that
/// its form makes sure counts. A voice that may not loosen decides no kind but its own reading's.
fn extend(all: &mut Vec<Gathered>, found: Vec<Destination>, why: &Why, said: &[Said], contract: &Merged) {
    let heard = |said: &[Said]| said.iter().all(|s| contract.narrowing.contains(&s.layer));
    for destination in found {
        let same = |g: &&mut Gathered| {
            let here = g.destination.argument == destination.argument
                && g.destination.canonical == destination.canonical;
            here && (g.destination.kind == destination.kind || g.why == *why && heard(&g.said) && heard(said))
        };
        match all.iter_mut().find(same) {
            Some(known) => {
                known.said.extend_from_slice(said);
                if sureness(destination.kind) > sureness(known.destination.kind) {
                    known.destination = destination;
                }
            }
            None => all.push(Gathered { destination, why: why.clone(), said: said.to_vec() }),
        }
    }
}

/// How much the form of a value says for its being of that kind.
fn sureness(kind: Kind) -> u8 {
    match kind {
        Kind::Unknown => 0,
        Kind::Reference | Kind::Path => 1,
        Kind::Channel | Kind::User => 2,
        Kind::Email | Kind::Url | Kind::Host | Kind::Phone | Kind::Repository | Kind::Account => 3,
    }
}

/// Every scalar at or inside of what `path` names.
pub(super) fn leaves_under<'v>(path: &ArgPath, root: &'v Value) -> Vec<(String, &'v Value)> {
    path.select(root)
        .into_iter()
        .flat_map(|(at, value)| leaves(value).into_iter().map(move |(p, v)| (format!("{at}{p}"), v)))
        .collect()
}

fn of_sink(sink: &Sink, said: &Said, arguments: &Value, contract: &Merged) -> Vec<Destination> {
    let harmless = |pointer: &str| contract.is_harmless(pointer, Some(&said.layer));
    let mut parts: Vec<Vec<Destination>> = Vec::new();
    for path in &sink.params {
        let mut part = Vec::new();
        for (pointer, value) in path.select(arguments) {
            values_in(&pointer, value, sink.kind, &mut part);
        }
        part.retain(|d| !harmless(&d.argument));
        parts.push(part);
    }
    if sink.params.len() < 2 {
        return parts.into_iter().flatten().collect();
    }
    let texts: Vec<Vec<(String, String)>> = sink
        .params
        .iter()
        .map(|path| {
            leaves_under(path, arguments)
                .into_iter()
                .filter(|(pointer, value)| !value.is_unfilled() && !harmless(pointer))
                .filter_map(|(pointer, value)| Some((pointer, scalar_text(value)?)))
                .collect()
        })
        .collect();
    let count = texts.first().map_or(0, Vec::len);
    if count == 0 || texts.iter().any(|part| part.len() != count) {
        // Some parts are missing, or nobody knows which belong together: each stands for itself.
        return parts.into_iter().flatten().collect();
    }
    (0..count)
        .flat_map(|i| {
            let row: Vec<&(String, String)> = texts.iter().filter_map(|part| part.get(i)).collect();
            joined(sink, &row)
        })
        .collect()
}

/// One destination from its parts. A part that holds the joint itself, or a list, could be read in other ways by the
/// server: it is taken as written and nothing finer can vouch for it.
fn joined(sink: &Sink, row: &[&(String, String)]) -> Vec<Destination> {
    let argument = row.first().map(|(pointer, _)| pointer.clone()).unwrap_or_default();
    let texts: Vec<&str> = row.iter().map(|(_, text)| text.as_str()).collect();
    let whole = texts.join(&sink.join);
    let odd = |text: &&str| {
        (!sink.join.is_empty() && text.contains(&sink.join))
            || text.contains(|c: char| c.is_whitespace() || c.is_control() || matches!(c, ',' | ';'))
            || matches!(*text, "." | "..")
    };
    if texts.iter().any(odd) {
        return vec![unreadable(&whole, &argument)];
    }
    readable(sink.kind, &whole, &argument)
}

fn unreadable(text: &str, argument: &str) -> Destination {
    Destination {
        kind: Kind::Unknown,
        raw: text.to_owned(),
        canonical: text.to_owned(),
        argument: argument.to_owned(),
    }
}

fn readable(kind: Kind, text: &str, argument: &str) -> Vec<Destination> {
    let found = read(kind, text, argument);
    if found.is_empty() { vec![unreadable(text, argument)] } else { found }
}

/// Everything filled at or inside of `value`; keys of maps too where they read as a destination.
fn values_in(pointer: &str, value: &Value, kind: Kind, out: &mut Vec<Destination>) {
    match value {
        _ if value.is_unfilled() && value.as_object().is_none() => {}
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                values_in(&format!("{pointer}/{i}"), item, kind, out);
            }
        }
        Value::Object(members) => {
            for (key, member) in members {
                let place = format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"));
                out.extend(read(Kind::Unknown, key, &place).into_iter().filter(|d| d.kind != Kind::Unknown));
                values_in(&place, member, kind, out);
            }
        }
        scalar => {
            if let Some(text) = scalar_text(scalar) {
                out.extend(readable(kind, &text, pointer));
            }
        }
    }
}
