//! A file of cases, run natively and as Wasm: both must say what the case says.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    dead_code,
    unreachable_pub,
    reason = "tests fail by panicking, and not every file uses all"
)]

use bouncer::sandbox::{Evaluation, Module};
use bouncer_core::decide::{ModuleOutcome, Weighed};
use bouncer_core::destination::{self, Kind};
use bouncer_core::evidence::Evidence;
use bouncer_guest::{Call, Destination, Judgement, Policy, Trust, Verdict, testing};
use serde::Deserialize;
use std::path::Path;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    case: Vec<Case>,
}

/// `finds` holds `code at /pointer`, `receives` holds `kind value at /pointer`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    name: String,
    tool: String,
    arguments: String,
    #[serde(default = "empty")]
    settings: String,
    /// What the host found already: `kind value at /pointer`.
    #[serde(default)]
    known: Vec<String>,
    verdict: String,
    #[serde(default)]
    finds: Vec<String>,
    #[serde(default)]
    receives: Vec<String>,
}

fn empty() -> String {
    "{}".into()
}

/// What one run gave, in the words of a case.
#[derive(Debug, PartialEq)]
pub struct Said {
    verdict: String,
    finds: Vec<String>,
    texts: Vec<String>,
    receives: Vec<String>,
}

fn destinations(lines: &[String]) -> Vec<destination::Destination> {
    let split = |line: &String| {
        let (kind, rest) = line.split_once(' ').unwrap();
        let (value, argument) = rest.rsplit_once(" at ").unwrap();
        destination::read(Kind::parse(kind).unwrap(), value, argument)
    };
    lines.iter().flat_map(split).collect()
}

fn guest_kind(kind: Kind) -> bouncer_guest::Kind {
    KINDS.iter().find(|(core, _)| *core == kind).unwrap().1
}

fn core_kind(kind: bouncer_guest::Kind) -> Kind {
    KINDS.iter().find(|(_, guest)| *guest == kind).unwrap().0
}

const KINDS: [(Kind, bouncer_guest::Kind); 11] = [
    (Kind::Email, bouncer_guest::Kind::Email),
    (Kind::Url, bouncer_guest::Kind::Url),
    (Kind::Host, bouncer_guest::Kind::Host),
    (Kind::Phone, bouncer_guest::Kind::Phone),
    (Kind::Channel, bouncer_guest::Kind::Channel),
    (Kind::User, bouncer_guest::Kind::User),
    (Kind::Repository, bouncer_guest::Kind::Repository),
    (Kind::Account, bouncer_guest::Kind::Account),
    (Kind::Path, bouncer_guest::Kind::Path),
    (Kind::Reference, bouncer_guest::Kind::Reference),
    (Kind::Unknown, bouncer_guest::Kind::Unknown),
];

fn described(found: &[destination::Destination]) -> Vec<String> {
    found.iter().map(|found| format!("{} {} at {}", found.kind, found.raw, found.argument)).collect()
}

pub fn natively<P: Policy>(case: &Case) -> Said {
    let settings = testing::settings::<P>(&case.settings.parse().unwrap()).unwrap();
    let known: Vec<Destination> = destinations(&case.known)
        .into_iter()
        .map(|known| Destination {
            value: known.raw,
            canonical: known.canonical,
            kind: guest_kind(known.kind),
            argument: known.argument,
            trust: Trust::Unproven,
            seen: String::new(),
        })
        .collect();
    let call = Call::new("server", &case.tool, case.arguments.parse().unwrap());
    let judgement: Judgement = P::evaluate(&call, &known, &settings).unwrap();
    let found: Vec<_> = judgement
        .destinations()
        .iter()
        .flat_map(|(value, kind, argument)| destination::read(core_kind(*kind), value, argument))
        .collect();
    Said {
        verdict: match judgement.verdict() {
            Verdict::Pass => "pass",
            Verdict::Ask => "ask",
            Verdict::Deny => "deny",
        }
        .into(),
        finds: judgement
            .findings()
            .iter()
            .map(|found| format!("{} at {}", found.code(), found.argument()))
            .collect(),
        texts: judgement.findings().iter().map(|found| found.text().to_owned()).collect(),
        receives: described(&found),
    }
}

fn as_wasm(module: &Module, case: &Case) -> Said {
    let known: Vec<Weighed> = destinations(&case.known)
        .into_iter()
        .map(|destination| Weighed { destination, evidence: Evidence::default() })
        .collect();
    let outcome = module.evaluate(&Evaluation {
        server: "server",
        tool: &case.tool,
        arguments_json: &case.arguments,
        settings_json: &case.settings,
        destinations: &known,
    });
    let ModuleOutcome::Answered { findings, destinations, .. } = outcome else {
        panic!("{}: {outcome:?}", case.name);
    };
    let strictest = findings.iter().map(|found| found.verdict).max();
    Said {
        verdict: strictest.map_or("pass", |verdict| verdict.as_str()).replace("allow", "pass"),
        finds: findings.iter().map(|found| format!("{} at {}", found.code, found.argument)).collect(),
        texts: findings.into_iter().map(|found| found.text).collect(),
        receives: described(&destinations),
    }
}

/// Runs every case of a file; `whole` also wants eight of them, with a pass and an ask or deny among them.
pub fn run(module: &Module, path: &Path, whole: bool, native: Option<fn(&Case) -> Said>) {
    let cases: Cases = toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert!(!whole || cases.case.len() >= 8, "{} has only {} cases", path.display(), cases.case.len());
    for case in &cases.case {
        let said = as_wasm(module, case);
        if let Some(native) = native {
            assert_eq!(native(case), said, "{}: native and Wasm differ", case.name);
        }
        assert_eq!(said.verdict, case.verdict, "{}: {said:?}", case.name);
        assert_eq!(said.finds, case.finds, "{}", case.name);
        assert_eq!(said.receives, case.receives, "{}", case.name);
    }
    let passes = cases.case.iter().any(|case| case.verdict == "pass");
    let objects = cases.case.iter().any(|case| case.verdict != "pass");
    assert!(passes && objects, "{} shows no pass or no objection", path.display());
}
