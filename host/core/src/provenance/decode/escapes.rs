//! Escapes inside a text: percent, HTML entities, string escapes of programming languages, quoted-printable.

use super::context::{Context, spans};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

type Pattern = LazyLock<Option<Regex>>;

/// `%40`, also as UTF-8 sequences.
pub(super) fn percent(text: &str) -> Vec<String> {
    let escapes = found(text, b'%', |rest| hexadecimals(rest, b'%'));
    replaced(text, &escapes, Context::Words, |e| Some(utf8(values(e))))
}

/// `&#64;`, `&#x40`, `&commat;`.
pub(super) fn html(text: &str, context: Context) -> Vec<String> {
    static ENTITY: Pattern =
        LazyLock::new(|| Regex::new(r"(?i)&(?:#[0-9]{1,7};?|#x[0-9a-f]{1,6};?|[a-z][a-z0-9]{1,30};)").ok());
    replaced(text, &matches(&ENTITY, text), context, |e| {
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
    replaced(text, &matches(&ESCAPE, text), context, one_escape)
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
        return Some(utf8(e.split("\\x").filter_map(|h| u8::from_str_radix(h, 16).ok()).collect()));
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
    let escapes = found(text, b'=', |rest| match hexadecimals(rest, b'=') {
        0 => line_break(rest.get(1..).unwrap_or(&[])).map_or(0, |len| 1 + len),
        len => len,
    });
    replaced(text, &escapes, context, |e| {
        if e.ends_with('\n') {
            return Some(String::new());
        }
        // `?q=12` is no control character but the query of a link.
        Some(utf8(values(e))).filter(|t| !t.chars().any(|c| c.is_control() && !c.is_whitespace()))
    })
}

/// Bytes of the sequence of escapes, each of a mark and two hexadecimal digits, at the beginning.
fn hexadecimals(text: &[u8], mark: u8) -> usize {
    let is_one = |e: &&[u8; 3]| e[0] == mark && e[1].is_ascii_hexdigit() && e[2].is_ascii_hexdigit();
    text.as_chunks::<3>().0.iter().take_while(is_one).count() * 3
}

/// The values of such a sequence.
fn values(escapes: &str) -> Vec<u8> {
    let digit = |b: u8| (b & 0xf) + if b.is_ascii_digit() { 0 } else { 9 };
    escapes
        .as_bytes()
        .as_chunks::<3>()
        .0
        .iter()
        .map(|[_, high, low]| digit(*high) << 4 | digit(*low))
        .collect()
}

/// Bytes of blanks and the end of a line at the beginning.
fn line_break(text: &[u8]) -> Option<usize> {
    let blanks = text.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
    match text.get(blanks..)? {
        [b'\n', ..] => Some(blanks + 1),
        [b'\r', b'\n', ..] => Some(blanks + 2),
        _ => None,
    }
}

fn utf8(bytes: Vec<u8>) -> String {
    // Also Latin-1, where a byte is its character.
    String::from_utf8(bytes).unwrap_or_else(|e| e.as_bytes().iter().map(|b| char::from(*b)).collect())
}

/// The escapes that begin with a byte of ASCII: `len` tells how long the one is that begins there, 0 for none.
fn found(text: &str, mark: u8, len: impl Fn(&[u8]) -> usize) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    for at in memchr::memchr_iter(mark, text.as_bytes()) {
        // Asked only where none goes on: a run of them may be as long as the text.
        if out.last().is_some_and(|last| at < last.end) {
            continue;
        }
        let len = len(text.as_bytes().get(at..).unwrap_or(&[]));
        if len > 0 {
            out.push(at..at + len);
        }
    }
    out
}

fn matches(pattern: &Pattern, text: &str) -> Vec<Range<usize>> {
    pattern.as_ref().map_or_else(Vec::new, |regex| regex.find_iter(text).map(|m| m.range()).collect())
}

/// Every window with an escape in it that says something, all of these replaced.
fn replaced(
    text: &str,
    escapes: &[Range<usize>],
    context: Context,
    by: impl Fn(&str) -> Option<String>,
) -> Vec<String> {
    let said = escapes.iter().filter_map(|e| Some((e.clone(), by(text.get(e.clone())?)?)));
    let said: Vec<(Range<usize>, String)> = said.collect();
    let around = spans(text, said.iter().map(|(escape, _)| escape.clone()), context);
    let mut said = said.into_iter().peekable();
    let decoded = around.into_iter().filter_map(|window| {
        let mut out = String::with_capacity(window.len());
        let mut at = window.start;
        while let Some((escape, by)) = said.next_if(|(e, _)| e.end <= window.end) {
            out.push_str(text.get(at..escape.start)?);
            out.push_str(&by);
            at = escape.end;
        }
        out.push_str(text.get(at..window.end)?);
        Some(out)
    });
    decoded.collect()
}
