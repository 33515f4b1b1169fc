//! Asking a human: sent as an elicitation (or, from revision 2026-07-28 on, as `input_required`), and what the answer
//! means. Only an explicit choice of an allowing value, for every question, allows.

use super::Relay;
use super::outcome::How;
use super::state::{Asked, Parked, progress_token, version_of};
use super::wire;
use crate::judge::Before;
use bouncer_core::call::{Call, Id};
use bouncer_core::ruling::{Question, Ruling};
use bouncer_core::value::Value;
use std::time::{Duration, Instant};

/// The client is told this often that its call is not forgotten.
pub(crate) const PROGRESS: Duration = Duration::from_secs(10);
/// More questions than this at once are not answered with care.
pub(crate) const MOST_QUESTIONS: usize = 20;

const NO_ROUND: &str = "nobody can be asked: this method is not answered with a question";
const NOBODY: &str = "nobody can be asked: this client shows no forms (no elicitation)\nhint: `bouncer explain` says what a policy file can allow";

impl Relay {
    /// Asks about a call, or refuses it where nobody can be asked.
    pub(crate) fn ask(&self, call: Call, ruling: Ruling, attempt: u64, took: Duration) {
        let modern = version_of(call.params()).is_some();
        let (id, tool) = (call.id().clone(), call.tool().to_owned());
        let how = How {
            modern,
            reason: &ruling.reason,
            contract: ruling.contract.as_str(),
            ruling: Some(&ruling),
            took,
        };
        let refusal = if !self.can_ask(&call) {
            Some(NOBODY.to_owned())
        } else if modern && !call.method().has_rounds() {
            Some(NO_ROUND.to_owned())
        } else if ruling.questions.len() > MOST_QUESTIONS {
            Some(format!("{} questions at once are too many for a human", ruling.questions.len()))
        } else if self.state().ended {
            Some("nobody can be asked: the client's input has ended".to_owned())
        } else {
            self.record(&id, &tool, Some(call.arguments()), "ask", &how).err()
        };
        if let Some(why) = refusal {
            let reason = format!("{}; {why}", ruling.reason);
            return self.block(&id, &tool, Some(call.arguments()), &How { reason: &reason, ..how });
        }
        if modern { self.park(&call, ruling, attempt) } else { self.elicit(call, ruling, attempt) }
    }

    fn elicit(&self, call: Call, ruling: Ruling, attempt: u64) {
        let form = wire::form(self.judge.server(), &call, &ruling.questions);
        let now = Instant::now();
        let progress = progress_token(call.params()).map(|token| (token, 0));
        let asked = Asked { call, ruling, attempt, since: now, until: now + self.ask_timeout, progress };
        let own = {
            let mut state = self.state();
            let own = self.own_id(&mut state);
            state.asked.insert(own.clone(), asked);
            own
        };
        self.down.send(wire::elicitation(&own, &form));
        self.wake_clerk();
    }

    fn park(&self, call: &Call, ruling: Ruling, attempt: u64) {
        let Ok(secret) = super::random() else {
            let how = How {
                modern: true,
                reason: "no random numbers to be had",
                contract: "default",
                ruling: None,
                took: Duration::ZERO,
            };
            return self.block(call.id(), call.tool(), Some(call.arguments()), &how);
        };
        let key = super::retry::state_token(&secret);
        let form = wire::form(self.judge.server(), call, &ruling.questions);
        let members = call.params().as_object().unwrap_or_default().iter();
        let parked = Parked {
            method: call.method(),
            tool: call.tool().to_owned(),
            arguments: call.arguments().clone(),
            servers: members
                .filter(|(k, _)| super::retry::OF_A_RETRY.contains(&k.as_str()))
                .cloned()
                .collect(),
            ruling,
            attempt,
            until: Instant::now() + self.ask_timeout,
        };
        let message = wire::input_required(call.id(), super::retry::QUESTION, &form, &key);
        {
            let mut state = self.state();
            state.flights.remove(call.id());
            state.parked.insert(key, parked);
        }
        self.down.send(message);
        self.wake_clerk();
    }

    /// The client's answer to an elicitation of ours. An answer that comes too late is dropped.
    pub(crate) fn answered(&self, own: &str, result: Option<&Value>) {
        let Some(asked) = self.state().asked.remove(own) else { return };
        let Asked { call, ruling, attempt, since, .. } = asked;
        match self.choices(call.tool(), result, &ruling) {
            Some(once) => {
                self.judge_in_turn(call, Before { attempt: Some(attempt), once, asked: true, came: None })
            }
            None => self.give_up(&call, &ruling, "a human was asked and did not allow it", since.elapsed()),
        }
    }

    /// What a human chose: the keys of what is allowed for this call (what is allowed for the session is remembered
    /// here). `None` unless every question was answered with an allowing choice.
    pub(crate) fn choices(&self, tool: &str, result: Option<&Value>, ruling: &Ruling) -> Option<Vec<String>> {
        let result = result?;
        if result.get("action")?.as_str()? != "accept" {
            return None;
        }
        let content = result.get("content")?;
        let mut once = Vec::new();
        let mut session: Vec<&Question> = Vec::new();
        for (i, question) in ruling.questions.iter().enumerate() {
            match content.get(&wire::field(i, ruling.questions.len()))?.as_str()? {
                wire::ONCE => {}
                wire::SESSION => session.push(question),
                _ => return None,
            }
            once.push(question.key.clone());
        }
        self.judge.session().approve(self.judge.server(), tool, &session);
        Some(once)
    }

    /// Refuses a call about which a human was asked.
    pub(crate) fn give_up(&self, call: &Call, ruling: &Ruling, why: &str, took: Duration) {
        let modern = version_of(call.params()).is_some();
        let reason = format!("{}; {why}", ruling.reason);
        let how =
            How { modern, reason: &reason, contract: ruling.contract.as_str(), ruling: Some(ruling), took };
        self.block(call.id(), call.tool(), Some(call.arguments()), &how);
    }

    /// The client cancelled a request. True where the server never saw it: then nothing is to be forwarded.
    pub(crate) fn withdraw(&self, id: &Id) -> bool {
        let (own, asked, waiting) = {
            let mut state = self.state();
            state.flights.remove(id);
            let own = state.asked.iter().find(|(_, asked)| asked.call.id() == id).map(|(own, _)| own.clone());
            let asked = own.as_ref().and_then(|own| state.asked.remove(own));
            let at = state.waiting.iter().position(|w| w.call.id() == id);
            let waiting = at.and_then(|at| state.waiting.remove(at)).or_else(|| state.catalog.withdraw(id));
            (own, asked, waiting)
        };
        if let Some(own) = own {
            self.down.send(wire::cancelled(&own, "the call was cancelled"));
        }
        let never_sent = asked.is_some() || waiting.is_some();
        if let Some(call) = asked.map(|a| a.call).or(waiting.map(|w| w.call)) {
            let how = How {
                modern: false,
                reason: "cancelled by the client before it was decided",
                contract: "default",
                ruling: None,
                took: Duration::ZERO,
            };
            let _ = self.record(id, call.tool(), Some(call.arguments()), "deny", &how);
        }
        never_sent
    }
}
