//! What came out of one way to judge a case, in words that all ways share.

use super::case::Expect;
use bouncer_core::ruling::Ruling;
use bouncer_core::verdict::Verdict;

/// The outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruled {
    pub verdict: String,
    pub contract: String,
    pub reason: String,
    pub questions: usize,
    /// Of each finding that is no pass: contract, code, verdict.
    pub findings: Vec<[String; 3]>,
}

impl Ruled {
    pub fn of(ruling: &Ruling) -> Self {
        let strict = ruling.findings.iter().filter(|finding| finding.verdict != Verdict::Allow);
        Self {
            verdict: ruling.verdict.to_string(),
            contract: ruling.contract.to_string(),
            reason: ruling.reason.clone(),
            questions: ruling.questions.len(),
            findings: strict
                .map(|f| [f.contract.to_string(), f.code.to_string(), f.verdict.to_string()])
                .collect(),
        }
    }

    /// What of `expect` does not hold.
    pub fn differs(&self, expect: &Expect) -> Option<String> {
        let mut wrong = Vec::new();
        let mut check = |holds: bool, what: String| {
            if !holds {
                wrong.push(what)
            }
        };
        if let Some(found) = &expect.found {
            let of_pack = self.findings.iter().filter(|[contract, ..]| contract == "policy");
            let codes: Vec<&String> = of_pack.map(|[_, code, _]| code).collect();
            check(codes == found.iter().collect::<Vec<_>>(), format!("the pack finds {found:?}"));
            check(rank(&self.verdict) >= rank(&expect.verdict), format!("at least {}", expect.verdict));
        } else {
            check(self.verdict == expect.verdict, format!("verdict {}", expect.verdict));
        }
        if let Some(contract) = &expect.contract {
            check(self.contract == *contract, format!("contract {contract}"));
        }
        if let Some(code) = &expect.code {
            let has = self.findings.iter().any(|[_, c, verdict]| c == code && *verdict == self.verdict);
            check(has, format!("code {code}"));
        }
        if let Some(part) = &expect.reason_contains {
            check(self.reason.contains(part.as_str()), format!("a reason with `{part}`"));
        }
        if let Some(questions) = expect.questions {
            check(self.questions == questions, format!("{questions} questions"));
        }
        (!wrong.is_empty()).then(|| format!("expected {}; got {self:?}", wrong.join(", ")))
    }
}

fn rank(verdict: &str) -> usize {
    ["allow", "ask", "deny"].iter().position(|word| *word == verdict).unwrap()
}
