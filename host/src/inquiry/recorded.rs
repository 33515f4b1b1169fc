//! A server's tools as a file or a caller gives them, with what is said of the server beside them.

use bouncer_core::tool::{ServerIdentity, Tool};
use bouncer_core::value::{MAX_DEPTH, Value};

/// A recorded list of tools.
#[derive(Debug, Default)]
pub(crate) struct Recorded {
    pub(crate) server: String,
    pub(crate) identity: ServerIdentity,
    pub(crate) tools: Vec<Tool>,
}

impl Recorded {
    /// Reads a `tools/list` result or answer, a list of definitions, or a recorded list with a member `tools`. As in a
    /// run, it must be readable in one way only, and a definition without a name is no tool.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn parse(json: &[u8]) -> Result<Self, String> {
        let list = Value::parse(json.trim_ascii(), MAX_DEPTH)
            .map_err(|error| format!("not a list of tools: {error}"))?;
        let holder = list.get("result").unwrap_or(&list);
        let tools = holder.get("tools").unwrap_or(holder).as_array().ok_or_else(|| {
            "not a list of tools\nhint: a `tools/list` result, as in {\"tools\": [...]}".to_owned()
        })?;
        let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
        let info = list.get("initialize").unwrap_or(holder).get("serverInfo");
        // Only which package it is matters, not which launcher starts it.
        let package = text(list.get("package"));
        let words = ["npx", "-y", package.as_str()];
        let command = if package.is_empty() { Vec::new() } else { words.map(str::to_owned).to_vec() };
        let server = text(list.get("server"));
        Ok(Self {
            identity: ServerIdentity {
                name: server.clone(),
                reported_name: text(info.and_then(|info| info.get("name"))),
                reported_version: text(info.and_then(|info| info.get("version"))),
                command,
            },
            server,
            tools: tools.iter().filter_map(|tool| Tool::from_definition(tool.clone())).collect(),
        })
    }
}
