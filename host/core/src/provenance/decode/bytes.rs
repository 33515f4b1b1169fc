//! Texts written as bytes: base64 (both alphabets, unpadded, line-wrapped), base32 and hexadecimal.

use super::runs;
use regex::Regex;
use std::sync::LazyLock;

type Pattern = LazyLock<Option<Regex>>;

/// Shorter runs hold no address.
const SHORTEST: usize = 8;

/// Runs of the base64 alphabet, also over line breaks, that decode to text.
pub(super) fn base64(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let symbol = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'-' | b'_' | b'\n' | b'\r');
    let mut floor = 0;
    // Encoded text has letters of both cases, or digits; of these, capitals are the rarest in prose.
    runs::each(
        text.as_bytes(),
        |b| b.is_ascii_uppercase(),
        |at| {
            let run = runs::around(text.as_bytes(), at, floor, symbol);
            floor = run.end;
            let whole = text.get(run.clone()).unwrap_or("");
            if whole.len() >= SHORTEST && whole.bytes().any(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
            {
                match base64_text(whole) {
                    Some(t) => out.push(t),
                    None => out.extend(without_neighbours(whole)),
                }
            }
            run.end
        },
    );
    out
}

/// Words of prose on the lines before or after may have been joined to a run: without those, or each line by itself.
fn without_neighbours(run: &str) -> Vec<String> {
    let lines: Vec<&str> = run.lines().collect();
    if lines.len() < 2 {
        return Vec::new();
    }
    let inner = [(1, 0), (0, 1), (1, 1), (2, 0), (0, 2)]
        .into_iter()
        .find_map(|(front, back)| base64_text(&lines.get(front..lines.len().checked_sub(back)?)?.concat()));
    inner.map_or_else(|| lines.iter().filter_map(|l| base64_text(l)).collect(), |text| vec![text])
}

fn base64_text(run: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(run.len() * 3 / 4);
    let (mut bits, mut held) = (0_u32, 0_u32);
    let mut symbols = 0_usize;
    for b in run.bytes() {
        let six = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => continue,
        };
        symbols += 1;
        bits = (bits << 6) | u32::from(six);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from((bits >> held) & 0xff).ok()?);
            bits &= (1 << held) - 1;
        }
    }
    if symbols < SHORTEST {
        return None;
    }
    readable(bytes)
}

/// Runs of the base32 alphabet that decode to text.
pub(super) fn base32(text: &str) -> Vec<String> {
    // Ten bytes of text; words in capitals are shorter, or hold other letters than text decodes from.
    const SHORTEST: usize = 16;
    let symbol = |b: u8| (b.wrapping_sub(b'A') < 26) | (b.wrapping_sub(b'2') < 6);
    let found = runs::at_least(text.as_bytes(), SHORTEST, symbol);
    found.into_iter().filter_map(|r| text.get(r)).filter_map(base32_text).collect()
}

fn base32_text(run: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(run.len() * 5 / 8);
    let (mut bits, mut held) = (0_u32, 0_u32);
    for b in run.bytes() {
        let five = if b.is_ascii_uppercase() { b - b'A' } else { b - b'2' + 26 };
        bits = (bits << 5) | u32::from(five);
        held += 5;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from((bits >> held) & 0xff).ok()?);
            bits &= (1 << held) - 1;
        }
    }
    readable(bytes)
}

/// Runs of hexadecimal bytes, also apart by blanks, colons, hyphens or `0x`.
pub(super) fn hex(text: &str) -> Vec<String> {
    static RUN: Pattern =
        LazyLock::new(|| Regex::new(r"(?i)(?:(?:0x)?[0-9a-f]{2}[ ,:-]{0,2}){6,}[0-9a-f]?").ok());
    let Some(regex) = RUN.as_ref() else { return Vec::new() };
    let near = |b: u8| {
        let letter = b | 0x20;
        let digit = (b.wrapping_sub(b'0') < 10) | (letter.wrapping_sub(b'a') < 6) | (letter == b'x');
        digit | (b == b' ') | (b == b',') | (b == b':') | (b == b'-')
    };
    let found = runs::at_least(text.as_bytes(), 12, near);
    let is_enough = |r: &&str| {
        r.bytes().any(|b| b.is_ascii_digit()) && r.bytes().filter(u8::is_ascii_hexdigit).count() >= 12
    };
    let found = found.into_iter().filter_map(|r| text.get(r)).filter(is_enough);
    found.flat_map(|r| regex.find_iter(r)).filter_map(|m| hex_text(m.as_str())).collect()
}

fn hex_text(run: &str) -> Option<String> {
    let bytes = run.as_bytes();
    let prefix = |at: usize| bytes.get(at) == Some(&b'0') && matches!(bytes.get(at + 1), Some(b'x' | b'X'));
    let mut digits: Vec<u8> = Vec::with_capacity(bytes.len());
    for (_, b) in bytes.iter().enumerate().filter(|(at, _)| !prefix(*at)) {
        digits.extend(char::from(*b).to_digit(16).and_then(|d| u8::try_from(d).ok()));
    }
    // The end of the word before may have been joined to the run.
    (0..=4).filter_map(|skip| digits.get(skip..)).find_map(|digits| {
        let bytes = digits.as_chunks::<2>().0.iter().map(|[high, low]| high << 4 | low);
        begins_text(bytes.clone()).then(|| readable(bytes.collect())).flatten()
    })
}

/// Whether the first bytes could begin a text: most runs of digits are ids.
fn begins_text(bytes: impl Iterator<Item = u8>) -> bool {
    let mut bytes = bytes.take(2);
    let plain = |b: u8| b >= b' ' || char::from(b).is_whitespace();
    match (bytes.next(), bytes.next()) {
        // UTF-16.
        (Some(first), Some(0)) => plain(first),
        (Some(first), Some(second)) => {
            plain(first) && plain(second) && (first.is_ascii() || first >= 0xc2) && second < 0xc0
        }
        _ => false,
    }
}

/// Text, in UTF-8 or UTF-16: no control characters but blanks.
fn readable(bytes: Vec<u8>) -> Option<String> {
    let sound = |t: &str| t.chars().all(|c| !c.is_control() || c.is_whitespace()) && t.len() >= 6;
    if bytes.iter().skip(1).step_by(2).all(|b| *b == 0) && bytes.len() >= 12 {
        let units: Vec<u16> =
            bytes.chunks_exact(2).map(|p| p.iter().rev().fold(0, |n, b| n << 8 | u16::from(*b))).collect();
        return String::from_utf16(&units).ok().filter(|t| sound(t));
    }
    String::from_utf8(bytes).ok().filter(|t| sound(t))
}
