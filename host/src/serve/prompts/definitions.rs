//! A server's tools for a prompt: what is pinned or given, behind a fence, with what Bouncer makes of each.

use super::super::house::{House, Wrong};
use super::super::untrusted::{fenced, json, visible, visible_json};
use super::super::{packs, pinned};
use crate::cli::show::fields;
use crate::inquiry::Recorded;
use crate::layer::Layers;
use bouncer_core::decide;
use bouncer_core::tool::{ServerIdentity, Tool};
use serde_json::{Value as Json, json};
use std::sync::Arc;

/// Bytes of definitions that are put into a prompt.
const MOST: usize = 256 << 10;

/// The definitions, and where they are from in words.
pub(super) struct Definitions {
    pub(super) from: String,
    identity: ServerIdentity,
    tools: Vec<Tool>,
    /// Its instructions, or all that is known of it.
    words: Option<String>,
}

/// What the caller gave, otherwise what is pinned; `None` where there is neither.
pub(super) fn of(house: &House, server: &str, given: Option<&str>) -> Result<Option<Definitions>, Wrong> {
    if let Some(text) = given.filter(|text| !text.starts_with(['{', '['])) {
        let from = "as they were described to this prompt".to_owned();
        let described = Some(text.to_owned());
        let identity = ServerIdentity { name: server.to_owned(), ..ServerIdentity::default() };
        return Ok(Some(Definitions { from, identity, tools: Vec::new(), words: described }));
    }
    if let Some(text) = given {
        let Recorded { mut identity, tools, .. } = Recorded::parse(text.as_bytes())
            .map_err(|error| Wrong(format!("`tool_definitions`: {error}")))?;
        server.clone_into(&mut identity.name);
        let from = "as they were handed to this prompt".to_owned();
        return Ok(Some(Definitions { from, identity, tools, words: None }));
    }
    let Some(record) = pinned::of(house, server)? else { return Ok(None) };
    Ok(Some(Definitions {
        from: format!(
            "as they are pinned since {}{}",
            record.first_seen,
            if record.is_settled() {
                ""
            } else {
                "; the server lists something else by now, which waits for the user"
            }
        ),
        identity: record.identity(),
        tools: record.tools(),
        words: record.instructions().map(str::to_owned),
    }))
}

impl Definitions {
    /// The definitions behind a fence.
    pub(super) fn fenced(&self) -> Result<String, Wrong> {
        let tools: Vec<Json> = self.tools.iter().map(|tool| json(&tool.definition)).collect();
        let all = json!({ "in_words": self.words.as_deref().map(visible), "tools": tools });
        fence("what the server says of itself and of its tools", &all)
    }

    /// What the layers make of each tool by the rules in force, behind a fence too: arguments bear the server's names.
    pub(super) fn made_of(&self, house: &House) -> Result<String, Wrong> {
        let policy = Arc::new(house.policy()?);
        let layers = Layers { packs: house.modules(&policy)?, policy };
        let (stated, faults) = layers.gather(&self.identity, &self.tools, &[]);
        let of_tool = |(tool, stated): (&Tool, &Vec<_>)| -> Result<Json, Wrong> {
            let fields = serde_json::to_value(fields(&decide::merge(tool, stated))).map_err(Wrong::new)?;
            Ok(json!({ "tool": tool.name, "fields": fields }))
        };
        let tools = self.tools.iter().zip(&stated).map(of_tool).collect::<Result<Vec<_>, _>>()?;
        let all = json!({ "tools": tools, "packs_that_fail": faults });
        let shown = visible_json(&all);
        fence("what Bouncer makes of each tool, where names of tools and arguments are the server's", &shown)
    }
}

fn fence(what: &str, value: &Json) -> Result<String, Wrong> {
    let mut text = serde_json::to_string_pretty(value).map_err(Wrong::new)?;
    if text.len() > MOST {
        let bytes = text.len();
        text.truncate(text.floor_char_boundary(MOST));
        text.push_str(&format!("\n[cut here by Bouncer: {bytes} bytes in all]"));
    }
    Ok(fenced(what, &text))
}

/// Which packs there are, for a server of which nothing is known.
pub(super) fn pack_names() -> String {
    packs::names().collect::<Vec<_>>().join(", ")
}
