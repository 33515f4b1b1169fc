//! An output that a supposed session has seen.

use crate::judge::Judge;
use crate::session::{Output, OutputKind};
use bouncer_core::line::server::{Kind, look};
use bouncer_core::provenance::Source;
use bouncer_core::value::Value;
use std::sync::Arc;

/// What a tool answered: a whole answer, its result alone, or what it wrote as text.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    /// `None` for the server of the call.
    pub(crate) server: Option<String>,
    pub(crate) tool: String,
    pub(crate) bytes: Vec<u8>,
}

impl Seen {
    /// Records it in the judge's session, as the proxy does with an answer.
    pub(super) fn record(&self, judge: &Judge) {
        let server = self.server.as_deref().unwrap_or(judge.server());
        let (source, directories) = if server == judge.server() {
            (judge.source(&self.tool), judge.directories(&self.tool))
        } else {
            let source = Source { server: server.to_owned(), tool: self.tool.clone() };
            (Arc::new(source), Arc::default())
        };
        let (kind, text) = output(&self.bytes);
        judge.session().record(source, Output { kind, bytes: text.as_bytes() }, directories);
    }
}

/// What the proxy would have heard.
fn output(bytes: &[u8]) -> (OutputKind, String) {
    let text = String::from_utf8_lossy(bytes).trim().to_owned();
    // Line breaks of a JSON text stand between its tokens.
    let line = text.replace(['\r', '\n'], " ");
    let answer = look(line.as_bytes());
    if answer.kind == Kind::Response && !answer.is_odd() {
        return (OutputKind::ToolAnswer, line);
    }
    let result = answer.whole().is_some_and(|value| {
        value.get("content").and_then(Value::as_array).is_some() || value.get("structuredContent").is_some()
    });
    if result {
        return (OutputKind::ToolAnswer, format!(r#"{{"jsonrpc":"2.0","id":1,"result":{line}}}"#));
    }
    (OutputKind::Text, text)
}
