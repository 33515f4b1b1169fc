//! An answer as programs read it: what `check --json` prints and `bouncer_check_verdict` returns, with its schema.
//!
//! Shows what the findings hold; adds no opinion.

use super::Answer;
use bouncer_core::contract::{Layer, Said};
use bouncer_core::evidence::{Evidence, Sighting, Vouch};
use bouncer_core::ruling::{Finding, Question};
use bouncer_core::verdict::Verdict;
use schemars::JsonSchema;
use serde::Serialize;

/// What would become of the call.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AnswerView {
    /// `allow`, `ask` or `deny`, as the proxy acts on it.
    pub(crate) verdict: &'static str,
    /// The contract that decided: pinning, budget, constraint, policy, sink_gate; `default` for a plain allow, `line` where
    /// the call was refused unread.
    pub(crate) contract: String,
    /// Why; empty for a plain allow.
    pub(crate) reason: String,
    pub(crate) server: String,
    pub(crate) tool: String,
    /// What each contract found, in their order; with a destination, the evidence on it.
    pub(crate) findings: Vec<FindingView>,
    /// What a human would be asked, where the verdict is `ask`.
    pub(crate) questions: Vec<QuestionView>,
    /// What the answer was given without.
    pub(crate) notes: Vec<String>,
}

/// One thing that one contract found.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FindingView {
    contract: &'static str,
    /// What it would do by itself.
    verdict: &'static str,
    /// A stable word for programs.
    code: String,
    text: String,
    /// Which layers said so.
    said: Vec<SaidView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    destination: Option<DestinationView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<EvidenceView>,
}

/// A layer, and the place in it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SaidView {
    /// `user`, `project`, `pack` or `heuristic`.
    pub(crate) layer: &'static str,
    pub(crate) place: String,
}

/// Who or what would receive the call.
#[derive(Debug, Serialize, JsonSchema)]
struct DestinationView {
    /// The argument it stands in, as a JSON pointer.
    argument: String,
    kind: &'static str,
    raw: String,
    canonical: String,
}

/// What is known of a destination.
#[derive(Debug, Serialize, JsonSchema)]
struct EvidenceView {
    /// `trusted`, `unproven` or `tainted`.
    trust: &'static str,
    /// What vouches for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    vouch: Option<VouchView>,
    /// Where it stands as an entry of a directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    directory: Option<SightingView>,
    /// Where it is a whole field of an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<SightingView>,
    /// Where it stands inside a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<SightingView>,
    /// Where something stands that it can be taken for.
    #[serde(skip_serializing_if = "Option::is_none")]
    near: Option<WithView>,
    /// Where parts of it stand.
    #[serde(skip_serializing_if = "Option::is_none")]
    composed: Option<WithView>,
    /// A visit to this very link would carry nothing out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    visit: bool,
    /// Why it cannot be looked up reliably.
    #[serde(skip_serializing_if = "Option::is_none")]
    unreliable: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct VouchView {
    /// `allowlist`, `approval` or `prompt`.
    by: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    entry: Option<String>,
}

/// A place in what a tool answered.
#[derive(Debug, Serialize, JsonSchema)]
struct SightingView {
    server: String,
    tool: String,
    /// Which answer it was, from 1.
    answer: u64,
    pointer: String,
    /// The words around it: untrusted text.
    excerpt: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct WithView {
    what: String,
    seen: SightingView,
}

/// One thing to ask a human.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct QuestionView {
    key: String,
    argument: String,
    subject: String,
    text: String,
}

/// The layer in one word.
pub(crate) fn layer(layer: &Layer) -> &'static str {
    match layer {
        Layer::Heuristic => "heuristic",
        Layer::Pack(_) => "pack",
        Layer::Project => "project",
        Layer::User => "user",
    }
}

impl SaidView {
    pub(crate) fn of(said: &Said) -> Self {
        Self { layer: layer(&said.layer), place: said.place.clone() }
    }
}

impl AnswerView {
    pub(crate) fn of(answer: &Answer) -> Self {
        let ruling = answer.ruling.as_ref();
        let asks = answer.verdict == Verdict::Ask;
        Self {
            verdict: answer.verdict.as_str(),
            contract: answer.contract.clone(),
            reason: answer.reason.clone(),
            server: answer.server.clone(),
            tool: answer.tool.clone(),
            findings: ruling.iter().flat_map(|r| &r.findings).map(FindingView::of).collect(),
            questions: ruling
                .iter()
                .filter(|_| asks)
                .flat_map(|r| &r.questions)
                .map(QuestionView::of)
                .collect(),
            notes: answer.notes.clone(),
        }
    }
}

impl FindingView {
    fn of(finding: &Finding) -> Self {
        let destination = finding.destination.as_ref().map(|d| DestinationView {
            argument: d.argument.clone(),
            kind: d.kind.as_str(),
            raw: d.raw.clone(),
            canonical: d.canonical.clone(),
        });
        Self {
            contract: finding.contract.as_str(),
            verdict: finding.verdict.as_str(),
            code: finding.code.to_string(),
            text: finding.text.to_string(),
            said: finding.said.iter().map(SaidView::of).collect(),
            destination,
            evidence: finding.evidence.as_deref().map(EvidenceView::of),
        }
    }
}

impl EvidenceView {
    fn of(evidence: &Evidence) -> Self {
        let with =
            |(what, seen): &(String, Sighting)| WithView { what: what.clone(), seen: SightingView::of(seen) };
        Self {
            trust: evidence.trust().as_str(),
            vouch: evidence.vouch.as_ref().map(|vouch| match vouch {
                Vouch::Allowlist(entry) => VouchView { by: "allowlist", entry: Some(entry.clone()) },
                Vouch::Approval => VouchView { by: "approval", entry: None },
                Vouch::Prompt => VouchView { by: "prompt", entry: None },
            }),
            directory: evidence.directory.as_ref().map(SightingView::of),
            field: evidence.field.as_ref().map(SightingView::of),
            text: evidence.text.as_ref().map(SightingView::of),
            near: evidence.near.as_ref().map(with),
            composed: evidence.composed.as_ref().map(with),
            visit: evidence.visit,
            unreliable: evidence.unreliable.clone(),
        }
    }
}

impl SightingView {
    fn of(seen: &Sighting) -> Self {
        Self {
            server: seen.server.clone(),
            tool: seen.tool.clone(),
            answer: seen.call,
            pointer: seen.pointer.clone(),
            excerpt: seen.excerpt.clone(),
        }
    }
}

impl QuestionView {
    fn of(question: &Question) -> Self {
        Self {
            key: question.key.clone(),
            argument: question.argument.clone(),
            subject: question.subject.clone(),
            text: question.text.clone(),
        }
    }
}
