//! What the session has seen: every output of an upstream, told apart into fields and texts, normalised, decoded and indexed.
#![allow(clippy::todo, missing_docs)]
use crate::arg_path::ArgPath;
use crate::destination::Destination;
use crate::evidence::Evidence;
use crate::value::Value;

/// Where an output came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub server: String,
    /// The tool, or `resources/read`, `prompts/get`, `notifications/message`, `error`, ...
    pub tool: String,
}

/// The index of one session.
#[derive(Debug, Default)]
pub struct Index {}
impl Index {
    pub fn new() -> Self {
        todo!()
    }
    /// With a cap on the text kept, in bytes (default 1 GiB); beyond it the oldest becomes *unproven*.
    pub fn with_cap(cap: u64) -> Self {
        let _ = cap;
        todo!()
    }
    /// Records a text. If it is JSON or YAML it is told apart into fields; `directories` are granted places in it.
    pub fn record_text(&mut self, source: &Source, text: &str, directories: &[ArgPath]) {
        let _ = (source, text, directories);
        todo!()
    }
    /// Records a structured answer.
    pub fn record_value(&mut self, source: &Source, value: &Value, directories: &[ArgPath]) {
        let _ = (source, value, directories);
        todo!()
    }
    /// Records words of the user's own (a prompt, an answer to an elicitation): what it names is vouched for.
    pub fn record_prompt(&mut self, text: &str) {
        let _ = text;
        todo!()
    }
    /// What the index knows of `destination`; `vouch` is `Prompt` or `None` here, approvals and allowlists are others' matter.
    pub fn evidence(&self, destination: &Destination) -> Evidence {
        let _ = destination;
        todo!()
    }
}
