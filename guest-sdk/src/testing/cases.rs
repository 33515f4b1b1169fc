//! The native half of `bouncer pack test`: the same calls that the host puts to the module, put to the policy as it is.

extern crate std;

use crate::{Call, Destination, Error, Finding, Judgement, Kind, Map, Policy, Trust, Value, Verdict, json};
use alloc::borrow::ToOwned as _;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

/// Answers the calls that `bouncer pack test` hands over, for it to compare with the module's answers: what
/// `tests/cases.rs` of a project calls. `BOUNCER_CASES` and `BOUNCER_ANSWERS` name the files.
///
/// # Panics
/// Where the files cannot be read or written: whoever runs it otherwise is told how it is meant.
#[allow(clippy::panic, reason = "it is the body of a test")]
pub fn answer_cases<P: Policy>() {
    if let Err(error) = answer_files::<P>() {
        panic!("{error}; this test is run by `bouncer pack test`");
    }
}

fn answer_files<P: Policy>() -> Result<(), Error> {
    let path = |name: &str| {
        std::env::var_os(name).map(PathBuf::from).ok_or_else(|| Error::new(format!("`{name}` is not set")))
    };
    let (cases, answers) = (path("BOUNCER_CASES")?, path("BOUNCER_ANSWERS")?);
    let failed = |error: std::io::Error| Error::new(format!("`{}`: {error}", cases.display()));
    let cases: Value = std::fs::read_to_string(&cases).map_err(failed)?.parse()?;
    let all: Vec<Value> = cases.as_array().into_iter().flatten().map(answer::<P>).collect();
    std::fs::write(&answers, json!(all).to_string()).map_err(failed)
}

/// What the policy makes of one call: `{"findings", "destinations"}`, `{"error"}` or `{"panicked"}`.
#[must_use]
pub fn answer<P: Policy>(case: &Value) -> Value {
    match catch_unwind(AssertUnwindSafe(|| judged::<P>(case))) {
        Ok(Ok(judgement)) => said(&judgement),
        Ok(Err(error)) => json!({"error": error.to_string()}),
        Err(_) => json!({"panicked": true}),
    }
}

fn judged<P: Policy>(case: &Value) -> Result<Judgement, Error> {
    let text = |name: &str| case.get(name).and_then(Value::as_str).unwrap_or_default();
    let settings = crate::glue::settings::<P>(text("settings"))?;
    let arguments =
        text("arguments").parse().map_err(|error: Error| Error::new(format!("arguments: {error}")))?;
    let destinations: Vec<Destination> = case
        .get("destinations")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .map(destination)
        .collect::<Result<_, _>>()?;
    P::evaluate(&Call::new(text("server"), text("tool"), arguments), &destinations, &settings)
}

fn destination(value: &Value) -> Result<Destination, Error> {
    let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
    let known = |kind: &&(Kind, &str)| kind.1 == text("kind");
    let kind = KINDS.iter().find(known).ok_or_else(|| Error::new(format!("no kind `{}`", text("kind"))))?.0;
    Ok(Destination {
        value: text("value").to_owned(),
        canonical: text("canonical").to_owned(),
        kind,
        argument: text("argument").to_owned(),
        trust: match text("trust") {
            "trusted" => Trust::Trusted,
            "tainted" => Trust::Tainted,
            _ => Trust::Unproven,
        },
        seen: text("seen").to_owned(),
    })
}

const KINDS: [(Kind, &str); 11] = [
    (Kind::Email, "email"),
    (Kind::Url, "url"),
    (Kind::Host, "host"),
    (Kind::Phone, "phone"),
    (Kind::Channel, "channel"),
    (Kind::User, "user"),
    (Kind::Repository, "repository"),
    (Kind::Account, "account"),
    (Kind::Path, "path"),
    (Kind::Reference, "reference"),
    (Kind::Unknown, "unknown"),
];

fn said(judgement: &Judgement) -> Value {
    let finding = |finding: &Finding| {
        let verdict = match finding.verdict() {
            Verdict::Pass => "pass",
            Verdict::Ask => "ask",
            Verdict::Deny => "deny",
        };
        json!({"verdict": verdict, "code": finding.code(), "text": finding.text(), "argument": finding.argument()})
    };
    let kind = |kind: Kind| KINDS.iter().find(|known| known.0 == kind).map_or("unknown", |known| known.1);
    let found = |(value, of, argument): &(String, Kind, String)| -> Map {
        [("value", value.as_str()), ("kind", kind(*of)), ("argument", argument)].into_iter().collect()
    };
    json!({
        "findings": judgement.findings().iter().map(finding).collect::<Vec<_>>(),
        "destinations": judgement.destinations().iter().map(found).collect::<Vec<_>>(),
    })
}
