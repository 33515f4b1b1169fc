//! Policy pack for databases: SQL and pipelines that write more than they say, or reach out of the database (files, programs,
//! other servers), are asked about; reading is left alone.

use bouncer_guest::prelude::*;
use bouncer_pack_table::sql::{self, Beyond};
use bouncer_pack_table::{link, text};

/// What is known of each server's tools.
pub const TABLES: &[&str] = &[
    include_str!("../tables/airtable.txt"),
    include_str!("../tables/aws-dynamodb.txt"),
    include_str!("../tables/clickhouse.txt"),
    include_str!("../tables/mongodb.txt"),
    include_str!("../tables/neon.txt"),
    include_str!("../tables/postgres-ref.txt"),
    include_str!("../tables/redis-ref.txt"),
    include_str!("../tables/sqlite.txt"),
];

/// There is nothing to set.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {}

/// The policy.
#[derive(Debug)]
pub struct Databases;

impl Policy for Databases {
    type Settings = Settings;

    fn contracts(server: &Server, tools: &[Tool], _: &Settings) -> Result<Vec<Contract>, Error> {
        text::contracts(TABLES, server, tools)
    }

    fn evaluate(call: &Call<'_>, destinations: &[Destination], _: &Settings) -> Result<Judgement, Error> {
        let mut judgement = Judgement::new();
        match call.tool() {
            "query" => statement(call, "/sql", Expected::ReadOnly, &mut judgement),
            "read_query" => statement(call, "/query", Expected::Read, &mut judgement),
            "run_query" => statement(call, "/query", Expected::Read, &mut judgement),
            "run_sql" => statement(call, "/params/sql", Expected::Read, &mut judgement),
            "run_sql_transaction" => statement(call, "/params/sqlStatements", Expected::Read, &mut judgement),
            "write_query" => statement(call, "/query", Expected::Write, &mut judgement),
            "create_table" => statement(call, "/query", Expected::Create, &mut judgement),
            "prepare_database_migration" => {
                statement(call, "/params/migrationSql", Expected::Any, &mut judgement)
            }
            "describe_table" => table_name(call, "/table_name", &mut judgement),
            "describe_table_schema" => table_name(call, "/params/tableName", &mut judgement),
            "aggregate" | "aggregate-db" | "count" | "explain" | "export" | "find" => {
                operators(call, &mut judgement);
            }
            "update-many" | "delete-many" => {
                if !call.get("/filter").is_some_and(limits) {
                    let text = "without a filter every document of the collection is meant";
                    judgement.push(Finding::ask("everything", text).at("/filter"));
                }
                operators(call, &mut judgement);
            }
            _ => {}
        }
        let places = ["/sql", "/query", "/params", "/pipeline", "/connectionConfig"];
        if !judgement.findings().is_empty() || call.tool().starts_with("atlas-streams") {
            link::add(call, &places, destinations, &mut judgement);
        }
        Ok(judgement)
    }
}

/// What a tool is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    /// Reading, and its server lets nothing else happen unless the statement ends its transaction.
    ReadOnly,
    /// Reading, though its server may let it write.
    Read,
    /// One statement that inserts, updates or deletes.
    Write,
    /// One statement that creates a table.
    Create,
    /// Any statement, on a branch of its own.
    Any,
}

/// Every text of SQL at `path`.
fn statement(call: &Call<'_>, path: &str, expected: Expected, judgement: &mut Judgement) {
    let texts = call.leaves(path);
    if texts.is_empty() {
        judgement.push(Finding::ask("unclear_sql", "the SQL does not stand where the tool takes it"));
    }
    for (pointer, text) in texts {
        for beyond in sql::beyond(&text) {
            judge(&beyond, &text, &pointer, expected, judgement);
        }
    }
}

fn judge(beyond: &Beyond, text: &str, pointer: &str, expected: Expected, judgement: &mut Judgement) {
    let finding = match beyond {
        Beyond::Leaves(word) => {
            Finding::ask("leaves_database", format!("`{word}` reaches out of the database"))
        }
        Beyond::Unclear(why) => {
            Finding::ask("unclear_sql", format!("what the SQL does cannot be told: {why}"))
        }
        Beyond::Writes(word) => {
            let plain = sql::statements(text) <= 1;
            let verb = sql::verb(text);
            let everything = matches!(verb.as_str(), "update" | "delete") && !sql::is_limited(text);
            match expected {
                Expected::ReadOnly
                    if matches!(
                        word.as_str(),
                        "commit" | "end" | "rollback" | "abort" | "begin" | "start" | "set" | "reset"
                    ) =>
                {
                    let said = format!(
                        "`{word}` ends or changes the transaction that keeps the server from writing"
                    );
                    Finding::deny("ends_read_only", said)
                }
                Expected::Write if plain && everything => {
                    Finding::ask("everything", "without a `where` every row of the table is meant")
                }
                Expected::Write
                    if plain && matches!(verb.as_str(), "insert" | "update" | "delete" | "replace") =>
                {
                    return;
                }
                Expected::Create if plain && verb == "create" => return,
                Expected::Any => return,
                Expected::Write | Expected::Create => {
                    Finding::ask("other_statement", format!("`{word}` is not what this tool is for"))
                }
                Expected::ReadOnly | Expected::Read => {
                    Finding::ask("writes", format!("`{word}` makes it more than a plain read"))
                }
            }
        }
    };
    judgement.push(finding.at(pointer));
}

/// The name of a table that the server puts into a statement of its own.
fn table_name(call: &Call<'_>, path: &str, judgement: &mut Judgement) {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '-' | ' ' | '"');
    for (pointer, text) in call.leaves(path) {
        if !text.chars().all(plain) || text.contains("--") {
            let said = "the name of the table is more than a name, and becomes a part of a statement";
            judgement.push(Finding::ask("unclear_sql", said).at(pointer));
        }
    }
}

/// Whether a filter names a field: an operator alone compares nothing that a document holds (`{"$comment": "x"}`), and
/// a list of such neither.
fn limits(filter: &Value) -> bool {
    match filter {
        Value::Object(map) => map.iter().any(|(key, value)| match key.as_str() {
            "$and" => limits(value),
            // One branch that everything fits into is enough; what `$nor` keeps out is never everything.
            "$or" => value.as_array().is_some_and(|items| !items.is_empty() && items.iter().all(limits)),
            "$nor" => limits(value),
            "$comment" | "$expr" | "$alwaysTrue" | "$sampleRate" => false,
            _ => true,
        }),
        Value::Array(items) => items.iter().any(limits),
        other => text::is_filled(Some(other)),
    }
}

/// What writes, leaves the cluster or runs code inside of what reads otherwise.
const OPERATORS: [(&str, &str); 8] = [
    ("$out", "pipeline_writes"),
    ("$merge", "pipeline_writes"),
    ("$emit", "pipeline_writes"),
    ("$https", "pipeline_writes"),
    ("$externalFunction", "pipeline_writes"),
    ("$function", "runs_code"),
    ("$accumulator", "runs_code"),
    ("$where", "runs_code"),
];

/// Every argument, as a server may take a filter from any.
fn operators(call: &Call<'_>, judgement: &mut Judgement) {
    let Value::Object(arguments) = call.arguments() else { return };
    for (name, value) in arguments.iter() {
        if let Some((operator, code)) = OPERATORS.iter().find(|(operator, _)| holds(value, operator)) {
            let said = match *code {
                "runs_code" => format!("`{operator}` runs code in the database"),
                _ => format!("`{operator}` makes the pipeline write"),
            };
            judgement.push(Finding::ask(*code, said).at(format!("/{name}")));
        }
    }
}

/// Whether the operator is a key somewhere, or in a text that a server may yet parse; `"$outcome"` is a field.
fn holds(value: &Value, operator: &str) -> bool {
    match value {
        Value::Object(map) => map.iter().any(|(key, value)| key == operator || holds(value, operator)),
        Value::Array(items) => items.iter().any(|item| holds(item, operator)),
        Value::String(text) => text.trim_start().starts_with(['{', '[']) && text.contains(operator),
        _ => false,
    }
}

export_policy!(Databases);

#[cfg(test)]
mod tests;
