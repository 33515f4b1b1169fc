//! Texts written as bytes: base64 (both alphabets, unpadded, line-wrapped) and hexadecimal.

use regex::Regex;
use std::sync::LazyLock;

type Pattern = LazyLock<Option<Regex>>;

/// Shorter runs hold no address.
const SHORTEST: usize = 8;

/// Runs of the base64 alphabet, also over line breaks, that decode to text.
pub(super) fn base64(text: &str) -> Vec<String> {
    static RUN: Pattern = LazyLock::new(|| {
        Regex::new(r"[A-Za-z0-9+/_-]{8,}={0,2}(?:[ \t]*\r?\n[ \t]*[A-Za-z0-9+/_-]{2,}={0,2})*").ok()
    });
    let Some(regex) = RUN.as_ref() else { return Vec::new() };
    let mut out = Vec::new();
    for m in regex.find_iter(text) {
        let whole = m.as_str();
        match base64_text(whole) {
            Some(t) => out.push(t),
            // A word of prose may have been joined to it: each line by itself.
            None if whole.contains('\n') => out.extend(whole.lines().filter_map(base64_text)),
            None => {}
        }
    }
    out
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

/// Runs of hexadecimal bytes, also apart by blanks, colons or `0x`.
pub(super) fn hex(text: &str) -> Vec<String> {
    static RUN: Pattern = LazyLock::new(|| Regex::new(r"(?i)(?:(?:0x)?[0-9a-f]{2}[ ,:]{0,2}){6,}").ok());
    let Some(regex) = RUN.as_ref() else { return Vec::new() };
    regex.find_iter(text).filter_map(|m| hex_text(m.as_str())).collect()
}

fn hex_text(run: &str) -> Option<String> {
    let run = run.to_ascii_lowercase().replace("0x", "");
    let digits: Vec<u8> =
        run.chars().filter_map(|c| c.to_digit(16)).filter_map(|d| u8::try_from(d).ok()).collect();
    let bytes = digits.chunks_exact(2).map(|p| p.iter().fold(0, |n, d| n << 4 | d)).collect();
    readable(bytes)
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
