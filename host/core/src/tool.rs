//! A tool as its server describes it, and the server as it describes itself.

use crate::value::Value;

/// One entry of a `tools/list` result, kept whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    /// The name that calls use.
    pub name: String,
    /// The whole definition: name, title, description, inputSchema, outputSchema, annotations, icons, ...
    pub definition: Value,
}

impl Tool {
    /// A tool from one entry of a `tools/list` result; `None` where it has no string `name`.
    #[must_use]
    pub fn from_definition(definition: Value) -> Option<Self> {
        let name = definition.get("name")?.as_str()?.to_owned();
        Some(Self { name, definition })
    }

    /// The description, empty where there is none.
    #[must_use]
    pub fn description(&self) -> &str {
        self.definition.get("description").and_then(Value::as_str).unwrap_or_default()
    }

    /// The `inputSchema`, where there is one.
    #[must_use]
    pub fn input_schema(&self) -> Option<&Value> {
        self.definition.get("inputSchema")
    }

    /// A boolean of `annotations`, such as `destructiveHint`.
    #[must_use]
    pub fn hint(&self, name: &str) -> Option<bool> {
        self.definition.get("annotations")?.get(name)?.as_bool()
    }
}

/// Who a server is, by what the user launches and what it says of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerIdentity {
    /// The name under which the user's client knows it (`--upstream-name`), or the command's stem.
    pub name: String,
    /// `serverInfo.name` of its answer to `initialize` or `server/discover`; empty where unknown.
    pub reported_name: String,
    /// `serverInfo.version`; empty where unknown.
    pub reported_version: String,
    /// The command line that starts it: program, then arguments.
    pub command: Vec<String>,
}
