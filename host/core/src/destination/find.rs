//! Destinations that stand in prose: mail addresses, URLs, hosts, telephone numbers, bank accounts.
//!
//! For the user's words (what they name is vouched for) and for content arguments. Not a tokenizer for look-ups: the
//! index of outputs searches for the value itself.

use super::{Destination, Kind, canonical, host};
use regex::Regex;
use std::sync::LazyLock;

/// A destination and the bytes of the text that it stands in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What was found; its `argument` is empty.
    pub destination: Destination,
    /// Byte offsets of the words that name it.
    pub span: std::ops::Range<usize>,
}

// Ends of words are those of ASCII: with Unicode's, a text with one other letter falls back to the slowest matcher.
type Pattern = LazyLock<Option<Regex>>;
static URL: Pattern =
    LazyLock::new(|| Regex::new(r#"(?i)(?-u:\b)[a-z][a-z0-9+.-]{1,15}://[^\s<>"`{}|\\^]+"#).ok());
static EMAIL: Pattern = LazyLock::new(|| {
    Regex::new(r"[\p{L}\p{N}!#$&'*+/=?^_{|}~.%-]+@(?:[\p{L}\p{N}-]+[.\u{3002}])+[\p{L}\p{N}-]{2,}").ok()
});
static HOST: Pattern = LazyLock::new(|| {
    Regex::new(r#"(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+[\p{L}\p{N}-]{1,}\.?(?::\d{1,5})?(?:/[^\s<>"`{}|\\^]*)?"#).ok()
});
static PHONE: Pattern = LazyLock::new(|| {
    Regex::new(r"(?:\+|(?-u:\b)00|\(|(?-u:\b))[0-9][0-9\u{a0}\u{2010}-\u{2015} ().\-/]{5,24}[0-9](?-u:\b)")
        .ok()
});
static IBAN: Pattern =
    LazyLock::new(|| Regex::new(r"(?i-u)\b[a-z]{2}[0-9]{2}(?:[ -]?[a-z0-9]{1,4}){3,8}\b").ok());

/// The destinations in a text, in the order in which they stand; each once.
#[must_use]
pub fn find_in_text(text: &str) -> Vec<Destination> {
    let mut out: Vec<Destination> = Vec::new();
    for found in find_with_places(text) {
        if !out.iter().any(|d| d.kind == found.destination.kind && d.canonical == found.destination.canonical)
        {
            out.push(found.destination);
        }
    }
    out
}

/// The destinations in a text with their places, in order, not overlapping.
#[must_use]
pub fn find_with_places(text: &str) -> Vec<Found> {
    let mut out: Vec<Found> = Vec::new();
    scan(&URL, text, &mut out, url);
    scan(&EMAIL, text, &mut out, email);
    scan(&IBAN, text, &mut out, account);
    scan(&HOST, text, &mut out, bare_host);
    scan(&PHONE, text, &mut out, phone);
    out.sort_by_key(|f| f.span.start);
    out
}

/// The telephone numbers in a text, and nothing else. Unlike [`find_with_places`] also those that are part of an address:
/// for texts that taint, where one number too many does no harm.
pub(crate) fn find_phones(text: &str) -> Vec<Destination> {
    only(&PHONE, text, phone)
}

/// The account numbers in a text, likewise.
pub(crate) fn find_accounts(text: &str) -> Vec<Destination> {
    only(&IBAN, text, account)
}

fn only(pattern: &Pattern, text: &str, read: impl Fn(&str) -> Reading) -> Vec<Destination> {
    let mut out: Vec<Found> = Vec::new();
    scan(pattern, text, &mut out, read);
    out.into_iter().map(|f| f.destination).collect()
}

/// What one match means: kind, canonical form, bytes to drop in front, bytes to keep after those.
type Reading = Option<(Kind, String, usize, usize)>;

fn scan(pattern: &Pattern, text: &str, out: &mut Vec<Found>, read: impl Fn(&str) -> Reading) {
    let Some(regex) = pattern.as_ref() else { return };
    let taken: Vec<_> = out.iter().map(|f| f.span.clone()).collect();
    for m in regex.find_iter(text) {
        let Some((kind, canonical, skip, len)) = read(m.as_str()) else { continue };
        let span = m.start() + skip..m.start() + skip + len;
        let Some(raw) = text.get(span.clone()) else { continue };
        // Found in order, so the ranges of an earlier pattern are sorted.
        let at = taken.partition_point(|t| t.end <= span.start);
        if taken.get(at).is_some_and(|t| t.start < span.end) {
            continue;
        }
        out.push(Found { destination: Destination::new(kind, raw, canonical, ""), span });
    }
    out.sort_by_key(|f| f.span.start);
}

/// `www.corp.com.Then` is the end of one sentence and the start of the next.
fn sentence_end(host: &str) -> usize {
    let Some((front, last)) = host.rsplit_once('.') else { return host.len() };
    let mut chars = last.chars();
    let capital = chars.next().is_some_and(char::is_uppercase);
    let word = capital && chars.all(char::is_lowercase);
    if word && front.contains('.') && !front.chars().any(char::is_uppercase) {
        front.len()
    } else {
        host.len()
    }
}

/// Without the punctuation that ends a sentence or a bracket.
fn trimmed(text: &str) -> &str {
    let mut text = text;
    loop {
        let shorter = text
            .trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', '_', '"', '\u{201d}', '\u{2019}']);
        let shorter = match shorter.strip_suffix([')', ']']) {
            Some(s) if shorter.matches([')', ']']).count() > shorter.matches(['(', '[']).count() => s,
            _ => shorter,
        };
        if shorter.len() == text.len() {
            return text;
        }
        text = shorter;
    }
}

fn url(text: &str) -> Reading {
    let text = trimmed(text);
    let after = text.find("://")? + 3;
    let rest = text.get(after..)?;
    let text =
        if rest.contains(['/', '?', '#', '@']) { text } else { text.get(..after + sentence_end(rest))? };
    Some((Kind::Url, canonical(Kind::Url, text)?, 0, text.len()))
}

fn email(text: &str) -> Reading {
    let body = text.trim_start_matches(['.', '\'', '-', '/', '=', '*', '_', '|', '{', '&', '?']);
    let skip = text.len() - body.len();
    let body = body.trim_end_matches(['-', '.']);
    let (local, domain) = body.rsplit_once('@')?;
    // A trailing underscore or digit run is no domain; a sentence that goes on is cut.
    let end =
        local.len() + 1 + if domain.matches('.').count() > 1 { sentence_end(domain) } else { domain.len() };
    let body = body.get(..end)?;
    Some((Kind::Email, canonical(Kind::Email, body)?, skip, body.len()))
}

fn bare_host(text: &str) -> Reading {
    let text = trimmed(text);
    if let Some((host_part, _)) = text.split_once('/') {
        return host::may_be(host_part)
            .then(|| canonical(Kind::Url, text))
            .flatten()
            .map(|c| (Kind::Url, c, 0, text.len()));
    }
    let text = text.get(..sentence_end(text))?;
    host::is_certain(text).then(|| host::canonical(text)).flatten().map(|c| (Kind::Host, c, 0, text.len()))
}

/// The longest run of groups that is an account number: one with right check digits, otherwise up to the first
/// group without a digit (the next word of the sentence).
fn account(text: &str) -> Reading {
    let mut ends: Vec<usize> = text.match_indices([' ', '-']).map(|(i, _)| i).collect();
    ends.push(text.len());
    let read =
        |end: &usize| text.get(..*end).and_then(super::account::iban).map(|c| (Kind::Account, c, 0, *end));
    let valid = ends.iter().rev().filter_map(read).find(|(_, c, ..)| super::account::checks(c));
    valid.or_else(|| {
        let mut start = 0;
        let stop = ends.iter().position(|end| {
            let group = text.get(start..*end).unwrap_or("");
            start = end + 1;
            !group.bytes().any(|b| b.is_ascii_digit())
        });
        let last = stop.unwrap_or(ends.len()).checked_sub(1)?;
        ends.get(last).and_then(read)
    })
}

fn phone(text: &str) -> Reading {
    let c = canonical(Kind::Phone, text)?;
    let digits = c.bytes().filter(u8::is_ascii_digit).count();
    // A date, a year range or a price is no telephone number.
    let plain = !c.starts_with('+') && (digits < 7 || looks_like_date(text));
    (!plain).then_some((Kind::Phone, c, 0, text.len()))
}

fn looks_like_date(text: &str) -> bool {
    let groups: Vec<&str> = text.split(|c: char| !c.is_ascii_digit()).filter(|g| !g.is_empty()).collect();
    matches!(groups.as_slice(), [y, m, d, ..] if (y.len() == 4 || d.len() == 4) && m.len() <= 2 && (y.len() <= 2 || d.len() <= 2))
}
