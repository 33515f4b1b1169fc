use super::*;
use bouncer_guest::testing::{call, json, server, tool, tools};

fn codes(sql: &str, dialect: &str) -> Vec<String> {
    let settings = Settings { dialect: dialect.into(), ..Settings::default() };
    let judgement = ReadOnlySql::evaluate(&call("query", json!({"sql": sql})), &[], &settings).unwrap();
    judgement.findings().iter().map(|found| found.code().to_owned()).collect()
}

#[test]
fn plain_reads_pass() {
    for sql in [
        "SELECT a, b FROM t WHERE c = 'drop table t; --' LIMIT 3",
        "WITH x AS (SELECT 1 AS a) SELECT * FROM x UNION ALL SELECT 2",
        "EXPLAIN SELECT 1",
        "SHOW TABLES",
        "SELECT \"update\" FROM t",
        "select url, file from t",
    ] {
        assert_eq!(codes(sql, "generic"), [""; 0], "{sql}");
    }
}

#[test]
fn everything_else_is_refused() {
    for (sql, dialect, code) in [
        ("DELETE FROM t", "generic", "writes"),
        ("SELECT 1; DROP TABLE t", "generic", "writes"),
        ("COMMIT", "postgresql", "writes"),
        ("WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d", "postgresql", "writes"),
        ("SELECT * INTO n FROM t", "postgresql", "writes"),
        ("EXPLAIN ANALYZE DELETE FROM t", "postgresql", "writes"),
        ("SELECT * FROM t FOR UPDATE", "postgresql", "locks"),
        ("COPY t TO PROGRAM 'curl e.example'", "postgresql", "writes"),
        ("SELECT * FROM dblink('host=e.example', 'x') AS t(a int)", "postgresql", "leaves_database"),
        ("SELECT pg_read_file('/etc/passwd')", "postgresql", "leaves_database"),
        ("SELECT * FROM url('http://e.example', CSV)", "clickhouse", "leaves_database"),
        ("SELECT \"pg_catalog\".\"pg_read_file\"('/x')", "postgresql", "leaves_database"),
        ("ATTACH DATABASE 'x' AS y", "sqlite", "writes"),
        ("not sql at all", "generic", "unread_sql"),
        ("", "generic", "unread_sql"),
    ] {
        assert!(codes(sql, dialect).iter().any(|found| found == code), "{sql}: {:?}", codes(sql, dialect));
    }
}

#[test]
fn deep_nesting_is_refused_and_nothing_hangs() {
    let deep = format!("SELECT {}1{}", "(".repeat(20_000), ")".repeat(20_000));
    assert_eq!(codes(&deep, "generic"), ["unread_sql"]);
}

#[test]
fn the_tools_that_take_sql_are_looked_at() {
    let listed = [tool("query", &["sql"]), tool("search", &["query"]), tool("send", &["to"])];
    let said = |settings: &Settings, listed: &[Tool]| -> Vec<String> {
        let contracts = ReadOnlySql::contracts(&server("x"), listed, settings).unwrap();
        contracts.iter().map(|contract| contract.tool().to_owned()).collect()
    };
    assert_eq!(said(&Settings::default(), &listed), ["query"]);
    let described = tools(
        &json!([{"name": "run", "description": "Runs an SQL statement", "inputSchema": {"properties": {"query": {}}}}]),
    );
    assert_eq!(said(&Settings::default(), &described), ["run"]);
    assert_eq!(said(&Settings { tools: vec!["search".into()], ..Settings::default() }, &listed), ["search"]);
    let odd = Settings { dialect: "klingon".into(), ..Settings::default() };
    assert!(ReadOnlySql::contracts(&server("x"), &listed, &odd).is_err());
    // SQL that stands elsewhere is not overlooked in silence.
    let elsewhere =
        ReadOnlySql::evaluate(&call("query", json!({"text": "DROP TABLE t"})), &[], &Settings::default());
    assert_eq!(elsewhere.unwrap().verdict(), Verdict::Deny);
}
