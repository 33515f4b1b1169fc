//! The answer of a policy that was run natively, measured as a module's is: what `bouncer pack test` compares.

use super::bindings::exports::bouncer::policy::rules as wit;
use super::convert;
use bouncer_core::decide::ModuleOutcome;
use bouncer_core::destination::Kind;
use serde::Deserialize;

/// What `bouncer_guest::testing::answer` says of one call.
#[derive(Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum NativeAnswer {
    /// Its answer.
    Answered {
        /// What it found.
        findings: Vec<NativeFinding>,
        /// Further destinations.
        destinations: Vec<NativeDestination>,
    },
    /// It answered with an error.
    Failed {
        /// The error's text.
        error: String,
    },
    /// It panicked.
    Panicked {
        /// Always true.
        panicked: bool,
    },
}

/// A finding, in the words of the guest.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NativeFinding {
    verdict: String,
    code: String,
    text: String,
    argument: String,
}

/// A destination, in the words of the guest.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NativeDestination {
    value: String,
    kind: String,
    argument: String,
}

impl NativeAnswer {
    /// What the host would make of it from a module of this name.
    #[must_use]
    pub fn outcome(self, pack: &str) -> ModuleOutcome {
        let pack = pack.to_owned();
        let answer = match self {
            Self::Answered { findings, destinations } => convert::judgement(wit::Judgement {
                findings: findings.into_iter().map(finding).collect(),
                destinations: destinations.into_iter().map(found).collect(),
            }),
            Self::Failed { error } => Err(format!("answered with an error: {}", convert::clean(&error))),
            Self::Panicked { .. } => Err("panicked".to_owned()),
        };
        match answer {
            Ok((findings, destinations)) => ModuleOutcome::Answered { pack, findings, destinations },
            Err(reason) => ModuleOutcome::Failed { pack, reason },
        }
    }
}

fn finding(finding: NativeFinding) -> wit::Finding {
    wit::Finding {
        verdict: match finding.verdict.as_str() {
            "pass" => wit::Verdict::Pass,
            "ask" => wit::Verdict::Ask,
            _ => wit::Verdict::Deny,
        },
        code: finding.code,
        text: finding.text,
        argument: finding.argument,
    }
}

fn found(found: NativeDestination) -> wit::Found {
    let kind = Kind::parse(&found.kind).unwrap_or(Kind::Unknown);
    wit::Found { value: found.value, kind: convert::kind_out(kind), argument: found.argument }
}
