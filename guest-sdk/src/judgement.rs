//! The answer to one call: findings and further destinations.

use crate::bindings::exports::bouncer::policy::rules as wit;
use crate::{Kind, Verdict};
use alloc::string::String;
use alloc::vec::Vec;

/// One thing that a module found in a call.
///
/// ```
/// use bouncer_guest::Finding;
/// let finding = Finding::deny("private_key", "the text holds a private key").at("/body");
/// assert_eq!(finding.argument(), "/body");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    inner: wit::Finding,
}

impl Finding {
    /// Nothing to object to. It outvotes nobody; `explain` shows it.
    #[must_use]
    pub fn pass(code: impl Into<String>, text: impl Into<String>) -> Self {
        Self::of(Verdict::Pass, code, text)
    }

    /// A human is to be asked. `code` is a stable word (`[a-z0-9_]`), `text` one sentence for a person.
    #[must_use]
    pub fn ask(code: impl Into<String>, text: impl Into<String>) -> Self {
        Self::of(Verdict::Ask, code, text)
    }

    /// The call is to be refused. `code` is a stable word (`[a-z0-9_]`), `text` one sentence for a person.
    #[must_use]
    pub fn deny(code: impl Into<String>, text: impl Into<String>) -> Self {
        Self::of(Verdict::Deny, code, text)
    }

    fn of(verdict: Verdict, code: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            inner: wit::Finding { verdict, code: code.into(), text: text.into(), argument: String::new() },
        }
    }

    /// It is about the argument at this JSON pointer.
    #[must_use]
    pub fn at(mut self, pointer: impl Into<String>) -> Self {
        self.inner.argument = pointer.into();
        self
    }

    /// What it would do by itself.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.inner.verdict
    }

    /// The stable word.
    #[must_use]
    pub fn code(&self) -> &str {
        &self.inner.code
    }

    /// The sentence for a person.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.inner.text
    }

    /// JSON pointer of the argument it is about; empty for the call as a whole.
    #[must_use]
    pub fn argument(&self) -> &str {
        &self.inner.argument
    }
}

/// The answer to one call. A new one has no objection.
///
/// ```
/// use bouncer_guest::{Finding, Judgement, Kind};
/// let judgement = Judgement::new()
///     .with(Finding::ask("public_link", "the link opens for anyone").at("/type"))
///     .destination("anyone", Kind::User, "/type");
/// assert_eq!(judgement.findings().len(), 1);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Judgement {
    findings: Vec<Finding>,
    destinations: Vec<(String, Kind, String)>,
}

impl Judgement {
    /// No objection.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// With one more finding; the host takes at most 100.
    #[must_use]
    pub fn with(mut self, finding: Finding) -> Self {
        self.findings.push(finding);
        self
    }

    /// With one more destination, found in the argument at `pointer`; the host looks it up and judges it, at most
    /// 1,000 of them.
    #[must_use]
    pub fn destination(mut self, value: impl Into<String>, kind: Kind, pointer: impl Into<String>) -> Self {
        self.destinations.push((value.into(), kind, pointer.into()));
        self
    }

    /// Adds one more finding.
    pub fn push(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// Adds one more destination; see [`Self::destination`].
    pub fn push_destination(&mut self, value: impl Into<String>, kind: Kind, pointer: impl Into<String>) {
        self.destinations.push((value.into(), kind, pointer.into()));
    }

    /// What was found.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The further destinations: value, kind, JSON pointer of the argument.
    #[must_use]
    pub fn destinations(&self) -> &[(String, Kind, String)] {
        &self.destinations
    }

    /// The strictest verdict of all findings.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let verdicts = || self.findings.iter().map(Finding::verdict);
        if verdicts().any(|v| v == Verdict::Deny) {
            Verdict::Deny
        } else if verdicts().any(|v| v == Verdict::Ask) {
            Verdict::Ask
        } else {
            Verdict::Pass
        }
    }

    pub(crate) fn into_wit(self) -> wit::Judgement {
        wit::Judgement {
            findings: self.findings.into_iter().map(|finding| finding.inner).collect(),
            destinations: self
                .destinations
                .into_iter()
                .map(|(value, kind, argument)| wit::Found { value, kind, argument })
                .collect(),
        }
    }
}

impl From<Finding> for Judgement {
    fn from(finding: Finding) -> Self {
        Self::new().with(finding)
    }
}
