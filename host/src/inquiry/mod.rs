//! What would become of a call that nobody makes, for `check`, `explain` and `serve`.
//!
//! The call goes through the scanner and the judge that `run` uses, in a session that exists in memory only. Nothing is
//! forwarded, logged or remembered. Where the server, its tools and the rules come from is the caller's matter.

mod recorded;
mod seen;
pub(crate) mod view;

pub(crate) use recorded::Recorded;
pub(crate) use seen::Seen;

use crate::json::quoted;
use crate::judge::{Before, Judge, Place};
use crate::layer::Layers;
use crate::session::{Broken, Session};
use bouncer_core::line::{ClientLine, Limits, scan};
use bouncer_core::ruling::Ruling;
use bouncer_core::tool::{ServerIdentity, Tool};
use bouncer_core::value::{MAX_DEPTH, Value};
use bouncer_core::verdict::Verdict;
use serde_json::value::RawValue;
use std::sync::Arc;

/// A server with its rules, ready to be judged for.
pub(crate) struct Scene {
    pub(crate) identity: ServerIdentity,
    /// `None` where no list was given.
    pub(crate) tools: Option<Vec<Tool>>,
    pub(crate) layers: Layers,
    pub(crate) place: Place,
    /// What the answer will be given without.
    pub(crate) notes: Vec<String>,
}

/// A call that nobody makes, and what the session shall have seen before it.
#[derive(Default)]
pub(crate) struct Supposed<'a> {
    pub(crate) tool: &'a str,
    /// JSON text: which digits a number has and what is written twice counts.
    pub(crate) args: &'a str,
    pub(crate) seen: Vec<Seen>,
    pub(crate) prompts: &'a [String],
    pub(crate) attempt: Option<u64>,
}

/// What would become of the call.
pub(crate) struct Answer {
    pub(crate) server: String,
    pub(crate) tool: String,
    /// As the proxy acts on it: an ask that no answer helps is a deny.
    pub(crate) verdict: Verdict,
    pub(crate) contract: String,
    pub(crate) reason: String,
    /// `None` where the call was refused before any contract looked at it.
    pub(crate) ruling: Option<Ruling>,
    /// What the answer was given without.
    pub(crate) notes: Vec<String>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unanswered {
    #[error("the arguments are not JSON: {0}")]
    Args(serde_json::Error),
    #[error(transparent)]
    Broken(#[from] Broken),
}

impl Scene {
    /// Judges the call as the proxy in front of this server would.
    pub(crate) fn answer(self, call: Supposed<'_>) -> Result<Answer, Unanswered> {
        let Self { identity, tools, layers, place, mut notes } = self;
        // One JSON value and nothing behind it; what else may be wrong with it is the scanner's to say.
        let args = serde_json::from_str::<&RawValue>(call.args).map_err(Unanswered::Args)?.get();
        let tool = call.tool;
        let tools = match tools {
            Some(tools) => {
                notes.extend(unlisted(&tools, tool));
                tools
            }
            None => synthesised(tool, args).into_iter().collect(),
        };
        let server = identity.name.as_str();
        let judge = Judge::new(server, layers, Arc::new(Session::new("check".to_owned())), place);
        judge.set_tools(&identity, tools);
        call.seen.iter().for_each(|seen| seen.record(&judge));
        for prompt in call.prompts {
            judge.session().prompt(prompt)?;
        }
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":{},"arguments":{args}}}}}"#,
            quoted(tool)
        );
        let mut answer = Answer {
            server: server.to_owned(),
            tool: tool.to_owned(),
            verdict: Verdict::Deny,
            contract: "line".to_owned(),
            reason: String::new(),
            ruling: None,
            notes,
        };
        let before = Before { attempt: call.attempt, ..Before::default() };
        match scan(line.into_bytes(), &Limits::default()) {
            Ok(ClientLine::Call(call)) => match judge.judge(call, &before) {
                Ok(verdicted) => answer.take(verdicted.judged.ruling().clone()),
                Err(fault) => {
                    "default".clone_into(&mut answer.contract);
                    answer.reason = fault.to_string();
                }
            },
            Ok(_) => "line refused: it is not a call".clone_into(&mut answer.reason),
            Err(refusal) => answer.reason = format!("line refused ({}): {}", refusal.rule, refusal.text),
        }
        Ok(answer)
    }
}

impl Answer {
    fn take(&mut self, ruling: Ruling) {
        self.verdict = ruling.verdict;
        self.contract = ruling.contract.as_str().to_owned();
        self.reason.clone_from(&ruling.reason);
        if ruling.verdict == Verdict::Ask && ruling.questions.is_empty() {
            self.verdict = Verdict::Deny;
            self.notes.push("no answer of a human could allow this, so nobody is asked".to_owned());
        } else if ruling.questions.len() > crate::proxy::MOST_QUESTIONS {
            self.verdict = Verdict::Deny;
            self.reason = format!(
                "{}; {} questions at once are too many for a human",
                ruling.reason,
                ruling.questions.len()
            );
        } else if ruling.verdict == Verdict::Ask {
            self.notes.push("where the client cannot show a question, an ask is a deny".to_owned());
        }
        self.ruling = Some(ruling);
    }
}

/// A tool of which only one call is known.
fn synthesised(tool: &str, args: &str) -> Option<Tool> {
    let members = Value::parse_lenient(args.as_bytes(), MAX_DEPTH).ok();
    let members = members.as_ref().and_then(Value::as_object).unwrap_or_default();
    let properties = members.iter().map(|(name, value)| {
        let kind = match value {
            Value::String(_) => Some("string"),
            Value::Number(_) => Some("number"),
            Value::Bool(_) => Some("boolean"),
            Value::Array(_) => Some("array"),
            Value::Object(_) => Some("object"),
            Value::Null => None,
        };
        let kind = kind.map(|kind| ("type".to_owned(), Value::String(kind.to_owned())));
        (name.clone(), Value::Object(kind.into_iter().collect()))
    });
    let schema = Value::Object(vec![
        ("type".to_owned(), Value::String("object".to_owned())),
        ("properties".to_owned(), Value::Object(properties.collect())),
    ]);
    Tool::from_definition(Value::Object(vec![
        ("name".to_owned(), Value::String(tool.to_owned())),
        ("inputSchema".to_owned(), schema),
    ]))
}

fn unlisted(tools: &[Tool], tool: &str) -> Option<String> {
    if tools.iter().any(|listed| listed.name == tool) {
        return None;
    }
    let alike = |listed: &&Tool| strsim::damerau_levenshtein(&listed.name, tool) <= 3;
    let near = tools.iter().filter(alike).min_by_key(|t| strsim::damerau_levenshtein(&t.name, tool));
    Some(match near {
        Some(near) => format!("`{tool}` is not in the list of tools; hint: did you mean `{}`?", near.name),
        None => format!("`{tool}` is not in the list of tools"),
    })
}
