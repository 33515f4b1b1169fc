//! `bouncer_audit_summary`: what was decided lately.

use super::super::house::{House, Wrong};
use super::super::recent::{self, Summary};
use super::{Room, define, give, take};
use crate::audit::read::{Filter, moment};
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

pub(super) const ROOM: Room = Room {
    name: "bouncer_audit_summary",
    definition: || {
        define::<Takes, Summary>(
            "bouncer_audit_summary",
            "Recent verdicts",
            "Counts the recorded verdicts by verdict, contract and tool, and lists the last ones, without what the calls carried unless the user's policy turns that on.",
        )
    },
    call,
};

/// Entries that are listed where no number is given.
pub(super) const USUAL: usize = 20;
const MOST: u64 = 500;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Takes {
    /// How many of the last entries are listed: 0 to 500, otherwise 20.
    #[serde(default)]
    #[schemars(range(min = 0, max = 500))]
    limit: Option<u64>,
    /// Only `allow`, `ask` or `deny`.
    #[serde(default)]
    verdict: Option<VerdictWord>,
    /// Only this server.
    #[serde(default)]
    server: Option<String>,
    /// Only this tool.
    #[serde(default)]
    tool: Option<String>,
    /// Only from this time on: `90m`, `12h` or `2d` ago, or the beginning of a time in UTC such as `2026-11-30T09`.
    #[serde(default)]
    since: Option<String>,
    /// Only before this time.
    #[serde(default)]
    until: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum VerdictWord {
    Allow,
    Ask,
    Deny,
}

fn call(house: &House, arguments: JsonObject) -> Result<Json, Wrong> {
    let Takes { limit, verdict, server, tool, since, until } = take(arguments)?;
    let limit = match limit {
        None => USUAL,
        Some(limit) if limit <= MOST => usize::try_from(limit).unwrap_or(USUAL),
        Some(limit) => return Err(Wrong(format!("`limit` is {limit}; at most {MOST} entries are listed"))),
    };
    let time = |text: Option<String>| text.map(|text| moment(&text)).transpose().map_err(Wrong);
    let word = |verdict| match verdict {
        VerdictWord::Allow => "allow".to_owned(),
        VerdictWord::Ask => "ask".to_owned(),
        VerdictWord::Deny => "deny".to_owned(),
    };
    let filter = Filter {
        verdict: verdict.map(word),
        tool,
        server,
        session: None,
        since: time(since)?,
        until: time(until)?,
    };
    give(&recent::summary(house, &filter, limit)?)
}
