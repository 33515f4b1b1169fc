//! What a pack knows of its servers' tools, as plain tables, and how a table becomes contracts.
//!
//! A tool's name alone proves nothing: a later version of a server may give an old tool a new argument. So
//! what loosens (*sends nothing*, *no destination*) is said of a tool only where every argument of its schema
//! is one that the table knows; otherwise the pack says only what tightens and leaves the rest to the other
//! layers.

pub mod address;
pub mod formula;
pub mod link;
pub mod mail;
pub mod rendered;
pub mod shell;
pub mod sql;
pub mod text;

use bouncer_guest::{Contract, Kind, Tool, Value};

/// What is known of one tool.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Its name.
    pub tool: &'static str,
    /// Whether it sends; `None` says nothing.
    pub sends: Option<bool>,
    /// Whether it can lose something for good.
    pub destroys: bool,
    /// Who receives it.
    pub sinks: &'static [Sink],
    /// Its other arguments: names that are known not to name a receiver, top-level or as a path.
    pub harmless: &'static [&'static str],
    /// Arguments that name a file to be written.
    pub writes: &'static [&'static str],
    /// Calls per session.
    pub max_calls: Option<u64>,
    /// Places in its answer that only the user or their organisation can write.
    pub directories: &'static [&'static str],
    /// Whether each call is to be evaluated.
    pub evaluate: bool,
}

/// A row that says nothing; the base of the others.
pub const SILENT: Row = Row {
    tool: "",
    sends: None,
    destroys: false,
    sinks: &[],
    harmless: &[],
    writes: &[],
    max_calls: None,
    directories: &[],
    evaluate: false,
};

/// A row of a tool that sends.
pub const SENDS: Row = Row { sends: Some(true), ..SILENT };

/// A row of a tool that carries nothing to anybody.
pub const QUIET: Row = Row { sends: Some(false), ..SILENT };

/// One destination: arguments, joined by `join`, of one kind.
#[derive(Debug, Clone, Copy)]
pub struct Sink {
    /// Argument paths.
    pub params: &'static [&'static str],
    /// What stands between joined values.
    pub join: &'static str,
    /// What kind of destination it is.
    pub kind: Kind,
}

/// One argument that is a destination by itself.
#[must_use]
pub const fn sink(params: &'static [&'static str], kind: Kind) -> Sink {
    Sink { params, join: "", kind }
}

/// All that a pack knows of the tools it is for.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    /// Tools that need more words.
    pub rows: &'static [Row],
    /// Tools that only read or change what is the user's own.
    pub quiet: &'static [&'static str],
    /// Every argument of the quiet tools, and those that any row may have beside its own.
    pub known: &'static [&'static str],
}

impl Table {
    /// The contracts for those of `tools` that the table knows.
    #[must_use]
    pub fn contracts(&self, tools: &[Tool]) -> Vec<Contract> {
        tools.iter().filter_map(|tool| Some(self.contract(tool, &self.row(tool.name())?))).collect()
    }

    /// What is known of a tool.
    #[must_use]
    pub fn row(&self, tool: &str) -> Option<Row> {
        let row = self.rows.iter().find(|row| row.tool == tool).copied();
        row.or_else(|| self.quiet.iter().find(|name| **name == tool).map(|name| Row { tool: name, ..QUIET }))
    }

    /// Every tool name, for the checks against recorded tool lists.
    #[must_use]
    pub fn tools(&self) -> Vec<&'static str> {
        self.rows.iter().map(|row| row.tool).chain(self.quiet.iter().copied()).collect()
    }

    fn contract(&self, tool: &Tool, row: &Row) -> Contract {
        let mut contract = Contract::new(row.tool);
        let unchanged = tool.definition().is_ok_and(|definition| self.knows_arguments(&definition, row));
        if row.sends == Some(true) {
            contract = contract.exfiltrating();
        } else if row.sends == Some(false) && unchanged {
            contract = contract.not_exfiltrating();
        }
        if row.destroys {
            contract = contract.destructive();
        }
        for sink in row.sinks {
            contract = contract.joined_sink(sink.params.iter().copied(), sink.join, sink.kind);
        }
        if unchanged {
            contract = row.harmless.iter().fold(contract, |contract, path| contract.harmless(*path));
        }
        contract = row.writes.iter().fold(contract, |contract, path| contract.write_param(*path));
        contract = row.directories.iter().fold(contract, |contract, place| contract.directory(*place));
        if let Some(calls) = row.max_calls {
            contract = contract.max_calls(calls);
        }
        if row.evaluate { contract.evaluate() } else { contract }
    }

    fn knows_arguments(&self, definition: &Value, row: &Row) -> bool {
        knows_all(definition, |name| self.knows(name, row))
    }

    fn knows(&self, name: &str, row: &Row) -> bool {
        let paths =
            row.harmless.iter().chain(row.writes).chain(row.sinks.iter().flat_map(|sink| sink.params));
        self.known.contains(&name) || paths.into_iter().any(|path| top(path) == name)
    }
}

/// Whether every top-level argument of the schema is known, and nothing else can be given that a plain list
/// of properties would not show.
fn knows_all(definition: &Value, knows: impl Fn(&str) -> bool) -> bool {
    let Some(schema) = definition.get("inputSchema") else { return false };
    if ["anyOf", "oneOf", "allOf", "$ref", "if", "patternProperties"]
        .iter()
        .any(|key| schema.get(key).is_some())
    {
        return false;
    }
    match schema.get("properties") {
        None => true,
        Some(Value::Object(properties)) => properties.keys().all(|name| knows(name)),
        Some(_) => false,
    }
}

/// The top-level argument of a path: `action` for `/action/forward`.
fn top(path: &str) -> &str {
    path.strip_prefix('/').unwrap_or(path).split('/').next().unwrap_or_default()
}

/// A name as a file system that ignores case compares it, as far as ASCII goes: two letters beyond it are
/// taken for `k` and `s` there. All of Unicode's cases would be 20 KB of tables in a pack.
#[must_use]
pub fn folded(name: &str) -> String {
    let fold = |letter: char| match letter {
        '\u{212a}' => 'k',
        '\u{17f}' => 's',
        letter => letter.to_ascii_lowercase(),
    };
    name.chars().map(fold).collect()
}

/// Where a word of ASCII stands in a text. The standard search is quicker on long words and ten times the
/// code.
#[must_use]
pub fn find(text: &str, word: &str) -> Option<usize> {
    text.as_bytes().windows(word.len().max(1)).position(|window| window == word.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use bouncer_guest::testing::{json, tool, tools};

    const TABLE: Table = Table {
        rows: &[Row {
            tool: "send",
            sinks: &[sink(&["/to"], Kind::Email)],
            harmless: &["/text", "/more/label"],
            evaluate: true,
            ..SENDS
        }],
        quiet: &["read"],
        known: &["id"],
    };

    #[test]
    fn a_tool_that_the_table_knows_gets_its_contract_and_no_other_does() {
        let listed = [tool("send", &["to", "text", "more"]), tool("read", &["id"]), tool("other", &["id"])];
        let contracts = TABLE.contracts(&listed);
        assert_eq!(contracts.iter().map(Contract::tool).collect::<Vec<_>>(), ["send", "read"]);
        assert_eq!(contracts[0].is_exfiltrating(), Some(true));
        assert_eq!(contracts[0].sink_params(), ["/to"]);
        assert_eq!(contracts[0].harmless_params(), ["/text", "/more/label"]);
        assert_eq!(contracts[1].is_exfiltrating(), Some(false));
    }

    #[test]
    fn an_argument_that_is_new_takes_back_what_loosens() {
        let contracts =
            TABLE.contracts(&[tool("send", &["to", "text", "webhook"]), tool("read", &["id", "webhook"])]);
        assert_eq!(contracts[0].is_exfiltrating(), Some(true));
        assert_eq!(contracts[0].sink_params(), ["/to"]);
        assert!(contracts[0].harmless_params().is_empty());
        assert_eq!(contracts[1].is_exfiltrating(), None);
    }

    #[test]
    fn names_are_folded_as_far_as_ascii_goes() {
        assert_eq!(folded(".GitHub/WOR\u{212a}FLOW\u{17f}/É"), ".github/workflows/É");
    }

    #[test]
    fn a_word_is_found_where_it_stands_first() {
        assert_eq!(find("é http http", "http"), Some(3));
        assert_eq!((find("htt", "http"), find("", "http"), find("x", "")), (None, None, None));
    }

    #[test]
    fn a_schema_that_hides_its_arguments_loosens_nothing() {
        for schema in [
            json!(null),
            json!({"anyOf": [{"properties": {"url": {}}}]}),
            json!({"$ref": "#/x"}),
            json!({"properties": ["id"]}),
        ] {
            let listed = tools(&json!([{"name": "read", "inputSchema": schema}, {"name": "read"}]));
            let contracts = TABLE.contracts(&listed);
            assert_eq!(contracts.len(), 2);
            let said = |contract: &Contract| contract.is_exfiltrating();
            assert!(contracts.iter().skip(1).all(|contract| said(contract).is_none()), "{schema}");
            assert!(schema.is_null() || said(&contracts[0]).is_none(), "{schema}");
        }
    }
}
