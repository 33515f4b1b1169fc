//! The keys that a policy file may hold: the one table that the reader, the suggestions and the schema's test use.

/// What a key's value must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `true` or `false`.
    Flag,
    /// A whole number, 0 or more.
    Count,
    /// A list of strings.
    Strings,
    /// A table from argument to regular expression.
    Patterns,
    /// A list of `{ param = "...", kind = "..." }`.
    Sinks,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A table of tables, read elsewhere.
    Tables,
}

impl Shape {
    /// For "expected ...".
    pub(crate) fn expected(self) -> String {
        match self {
            Self::Flag => "expected `true` or `false`".to_owned(),
            Self::Count => "expected a whole number, 0 or more".to_owned(),
            Self::Strings => "expected a list of strings".to_owned(),
            Self::Patterns => "expected a table of argument = \"regular expression\"".to_owned(),
            Self::Sinks => "expected a list of { param = \"...\", kind = \"...\" }".to_owned(),
            Self::Word(words) => {
                let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
                format!("expected {}", words.join(" or "))
            }
            Self::Tables => "expected a table".to_owned(),
        }
    }
}

/// One key.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeySpec {
    pub(crate) name: &'static str,
    pub(crate) shape: Shape,
    /// Whether the older YAML format has it too.
    pub(crate) older: bool,
}

const fn key(name: &'static str, shape: Shape, older: bool) -> KeySpec {
    KeySpec { name, shape, older }
}

/// The words for how much is asked.
pub(crate) const PROFILES: &[&str] = &["standard", "strict", "paranoid"];

/// The keys of one tool.
pub(crate) const TOOL_KEYS: &[KeySpec] = &[
    key("exfiltrating", Shape::Flag, true),
    key("sink_params", Shape::Strings, true),
    key("trusted_destinations", Shape::Strings, true),
    key("write_params", Shape::Strings, true),
    key("allowed_path_prefixes", Shape::Strings, true),
    key("arg_patterns", Shape::Patterns, true),
    key("max_calls", Shape::Count, true),
    key("sinks", Shape::Sinks, false),
    key("harmless_params", Shape::Strings, false),
    key("directories", Shape::Strings, false),
    key("destructive", Shape::Flag, false),
    key("replace", Shape::Flag, false),
    key("tainted", Shape::Word(&["deny", "ask"]), false),
    key("fields", Shape::Word(&["ask", "deny"]), false),
    key("profile", Shape::Word(PROFILES), false),
];

/// The keys of the file itself.
pub(crate) const TOP_KEYS: &[KeySpec] = &[
    key("profile", Shape::Word(PROFILES), false),
    key("ask_timeout", Shape::Count, false),
    key("trusted_destinations", Shape::Strings, false),
    key("serve_audit_values", Shape::Flag, false),
    key("tools", Shape::Tables, false),
    key("servers", Shape::Tables, false),
    key("packs", Shape::Tables, false),
    key("pack_keys", Shape::Tables, false),
    key("modules", Shape::Tables, false),
];

/// The keys of one server.
pub(crate) const SERVER_KEYS: &[KeySpec] = &[key("tools", Shape::Tables, false)];

/// The keys of one custom module.
pub(crate) const MODULE_KEYS: &[KeySpec] =
    &[key("path", Shape::Word(&[]), false), key("settings", Shape::Tables, false)];

/// The keys of one sink.
pub(crate) const SINK_KEYS: &[KeySpec] = &[
    key("param", Shape::Word(&[]), false),
    key("params", Shape::Strings, false),
    key("join", Shape::Word(&[]), false),
    key("kind", Shape::Word(&[]), false),
];
