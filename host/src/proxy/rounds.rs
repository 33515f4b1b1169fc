//! Rounds of the server's own (revision 2026-07-28 on): it answered a call with `input_required`, and the client comes back
//! with the same call. That is no further attempt, and what a human allowed for the call still holds.

use crate::judge::Before;
use bouncer_core::call::Call;
use bouncer_core::pin::Hash;
use bouncer_core::value::Value;
use std::collections::VecDeque;

/// More rounds than this are not open at once: the oldest is forgotten, and coming back to it is a new call.
const MOST: usize = 256;

/// A call that is out, as it was judged.
#[derive(Debug)]
pub(crate) struct Round {
    call: Hash,
    before: Before,
}

impl Round {
    pub(crate) fn of(call: &Call, before: Before) -> Self {
        Self { call: digest(call), before }
    }
}

/// Method, tool and arguments, as one hash.
fn digest(call: &Call) -> Hash {
    let text = |text: &str| Value::String(text.to_owned());
    Hash::of(&Value::Array(vec![text(call.method().as_str()), text(call.tool()), call.arguments().clone()]))
}

/// The open rounds, each with the state that the server gave for it.
#[derive(Debug, Default)]
pub(crate) struct Rounds(VecDeque<(Round, Option<Value>)>);

impl Rounds {
    /// The server needs input for a call.
    pub(crate) fn open(&mut self, round: Round, state: Option<Value>) {
        if self.0.len() >= MOST {
            self.0.pop_front();
        }
        self.0.push_back((round, state));
    }

    /// The round that `call` comes back to: the very same call, with the state that was given for it. Each is taken once.
    pub(crate) fn take(&mut self, call: &Call) -> Option<Before> {
        let params = call.params();
        let state = params.get("requestState");
        if state.is_none() && params.get("inputResponses").is_none() {
            return None;
        }
        let digest = digest(call);
        let at = self.0.iter().position(|(round, s)| round.call == digest && s.as_ref() == state)?;
        self.0.remove(at).map(|(round, _)| round.before)
    }
}
