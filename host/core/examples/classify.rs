//! Prints what the schema heuristics see in recorded tool lists: one JSON line per tool of each file given.
//! A file is an object with `server` and `tools`, as a `tools/list` answer would be kept.

use bouncer_core::heuristic;
use bouncer_core::tool::{ServerIdentity, Tool};
use bouncer_core::value::Value;
use std::io::Write as _;

fn value(json: &serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(b) => Value::Bool(*b),
        serde_json::Value::Number(n) => Value::Number(n.to_string().into()),
        serde_json::Value::String(s) => Value::String(s.clone()),
        serde_json::Value::Array(items) => Value::Array(items.iter().map(value).collect()),
        serde_json::Value::Object(members) => {
            Value::Object(members.iter().map(|(k, v)| (k.clone(), value(v))).collect())
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = std::io::stdout().lock();
    for file in std::env::args().skip(1) {
        let list: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&file)?)?;
        let server = list.get("server").and_then(|s| s.as_str()).unwrap_or_default();
        let identity = ServerIdentity { name: server.to_owned(), ..ServerIdentity::default() };
        for definition in list.get("tools").and_then(|t| t.as_array()).into_iter().flatten() {
            let Some(tool) = Tool::from_definition(value(definition)) else { continue };
            let seen = heuristic::classification(&identity, &tool);
            let line = serde_json::json!({
                "server": server, "tool": tool.name, "exfiltrating": seen.exfiltrating,
                "destructive": seen.destructive, "sinks": seen.sinks,
            });
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}
