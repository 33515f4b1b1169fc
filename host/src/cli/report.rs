//! Rulings as people and programs read them. Shows what the findings hold; adds no opinion.

use super::Failure;
use super::text::shown;
use crate::inquiry::Answer;
use crate::inquiry::view::AnswerView;
use bouncer_core::contract::{Layer, Said};
use bouncer_core::evidence::{Evidence, Sighting, Vouch};
use bouncer_core::verdict::Verdict;
use serde_json::Value as Json;
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

/// The answer as one JSON object.
pub(super) fn to_json(answer: &Answer) -> Result<Json, Failure> {
    serde_json::to_value(AnswerView::of(answer)).map_err(Failure::new)
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
