//! A rule that lets SQL only read: every statement is parsed; one that writes, locks or reaches out of the database is
//! refused, and so is one that cannot be parsed.

use bouncer_guest::prelude::*;
use bouncer_pack_table::sql::reaches_out;
use core::ops::ControlFlow;
use sqlparser::ast::{Expr, ObjectName, Query, SetExpr, Statement, TableFactor, Visit, Visitor};
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
fn look(sql: &str, dialect: &str) -> Result<Vec<(&'static str, String)>, Error> {
    let dialect = dialect_from_str(dialect).ok_or("settings: no such dialect")?;
    let statements = match Parser::parse_sql(&*dialect, sql) {
        Ok(statements) if statements.is_empty() => {
            return Ok(vec![("unread_sql", "there is no statement".to_owned())]);
        }
        Ok(statements) => statements,
        Err(error) => return Ok(vec![("unread_sql", format!("the SQL cannot be read: {error}"))]),
    };
    let mut looker = Looker::default();
    let _: ControlFlow<()> = statements.visit(&mut looker);
    Ok(looker.found)
}

#[derive(Default)]
struct Looker {
    found: Vec<(&'static str, String)>,
}

impl Looker {
    fn push(&mut self, code: &'static str, text: String) {
        if self.found.len() < 20 && !self.found.contains(&(code, text.clone())) {
            self.found.push((code, text));
        }
    }

    fn function(&mut self, name: &ObjectName) {
        let name = name.to_string().to_ascii_lowercase().replace(['"', '`', '[', ']'], "");
        let last = name.rsplit('.').next().unwrap_or_default();
        if reaches_out(last) {
            self.push("leaves_database", format!("`{last}` reaches out of the database"));
        }
    }
}

impl Visitor for Looker {
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
