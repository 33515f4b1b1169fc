//! What databases take apart differently: where one sees a string or a comment, another may see a statement.

use bouncer_pack_table::sql;
use sqlparser::dialect::Dialect;
use sqlparser::tokenizer::{Token, Tokenizer, Whitespace};

/// Dialects whose strings the parser ends where the database does, a backslash before a quote included.
const SURE_OF_BACKSLASHES: &[&str] =
    &["postgresql", "postgres", "mysql", "sqlite", "mssql", "clickhouse", "snowflake", "oracle"];

/// Words that are a statement of SQL Server's by themselves, and need no semicolon before them.
const STATEMENTS: &[&str] = &["checkpoint", "commit", "reconfigure", "revert", "rollback", "shutdown"];

/// Words that another name or value follows, so that one of those is no statement.
const BEFORE_NAMES: &[&str] = &[
    "all", "and", "as", "between", "by", "case", "distinct", "else", "from", "having", "in", "is", "join",
    "like", "not", "on", "or", "select", "then", "when", "where", "with",
];

/// Why the text may be read in two ways; none where it cannot.
pub(super) fn ambiguous(sql: &str, dialect: &dyn Dialect, name: &str) -> Option<&'static str> {
    if sql::holds_run_comment(&sql.to_ascii_lowercase()) {
        return Some("some run what stands in a comment with `!`");
    }
    if sql.contains('\0') {
        return Some("some end it at a null character");
    }
    let generic = name == "generic";
    if generic && sql.contains('\\') {
        return Some("a backslash escapes what follows in some; name the dialect");
    }
    if !SURE_OF_BACKSLASHES.contains(&name) && ["\\'", "\\\"", "\\`"].iter().any(|pair| sql.contains(pair)) {
        return Some("a backslash before a quote escapes it in some");
    }
    // The parser has read the same text, so that there are tokens.
    let Ok(tokens) = Tokenizer::new(dialect, sql).with_unescape(false).tokenize() else {
        return Some("it cannot be taken apart");
    };
    let escapes = tokens.iter().any(|token| matches!(token, Token::EscapedStringLiteral(_)));
    let brackets = generic && tokens.contains(&Token::LBracket);
    let mut before: Option<&Token> = None;
    for token in &tokens {
        let why = match token {
            Token::Whitespace(space) => comment(space, generic, name),
            Token::DollarQuotedString(_) if !matches!(name, "postgresql" | "postgres") => {
                Some("`$$` begins a string in some alone")
            }
            Token::QuoteDelimitedStringLiteral(_) | Token::NationalQuoteDelimitedStringLiteral(_)
                if name != "oracle" =>
            {
                Some("`q'` begins a string of its own kind in some alone")
            }
            // Such a string goes on behind a line end, and its escapes with it.
            Token::SingleQuotedString(text) if escapes && text.contains('\\') => {
                Some("a backslash stands in a string beside one with escapes")
            }
            Token::Word(word) if word.quote_style.is_some() && word.value.contains('\\') => {
                Some("a backslash in a name escapes what follows in some")
            }
            Token::Word(word) if generic && word.quote_style == Some('`') && holds_code(&word.value) => {
                Some("a backtick does not quote in some")
            }
            Token::Word(word) if generic && word.quote_style.is_none() => {
                let known = STATEMENTS.contains(&word.value.to_ascii_lowercase().as_str());
                (known && before.is_some_and(ends_an_expression))
                    .then_some("some need no semicolon between statements")
            }
            Token::DuckIntDiv if generic => Some("`//` begins a comment in some"),
            _ => None,
        };
        let text = if generic { token.to_string() } else { String::new() };
        let hash = || generic && is_code(token) && text.contains('#');
        let triple = || generic && (text.starts_with("'''") || text.starts_with("\"\"\""));
        let why = why
            .or_else(|| hash().then_some("`#` begins a comment in some"))
            .or_else(|| triple().then_some("three quotes begin a string of their own kind in some"))
            .or_else(|| {
                (brackets && !is_code(token) && text.contains(']'))
                    .then_some("a bracket quotes a name in some")
            });
        if why.is_some() {
            return why;
        }
        if !matches!(token, Token::Whitespace(_)) {
            before = Some(token);
        }
    }
    None
}

fn comment(space: &Whitespace, generic: bool, name: &str) -> Option<&'static str> {
    match space {
        Whitespace::MultiLineComment(text) if generic && text.contains("/*") => {
            Some("a comment inside of a comment ends elsewhere in some")
        }
        Whitespace::SingleLineComment { comment, .. } if comment.trim_end_matches('\r').contains('\r') => {
            Some("a carriage return ends a comment in some")
        }
        Whitespace::SingleLineComment { comment, prefix }
            if prefix == "--"
                && (generic || name == "mysql")
                && comment.starts_with(|c: char| !c.is_ascii_whitespace()) =>
        {
            Some("`--` without a space behind it begins no comment in some")
        }
        _ => None,
    }
}

/// Whether the text would be more than a name where its quotes are none.
fn holds_code(text: &str) -> bool {
    text.contains(['\'', '"', ';']) || text.contains("--") || text.contains("/*")
}

/// Whether the token is no comment, string or name in quotes.
fn is_code(token: &Token) -> bool {
    match token {
        Token::Word(word) => word.quote_style.is_none(),
        Token::Whitespace(Whitespace::SingleLineComment { .. } | Whitespace::MultiLineComment(_)) => false,
        token => !token.to_string().contains(['\'', '"']),
    }
}

/// Whether a name after this token can only be another name for it, or the next statement.
fn ends_an_expression(token: &Token) -> bool {
    match token {
        Token::Word(word) => {
            word.quote_style.is_some() || !BEFORE_NAMES.contains(&word.value.to_ascii_lowercase().as_str())
        }
        Token::Number(..) | Token::RParen | Token::RBracket => true,
        token => !is_code(token),
    }
}
