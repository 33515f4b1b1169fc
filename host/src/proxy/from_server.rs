//! Questions that the server puts to a person or their model. They are marked as the server's, so that it cannot pose as
//! Bouncer, and a link that is to be followed is judged like any destination. The rest of the line stays as it is.

use super::Relay;
use super::clerk::Job;
use super::outcome::How;
use super::server::Fate;
use super::state::Flight;
use super::wire::shown;
use bouncer_core::call::{Call, Id};
use bouncer_core::line::own_refusal;
use bouncer_core::line::question::{Question, marked};
use bouncer_core::line::server::{Kind, ServerLine};
use bouncer_core::ruling::Ruling;
use bouncer_core::value::Value;
use bouncer_core::verdict::Verdict;
use std::time::{Duration, Instant};

impl Relay {
    /// What becomes of a line with questions; `None` where it has none. Before what it says is recorded: a
    /// link is not tainted by its own question.
    pub(crate) fn questions(&self, line: &ServerLine<'_>, bytes: &[u8]) -> Option<Fate> {
        let refused = match line.questions() {
            Ok(questions) if questions.is_empty() => return None,
            Ok(questions) => match questions.iter().map(|q| self.mark(line, q)).collect() {
                Ok(marks) => {
                    let marks: Vec<String> = marks;
                    return Some(Fate::Instead(marked(bytes, &questions, &marks)));
                }
                Err(reason) => reason,
            },
            Err(unclear) => {
                let reason = unclear.to_string();
                self.record_question(line, None, "deny", &How { reason: &reason, ..plain() });
                reason
            }
        };
        tracing::warn!("a question of `{}` was not shown: {refused}", self.judge.server());
        self.turn_down(line, &refused);
        Some(Fate::Keep)
    }

    /// The words that are put before a question, or why it is not shown.
    fn mark(&self, line: &ServerLine<'_>, question: &Question) -> Result<String, String> {
        let from = format!("[`{}` asks, not Bouncer] ", shown(self.judge.server()));
        let Some(link) = &question.link else { return Ok(from) };
        let began = Instant::now();
        let args = Value::Object(vec![("url".to_owned(), Value::String(link.clone()))]);
        let call = Call::link(line.id.clone().unwrap_or_else(|| Id::from_json("null")), link);
        let verdicted = self.judge.judge(call, &crate::judge::Before::default()).map_err(|fault| {
            let reason = fault.to_string();
            self.record_question(line, Some(&args), "deny", &How { reason: &reason, ..plain() });
            reason
        })?;
        let ruling = verdicted.judged.ruling();
        let contract = ruling.contract.as_str();
        let how =
            How { reason: &ruling.reason, contract, ruling: Some(ruling), took: began.elapsed(), ..plain() };
        let verdict = if ruling.verdict == Verdict::Deny { "deny" } else { "allow" };
        if !self.record_question(line, Some(&args), verdict, &how) {
            return Err("the audit log cannot be written".to_owned());
        }
        match ruling.verdict {
            Verdict::Allow => Ok(from),
            // The question to the person is there already: they are told what is known of the link.
            Verdict::Ask => Ok(format!("{from}[Bouncer on the link: {}] ", known_of(ruling))),
            Verdict::Deny => Err(ruling.reason.clone()),
        }
    }

    fn record_question(
        &self,
        line: &ServerLine<'_>,
        args: Option<&Value>,
        verdict: &str,
        how: &How<'_>,
    ) -> bool {
        let id = line.id.clone().unwrap_or_else(|| Id::from_json("null"));
        let method = line.method.as_deref().unwrap_or("elicitation/create");
        self.record(&id, method, args, verdict, how).is_ok()
    }

    /// Answers in place of the person: the server gets a no, and a call that was to end so is blocked.
    fn turn_down(&self, line: &ServerLine<'_>, reason: &str) {
        let Some(id) = &line.id else { return };
        if line.kind == Kind::Request {
            if let Some(permit) = own_refusal(line.method.as_deref().unwrap_or_default(), id) {
                let _ = self.clerk.send(Job::Own(permit));
            }
            return;
        }
        let modern = self.state().flights.get(id).is_some_and(|f: &Flight| f.round.is_some());
        self.block_unrecorded(id, &How { reason, modern, ..plain() });
    }
}

/// In words of Bouncer's own: the evidence holds words of others, who could pose as Bouncer in it.
fn known_of(ruling: &Ruling) -> &'static str {
    let seen = |code: &str| ["composed_destination", "tainted_link", "near_destination"].contains(&code);
    if ruling.findings.iter().any(|f| seen(&f.code)) {
        "it or its host stands in a text that somebody else wrote, see the audit log"
    } else {
        "nothing vouches for it"
    }
}

fn plain() -> How<'static> {
    How { modern: false, reason: "", contract: "default", ruling: None, took: Duration::ZERO }
}
