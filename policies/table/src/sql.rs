//! Whether SQL only reads what lies in its database. It is no parser: dialects differ in what a string or a comment is, so
//! words count wherever they stand, and what looks like more than a plain read is said to be one.

#[path = "sql_names.rs"]
mod names;

use names::{LEAVES, LEAVES_WHOLE, LEAVING, PACKAGES, STAYS, TABLES, WRITERS};

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
const RUNS: &[&str] = &[
    "create", "drop", "alter", "truncate", "execute", "call", "refresh", "copy", "upsert", "grant", "revoke",
];

/// Words that a table follows. DuckDB takes a string there for a file or an address; `using` names a program in Hive.
const BEFORE_TABLES: &[&str] = &["from", "join", "table", "describe", "desc", "using"];

/// What the text does beyond a plain read; empty where it does nothing else.
#[must_use]
pub fn beyond(sql: &str) -> Vec<Beyond> {
    let text = crate::folded(sql);
    let mut found = Vec::new();
    let mut push = |one: Beyond| {
        if !found.contains(&one) {
            found.push(one);
        }
    };
    if text.contains("u&\"") || text.contains("u&'") {
        push(Beyond::Unclear("it writes names by their code points"));
    }
    if holds_run_comment(&text) {
        push(Beyond::Unclear("it holds a comment that some databases run"));
    }
    if nests_comments(&text) {
        push(Beyond::Unclear(
            "it holds a comment inside of a comment, which ends elsewhere in some databases",
        ));
    }
    if text.contains('\0') || text.replace("\r\n", "").contains('\r') {
        push(Beyond::Unclear("it holds a control character that ends a line in some databases"));
    }
    for statement in split(&text) {
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
        for Word { before, word, after } in words(statement) {
            let called = is_called(after) && !names_a_table(before, after);
            let runs = first == "explain" && ends_as(word, RUNS);
            if ends_as(word, WRITES) || runs || called && WRITERS.contains(&word) {
                push(Beyond::Writes(word.to_owned()));
            }
            let string = ends_as(word, BEFORE_TABLES) && reads_a_string(before, word, after);
            let named = ends_as(word, LEAVING) || is_outside(word) || is_package(word);
            if named || string || called && reaches_out(word) {
                push(Beyond::Leaves(word.to_owned()));
            }
            // ClickHouse knows such escapes in a quoted name as well.
            if called && before.ends_with('\\') && after.starts_with(['"', '`']) {
                push(Beyond::Unclear("it writes names with escapes"));
            }
        }
    }
    found
}

/// Whether a function of this name, in lower case, reaches out of the database.
#[must_use]
pub fn reaches_out(function: &str) -> bool {
    let begins = |names: &[&str]| names.iter().any(|name| function.starts_with(name));
    LEAVES_WHOLE.contains(&function) || (begins(LEAVES) || begins(LEAVING)) && !begins(STAYS)
}

/// Whether a name, in lower case, is one of a package or procedure that reaches out whatever of it is called.
#[must_use]
pub fn is_package(name: &str) -> bool {
    PACKAGES.iter().any(|package| name.starts_with(package))
}

/// Whether a table of this name, in lower case, reaches out of the database.
#[must_use]
pub fn is_outside(table: &str) -> bool {
    TABLES.contains(&table)
}

/// Whether a function of this name, in lower case, writes.
#[must_use]
pub fn writes(function: &str) -> bool {
    WRITERS.contains(&function)
}

/// Whether a comment stands in the text, in lower case, that MySQL, MariaDB or TiDB runs.
#[must_use]
pub fn holds_run_comment(text: &str) -> bool {
    ["/*!", "/*m!", "/*t!"].iter().any(|start| text.contains(start))
}

/// The first word of the first statement, in lower case; empty where there is none.
#[must_use]
pub fn verb(sql: &str) -> String {
    let text = sql.to_ascii_lowercase();
    beginning(&text).chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
}

/// Whether a `where` of the statement itself names something: one in a comment, a string or a query inside, or one that
/// only compares constants, keeps nothing out. Strings and comments are SQLite's.
#[must_use]
pub fn is_limited(sql: &str) -> bool {
    const CONSTANTS: &[&str] = &["true", "false", "not", "null", "is", "or", "and", "like", "in", "between"];
    let text = sql.to_ascii_lowercase();
    let (mut depth, mut limits, mut rest) = (0_u32, false, text.as_str());
    while let Some(letter) = rest.chars().next() {
        let tail = rest.get(letter.len_utf8()..).unwrap_or_default();
        let past = |end: &str| tail.split_once(end).map_or("", |(_, after)| after);
        rest = match letter {
            '\'' => past("'"),
            '"' | '`' | '[' if limits => return true,
            '"' => past("\""),
            '`' => past("`"),
            '[' => past("]"),
            '-' if tail.starts_with('-') => past("\n"),
            '/' if tail.starts_with('*') => past("*/"),
            _ if letter.is_alphanumeric() || letter == '_' => {
                let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
                let word = rest.get(..end).unwrap_or_default();
                if limits && !letter.is_ascii_digit() && !CONSTANTS.contains(&word) {
                    return word != "returning";
                }
                limits |= depth == 0 && word == "where";
                rest.get(end..).unwrap_or_default()
            }
            _ => {
                match letter {
                    '(' => depth = depth.saturating_add(1),
                    ')' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                tail
            }
        };
    }
    false
}

/// How many statements there are, empty ones left out.
#[must_use]
pub fn statements(sql: &str) -> usize {
    split(sql).into_iter().filter(|statement| !beginning(statement).is_empty()).count()
}

/// The statements; a semicolon in a string ends none, as far as every database takes it for one. Where a comment, an
/// escape or another quote stands they differ, and each semicolon counts.
fn split(sql: &str) -> Vec<&str> {
    let (mut found, mut start, mut quote, mut before) = (Vec::new(), 0, None, ' ');
    for (at, letter) in sql.char_indices() {
        let unclear = match (quote, letter) {
            (_, '\\') => true,
            (Some(open), _) => {
                if letter == open {
                    quote = None;
                }
                false
            }
            (None, '\'' | '"') => {
                quote = Some(letter);
                // Letters before it may change what ends it: `q'[it's]'`.
                before.is_alphanumeric() || before == '_'
            }
            (None, '#' | '$' | '`' | '[' | '\u{2018}'..='\u{201f}') => true,
            (None, '-' | '*' | '/') => matches!((before, letter), ('-', '-') | ('/', '*' | '/')),
            (None, ';') => {
                found.push(sql.get(start..at).unwrap_or_default());
                start = at.saturating_add(1);
                false
            }
            _ => false,
        };
        if unclear {
            return sql.split(';').collect();
        }
        before = letter;
    }
    if quote.is_some() {
        return sql.split(';').collect();
    }
    found.push(sql.get(start..).unwrap_or_default());
    found
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

/// Whether a comment begins inside of another, and both end.
fn nests_comments(text: &str) -> bool {
    let mut rest = text;
    while let Some((_, inside)) = rest.split_once("/*") {
        let Some((comment, after)) = inside.split_once("*/") else { return false };
        if comment.contains("/*") {
            return true;
        }
        rest = after;
    }
    false
}

/// A word and what stands around it.
struct Word<'a> {
    before: &'a str,
    word: &'a str,
    after: &'a str,
}

/// Every word.
fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text.get(at..)?.find(is_word)?;
        let tail = text.get(start..)?;
        let end = start + tail.find(|c| !is_word(c)).unwrap_or(tail.len());
        at = end;
        Some(Word { before: text.get(..start)?, word: text.get(start..end)?, after: text.get(end..)? })
    })
}

/// Whether the word is one of these, or a number that one follows at once: `1into` is two words to some.
fn ends_as(word: &str, names: &[&str]) -> bool {
    let number = word.starts_with(|c: char| c.is_ascii_digit());
    names.iter().any(|name| word == *name || number && word.ends_with(name))
}

/// Whether a name is a table's with its columns in brackets, as in `into files (id, name)`; only where nothing but words
/// leads up to it, since `insert into openquery (server, 'x')` and `on url(a)` inside of a query are calls.
fn names_a_table(before: &str, after: &str) -> bool {
    let lead = before.trim_end_matches(['"', '`']);
    let mut words = lead.split_ascii_whitespace();
    let (verb, last) = (words.next().unwrap_or_default(), words.next_back().unwrap_or_default());
    let Some(rest) = after.trim_start_matches(['"', '`']).trim_start().strip_prefix('(') else {
        return false;
    };
    let columns = rest.split_once(')').is_some_and(|(names, _)| {
        names
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c.is_whitespace() || matches!(c, '_' | ',' | '"' | '`'))
    });
    let place = match verb {
        "insert" | "replace" => last == "into" && columns,
        "create" => matches!(last, "table" | "exists") || matches!(last, "on" | "references") && columns,
        "alter" => last == "references" && columns,
        _ => false,
    };
    let inner = if matches!(last, "on" | "references") { &['(', ')', ','][..] } else { &[] };
    let plain = |c: char| c.is_ascii_alphanumeric() || c.is_whitespace() || c == '_' || inner.contains(&c);
    let queries = |word: &str| matches!(word, "select" | "as" | "with" | "from");
    place && lead.chars().all(plain) && !lead.split_ascii_whitespace().any(queries)
}

/// Whether what follows a name makes it a call: a bracket, after closing quotes, white space or a comment.
fn is_called(rest: &str) -> bool {
    // ClickHouse takes typographic quotes for plain ones.
    let quotes = ['"', '`', '\'', ']', '\u{2018}', '\u{2019}', '\u{201c}', '\u{201d}'];
    let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || quotes.contains(&c));
    ["(", "/*", "--", "#", "//"].iter().any(|start| rest.starts_with(start))
}

/// Whether a string that may be a file, an address or a program stands where a table is named, other than in
/// `is distinct from 'x'` and `extract(day from 'x')`.
fn reads_a_string(before: &str, word: &str, after: &str) -> bool {
    let rest = beginning(after).trim_start_matches('[');
    let rest = rest.strip_prefix(['e', 'r']).filter(|rest| rest.starts_with('\'')).unwrap_or(rest);
    let string = match rest.strip_prefix('\'') {
        // Often such a quote only ends a text that holds the word: then no place is named up to the next one.
        Some(text) => word == "using" || names_a_place(text),
        None => rest.strip_prefix('$').is_some_and(|tag| {
            tag.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_').starts_with('$')
        }),
    };
    // No line end: the words before it may stand in a comment.
    let before = before.trim_end_matches(' ');
    let compares = before.ends_with("is distinct") || before.ends_with("is not distinct");
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '_' | '.');
    // `trim(leading '0' from 'x.y')`: one string of plain letters may stand before it.
    let string_before =
        before.strip_suffix('\'').map(|text| text.trim_end_matches(|c: char| plain(c) || c == '-'));
    let operand = string_before.and_then(|text| text.strip_suffix('\'')).unwrap_or(before);
    let takes_part = operand.trim_end_matches(plain).strip_suffix('(').is_some_and(|name| {
        ["extract", "trim", "substring", "position", "overlay"]
            .iter()
            .any(|function| name.trim_end().ends_with(function))
    });
    string && !(word == "from" && (compares || takes_part))
}

/// Whether the text up to its closing quote may be the name of a file or an address.
fn names_a_place(text: &str) -> bool {
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '.' | '/' | '\\' | ':' | '*' | '?' => return true,
            '\'' if letters.next_if_eq(&'\'').is_none() => return false,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
#[path = "sql_tests.rs"]
mod tests;
