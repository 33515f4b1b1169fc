//! The log for an agent: counts, and the last entries without what the calls carried. Reasons and evidence quote
//! arguments and the words around them, so they are left out with the arguments; the user's policy can turn all on.

use super::house::{House, Wrong};
use super::tools::anything;
use super::untrusted::{visible, visible_json};
use crate::audit::read::{Counts, Filter, parse};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;
use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{BufReader, ErrorKind};

/// Names of tools that are counted one by one: a client can make up any number of them.
const MOST_TOOLS: usize = 200;
/// Characters of a name that are shown.
const LONGEST: usize = 128;

/// The log in short.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Summary {
    /// Whether there is a log at all.
    log: bool,
    counts: Counts,
    /// The last entries that are meant, the oldest first.
    recent: Vec<Entry>,
    /// Whether the user's policy (`serve_audit_values`) lets arguments, reasons and evidence be shown.
    values_shown: bool,
    notes: Vec<String>,
}

/// One recorded verdict.
#[derive(Debug, Serialize, JsonSchema)]
struct Entry {
    ts: String,
    server: String,
    tool: String,
    verdict: String,
    contract: String,
    /// What was found, each in a stable word.
    codes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "anything")]
    args: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "anything")]
    evidence: Option<Json>,
}

/// Reads the log. The last `limit` entries come with it.
pub(super) fn summary(house: &House, filter: &Filter, limit: usize) -> Result<Summary, Wrong> {
    let values_shown = house.policy()?.serve_audit_values();
    let path = house.home.audit();
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let notes = vec!["there is no log yet: `bouncer run` writes it".to_owned()];
            return Ok(Summary {
                log: false,
                counts: Counts::default(),
                recent: Vec::new(),
                values_shown,
                notes,
            });
        }
        Err(error) => return Err(Wrong(format!("cannot read the log: {error}"))),
    };
    let mut last: VecDeque<Vec<u8>> = VecDeque::new();
    let keep = |line: &mut Vec<u8>| {
        if limit > 0 {
            if last.len() == limit {
                last.pop_front();
            }
            last.push_back(std::mem::take(line));
        }
    };
    let log = BufReader::with_capacity(1 << 20, file);
    let mut counts =
        Counts::of(log, filter, keep).map_err(|error| Wrong(format!("cannot read the log: {error}")))?;
    let mut notes = Vec::new();
    for map in [&mut counts.verdicts, &mut counts.contracts] {
        *map = std::mem::take(map).into_iter().take(MOST_TOOLS).map(|(key, n)| (name(&key), n)).collect();
    }
    if let Some(more) = fewest_left_out(&mut counts.tools) {
        notes.push(format!("{more} more tools, called least often, are not listed"));
    }
    if !values_shown {
        notes.push(
            "what the calls carried is left out; the user's policy can turn it on with `serve_audit_values = true`"
                .to_owned(),
        );
    }
    let recent = last.iter().filter_map(|line| Entry::of(line, values_shown)).collect();
    Ok(Summary { log: true, counts, recent, values_shown, notes })
}

/// Keeps the tools that were called most, under names that can be shown; says how many are left out.
fn fewest_left_out(tools: &mut BTreeMap<String, BTreeMap<String, u64>>) -> Option<usize> {
    let mut all: Vec<(String, BTreeMap<String, u64>)> = std::mem::take(tools).into_iter().collect();
    all.sort_by_key(|(_, counts)| std::cmp::Reverse(counts.values().sum::<u64>()));
    let more = all.len().checked_sub(MOST_TOOLS).filter(|more| *more > 0);
    all.truncate(MOST_TOOLS);
    let counts = |counts: BTreeMap<String, u64>| counts.into_iter().map(|(key, n)| (name(&key), n)).collect();
    *tools = all.into_iter().map(|(tool, by_verdict)| (name(&tool), counts(by_verdict))).collect();
    more
}

/// A name of somebody's choice, cut, with nothing hidden in it.
fn name(text: &str) -> String {
    bouncer_core::shown::shown(text, LONGEST)
}

impl Entry {
    fn of(line: &[u8], values: bool) -> Option<Self> {
        let read = parse(line)?;
        let all: Json = serde_json::from_slice(line).ok()?;
        let evidence = all.get("evidence").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        let code = |item: &Json| item.get("code").and_then(Json::as_str).map(name);
        let part = |key: &str| values.then(|| all.get(key).map(visible_json)).flatten();
        Some(Self {
            ts: name(&read.ts),
            server: name(&read.server),
            tool: name(&read.tool),
            verdict: name(&read.verdict),
            contract: name(&read.contract),
            codes: evidence.iter().filter_map(code).collect(),
            reason: values.then(|| visible(&read.reason)),
            args: part("args"),
            evidence: part("evidence"),
        })
    }
}
