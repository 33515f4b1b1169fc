//! `bouncer_verify_policy`: whether a text is a policy, and what is to be said of it.

use super::super::house::{House, Wrong};
use super::super::packs;
use super::{Room, Written, define, give, take};
use crate::policy::{Format, Policy, PolicyError, warnings};
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use std::path::Path;

pub(super) const ROOM: Room = Room {
    name: "bouncer_verify_policy",
    definition: || {
        define::<Takes, Gives>(
            "bouncer_verify_policy",
            "Check a policy",
            "Says whether a text is a policy that Bouncer would load: every error and warning with line and column, and the tools that it covers. Files that it names are not read.",
        )
    },
    call,
};

/// Errors that are given; a text that is no policy at all would drown its reader.
const MOST: usize = 100;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Takes {
    /// The text of a policy file, TOML or the older YAML.
    policy: String,
    /// How it is written; otherwise told by its shape.
    #[serde(default)]
    format: Option<Written>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Gives {
    /// Whether it would be loaded. One with an error takes no effect at all.
    valid: bool,
    /// `toml` or `yaml`.
    format: &'static str,
    /// How many tables of tools it has.
    rules: usize,
    /// The tools that it covers.
    tools: Vec<Covered>,
    /// Policy modules that it names. They were not looked at.
    modules: Vec<String>,
    /// Packs that it sets something for.
    packs: Vec<String>,
    errors: Vec<Remark>,
    warnings: Vec<Remark>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Covered {
    /// Only on this server.
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<String>,
    tool: String,
    /// The keys that it has there.
    keys: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Remark {
    /// From 1; absent where it is about the text as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    /// From 1, in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    message: String,
    /// What was expected there.
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

fn call(house: &House, arguments: JsonObject) -> Result<Json, Wrong> {
    let Takes { policy: text, format } = take(arguments)?;
    let format = Written::format(format, &text);
    let mut gives = Gives {
        valid: true,
        format: if format == Format::Toml { "toml" } else { "yaml" },
        rules: 0,
        tools: Vec::new(),
        modules: Vec::new(),
        packs: Vec::new(),
        errors: Vec::new(),
        warnings: Vec::new(),
    };
    match Policy::parse(&text, format, house.home.root(), Path::new("policy")) {
        Ok(policy) => covered(&policy, &text, &packs::installed(house), &mut gives),
        Err(error) => {
            gives.valid = false;
            gives.errors = errors(&error);
        }
    }
    give(&gives)
}

fn covered(policy: &Policy, text: &str, installed: &[String], gives: &mut Gives) {
    gives.rules = policy.rules.len();
    let rule = |rule: &crate::policy::Rule| Covered {
        server: rule.server.clone(),
        tool: rule.tool.clone(),
        keys: rule.statements.iter().map(|statement| statement.key.clone()).collect(),
    };
    gives.tools = policy.rules.iter().map(rule).collect();
    gives.modules = policy.modules().iter().map(|path| path.to_string_lossy().into_owned()).collect();
    gives.packs = policy.packs.keys().cloned().collect();
    let remark = |w: crate::policy::Warning| Remark {
        line: Some(w.line),
        column: Some(w.column),
        message: w.text,
        expected: None,
        hint: None,
    };
    gives.warnings = warnings(policy, text, installed).into_iter().map(remark).collect();
}

fn errors(error: &PolicyError) -> Vec<Remark> {
    let whole = |message: String| Remark { line: None, column: None, message, expected: None, hint: None };
    let PolicyError::Malformed(malformed) = error else { return vec![whole(error.to_string())] };
    let mut errors: Vec<Remark> = malformed
        .problems
        .iter()
        .zip(malformed.places())
        .take(MOST)
        .map(|(problem, (line, column))| Remark {
            line: Some(line),
            column: Some(column),
            message: problem.title.clone(),
            expected: Some(problem.label.clone()).filter(|label| !label.is_empty()),
            hint: problem.hint.clone(),
        })
        .collect();
    if let Some(more) = malformed.problems.len().checked_sub(MOST).filter(|more| *more > 0) {
        errors.push(whole(format!("and {more} more errors")));
    }
    errors
}
