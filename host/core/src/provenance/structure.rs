//! Tells a text apart into a value where it is JSON, or YAML as a program writes it.
//!
//! What a program would not write (directives, tags, repeated keys, several documents) is no structure but a
//! text: somebody may have typed it. Bounded in size and depth.

use crate::value::Value;
use saphyr_parser::{Event, Parser};
use std::collections::BTreeSet;

/// Above this a YAML text is not parsed but taken as one text.
const YAML_BYTES: usize = 1 << 20;
const DEPTH: usize = 96;
/// Flow collections nest in the scanner itself; a program writes few.
const YAML_FLOW: usize = 64;

/// The value of a text that is an object, a list, or YAML of either.
pub(super) fn parse(text: &str) -> Option<Value> {
    let trimmed = text.trim_start_matches('\u{feff}').trim();
    match trimmed.as_bytes().first()? {
        b'{' | b'[' => json(trimmed).or_else(|| lines(trimmed)).or_else(|| yaml(trimmed)),
        _ => yaml(trimmed),
    }
}

fn json(text: &str) -> Option<Value> {
    Value::parse_lenient(text.as_bytes(), DEPTH).ok()
}

/// JSON Lines: every line a value.
fn lines(text: &str) -> Option<Value> {
    if !text.contains('\n') {
        return None;
    }
    let items: Option<Vec<Value>> =
        text.lines().filter(|l| !l.trim().is_empty()).map(|l| json(l.trim())).collect();
    items.map(Value::Array)
}

enum Open {
    List(Vec<Value>),
    Map(Vec<(String, Value)>, BTreeSet<String>, Option<String>),
}

fn yaml(text: &str) -> Option<Value> {
    let first = text.lines().next()?.trim_end();
    let looks = first.starts_with("- ") || first == "-" || first.ends_with(':') || first.contains(": ");
    if text.len() > YAML_BYTES
        || !looks && !text.starts_with(['[', '{'])
        || first.starts_with(['#', '%', '&', '*', '!'])
    {
        return None;
    }
    if text.bytes().filter(|b| matches!(b, b'[' | b'{')).count() > YAML_FLOW * 64 || nested_flow(text) {
        return None;
    }
    // The scanner is another's code and the text an attacker's: a panic in it means "no structure".
    std::panic::catch_unwind(|| yaml_value(text)).ok().flatten()
}

/// Whether brackets nest deeper than a program would write them.
fn nested_flow(text: &str) -> bool {
    let mut depth = 0_usize;
    text.bytes().any(|b| {
        match b {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > YAML_FLOW
    })
}

fn yaml_value(text: &str) -> Option<Value> {
    let mut parser = Parser::new_from_str(text);
    let mut stack: Vec<Open> = Vec::new();
    let mut root = None;
    while let Some(event) = parser.next_event() {
        let (event, _) = event.ok()?;
        let done = match event {
            Event::Nothing | Event::StreamStart | Event::DocumentEnd => continue,
            Event::DocumentStart(_) if root.is_some() => return None,
            Event::DocumentStart(_) => continue,
            Event::StreamEnd => break,
            Event::Scalar(s, _, _, None) => Value::String(s.into_owned()),
            Event::SequenceStart(_, None) if stack.len() < DEPTH => {
                stack.push(Open::List(Vec::new()));
                continue;
            }
            Event::MappingStart(_, None) if stack.len() < DEPTH => {
                stack.push(Open::Map(Vec::new(), BTreeSet::new(), None));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match stack.pop()? {
                Open::List(items) => Value::Array(items),
                Open::Map(members, _, None) => Value::Object(members),
                Open::Map(_, _, Some(_)) => return None,
            },
            // What it points to was read where it is anchored; copying it would let a small text grow without bound.
            Event::Alias(_) => Value::Null,
            _ => return None,
        };
        match stack.last_mut() {
            None => root = Some(done),
            Some(Open::List(items)) => items.push(done),
            Some(Open::Map(members, keys, waiting)) => match waiting.take() {
                Some(key) => members.push((key, done)),
                None => {
                    let Value::String(key) = done else { return None };
                    if !keys.insert(key.clone()) {
                        return None;
                    }
                    *waiting = Some(key);
                }
            },
        }
    }
    root.filter(|v| match v {
        Value::Array(_) => true,
        // `Contact: x@y.io` is a line of prose as likely as a record.
        Value::Object(members) => {
            members.len() > 1 || members.iter().any(|(_, v)| !matches!(v, Value::String(_)))
        }
        _ => false,
    })
}
