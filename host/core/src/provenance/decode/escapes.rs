//! Escapes inside a text: percent, HTML entities, string escapes of programming languages, quoted-printable.

use super::context::{Context, windows};
use regex::{Captures, Regex};
use std::sync::LazyLock;

type Pattern = LazyLock<Option<Regex>>;

/// `%40`, also as UTF-8 sequences.
pub(super) fn percent(text: &str) -> Vec<String> {
    static ESCAPE: Pattern = LazyLock::new(|| Regex::new(r"(?:%[0-9A-Fa-f]{2})+").ok());
    replaced(&ESCAPE, text, Context::Words, |c| {
        utf8(c.split('%').filter_map(|h| u8::from_str_radix(h, 16).ok()).collect())
    })
}

/// `&#64;`, `&#x40`, `&commat;`.
pub(super) fn html(text: &str, context: Context) -> Vec<String> {
    static ENTITY: Pattern =
        LazyLock::new(|| Regex::new(r"(?i)&(?:#[0-9]{1,7};?|#x[0-9a-f]{1,6};?|[a-z][a-z0-9]{1,30};)").ok());
    replaced(&ENTITY, text, context, |e| {
        let number = e.trim_start_matches(['&', '#']).trim_end_matches(';');
        if e.starts_with("&#") {
            let code = match number.strip_prefix(['x', 'X']) {
                Some(h) => u32::from_str_radix(h, 16),
                None => number.parse(),
            };
            return code.ok().and_then(char::from_u32).map(String::from);
        }
        let decoded = html_escape::decode_html_entities(e);
        (decoded != e).then(|| decoded.into_owned())
    })
}

/// `\u0040`, `\x40`, `\u{40}`, `\100`, `\/`, `\n`, `U+0040`.
pub(super) fn string(text: &str, context: Context) -> Vec<String> {
    static ESCAPE: Pattern = LazyLock::new(|| {
        Regex::new(r#"\\u\{[0-9A-Fa-f]{1,6}\}|(?:\\u[0-9A-Fa-f]{4})+|(?:\\x[0-9A-Fa-f]{2})+|\\U[0-9A-Fa-f]{8}|\\[0-3][0-7]{2}|[Uu]\+[0-9A-Fa-f]{4,6}|\\[/@.:"'nrt\\]"#).ok()
    });
    replaced(&ESCAPE, text, context, one_escape)
}

fn one_escape(e: &str) -> Option<String> {
    let code = |h: &str| u32::from_str_radix(h, 16).ok().and_then(char::from_u32).map(String::from);
    if let Some(h) = e.strip_prefix("\\u{") {
        return code(h.trim_end_matches('}'));
    }
    if let Some(h) = e.strip_prefix("\\U").or_else(|| e.strip_prefix("U+")).or_else(|| e.strip_prefix("u+")) {
        return code(h);
    }
    if e.starts_with("\\u") {
        let units: Vec<u16> = e.split("\\u").filter_map(|h| u16::from_str_radix(h, 16).ok()).collect();
        return Some(String::from_utf16_lossy(&units));
    }
    if e.starts_with("\\x") {
        return utf8(e.split("\\x").filter_map(|h| u8::from_str_radix(h, 16).ok()).collect());
    }
    match e.strip_prefix('\\')? {
        "n" | "r" | "t" => Some(" ".to_owned()),
        octal if octal.len() == 3 => {
            u32::from_str_radix(octal, 8).ok().and_then(char::from_u32).map(String::from)
        }
        other => Some(other.to_owned()),
    }
}

/// `=40`, and `=` at the end of a line.
pub(super) fn quoted_printable(text: &str, context: Context) -> Vec<String> {
    static ESCAPE: Pattern = LazyLock::new(|| Regex::new(r"(?:=[0-9A-Fa-f]{2})+|=[ \t]*\r?\n").ok());
    replaced(&ESCAPE, text, context, |e| {
        if e.ends_with('\n') {
            return Some(String::new());
        }
        // `?q=12` is no control character but the query of a link.
        utf8(e.split('=').filter_map(|h| u8::from_str_radix(h, 16).ok()).collect())
            .filter(|t| !t.chars().any(|c| c.is_control() && !c.is_whitespace()))
    })
}

fn utf8(bytes: Vec<u8>) -> Option<String> {
    // Also Latin-1, where a byte is its character.
    Some(String::from_utf8(bytes).unwrap_or_else(|e| e.as_bytes().iter().map(|b| char::from(*b)).collect()))
}

/// Every window with an escape in it, all its escapes replaced; an escape that says nothing stays.
pub(super) fn replaced(
    pattern: &Pattern,
    text: &str,
    context: Context,
    by: impl Fn(&str) -> Option<String>,
) -> Vec<String> {
    let Some(regex) = pattern.as_ref() else { return Vec::new() };
    let around = windows(text, regex.find_iter(text).map(|m| m.range()), context);
    let decoded = around.into_iter().filter_map(|w| {
        let mut changed = false;
        let decoded = regex.replace_all(w, |c: &Captures<'_>| {
            let whole = c.get(0).map_or("", |m| m.as_str());
            let said = by(whole);
            changed |= said.is_some();
            said.unwrap_or_else(|| whole.to_owned())
        });
        let decoded = decoded.into_owned();
        changed.then_some(decoded)
    });
    decoded.collect()
}
