//! The retry of a call that was answered with `input_required` (revision 2026-07-28 on).
//!
//! The `requestState` is a random number that nobody can guess. What it stands for is kept here and used once, so there
//! is nothing in it to be forged. A retry is taken apart: Bouncer's own answer is taken out, what belongs to a round of
//! the server's is put back, and the line that results is scanned and judged like any other.

use super::Relay;
use super::outcome::How;
use crate::judge::Before;
use bouncer_core::call::{Call, Id, Method};
use bouncer_core::line::{ClientLine, scan};
use bouncer_core::ruling::Ruling;
use bouncer_core::value::Value;
use std::time::{Duration, Instant};

/// The members of a call's parameters that make it a retry.
pub(crate) const OF_A_RETRY: [&str; 2] = ["requestState", "inputResponses"];
/// The name of Bouncer's question among the `inputRequests`.
pub(crate) const QUESTION: &str = "bouncer";
const MARK: &str = "bouncer-ask-";

/// The `requestState` for a secret.
pub(crate) fn state_token(secret: &str) -> String {
    format!("{MARK}{secret}")
}

/// A retry that a human did not allow.
#[derive(Debug)]
pub(crate) struct Denied {
    pub(crate) id: Id,
    pub(crate) tool: String,
    pub(crate) args: Option<Value>,
    reason: String,
    ruling: Option<Ruling>,
}

impl Denied {
    pub(crate) fn how(&self) -> How<'_> {
        let contract = self.ruling.as_ref().map_or("default", |r| r.contract.as_str());
        How {
            modern: true,
            reason: &self.reason,
            contract,
            ruling: self.ruling.as_ref(),
            took: Duration::ZERO,
        }
    }
}

impl Relay {
    /// A call that is no retry of ours comes back as it is. One that is, and was allowed, comes back as the call that
    /// the server is to see.
    pub(crate) fn retried(&self, call: Call) -> Result<(Call, Before), Box<Denied>> {
        let token = call.params().get("requestState").and_then(Value::as_str).filter(|s| s.starts_with(MARK));
        let Some(token) = token.map(str::to_owned) else {
            let before = self.state().rounds.take(&call).unwrap_or_default();
            return Ok((call, before));
        };
        let parked = self.state().parked.remove(&token);
        let parked = parked.filter(|p| {
            p.until > Instant::now()
                && p.method == call.method()
                && p.tool == call.tool()
                && p.arguments == *call.arguments()
        });
        let denied = |reason: String, ruling: Option<Ruling>, call: &Call| {
            let (id, tool) = (call.id().clone(), call.tool().to_owned());
            Err(Box::new(Denied { id, tool, args: Some(call.arguments().clone()), reason, ruling }))
        };
        let Some(parked) = parked else {
            // Answered before, too old, or for another call: the server must not see our state, so it is a new call.
            return match rebuilt(&call, &[]) {
                Some(call) => Ok((call, Before::default())),
                None => denied("the retry cannot be read".to_owned(), None, &call),
            };
        };
        let answer = call.params().get("inputResponses").and_then(|r| r.get(QUESTION));
        let Some(once) = self.choices(call.tool(), answer, &parked.ruling) else {
            let reason = format!("{}; a human was asked and did not allow it", parked.ruling.reason);
            return denied(reason, Some(parked.ruling), &call);
        };
        match rebuilt(&call, &parked.servers) {
            Some(call) => Ok((call, Before { attempt: Some(parked.attempt), once, asked: true, came: None })),
            None => denied("the retry cannot be read".to_owned(), Some(parked.ruling), &call),
        }
    }
}

/// The call without what made it a retry of ours, and with what belongs to the server.
fn rebuilt(call: &Call, servers: &[(String, Value)]) -> Option<Call> {
    let is_tool = call.method() == Method::CallTool;
    let mut members: Vec<(String, Value)> = if is_tool {
        vec![
            ("name".to_owned(), Value::String(call.tool().to_owned())),
            ("arguments".to_owned(), call.arguments().clone()),
        ]
    } else {
        call.arguments().as_object()?.to_vec()
    };
    let others = call.params().as_object()?.iter();
    let kept = others.filter(|(k, _)| {
        let replaced = is_tool && matches!(k.as_str(), "name" | "arguments");
        !replaced && !OF_A_RETRY.contains(&k.as_str())
    });
    members.extend(kept.cloned());
    members.extend_from_slice(servers);
    let params = Value::Object(members).to_json();
    let (id, method) = (call.id().json(), call.method().as_str());
    let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#);
    let limits = bouncer_core::line::Limits::default();
    match scan(line.into_bytes(), &limits) {
        Ok(ClientLine::Call(fresh))
            if fresh.method() == call.method()
                && fresh.tool() == call.tool()
                && fresh.arguments() == call.arguments() =>
        {
            Some(fresh)
        }
        _ => None,
    }
}
