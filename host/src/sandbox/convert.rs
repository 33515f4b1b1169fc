//! Between the world's types and the core's. What comes from a module is measured before it is believed.

use super::bindings::exports::bouncer::policy::rules as wit;
use super::{Evaluation, PackContract, json, limits};
use bouncer_core::arg_path::ArgPath;
use bouncer_core::contract::{Contract, Sink};
use bouncer_core::decide::{ModuleFinding, Weighed};
use bouncer_core::destination::{self, Destination, Kind, TrustPattern};
use bouncer_core::evidence::{Evidence, Sighting};
use bouncer_core::shown::invisible;
use bouncer_core::tool::{ServerIdentity, Tool};
use bouncer_core::verdict::{Trust, Verdict};
use regex::{Regex, RegexBuilder};
use std::collections::BTreeSet;

pub(super) fn server(identity: &ServerIdentity) -> wit::Server {
    wit::Server {
        name: identity.name.clone(),
        reported_name: identity.reported_name.clone(),
        reported_version: identity.reported_version.clone(),
        command: identity.command.clone(),
    }
}

pub(super) fn tools(tools: &[Tool]) -> Vec<wit::Tool> {
    tools
        .iter()
        .map(|tool| wit::Tool { name: tool.name.clone(), definition: json::text_of(&tool.definition) })
        .collect()
}

pub(super) fn call(evaluation: &Evaluation<'_>) -> wit::Call {
    wit::Call {
        server: evaluation.server.to_owned(),
        tool: evaluation.tool.to_owned(),
        arguments: evaluation.arguments_json.to_owned(),
        settings: evaluation.settings_json.to_owned(),
    }
}

pub(super) fn destinations(weighed: &[Weighed]) -> Vec<wit::Destination> {
    weighed
        .iter()
        .map(|Weighed { destination, evidence }| wit::Destination {
            value: destination.raw.clone(),
            canonical: destination.canonical.clone(),
            kind: kind_out(destination.kind),
            argument: destination.argument.clone(),
            trust: match evidence.trust() {
                Trust::Trusted => wit::Trust::Trusted,
                Trust::Unproven => wit::Trust::Unproven,
                Trust::Tainted => wit::Trust::Tainted,
            },
            seen: seen(evidence),
        })
        .collect()
}

/// Where a destination was seen, in words, the least trusted place first.
fn seen(evidence: &Evidence) -> String {
    let near = evidence.near.as_ref().or(evidence.composed.as_ref()).map(|(_, sighting)| sighting);
    let sighting =
        evidence.text.as_ref().or(near).or(evidence.field.as_ref()).or(evidence.directory.as_ref());
    match sighting {
        Some(Sighting { server, tool, call, pointer, excerpt, .. }) => {
            format!("answer {call} of {server}/{tool} {pointer}: {excerpt}")
        }
        None => String::new(),
    }
}

/// What a module stated, checked against the tools that it was given.
pub(super) fn contracts(stated: Vec<wit::Contract>, tools: &[Tool]) -> Result<Vec<PackContract>, String> {
    at_most("contracts", stated.len(), limits::CONTRACTS)?;
    at_most("patterns", stated.iter().map(|c| c.arg_patterns.len()).sum(), limits::PATTERNS)?;
    let known: BTreeSet<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    stated
        .into_iter()
        .map(|stated| {
            if !known.contains(stated.tool.as_str()) {
                return Err(format!(
                    "stated a contract for `{}`, which is no tool of the server",
                    clean(&stated.tool)
                ));
            }
            let tool = stated.tool.clone();
            let contract =
                contract(stated).map_err(|error| format!("{error}, in its contract for `{tool}`"))?;
            Ok(PackContract { tool, contract })
        })
        .collect()
}

fn contract(stated: wit::Contract) -> Result<Contract, String> {
    for trusted in &stated.trusted_destinations {
        TrustPattern::parse(trusted)
            .map_err(|error| format!("vouched for `{}`, which cannot be read: {error}", clean(trusted)))?;
    }
    Ok(Contract {
        exfiltrating: stated.exfiltrating,
        destructive: stated.destructive,
        sinks: stated.sinks.into_iter().map(sink).collect::<Result<_, _>>()?,
        harmless: paths(&stated.harmless)?,
        trusted_destinations: stated.trusted_destinations,
        write_params: paths(&stated.write_params)?,
        arg_patterns: stated
            .arg_patterns
            .iter()
            .map(|(path, pattern)| Ok((arg_path(path)?, whole(pattern)?)))
            .collect::<Result<_, String>>()?,
        max_calls: stated.max_calls,
        directories: paths(&stated.directories)?,
        evaluate: stated.evaluate,
        ..Contract::default()
    })
}

fn sink(sink: wit::Sink) -> Result<Sink, String> {
    if sink.params.is_empty() {
        return Err("named a sink without an argument".to_owned());
    }
    Ok(Sink { params: paths(&sink.params)?, join: sink.join, kind: kind_in(sink.kind) })
}

fn paths(texts: &[String]) -> Result<Vec<ArgPath>, String> {
    texts.iter().map(|text| arg_path(text)).collect()
}

fn arg_path(text: &str) -> Result<ArgPath, String> {
    ArgPath::parse(text).map_err(|error| format!("named the argument path `{}`: {error}", clean(text)))
}

/// A pattern for a whole value. It must be sound by itself: `a)|(b` is not.
fn whole(pattern: &str) -> Result<Regex, String> {
    let build = |text: &str| RegexBuilder::new(text).size_limit(limits::PATTERN_BYTES).build();
    build(pattern)
        .and_then(|_| build(&format!(r"\A(?:{pattern})\z")))
        .map_err(|error| format!("gave the pattern `{}`: {}", clean(pattern), clean(&error.to_string())))
}

/// What a module found in a call.
pub(super) fn judgement(judgement: wit::Judgement) -> Result<(Vec<ModuleFinding>, Vec<Destination>), String> {
    at_most("findings", judgement.findings.len(), limits::FINDINGS)?;
    at_most("destinations", judgement.destinations.len(), limits::DESTINATIONS)?;
    let findings = judgement.findings.into_iter().map(finding).collect::<Result<_, _>>()?;
    let mut destinations = Vec::new();
    for found in judgement.destinations {
        at_most("bytes of one destination", found.value.len(), limits::VALUE_BYTES)?;
        at_most("bytes of one pointer", found.argument.len(), limits::VALUE_BYTES)?;
        destinations.extend(destination::read(kind_in(found.kind), &found.value, &found.argument));
        at_most("destinations", destinations.len(), limits::DESTINATIONS)?;
    }
    Ok((findings, destinations))
}

fn finding(finding: wit::Finding) -> Result<ModuleFinding, String> {
    at_most("bytes of one pointer", finding.argument.len(), limits::VALUE_BYTES)?;
    let word = |c: char| if c.is_ascii_lowercase() || c.is_ascii_digit() { c } else { '_' };
    let code: String = finding.code.chars().take(64).map(word).collect();
    Ok(ModuleFinding {
        verdict: match finding.verdict {
            wit::Verdict::Pass => Verdict::Allow,
            wit::Verdict::Ask => Verdict::Ask,
            wit::Verdict::Deny => Verdict::Deny,
        },
        code: if code.is_empty() { "unnamed".to_owned() } else { code },
        text: clean(&finding.text),
        argument: finding.argument,
    })
}

fn at_most(what: &str, count: usize, limit: usize) -> Result<(), String> {
    if count > limit { Err(format!("returned {count} {what}, more than {limit}")) } else { Ok(()) }
}

/// A text of a module for people: cut, and with the characters shown that could forge a line or turn it around.
pub(super) fn clean(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        let before = out.len();
        if invisible(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
        if out.len() > limits::TEXT_BYTES {
            out.truncate(before);
            break;
        }
    }
    out
}

pub(super) fn kind_out(kind: Kind) -> wit::Kind {
    match kind {
        Kind::Email => wit::Kind::Email,
        Kind::Url => wit::Kind::Url,
        Kind::Host => wit::Kind::Host,
        Kind::Phone => wit::Kind::Phone,
        Kind::Channel => wit::Kind::Channel,
        Kind::User => wit::Kind::User,
        Kind::Repository => wit::Kind::Repository,
        Kind::Account => wit::Kind::Account,
        Kind::Path => wit::Kind::Path,
        Kind::Reference => wit::Kind::Reference,
        Kind::Unknown => wit::Kind::Unknown,
    }
}

fn kind_in(kind: wit::Kind) -> Kind {
    match kind {
        wit::Kind::Email => Kind::Email,
        wit::Kind::Url => Kind::Url,
        wit::Kind::Host => Kind::Host,
        wit::Kind::Phone => Kind::Phone,
        wit::Kind::Channel => Kind::Channel,
        wit::Kind::User => Kind::User,
        wit::Kind::Repository => Kind::Repository,
        wit::Kind::Account => Kind::Account,
        wit::Kind::Path => Kind::Path,
        wit::Kind::Reference => Kind::Reference,
        wit::Kind::Unknown => Kind::Unknown,
    }
}
