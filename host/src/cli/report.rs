//! Rulings as people and programs read them. Shows what the findings hold; adds no opinion.

use super::Failure;
use super::input::Answer;
use super::text::shown;
use bouncer_core::contract::{Layer, Said};
use bouncer_core::evidence::{Evidence, Sighting, Vouch};
use bouncer_core::ruling::Finding;
use bouncer_core::verdict::Verdict;
use serde_json::{Value as Json, json};
use std::io::Write;
use std::process::ExitCode;

/// The exit code for a verdict: 0 allow, 10 ask, 11 deny.
pub(super) fn exit(verdict: Verdict) -> ExitCode {
    match verdict {
        Verdict::Allow => ExitCode::SUCCESS,
        Verdict::Ask => ExitCode::from(10),
        Verdict::Deny => ExitCode::from(11),
    }
}

/// The colour of a verdict's word.
pub(super) fn style(verdict: &str) -> anstyle::Style {
    match verdict {
        "allow" => anstyle::AnsiColor::Green,
        "ask" => anstyle::AnsiColor::Yellow,
        _ => anstyle::AnsiColor::Red,
    }
    .on_default()
}

/// Who said something, for a person to find.
pub(super) fn said(said: &Said) -> String {
    match &said.layer {
        Layer::User => format!("your policy, {}", shown(&said.place)),
        Layer::Project => format!("the project's policy, {}", shown(&said.place)),
        Layer::Pack(_) | Layer::Heuristic => shown(&said.place),
    }
}

/// The layer in one word.
pub(super) fn layer(layer: &Layer) -> &'static str {
    match layer {
        Layer::Heuristic => "heuristic",
        Layer::Pack(_) => "pack",
        Layer::Project => "project",
        Layer::User => "user",
    }
}

pub(super) fn said_json(said: &[Said]) -> Json {
    said.iter().map(|s| json!({ "layer": layer(&s.layer), "place": s.place })).collect()
}

/// All that is known of a destination, one line each: how it was met, and where.
pub(super) fn evidence_lines(evidence: &Evidence) -> Vec<String> {
    let Evidence { vouch, directory, field, text, near, composed, visit, unreliable } = evidence;
    let mut lines = Vec::new();
    match vouch {
        Some(Vouch::Allowlist(entry)) => lines.push(format!("allowed by {}", shown(entry))),
        Some(Vouch::Approval) => lines.push("approved by a person".to_owned()),
        Some(Vouch::Prompt) => lines.push("named by the user".to_owned()),
        None => {}
    }
    let mut sighted = |how: &str, sighting: &Sighting| {
        let Sighting { server, tool, call, pointer, excerpt, .. } = sighting;
        let at = if pointer.is_empty() { String::new() } else { format!(" at {}", shown(pointer)) };
        lines.push(format!("{how} {}/{}, answer {call}{at}: {}", shown(server), shown(tool), shown(excerpt)));
    };
    let places = [
        ("an entry of the directory", directory),
        ("a field of the answer of", field),
        ("inside text from", text),
    ];
    for (how, sighting) in places {
        if let Some(sighting) = sighting {
            sighted(how, sighting);
        }
    }
    for (what, sighting) in [near, composed].into_iter().flatten() {
        sighted(&format!("{}: in", shown(what)), sighting);
    }
    if *visit {
        lines.push("a visit to this very link would carry nothing out".to_owned());
    }
    if let Some(why) = unreliable {
        lines.push(format!("cannot be looked up reliably: {}", shown(why)));
    }
    if lines.is_empty() {
        lines.push("seen nowhere, and nothing vouches for it".to_owned());
    }
    lines
}

fn evidence_json(evidence: &Evidence) -> Json {
    let sighting = |s: &Sighting| json!({ "server": s.server, "tool": s.tool, "answer": s.call, "pointer": s.pointer, "excerpt": s.excerpt });
    let mut out = serde_json::Map::new();
    let mut put = |key: &str, value: Option<Json>| {
        if let Some(value) = value {
            out.insert(key.to_owned(), value);
        }
    };
    put("trust", Some(json!(evidence.trust().as_str())));
    put(
        "vouch",
        evidence.vouch.as_ref().map(|vouch| match vouch {
            Vouch::Allowlist(entry) => json!({ "by": "allowlist", "entry": entry }),
            Vouch::Approval => json!({ "by": "approval" }),
            Vouch::Prompt => json!({ "by": "prompt" }),
        }),
    );
    put("directory", evidence.directory.as_ref().map(sighting));
    put("field", evidence.field.as_ref().map(sighting));
    put("text", evidence.text.as_ref().map(sighting));
    let with = |(what, seen): &(String, Sighting)| json!({ "what": what, "seen": sighting(seen) });
    put("near", evidence.near.as_ref().map(with));
    put("composed", evidence.composed.as_ref().map(with));
    put("visit", evidence.visit.then_some(Json::Bool(true)));
    put("unreliable", evidence.unreliable.as_ref().map(|why| json!(why)));
    Json::Object(out)
}

fn finding_json(finding: &Finding) -> Json {
    let mut out = json!({
        "contract": finding.contract.as_str(),
        "verdict": finding.verdict.as_str(),
        "code": finding.code,
        "text": finding.text,
        "said": said_json(&finding.said),
    });
    let Some(members) = out.as_object_mut() else { return out };
    if let Some(d) = &finding.destination {
        members.insert(
            "destination".to_owned(),
            json!({ "argument": d.argument, "kind": d.kind.as_str(), "raw": d.raw, "canonical": d.canonical }),
        );
    }
    if let Some(evidence) = &finding.evidence {
        members.insert("evidence".to_owned(), evidence_json(evidence));
    }
    out
}

/// The answer as one JSON object.
pub(super) fn to_json(answer: &Answer) -> Json {
    let ruling = answer.ruling.as_ref();
    let findings: Vec<Json> = ruling.iter().flat_map(|r| &r.findings).map(finding_json).collect();
    let asks = answer.verdict == Verdict::Ask;
    let questions: Vec<Json> = ruling
        .iter()
        .filter(|_| asks)
        .flat_map(|r| &r.questions)
        .map(|q| json!({ "key": q.key, "argument": q.argument, "subject": q.subject, "text": q.text }))
        .collect();
    json!({
        "verdict": answer.verdict.as_str(),
        "contract": answer.contract,
        "reason": answer.reason,
        "server": answer.server,
        "tool": answer.tool,
        "findings": findings,
        "questions": questions,
        "notes": answer.notes,
    })
}

/// The first lines of every answer: verdict, contract, call, reason.
pub(super) fn headline(out: &mut impl Write, answer: &Answer) -> Result<(), Failure> {
    let style = style(answer.verdict.as_str());
    writeln!(
        out,
        "{style}{}{style:#}  {}  {}/{}",
        answer.verdict,
        shown(&answer.contract),
        shown(&answer.server),
        shown(&answer.tool)
    )?;
    if !answer.reason.is_empty() {
        writeln!(out, "because  {}", shown(&answer.reason))?;
    }
    Ok(())
}

/// The last lines: what the answer was given without.
pub(super) fn notes(out: &mut impl Write, notes: &[String]) -> Result<(), Failure> {
    for note in notes {
        writeln!(out, "note: {}", shown(note))?;
    }
    Ok(())
}
