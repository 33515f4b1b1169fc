//! A rule that lets SQL only read: every statement is parsed; one that writes, locks or reaches out of the database is
//! refused, and so is one that cannot be parsed, or that databases read differently than the parser.

mod spelling;

use bouncer_guest::prelude::*;
use bouncer_pack_table::sql;
use core::ops::ControlFlow;
use sqlparser::ast::{
    Expr, ObjectName, PipeOperator, Query, SetExpr, Statement, TableFactor, Visit, Visitor,
};
use sqlparser::dialect::dialect_from_str;
use sqlparser::parser::Parser;

/// Settings of the rule.
#[derive(Debug, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The dialect: `generic`, `postgresql`, `mysql`, `sqlite`, `clickhouse`, `mssql`, `snowflake`, `bigquery`, `duckdb`...
    pub dialect: String,
    /// Arguments that hold SQL, as names or paths.
    pub arguments: Vec<String>,
    /// Tools to look at; empty: those with one of the arguments, where the tool's own words speak of SQL or the argument
    /// is called so.
    pub tools: Vec<String>,
    /// Whether what is not a plain read is asked about in the place of being refused.
    pub ask: bool,
}

impl Default for Settings {
    fn default() -> Self {
        let arguments = ["sql", "sqls", "sqlStatements", "sql_query", "statement", "statements", "query"];
        Self {
            dialect: "generic".to_owned(),
            arguments: arguments.map(str::to_owned).to_vec(),
            tools: Vec::new(),
            ask: false,
        }
    }
}

/// The rule.
#[derive(Debug)]
pub struct ReadOnlySql;

impl Policy for ReadOnlySql {
    type Settings = Settings;

    fn contracts(_: &Server, tools: &[Tool], settings: &Settings) -> Result<Vec<Contract>, Error> {
        // A word for a dialect that does not exist must not pass for one.
        dialect_from_str(&settings.dialect)
            .ok_or_else(|| Error::new(format!("settings: no such dialect `{}`", settings.dialect)))?;
        let meant = |tool: &&Tool| {
            if !settings.tools.is_empty() {
                return settings.tools.iter().any(|name| name == tool.name());
            }
            let text = tool.definition().map(|definition| definition.to_string().to_ascii_lowercase());
            tool.params().iter().any(|param| {
                let named =
                    settings.arguments.iter().any(|argument| argument.trim_start_matches('/') == param);
                named
                    && (param.to_ascii_lowercase().contains("sql")
                        || text.as_ref().is_ok_and(|text| text.contains("sql")))
            })
        };
        Ok(tools.iter().filter(meant).map(|tool| Contract::new(tool.name()).evaluate()).collect())
    }

    fn evaluate(call: &Call<'_>, _: &[Destination], settings: &Settings) -> Result<Judgement, Error> {
        let mut judgement = Judgement::new();
        let mut texts: Vec<(String, String)> = Vec::new();
        for argument in &settings.arguments {
            texts.extend(call.leaves(&format!("/{}", argument.trim_start_matches('/'))));
        }
        if texts.is_empty() {
            judgement.push(finding(
                settings,
                "no_sql",
                "there is no SQL where the rule looks for it".to_owned(),
            ));
        }
        for (pointer, text) in texts {
            for (code, text) in look(&text, &settings.dialect)? {
                judgement.push(finding(settings, code, text).at(pointer.as_str()));
            }
        }
        Ok(judgement)
    }
}

fn finding(settings: &Settings, code: &str, text: String) -> Finding {
    if settings.ask { Finding::ask(code, text) } else { Finding::deny(code, text) }
}

/// What is more than a plain read.
fn look(sql: &str, name: &str) -> Result<Vec<(&'static str, String)>, Error> {
    let dialect = dialect_from_str(name).ok_or("settings: no such dialect")?;
    let statements = match Parser::parse_sql(&*dialect, sql) {
        Ok(statements) if statements.is_empty() => {
            return Ok(vec![("unread_sql", "there is no statement".to_owned())]);
        }
        Ok(statements) => statements,
        Err(error) => return Ok(vec![("unread_sql", format!("the SQL cannot be read: {error}"))]),
    };
    let name = name.to_ascii_lowercase();
    let mut looker = Looker { found: Vec::new(), dialect: &name };
    if let Some(why) = spelling::ambiguous(sql, &*dialect, &name) {
        looker.push("ambiguous_sql", format!("databases read the SQL differently: {why}"));
    }
    let _: ControlFlow<()> = statements.visit(&mut looker);
    Ok(looker.found)
}

struct Looker<'a> {
    found: Vec<(&'static str, String)>,
    dialect: &'a str,
}

impl Looker<'_> {
    fn push(&mut self, code: &'static str, text: String) {
        if self.found.len() < 20 && !self.found.contains(&(code, text.clone())) {
            self.found.push((code, text));
        }
    }

    fn leaves(&mut self, name: &str) {
        self.push("leaves_database", format!("`{name}` reaches out of the database"));
    }

    fn function(&mut self, name: &ObjectName) {
        let name = plain(name);
        let last = name.rsplit('.').next().unwrap_or_default();
        if sql::writes(last) {
            self.push("writes", format!("`{last}` writes"));
        }
        if sql::reaches_out(last) || name.split('.').any(sql::is_package) {
            self.leaves(last);
        }
    }

    fn table(&mut self, name: &str) {
        const FILES: &[&str] = &[
            "avro", "csv", "fgb", "geojson", "gpkg", "gz", "json", "jsonl", "ndjson", "parquet", "shp",
            "tsv", "xlsx", "zst",
        ];
        let parts: Vec<&str> = name.split('.').collect();
        let last = parts.last().copied().unwrap_or_default();
        let elsewhere = |one: &str| self.dialect == one || self.dialect == "generic";
        // DuckDB reads `from data.csv`; a fourth part names another server of SQL Server's; Oracle's links and Snowflake's
        // stages have an `@`, as a table variable of SQL Server's begins with one.
        let file = parts.len() > 1 && FILES.contains(&last) && elsewhere("duckdb");
        let server = parts.len() > 3 && elsewhere("mssql") && !parts.contains(&"information_schema");
        let link = if self.dialect == "mssql" { name.trim_start_matches('@') } else { name };
        if name.contains(['/', '\\'])
            || link.contains('@')
            || file
            || server
            || parts.iter().any(|part| sql::is_outside(part))
        {
            self.leaves(name);
        }
    }

    /// Tables of `TABLE x`, which the parser keeps as plain texts.
    fn named_tables(&mut self, body: &SetExpr) {
        match body {
            SetExpr::Table(table) => {
                let parts = [&table.schema_name, &table.table_name].into_iter().flatten();
                let parts: Vec<String> = parts.map(|part| part.value.to_ascii_lowercase()).collect();
                self.table(&parts.join("."));
            }
            SetExpr::SetOperation { left, right, .. } => {
                self.named_tables(left);
                self.named_tables(right);
            }
            _ => {}
        }
    }
}

/// A name in lower case, without quotes.
fn plain(name: &ObjectName) -> String {
    name.to_string().to_ascii_lowercase().replace(['"', '`', '[', ']', '\''], "")
}

impl Visitor for Looker<'_> {
    type Break = ();

    fn pre_visit_statement(&mut self, statement: &Statement) -> ControlFlow<()> {
        let reads = matches!(
            statement,
            Statement::Query(_)
                | Statement::Explain { .. }
                | Statement::ExplainTable { .. }
                | Statement::ShowTables { .. }
                | Statement::ShowColumns { .. }
                | Statement::ShowDatabases { .. }
                | Statement::ShowSchemas { .. }
                | Statement::ShowCreate { .. }
                | Statement::ShowVariable { .. }
        );
        if !reads {
            let text = statement.to_string();
            let verb: Vec<&str> = text.split_whitespace().take(2).collect();
            self.push("writes", format!("`{}` is no plain read", verb.join(" ")));
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        if !query.locks.is_empty() {
            self.push("locks", "the query locks what it reads".to_owned());
        }
        match &*query.body {
            SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_) => {
                self.push("writes", "a part of the query writes".to_owned());
            }
            _ => {}
        }
        self.named_tables(&query.body);
        for operator in &query.pipe_operators {
            if let PipeOperator::Call { function, .. } = operator {
                self.function(&function.name);
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_relation(&mut self, name: &ObjectName) -> ControlFlow<()> {
        self.table(&plain(name));
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &sqlparser::ast::Select) -> ControlFlow<()> {
        if select.into.is_some() {
            self.push("writes", "`SELECT INTO` makes a table".to_owned());
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, table: &TableFactor) -> ControlFlow<()> {
        match table {
            TableFactor::Table { name, args: Some(_), .. } | TableFactor::Function { name, .. } => {
                self.function(name)
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        if let Expr::Function(function) = expr {
            self.function(&function.name);
        }
        ControlFlow::Continue(())
    }
}

export_policy!(ReadOnlySql);

#[cfg(test)]
mod tests;
