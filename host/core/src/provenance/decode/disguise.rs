//! Disguises that a human or a model sees through: look-alikes, invisible characters, markup, `x [at] y dot com`, an
//! address broken over lines.

use super::super::fold::invisible;
use super::windows;
use crate::destination::{self, Kind};
use regex::Regex;
use std::sync::LazyLock;

type Pattern = LazyLock<Option<Regex>>;

/// Invisible characters as the ends of words, and text between bidi overrides turned round.
pub(super) fn invisible_as_blank(text: &str) -> Vec<String> {
    if text.is_ascii() {
        return Vec::new();
    }
    let hits = text.char_indices().filter(|(_, c)| invisible(*c)).map(|(i, c)| i..i + c.len_utf8());
    let mut out = Vec::new();
    for w in windows(text, hits) {
        out.push(w.chars().map(|c| if invisible(c) { ' ' } else { c }).collect());
        if let Some((front, back)) = w.split_once('\u{202e}') {
            let end = back.find(['\u{202c}', '\n']).unwrap_or(back.len());
            let (turned, rest) = back.split_at(end);
            out.push(format!("{front}{}{rest}", turned.chars().rev().collect::<String>()));
        }
    }
    out
}

/// Each character that looks like ASCII letters as those: `еvil` (Cyrillic е) as `evil`.
pub(super) fn look_alikes(text: &str) -> Vec<String> {
    if text.is_ascii() {
        return Vec::new();
    }
    let hits =
        text.char_indices().filter(|(_, c)| look_alike(*c).is_some()).map(|(i, c)| i..i + c.len_utf8());
    windows(text, hits).into_iter().map(as_looks).collect()
}

fn as_looks(text: &str) -> String {
    text.chars().map(|c| look_alike(c).unwrap_or_else(|| c.to_string())).collect()
}

/// The ASCII text that a character outside of ASCII looks like.
fn look_alike(c: char) -> Option<String> {
    if c.is_ascii() {
        return None;
    }
    let mut buffer = [0; 4];
    let looks: String = unicode_security::skeleton(c.encode_utf8(&mut buffer)).collect();
    (looks.is_ascii() && !looks.is_empty() && looks != " ").then_some(looks)
}

/// Tags and emphasis inside words gone: `bob@<b>evil</b>.io`, `bob@**evil**.io`.
pub(super) fn markup(text: &str) -> Vec<String> {
    static MARK: Pattern =
        LazyLock::new(|| Regex::new(r"</?[A-Za-z!][^<>]{0,200}>|[*`~]{1,3}|\b_{1,2}|_{1,2}\b|\[|\]").ok());
    let Some(mark) = MARK.as_ref() else { return Vec::new() };
    if memchr::memchr3(b'<', b'*', b'`', text.as_bytes()).is_none() && !text.contains(['[', '_']) {
        return Vec::new();
    }
    // Only near what could be an address.
    let hits = mark.find_iter(text).map(|m| m.range());
    windows(text, hits)
        .into_iter()
        .filter(|w| w.contains(['@', '.']))
        .map(|w| mark.replace_all(w, "").into_owned())
        .collect()
}

/// `bob [at] evil dot com`, `bob AT evil DOT com`, `hxxp://evil[.]com`, `evil(dot)com`.
pub(super) fn spelled_out(text: &str) -> Vec<String> {
    static HINT: Pattern = LazyLock::new(|| {
        Regex::new(r"(?i)[\[({<]\s*(?:at|@|dot|\.|://|:|slash|/|punkt|point)\s*[\])}>]|[\s_-]dot[\s_-]|\shyphen\s|h(?:xx|\*\*|--)ps?\b|[\s_-]at[\s_-]+[\p{L}\p{N}-]+\s*\.").ok()
    });
    static AT: Pattern = LazyLock::new(|| {
        Regex::new(r"(?i)\s*[\[({<]\s*(?:at|@)\s*[\])}>]\s*|(?:\s+|_+|-+)at(?:\s+|_+|-+)").ok()
    });
    static DOT: Pattern = LazyLock::new(|| {
        Regex::new(
            r"(?i)\s*[\[({<]\s*(?:dot|\.|punkt|point)\s*[\])}>]\s*|(?:\s+|_+|-+)(?:dot|punkt)(?:\s+|_+|-+)",
        )
        .ok()
    });
    static SLASH: Pattern =
        LazyLock::new(|| Regex::new(r"(?i)\s*[\[({<]\s*(?:slash|/)\s*[\])}>]\s*|\s+slash\s+").ok());
    static COLON: Pattern = LazyLock::new(|| Regex::new(r"\s*[\[({<]\s*(://|:)\s*[\])}>]\s*").ok());
    static HTTP: Pattern = LazyLock::new(|| Regex::new(r"(?i)h(?:xx|\*\*|--)p").ok());
    static DASH: Pattern = LazyLock::new(|| Regex::new(r"(?i)\s+(?:hyphen|dash)\s+").ok());
    static TIGHT: Pattern = LazyLock::new(|| Regex::new(r"\s*([@.])\s*").ok());
    let Some(hint) = HINT.as_ref() else { return Vec::new() };
    let mut out = Vec::new();
    for w in windows(text, hint.find_iter(text).map(|m| m.range())) {
        let mut t = w.to_owned();
        for (pattern, by) in
            [(&HTTP, "http"), (&COLON, "$1"), (&DOT, "."), (&AT, "@"), (&SLASH, "/"), (&DASH, "-")]
        {
            if let Some(p) = pattern.as_ref() {
                t = p.replace_all(&t, by).into_owned();
            }
        }
        if let Some(p) = TIGHT.as_ref() {
            out.push(p.replace_all(&t, "$1").into_owned());
        }
        out.push(t);
    }
    out
}

/// An address broken over lines or drawn apart by blanks; the end of one sentence run into the next.
pub(super) fn rejoined(text: &str) -> Vec<String> {
    static BREAK: Pattern = LazyLock::new(|| Regex::new(r"[ \t]*-?[ \t]*\r?\n[ \t>|]*").ok());
    static SPACED: Pattern = LazyLock::new(|| Regex::new(r"\s*([@.:/])\s*").ok());
    static SENTENCE: Pattern = LazyLock::new(|| Regex::new(r"([\p{Ll}\p{N}])\.(\p{Lu}\p{Ll}*)\b").ok());
    static LETTERS: Pattern =
        LazyLock::new(|| Regex::new(r"(?:[\p{L}\p{N}@._-][ \u{a0}]){5,}[\p{L}\p{N}@._-]").ok());
    let mut out = Vec::new();
    // Marks of an address that is not plainly written.
    let marks = text
        .match_indices('@')
        .map(|(i, m)| i..i + m.len())
        .chain(text.match_indices("://").map(|(i, m)| i..i + m.len()))
        .chain(text.match_indices("www.").map(|(i, m)| i..i + m.len()));
    let mut marks: Vec<_> = marks.collect();
    marks.retain(|m| broken_near(text, m));
    marks.sort_by_key(|r| r.start);
    for w in windows(text, marks.into_iter()) {
        let joined = BREAK.as_ref().map(|p| p.replace_all(w, "").into_owned()).filter(|j| j != w);
        let tight = SPACED.as_ref().map(|p| p.replace_all(w, "$1").into_owned()).filter(|t| t != w);
        out.extend(joined);
        out.extend(tight);
    }
    if let Some(p) = SENTENCE.as_ref() {
        let hits = memchr::memchr_iter(b'.', text.as_bytes()).filter(|at| {
            let next = text.get(at + 1..).and_then(|t| t.chars().next());
            let last = text.get(..*at).and_then(|t| t.chars().next_back());
            next.is_some_and(char::is_uppercase) && last.is_some_and(|c| c.is_lowercase() || c.is_numeric())
        });
        let hits: Vec<_> = hits.map(|at| at..at + 1).collect();
        out.extend(
            windows(text, hits.into_iter()).into_iter().map(|w| p.replace_all(w, "$1. $2").into_owned()),
        );
    }
    if let Some(p) = LETTERS.as_ref()
        && [" @ ", " . ", "\u{a0}@"].iter().any(|m| text.contains(m))
    {
        out.extend(p.find_iter(text).map(|m| m.as_str().chars().filter(|c| !c.is_whitespace()).collect()));
    }
    // Numbers and accounts are written in groups.
    for w in windows(text, many_digits(text).into_iter()) {
        for found in destination::find_with_places(w) {
            let d = found.destination;
            if d.canonical != d.raw && matches!(d.kind, Kind::Phone | Kind::Account) {
                out.push(d.canonical);
            }
        }
    }
    out
}

/// Whether an address at this mark may be broken: beside the mark, or where its word ends or begins, the line ends or a
/// dot, slash or the like is left over. Most addresses stand whole on one line and cost nothing more.
fn broken_near(text: &str, mark: &std::ops::Range<usize>) -> bool {
    const NEAR: usize = 72;
    let front = text.get(..mark.start).unwrap_or("");
    let back = text.get(mark.end..).unwrap_or("");
    let beside = |c: Option<char>| c.is_some_and(|c| c.is_whitespace() || !c.is_ascii());
    if beside(back.chars().next()) || beside(front.chars().next_back()) {
        return true;
    }
    breaks(back.chars().take(NEAR)) || breaks(front.chars().rev().take(NEAR))
}

/// Whether a word that is read away from a mark goes on beyond its end.
fn breaks(word: impl Iterator<Item = char>) -> bool {
    let goes_on = |c: char| matches!(c, '.' | '-' | '/' | ':' | '@' | '_' | '=' | '|' | '>');
    let mut last = ' ';
    let mut blank = false;
    for c in word {
        if c == '\n' || c == '\r' {
            return true;
        }
        if c.is_whitespace() {
            blank = true;
        } else if blank {
            return goes_on(c) || goes_on(last);
        } else {
            last = c;
        }
    }
    false
}

/// Where seven digits or more stand together, at most three other characters between two.
fn many_digits(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut out = Vec::new();
    let (mut start, mut last, mut count) = (0, 0, 0_usize);
    for (i, b) in text.bytes().enumerate() {
        if !b.is_ascii_digit() {
            continue;
        }
        if count > 0 && i - last > 4 {
            if count >= 7 {
                out.push(start..last + 1);
            }
            count = 0;
        }
        if count == 0 {
            start = i;
        }
        last = i;
        count += 1;
    }
    if count >= 7 {
        out.push(start..last + 1);
    }
    out
}
