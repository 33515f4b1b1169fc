//! An MCP server that does what a script says: lists its tools, and answers the n-th call of a tool with that tool's n-th
//! text. It writes down the tool of each call that reaches it, so that a test can tell what was forwarded.
//!
//! `BOUNCER_CASE_SCRIPT` names the script (`{"name", "tools", "answers": {TOOL: [TEXT]}}`), `BOUNCER_CASE_REACHED` the
//! file that calls are written to.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::error::Error;
use std::fs::{self, OpenOptions};
use std::io::{self, BufRead, Write};

fn main() -> Result<(), Box<dyn Error>> {
    let script: Value = serde_json::from_str(&fs::read_to_string(std::env::var("BOUNCER_CASE_SCRIPT")?)?)?;
    let mut reached =
        OpenOptions::new().create(true).append(true).open(std::env::var("BOUNCER_CASE_REACHED")?)?;
    let mut calls: BTreeMap<String, usize> = BTreeMap::new();
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        let (Some(id), Some(method)) = (message.get("id"), message.get("method").and_then(Value::as_str))
        else {
            continue;
        };
        let result = match method {
            "initialize" => json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": script.get("name"), "version": "1"},
            }),
            "tools/list" => json!({"tools": script.get("tools")}),
            "tools/call" => {
                let tool = message.pointer("/params/name").and_then(Value::as_str).unwrap_or_default();
                writeln!(reached, "{tool}")?;
                let number = calls.entry(tool.to_owned()).or_default();
                let texts = script.get("answers").and_then(|answers| answers.get(tool));
                let text =
                    texts.and_then(|texts| texts.get(*number)).and_then(Value::as_str).unwrap_or("done");
                *number += 1;
                json!({"content": [{"type": "text", "text": text}]})
            }
            _ => json!({}),
        };
        writeln!(out, "{}", json!({"jsonrpc": "2.0", "id": id, "result": result}))?;
        out.flush()?;
    }
    Ok(())
}
