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
            "aggregate" | "aggregate-db" => pipeline(call, &mut judgement),
            "update-many" | "delete-many" if !text::is_filled(call.get("/filter")) => {
                let text = "without a filter every document of the collection is meant";
                judgement.push(Finding::ask("everything", text).at("/filter"));
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
            let everything = matches!(verb.as_str(), "update" | "delete") && !sql::has_word(text, "where");
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

/// Stages that write, or run code, inside of a pipeline that reads otherwise.
const STAGES: [&str; 5] = ["$out", "$merge", "$function", "$accumulator", "$where"];

fn pipeline(call: &Call<'_>, judgement: &mut Judgement) {
    let Some(pipeline) = call.get("/pipeline") else { return };
    let text = pipeline.to_string();
    if let Some(stage) = STAGES.iter().find(|stage| text.contains(**stage)) {
        let said = format!("`{stage}` makes the pipeline write or run code");
        judgement.push(Finding::ask("pipeline_writes", said).at("/pipeline"));
    }
}

export_policy!(Databases);
