//! Disguises that a human or a model sees through: look-alikes, invisible characters, markup, `x [at] y dot com`, letters and
//! numbers drawn apart.

use super::super::fold::{SEPARATOR, invisible};
use super::context::{Context, spans, windows};
use super::runs;
use crate::destination;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Starts a text that is shown from right to left, whatever its letters are.
const TURNS: char = '\u{202e}';

type Pattern = LazyLock<Option<Regex>>;

/// Invisible characters as the ends of words, and text between bidi overrides turned round.
pub(super) fn invisible_as_blank(text: &str) -> Vec<String> {
    let others = runs::others(text);
    let hits = others.iter().filter(|(_, c)| invisible(*c)).map(|(i, c)| *i..i + c.len_utf8());
    let as_blank = |w: &str| w.chars().map(|c| if invisible(c) { ' ' } else { c }).collect();
    let mut out: Vec<String> = windows(text, hits, Context::Words).into_iter().map(as_blank).collect();
    let mut end = 0;
    // Each comes with more than itself, so that many would take many times the text; what is beyond is over any budget.
    let mut room = super::BUDGET.max(text.len().saturating_mul(2));
    for (at, _) in others.into_iter().filter(|(_, c)| *c == TURNS) {
        if at >= end && room > 0 {
            let span = turned(text, at);
            end = span.end;
            let shown = text.get(span.clone()).unwrap_or("").chars().rev().filter(|c| *c != TURNS);
            // It may be the one half of an address.
            let around = windows(text, std::iter::once(span.clone()), Context::SENTENCE).concat();
            let hidden = text.get(span).unwrap_or("");
            room = room.saturating_sub(around.len());
            out.push(around.replacen(hidden, &shown.collect::<String>(), 1));
        }
    }
    out
}

/// What an override at `at` turns round, itself included.
fn turned(text: &str, at: usize) -> Range<usize> {
    const MOST: usize = 1000;
    let mut end = at;
    for c in text.get(at..).unwrap_or("").chars() {
        if matches!(c, '\u{202c}' | '\n' | SEPARATOR) || end - at > MOST {
            break;
        }
        end += c.len_utf8();
    }
    at..end
}

/// Each character that looks like ASCII letters as those: `еvil` (Cyrillic е) as `evil`.
pub(super) fn look_alikes(text: &str) -> Vec<String> {
    let hits =
        runs::others(text).into_iter().filter(|(_, c)| is_look_alike(*c)).map(|(i, c)| i..i + c.len_utf8());
    windows(text, hits, Context::Words).into_iter().map(as_looks).collect()
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

/// As [`look_alike`], by a table for the characters below U+3000, where most scripts are; ideographs look like no letter
/// but a few, which are looked up.
fn is_look_alike(c: char) -> bool {
    static TABLE: LazyLock<Vec<bool>> = LazyLock::new(|| {
        (0..0x3000_u32).map(|n| char::from_u32(n).is_some_and(|c| look_alike(c).is_some())).collect()
    });
    if c.is_ascii() {
        return false;
    }
    match usize::try_from(u32::from(c)).ok().and_then(|at| TABLE.get(at)) {
        Some(known) => *known,
        None => look_alike(c).is_some(),
    }
}

/// Tag characters, which no reader sees and every model reads, as the letters that they stand for.
pub(super) fn tags(text: &str) -> Vec<String> {
    let tag = |c: char| u32::from(c).checked_sub(0xe0000).filter(|n| (0x20..0x7f).contains(n));
    // Of the whole of what has no blank in it: an encoded text may be long.
    let mut end = 0;
    let mut hits = Vec::new();
    for (at, _) in runs::others(text).into_iter().filter(|(_, c)| tag(*c).is_some()) {
        if at >= end {
            let run = runs::around(text.as_bytes(), at, end, |b| b > b' ');
            end = run.end;
            hits.push(run);
        }
    }
    windows(text, hits.into_iter(), Context::SENTENCE)
        .into_iter()
        .map(|w| w.chars().map(|c| tag(c).and_then(char::from_u32).unwrap_or(c)).collect())
        .collect()
}

/// Tags and emphasis inside words gone: `bob@<b>evil</b>.io`, `bob@**evil**.io`.
pub(super) fn markup(text: &str) -> Vec<String> {
    static MARK: Pattern = LazyLock::new(|| {
        Regex::new(r"</?[A-Za-z!][^<>\x00]{0,200}>|[*`~]{1,3}|\b_{1,2}|_{1,2}\b|\[|\]").ok()
    });
    let Some(mark) = MARK.as_ref() else { return Vec::new() };
    // Only near what could be an address or a number.
    let near = |w: &Range<usize>| {
        const NEAR: usize = 48;
        let around = w.start.saturating_sub(NEAR)..(w.end + NEAR).min(text.len());
        let around = text.as_bytes().get(around).unwrap_or(&[]);
        around.iter().any(|b| matches!(b, b'@' | b'.' | b'0'..=b'9'))
    };
    spans(text, mark.find_iter(text).map(|m| m.range()), Context::Words)
        .into_iter()
        .filter(near)
        .filter_map(|w| Some(mark.replace_all(text.get(w)?, "").into_owned()))
        .collect()
}

/// `bob [at] evil dot com`, `bob AT evil DOT com`, `hxxp://evil[.]com`, `evil(dot)com`. Takes the *folded* text: lower
/// case, one blank between words.
pub(super) fn spelled_out(folded: &str) -> Vec<String> {
    static AT: Pattern =
        LazyLock::new(|| Regex::new(r" ?[\[({<] ?(?:at|@) ?[\])}>] ?|(?: +|_+|-+)at(?: +|_+|-+)").ok());
    static DOT: Pattern = LazyLock::new(|| {
        Regex::new(r" ?[\[({<] ?(?:dot|\.|punkt|point) ?[\])}>] ?|(?: +|_+|-+)(?:dot|punkt)(?: +|_+|-+)").ok()
    });
    static SLASH: Pattern = LazyLock::new(|| Regex::new(r" ?[\[({<] ?(?:slash|/) ?[\])}>] ?| +slash +").ok());
    static COLON: Pattern = LazyLock::new(|| Regex::new(r" ?[\[({<] ?(://|:) ?[\])}>] ?").ok());
    static HTTP: Pattern = LazyLock::new(|| Regex::new(r"h(?:xx|\*\*|--)p").ok());
    static DASH: Pattern = LazyLock::new(|| Regex::new(r" +(?:hyphen|dash) +").ok());
    static TIGHT: Pattern = LazyLock::new(|| Regex::new(r" ?([@.]) ?").ok());
    let mut hits: Vec<_> = bracketed(folded).chain(spelled_words(folded)).collect();
    hits.sort_by_key(|r| r.start);
    let mut out = Vec::new();
    for w in windows(folded, hits.into_iter(), Context::SENTENCE) {
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

/// A mark or the word for it in brackets: `[.]`, `(at)`, `{dot}`.
fn bracketed(folded: &str) -> impl Iterator<Item = Range<usize>> {
    static MARK: Pattern =
        LazyLock::new(|| Regex::new(r"^[\[({<] ?(?:at|@|dot|\.|://|:|slash|/|punkt|point) ?[\])}>]").ok());
    let open = memchr::memchr3_iter(b'[', b'(', b'{', folded.as_bytes());
    let open = open.chain(memchr::memchr_iter(b'<', folded.as_bytes()));
    open.filter_map(|at| {
        let m = MARK.as_ref()?.find(folded.get(at..)?)?;
        Some(at..at + m.end())
    })
}

/// The words for marks where they stand apart, and the ways to write `http` that no program takes for a link. Of `at`
/// only where a word with a dot follows: `bob at evil.com`, not `at noon`.
fn spelled_words(folded: &str) -> impl Iterator<Item = Range<usize>> {
    // Nothing but literals: those are searched for many bytes at a time.
    static WORDS: Pattern =
        LazyLock::new(|| Regex::new(r"[ _-](?:at|dot|punkt)[ _-]| hyphen |h(?:xx|\*\*|--)p").ok());
    static NAME: Pattern = LazyLock::new(|| Regex::new(r"^[ _-]*[\p{L}\p{N}-]+ ?\.").ok());
    let found = WORDS.as_ref().into_iter().flat_map(|words| words.find_iter(folded));
    found.map(|m| m.range()).filter(|r| {
        folded.get(r.start + 1..r.end - 1) != Some("at") || {
            // A name is not longer, and there may be as many of these words as the text has room for.
            let rest: String = folded.get(r.end..).unwrap_or("").chars().take(80).collect();
            NAME.as_ref().is_some_and(|name| name.is_match(&rest))
        }
    })
}

/// The end of one sentence run into the next: `www.corp.com.Then`.
pub(super) fn sentences(text: &str) -> Vec<String> {
    static SENTENCE: Pattern = LazyLock::new(|| Regex::new(r"([\p{Ll}\p{N}])\.(\p{Lu}\p{Ll}*)\b").ok());
    let Some(p) = SENTENCE.as_ref() else { return Vec::new() };
    let hits = memchr::memchr_iter(b'.', text.as_bytes()).filter(|at| {
        let next = text.get(at + 1..).and_then(|t| t.chars().next());
        let last = text.get(..*at).and_then(|t| t.chars().next_back());
        next.is_some_and(char::is_uppercase) && last.is_some_and(|c| c.is_lowercase() || c.is_numeric())
    });
    windows(text, hits.map(|at| at..at + 1), Context::Words)
        .into_iter()
        .map(|w| p.replace_all(w, "$1. $2").into_owned())
        .collect()
}

/// Letters drawn apart by blanks: `b o b @ e v i l . i o`.
pub(super) fn letters(text: &str) -> Vec<String> {
    static LETTERS: Pattern =
        LazyLock::new(|| Regex::new(r"(?:[\p{L}\p{N}@._-][ \u{a0}]){5,}[\p{L}\p{N}@._-]").ok());
    let Some(p) = LETTERS.as_ref() else { return Vec::new() };
    // A mark with a blank on each side.
    let blank = |b: Option<&u8>| matches!(b, Some(b' ' | 0xa0));
    let bytes = text.as_bytes();
    let mut marks = memchr::memchr2_iter(b'@', b'.', bytes);
    let apart = |i: usize| blank(i.checked_sub(1).and_then(|i| bytes.get(i)));
    if !marks.any(|i| apart(i) && matches!(bytes.get(i + 1), Some(b' ' | 0xc2))) {
        return Vec::new();
    }
    p.find_iter(text).map(|m| m.as_str().chars().filter(|c| !c.is_whitespace()).collect()).collect()
}

/// Telephone and account numbers, which are written in groups, as they are compared.
pub(super) fn numbers(text: &str) -> Vec<String> {
    let runs::Numbers { phones, accounts } = runs::numbers(text.as_bytes());
    let phones = windows(text, phones.into_iter(), Context::Bytes(0));
    let phones = phones.into_iter().flat_map(destination::find_phones);
    // One by one: where one seems to begin inside another, either may be meant.
    let accounts = accounts.into_iter().filter_map(|found| text.get(found));
    let accounts = accounts.flat_map(|w| destination::find_accounts(&w.replace('\u{a0}', " ")));
    phones.chain(accounts).filter(|d| d.canonical != d.raw).map(|d| d.canonical).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_turned_texts_take_no_more_room_than_others() {
        let text: String = (0..20_000).map(|n| format!("\u{202e}oi.live@{n}\n")).collect();
        let bytes: usize = invisible_as_blank(&text).iter().map(String::len).sum();
        assert!((text.len() * 2..text.len() * 4).contains(&bytes), "{bytes} of {}", text.len());
    }

    #[test]
    fn what_is_turned_ends_with_its_text() {
        let found = invisible_as_blank("\u{202e}oi.live@bob\0ann@corp.example");
        assert!(found.contains(&"bob@evil.io".to_owned()), "{found:?}");
    }
}
