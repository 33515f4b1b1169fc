//! What is fetched while HTML or markdown is drawn: by a browser that makes a PDF of it, or by a service that
//! makes a document of it. Whoever answers for such an address receives what is written into it.
//!
//! It reads as leniently as a browser does: entities, `\` for `/`, and addresses that leave the scheme out.

use crate::find;

/// Every address of a text, in order.
#[must_use]
pub fn addresses(text: &str) -> Vec<String> {
    let text = resolved(text);
    found(&text).into_iter().map(|(_, address)| address).collect()
}

/// The addresses that are fetched without anybody's click. Of plain markdown these are the pictures'; where a
/// tag stands that could fetch, all are: what belongs to which tag is a question of quotes inside of quotes.
#[must_use]
pub fn fetched(text: &str) -> Vec<String> {
    let text = resolved(text);
    let all = draws(&text.to_ascii_lowercase());
    if !all && find(&text, "![").is_none() {
        return Vec::new();
    }
    let pictured = |at: usize| all || is_pictured(text.get(..at).unwrap_or_default());
    found(&text).into_iter().filter(|(at, _)| pictured(*at)).map(|(_, address)| address).collect()
}

/// Whether the text brings code along, which can put an address together that stands nowhere.
#[must_use]
pub fn is_active(text: &str) -> bool {
    const CODE: [&str; 8] =
        ["<script", "<iframe", "<frame", "<object", "<embed", "<base", "http-equiv", "javascript:"];
    let lower = resolved(text).to_ascii_lowercase();
    CODE.iter().any(|word| find(&lower, word).is_some()) || has_handler(&lower)
}

/// `onload=` and its kin, anywhere behind the beginning of a tag.
fn has_handler(lower: &str) -> bool {
    lower.match_indices('o').any(|(at, _)| {
        let (before, after) = lower.split_at(at);
        let name = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let starts = before.ends_with(|c: char| c.is_whitespace() || matches!(c, '/' | '"' | '\''));
        starts
            && after.starts_with("on")
            && name > 2
            && after.get(name..).is_some_and(|rest| rest.trim_start().starts_with('='))
            && before.split('<').skip(1).any(|tag| tag.starts_with(|c: char| c.is_ascii_alphabetic()))
    })
}

/// Tags that fetch nothing by themselves.
const PLAIN: &str = " a abbr article b blockquote body br caption center cite code col colgroup dd del details \
    div dl dt em font footer h1 h2 h3 h4 h5 h6 head header hr html http https i ins kbd li \
    main mark meta nav ol p pre q s section small span strong sub summary sup table tbody td \
    tfoot th thead title tr u ul ";

/// Whether HTML, in small letters, has a tag, an attribute or a style that could fetch.
fn draws(lower: &str) -> bool {
    const FETCH: [&str; 7] = ["url(", "http-equiv", "image-set(", "@import", "background=", "src=", "srcset"];
    let plain = |(at, _): (usize, &str)| {
        let name = lower.get(at.saturating_add(1)..).unwrap_or_default();
        let name = name.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').next().unwrap_or_default();
        !name.starts_with(|c: char| c.is_ascii_alphabetic()) || find(PLAIN, &format!(" {name} ")).is_some()
    };
    !lower.match_indices('<').all(plain)
        || FETCH.iter().any(|word| find(lower, word).is_some())
        || find(lower, "style").is_some() && lower.contains('\\')
}

/// Whether an address in markdown that has pictures can be one's: `![` stands before it in its paragraph, or
/// it has a name that a picture can be given by.
fn is_pictured(before: &str) -> bool {
    let start = before.as_bytes().windows(2).rposition(|two| two == b"\n\n").unwrap_or_default();
    before.get(start..).is_some_and(|paragraph| find(paragraph, "![").is_some())
        || before.trim_end_matches(['<', ' ', '\n']).ends_with("]:")
}

/// Addresses and where they start. `text` has its entities resolved.
fn found(text: &str) -> Vec<(usize, String)> {
    let lower = text.to_ascii_lowercase();
    let is_slash = |c: char| matches!(c, '/' | '\\');
    let mut found = Vec::new();
    let mut end = 0;
    for (at, _) in text.char_indices() {
        let Some(rest) = lower.get(at..).filter(|_| at >= end) else { continue };
        let scheme = ["https:", "http:"].into_iter().find(|scheme| rest.starts_with(scheme));
        let before = lower.get(..at).unwrap_or_default();
        if scheme.is_none() && (!rest.starts_with(is_slash) || before.ends_with(is_slash)) {
            continue;
        }
        let start = at.saturating_add(scheme.map_or(0, str::len));
        let Some(tail) = text.get(start..) else { continue };
        let address = tail.trim_start_matches(is_slash);
        let slashes = tail.len().saturating_sub(address.len());
        if scheme.is_none() && (slashes < 2 || !may_leave_out_scheme(before)) {
            continue;
        }
        let address = cut(address);
        let host = address.split(['/', '\\', '?', '#', ':']).next().unwrap_or_default();
        let is_host = host.starts_with(|c: char| c.is_alphanumeric() || c == '[');
        if !is_host || slashes < 2 && !host.contains('.') || scheme.is_none() && !host.contains(['.', '[']) {
            continue;
        }
        end = start.saturating_add(slashes).saturating_add(address.len());
        found.push((at, format!("{}//{address}", scheme.unwrap_or("https:"))));
    }
    found
}

/// Where `//host` stands as an address: `(//host`, `src=//host`, `"//host"`, and after any other scheme
/// (`wss:`); but neither inside of a path nor after a word, where it is a comment's beginning.
fn may_leave_out_scheme(before: &str) -> bool {
    let before = before.trim_end();
    before.is_empty()
        || before.ends_with(['(', '"', '\'', '=', ',', '<'])
        || before.ends_with(':') && !before.ends_with("file:")
}

/// An address up to where it ends; a bracket ends it that it did not open.
fn cut(address: &str) -> &str {
    let mut open = 0_usize;
    let end = address.find(|c: char| match c {
        '(' => {
            open = open.saturating_add(1);
            false
        }
        ')' if open > 0 => {
            open = open.saturating_sub(1);
            false
        }
        c => c.is_whitespace() || c.is_control() || matches!(c, ')' | '<' | '>' | '|' | '"' | '`' | '\''),
    });
    address
        .get(..end.unwrap_or(address.len()))
        .unwrap_or_default()
        .trim_end_matches(['.', ',', ']', '\\', ';'])
}

/// The text with those entities resolved that an address can be written with; a browser leaves tabs and line
/// breaks out of an address.
fn resolved(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        plain.push_str(before);
        match entity(after) {
            Some((letter, length)) => {
                if !matches!(letter, '\t' | '\n' | '\r') {
                    plain.push(letter);
                }
                rest = after.get(length..).unwrap_or_default();
            }
            None => {
                plain.push('&');
                rest = after;
            }
        }
    }
    plain.push_str(rest);
    plain
}

/// The letter that an entity stands for, and its length without the `&`. The semicolon of a number may be
/// left out.
fn entity(after: &str) -> Option<(char, usize)> {
    const NAMED: [(&str, char); 12] = [
        ("sol;", '/'),
        ("bsol;", '\\'),
        ("colon;", ':'),
        ("period;", '.'),
        ("quest;", '?'),
        ("lpar;", '('),
        ("rpar;", ')'),
        ("quot;", '"'),
        ("apos;", '\''),
        ("equals;", '='),
        ("Tab;", '\t'),
        ("NewLine;", '\n'),
    ];
    let Some(number) = after.strip_prefix('#') else {
        let (name, letter) = NAMED.into_iter().find(|(name, _)| after.starts_with(name))?;
        return Some((letter, name.len()));
    };
    let (digits, radix, lead) = match number.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16, 2),
        None => (number, 10, 1),
    };
    let count = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let letter = u32::from_str_radix(digits.get(..count)?, radix).ok().and_then(char::from_u32)?;
    let closed = usize::from(digits.get(count..).is_some_and(|rest| rest.starts_with(';')));
    Some((letter, lead + count + closed))
}

#[cfg(test)]
#[path = "rendered_tests.rs"]
mod tests;
