//! A finding with the question that would answer it, and the keys that approvals are remembered under.

use crate::contract::Said;
use crate::destination::Destination;
use crate::evidence::Evidence;
use crate::facts::Facts;
use crate::ruling::{Finding, Question, Text};
use crate::shown::shown;
use crate::verdict::{ContractName, Verdict};
use sha2::{Digest, Sha256};
use std::borrow::Cow;

/// One finding; an ask without a question cannot be answered.
#[derive(Debug, Clone)]
pub(super) struct Note {
    pub(super) finding: Finding,
    /// Boxed: what passes has none.
    pub(super) question: Option<Box<Question>>,
}

impl Note {
    pub(super) fn new(
        contract: ContractName,
        verdict: Verdict,
        code: impl Into<Cow<'static, str>>,
        text: impl Into<Text>,
    ) -> Self {
        Self {
            finding: Finding {
                contract,
                verdict,
                code: code.into(),
                text: text.into(),
                said: Vec::new(),
                destination: None,
                evidence: None,
            },
            question: None,
        }
    }

    pub(super) fn said(mut self, said: &Said) -> Self {
        self.finding.said.push(said.clone());
        self
    }

    pub(super) fn about(mut self, destination: &Destination, evidence: &Evidence) -> Self {
        self.finding.destination = Some(destination.clone());
        self.finding.evidence = Some(Box::new(evidence.clone()));
        self
    }

    /// The question's own wording, where it differs from the finding's.
    pub(super) fn asking(mut self, text: String) -> Self {
        if let Some(question) = &mut self.question {
            question.text = text;
        }
        self
    }

    pub(super) fn question(mut self, key: String, argument: &str, subject: &str) -> Self {
        self.question = Some(Box::new(Question {
            key,
            argument: argument.to_owned(),
            subject: shown(subject, 200),
            text: self.finding.text.to_string(),
        }));
        self
    }
}

/// What an approval of `destination` for calls of `tool` on `server` is remembered under: one per server, tool, kind and
/// canonical form. It is the key of the question about it, and looked up by [`crate::facts::Provenance::approved_finding`].
#[must_use]
pub fn destination_key(server: &str, tool: &str, destination: &Destination) -> String {
    key(server, tool, destination.kind.as_str(), &destination.canonical)
}

/// `server/tool/matter:what`; a `/` or `%` in the names is escaped, so that two keys are equal only for equal parts.
pub(super) fn key(server: &str, tool: &str, matter: &str, what: &str) -> String {
    let name = |s: &str| s.replace('%', "%25").replace('/', "%2F");
    format!("{}/{}/{matter}:{what}", name(server), name(tool))
}

/// Whether a human approved `key`, for this call or the session.
pub(super) fn approved(tool: &str, key: &str, facts: &Facts<'_>) -> bool {
    facts.once.iter().any(|k| k == key) || facts.provenance.approved_finding(facts.server, tool, key)
}

/// Lower-case hex of the SHA-256 of parts that cannot run into each other.
pub(super) fn digest<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A pointer as people write it: `/to/0` is `to.0`.
pub(super) fn argument_name(pointer: &str) -> String {
    let plain: Vec<String> =
        pointer.split('/').skip(1).map(|s| s.replace("~1", "/").replace("~0", "~")).collect();
    if plain.is_empty() { "the call".to_owned() } else { format!("`{}`", shown(&plain.join("."), 120)) }
}
