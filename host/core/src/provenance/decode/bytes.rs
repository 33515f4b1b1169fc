//! Texts written as bytes: base64 (both alphabets, unpadded, line-wrapped), base32 and hexadecimal.

use super::runs;
use std::ops::Range;

/// Shorter runs hold no address.
const SHORTEST: usize = 8;
/// Pairs of hexadecimal digits of the shortest text.
const PAIRS: usize = 6;

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
                match base64_text(whole.bytes()) {
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
    let of_lines = |some: &[&str]| base64_text(some.iter().flat_map(|l| l.bytes()));
    let inner = [(1, 0), (0, 1), (1, 1), (2, 0), (0, 2)]
        .into_iter()
        .find_map(|(front, back)| of_lines(lines.get(front..lines.len().checked_sub(back)?)?));
    inner.map_or_else(|| lines.iter().filter_map(|l| of_lines(&[l])).collect(), |text| vec![text])
}

fn base64_text(run: impl Iterator<Item = u8>) -> Option<String> {
    let symbols = run.filter_map(|b| match b {
        b'A'..=b'Z' => Some(b - b'A'),
        b'a'..=b'z' => Some(b - b'a' + 26),
        b'0'..=b'9' => Some(b - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    });
    readable(unpacked(symbols, 6), &mut Vec::new())
}

/// Bytes of symbols that each stand for so many bits, the highest first.
fn unpacked(symbols: impl Iterator<Item = u8>, width: u32) -> impl Iterator<Item = u8> {
    let (mut bits, mut held) = (0_u32, 0_u32);
    symbols.filter_map(move |symbol| {
        bits = (bits << width) | u32::from(symbol);
        held += width;
        let byte = held.checked_sub(8).and_then(|rest| u8::try_from((bits >> rest) & 0xff).ok());
        held %= 8;
        bits &= (1 << held) - 1;
        byte
    })
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
    let symbols = run.bytes().map(|b| if b.is_ascii_uppercase() { b - b'A' } else { b - b'2' + 26 });
    readable(unpacked(symbols, 5), &mut Vec::new())
}

/// Runs of hexadecimal bytes, also apart by blanks, colons, hyphens or `0x`.
pub(super) fn hex(text: &str) -> Vec<String> {
    let near = |b: u8| {
        let letter = b | 0x20;
        let digit_or_colon = b.wrapping_sub(b'0') <= b':' - b'0';
        let comma_or_hyphen = b.wrapping_sub(b',') <= b'-' - b',';
        digit_or_colon | (letter.wrapping_sub(b'a') < 6) | (letter == b'x') | (b == b' ') | comma_or_hyphen
    };
    let mut out = Vec::new();
    for run in runs::at_least(text.as_bytes(), 12, near) {
        let run = text.as_bytes().get(run).unwrap_or(&[]);
        let digits = run.iter().filter(|b| b.is_ascii_hexdigit()).count();
        if digits >= 2 * PAIRS && run.iter().any(u8::is_ascii_digit) {
            out.extend(hex_runs(run).into_iter().filter_map(|r| hex_text(run.get(r)?)));
        }
    }
    out
}

/// Six or more pairs of digits one after the other, at most two separators between two of them, and a digit left over:
/// `(?:(?:0x)?[0-9a-f]{2}[ ,:-]{0,2}){6,}[0-9a-f]?`.
fn hex_runs(text: &[u8]) -> Vec<Range<usize>> {
    let digit = |at: usize| text.get(at).is_some_and(u8::is_ascii_hexdigit);
    let separator = |at: usize| text.get(at).is_some_and(|b| matches!(b, b' ' | b',' | b':' | b'-'));
    let mut out = Vec::new();
    let mut start = 0;
    while start + 2 * PAIRS <= text.len() {
        let (mut at, mut pairs) = (start, 0);
        loop {
            let pair = if begins_0x(text, at) { at + 2 } else { at };
            if !(digit(pair) && digit(pair + 1)) {
                break;
            }
            at = pair + 2;
            at += usize::from(separator(at)) + usize::from(separator(at) && separator(at + 1));
            pairs += 1;
        }
        if pairs >= PAIRS {
            at += usize::from(digit(at));
            out.push(start..at);
            start = at;
        } else {
            start += 1;
        }
    }
    out
}

fn begins_0x(text: &[u8], at: usize) -> bool {
    text.get(at) == Some(&b'0') && matches!(text.get(at + 1), Some(b'x' | b'X'))
}

fn hex_text(run: &[u8]) -> Option<String> {
    let mut digits: Vec<u8> = Vec::with_capacity(run.len());
    for (at, b) in run.iter().enumerate() {
        if !begins_0x(run, at) {
            match b {
                b'0'..=b'9' => digits.push(b - b'0'),
                b'a'..=b'f' => digits.push(b - b'a' + 10),
                b'A'..=b'F' => digits.push(b - b'A' + 10),
                _ => {}
            }
        }
    }
    let bytes = |skip: usize| {
        let pairs = digits.get(skip..).unwrap_or(&[]).as_chunks::<2>().0;
        pairs.iter().map(|[high, low]| high << 4 | low)
    };
    let mut buffer = Vec::with_capacity(digits.len() / 2);
    // The end of the word before may have been joined to the run. Most runs are ids: a control character in the last
    // reading of those that part the digits alike is one in the others too.
    let could_be = |skip: usize| !bytes(skip).any(|b| b != 0 && is_control(b));
    let (even, odd) = (could_be(4), could_be(3));
    (0..=4)
        .filter(|skip| if skip % 2 == 0 { even } else { odd })
        .find_map(|skip| readable(bytes(skip), &mut buffer))
}

/// Which no text has.
fn is_control(b: u8) -> bool {
    b.is_ascii_control() && !char::from(b).is_whitespace()
}

/// Text, in UTF-8 or UTF-16: no control characters but blanks. What is none mostly has one among its first bytes.
fn readable(bytes: impl Iterator<Item = u8>, buffer: &mut Vec<u8>) -> Option<String> {
    buffer.clear();
    for b in bytes {
        let is_half = b == 0 && buffer.len() % 2 == 1;
        if is_control(b) && !is_half {
            return None;
        }
        buffer.push(b);
    }
    let sound = |t: &str| t.chars().all(|c| !c.is_control() || c.is_whitespace()) && t.len() >= 6;
    if buffer.len() >= 12 && buffer.iter().skip(1).step_by(2).all(|b| *b == 0) {
        let units: Vec<u16> =
            buffer.chunks_exact(2).map(|p| p.iter().rev().fold(0, |n, b| n << 8 | u16::from(*b))).collect();
        return String::from_utf16(&units).ok().filter(|t| sound(t));
    }
    std::str::from_utf8(buffer).ok().filter(|t| sound(t)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use regex::Regex;

    proptest! {
        #[test]
        fn runs_of_pairs_are_as_their_pattern_says(text in "[0afxX ,:g-]{0,40}") {
            let pattern = Regex::new(r"(?i)(?:(?:0x)?[0-9a-f]{2}[ ,:-]{0,2}){6,}[0-9a-f]?").unwrap();
            let plain: Vec<_> = pattern.find_iter(&text).map(|m| m.range()).collect();
            prop_assert_eq!(hex_runs(text.as_bytes()), plain);
        }
    }
}
