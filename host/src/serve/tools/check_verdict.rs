//! `bouncer_check_verdict`: what would become of a call.

use super::super::house::{House, Wrong};
use super::super::pinned;
use super::{Room, Written, define, give, take};
use crate::inquiry::view::AnswerView;
use crate::inquiry::{Recorded, Scene, Seen, Supposed};
use crate::judge::Place;
use crate::layer::Layers;
use crate::pins::Part;
use crate::policy::Policy;
use bouncer_core::tool::{ServerIdentity, Tool};
use rmcp::model::JsonObject;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::Value as Json;
use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Arc;

pub(super) const ROOM: Room = Room {
    name: "bouncer_check_verdict",
    definition: || {
        define::<Takes, AnswerView>(
            "bouncer_check_verdict",
            "Check a call",
            "Says what Bouncer would do with a tool call, and why: allow, ask or deny, the contract that decides, the evidence on each destination, and what a human would be asked. Nothing is called, logged or remembered; the session is empty but for `untrusted_context` and `user_prompt`.",
        )
    },
    call,
};

/// All texts of `untrusted_context` together, in bytes.
const MOST_SEEN: usize = 16 << 20;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Takes {
    /// The tool's name.
    tool: String,
    /// Its arguments. As a string of JSON where exact digits or a key that is written twice matter.
    #[serde(default)]
    #[schemars(schema_with = "object_or_text")]
    args: Option<Json>,
    /// The user's name for the server; rules are looked up by it. What is pinned for it says which tools it has.
    #[serde(default)]
    server: Option<String>,
    /// The server's own tools, instead of what is pinned: definitions as in `tools/list`, or its whole result.
    #[serde(default)]
    #[schemars(schema_with = "tools")]
    tools: Option<Json>,
    /// How the server is started, program first: packs are chosen by it.
    #[serde(default)]
    command: Option<Vec<String>>,
    /// What tools have answered in the session before the call.
    #[serde(default)]
    untrusted_context: Vec<Context>,
    /// What the user typed.
    #[serde(default)]
    user_prompt: Option<String>,
    /// A policy file's text, TOML or the older YAML, instead of the user's own policy. Modules that it names are not loaded.
    #[serde(default)]
    policy: Option<String>,
    /// How that text is written; otherwise told by its shape.
    #[serde(default)]
    policy_format: Option<Written>,
    /// Which attempt in the session this is, from 1; for budgets.
    #[serde(default)]
    attempt: Option<NonZeroU64>,
}

/// Something that a tool answered: its text, or which tool it was beside it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "an entry of `untrusted_context` is a text, or { text, tool, server }")]
enum Context {
    Text(String),
    Named(Named),
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Named {
    /// What it answered: text, or JSON, whose fields are told apart.
    text: String,
    /// The tool that answered.
    #[serde(default)]
    tool: Option<String>,
    /// Its server, where that is another one than the call's.
    #[serde(default)]
    server: Option<String>,
}

fn object_or_text(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["object", "string", "null"] })
}

fn tools(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["array", "object", "null"], "items": { "type": "object" } })
}

fn call(house: &House, arguments: JsonObject) -> Result<Json, Wrong> {
    let taken: Takes = take(arguments)?;
    let args = match &taken.args {
        None | Some(Json::Null) => "{}".to_owned(),
        Some(Json::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    };
    let seen = seen(taken.untrusted_context)?;
    let mut notes = Vec::new();
    let policy = Arc::new(match &taken.policy {
        None => house.policy()?,
        Some(text) => given(house, text, taken.policy_format, &mut notes)?,
    });
    let server = taken.server.unwrap_or_else(|| {
        notes.push("no server was named: only rules for any server apply".to_owned());
        "server".to_owned()
    });
    let (identity, tools) =
        who(house, (&server, &taken.tool), taken.tools.as_ref(), taken.command, &mut notes)?;
    if tools.is_none() {
        notes.push(format!(
            "nothing is pinned for `{server}`, and no `tools` were given: `{}` is judged by its name and the arguments of this call alone",
            taken.tool
        ));
    }
    let place = Place {
        cwd: std::env::current_dir().map_err(Wrong::new)?,
        args: identity.command.iter().skip(1).cloned().collect(),
        home: std::env::home_dir().filter(|home| !home.as_os_str().is_empty()),
    };
    let packs = house.modules(&policy)?;
    let scene = Scene { identity, tools, layers: Layers { policy, packs }, place, notes };
    let prompts: Vec<String> = taken.user_prompt.into_iter().collect();
    let attempt = taken.attempt.map(NonZeroU64::get);
    let call = Supposed { tool: &taken.tool, args: &args, seen, prompts: &prompts, attempt };
    let answer = scene.answer(call).map_err(Wrong::new)?;
    give(&AnswerView::of(&answer))
}

fn seen(contexts: Vec<Context>) -> Result<Vec<Seen>, Wrong> {
    let mut bytes = 0;
    let mut seen = Vec::new();
    for context in contexts {
        let Named { text, tool, server } = match context {
            Context::Text(text) => Named { text, tool: None, server: None },
            Context::Named(named) => named,
        };
        bytes += text.len();
        let tool = tool.unwrap_or_else(|| "untrusted_context".to_owned());
        seen.push(Seen { server, tool, bytes: text.into_bytes() });
    }
    if bytes > MOST_SEEN {
        return Err(Wrong(format!(
            "`untrusted_context` has {bytes} bytes in all; at most {MOST_SEEN} are looked at"
        )));
    }
    Ok(seen)
}

/// A caller's policy: data. What it names is not read.
fn given(
    house: &House,
    text: &str,
    written: Option<Written>,
    notes: &mut Vec<String>,
) -> Result<Policy, Wrong> {
    let format = Written::format(written, text);
    let policy = Policy::parse(text, format, house.home.root(), Path::new("policy"))
        .map_err(|error| Wrong(format!("the policy text cannot be used: {error}")))?;
    for module in policy.modules() {
        notes.push(format!(
            "the policy names the module `{}`: it is not loaded here, and what it would object to is missing",
            module.display()
        ));
    }
    Ok(policy.without_modules())
}

/// The server, and its tools where they are known.
fn who(
    house: &House,
    (server, tool): (&str, &str),
    tools: Option<&Json>,
    command: Option<Vec<String>>,
    notes: &mut Vec<String>,
) -> Result<(ServerIdentity, Option<Vec<Tool>>), Wrong> {
    let (mut identity, tools) = match tools {
        Some(list) if !list.is_null() => {
            let recorded = Recorded::parse(list.to_string().as_bytes())
                .map_err(|error| Wrong(format!("`tools`: {error}")))?;
            (recorded.identity, Some(recorded.tools))
        }
        _ => match pinned::of(house, server)? {
            Some(record) => {
                notes.push(format!("the tools of `{server}` are those that are pinned for it"));
                if record.pending(Part::Tools).any(|(name, _)| name == tool) {
                    notes.push(format!(
                        "the server lists `{tool}` otherwise by now, and the proxy refuses its calls until a person accepts that; hint: `bouncer pins diff`"
                    ));
                }
                (record.identity(), Some(record.tools()))
            }
            None => (ServerIdentity::default(), None),
        },
    };
    server.clone_into(&mut identity.name);
    if let Some(command) = command {
        identity.command = command;
    }
    if identity.command.is_empty() {
        notes.push(
            "how the server is started was not said, so that packs are chosen by its own name at most; hint: `command`"
                .to_owned(),
        );
    }
    Ok((identity, tools))
}
