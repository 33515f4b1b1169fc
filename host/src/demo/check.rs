//! What came out, held against what had to: the server's outbox, the audit log, and what the client was told.

use super::DemoError;
use super::client::Asked;
use super::story::Scene;
use serde_json::Value;

/// A line of the audit log, as far as the demo shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) tool: String,
    pub(super) to: Option<String>,
    pub(super) verdict: String,
    pub(super) reason: String,
    pub(super) contract: String,
    pub(super) evidence: Vec<Evidence>,
}

/// One entry of a line's evidence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Evidence {
    pub(super) code: String,
    pub(super) destination: String,
    pub(super) trust: String,
    /// Where it was seen: server/tool, the answer's number, the words around it.
    pub(super) seen: Option<(String, String)>,
}

/// The lines of an audit log.
pub(super) fn lines(text: &str) -> Result<Vec<Line>, DemoError> {
    text.lines()
        .map(|line| serde_json::from_str(line).map(|value| read(&value)))
        .collect::<Result<_, _>>()
        .map_err(|e| DemoError::Odd(format!("a line of the audit log that is not JSON: {e}")))
}

fn read(line: &Value) -> Line {
    let evidence = line.get("evidence").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    Line {
        tool: word(line, "tool"),
        to: line.pointer("/args/to").map(addresses),
        verdict: word(line, "verdict"),
        reason: word(line, "reason"),
        contract: word(line, "contract"),
        evidence: evidence.iter().map(piece).collect(),
    }
}

fn piece(entry: &Value) -> Evidence {
    let seen = entry.get("seen").map(|seen| {
        let answer = seen.get("answer").map(Value::to_string).unwrap_or_default();
        (format!("{}/{}, call {answer}", word(seen, "server"), word(seen, "tool")), word(seen, "excerpt"))
    });
    Evidence {
        code: word(entry, "code"),
        destination: word(entry, "destination"),
        trust: word(entry, "trust"),
        seen,
    }
}

fn word(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn addresses(to: &Value) -> String {
    match to.as_array() {
        Some(to) => to.iter().map(|a| a.as_str().unwrap_or("?")).collect::<Vec<_>>().join(", "),
        None => to.to_string(),
    }
}

/// To whom each mail of an outbox went, in order.
pub(super) fn recipients(outbox: &str) -> Vec<String> {
    let to = |line: &str| serde_json::from_str::<Value>(line).ok()?.get("to").map(addresses);
    outbox.lines().map(|line| to(line).unwrap_or_else(|| format!("(unreadable: {line})"))).collect()
}

/// Whether exactly the `expected` mails left, one recipient each, in this order.
pub(super) fn outbox(text: &str, expected: &[&str]) -> Option<String> {
    let sent = recipients(text);
    (sent != expected)
        .then(|| format!("the mail server sent to {}, but had to send to {}", named(&sent), named(expected)))
}

fn named<S: AsRef<str>>(mails: &[S]) -> String {
    let mails: Vec<String> = mails.iter().map(|mail| format!("`{}`", mail.as_ref())).collect();
    if mails.is_empty() { "nobody".to_owned() } else { mails.join(" then ") }
}

/// What of one scene came out otherwise than it had to.
pub(super) fn scene(
    number: usize,
    scene: &Scene,
    lines: &[Line],
    asked: &[Asked],
    result: &Value,
) -> Vec<String> {
    let mut faults = Vec::new();
    let mut fault = |text: String| faults.push(format!("scene {number}: {text}"));
    let verdicts: Vec<&str> = lines.iter().map(|line| line.verdict.as_str()).collect();
    if verdicts != scene.verdicts {
        fault(format!("the audit log says {verdicts:?}, not {:?}", scene.verdicts));
    }
    for line in lines {
        if line.tool != scene.tool() || line.to.as_deref() != scene.to {
            fault(format!("the audit log speaks of `{}` to {:?}", line.tool, line.to));
        }
        let why = line.reason.as_str();
        if line.verdict != "allow" && !scene.to.is_some_and(|to| why.contains(to)) {
            fault(format!("the reason of the {} does not name the destination: {why}", line.verdict));
        }
        let tainted =
            line.evidence.iter().any(|e| Some(e.destination.as_str()) == scene.to && e.trust == "tainted");
        if (line.verdict == "deny") != tainted {
            fault(format!("the {} and its evidence do not fit: {:?}", line.verdict, line.evidence));
        }
    }
    let questions = scene.verdicts.iter().filter(|verdict| **verdict == "ask").count();
    if asked.len() != questions {
        fault(format!("{} questions were asked, not {questions}", asked.len()));
    }
    if asked.iter().any(|a| !scene.to.is_some_and(|to| a.message.contains(to))) {
        fault("the question does not name the destination".to_owned());
    }
    let blocked = text(result).starts_with("[bouncer blocked]");
    let failed = result.get("isError") == Some(&Value::Bool(true));
    if blocked != failed || failed == scene.passes() {
        fault(format!("the agent was told: {result}"));
    }
    faults
}

/// The first text of a tool's result.
pub(super) fn text(result: &Value) -> &str {
    result.pointer("/content/0/text").and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
