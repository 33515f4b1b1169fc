//! Pinning: a canonical hash of a tool's whole definition, and what a pin's state means for a call.
//!
//! Does not store pins. [`change`] says what kind of change it was, [`finding`] what looks odd in a text.

pub mod change;
pub mod finding;
#[cfg(test)]
mod tests;

use crate::value::Value;
use sha2::{Digest, Sha256};
use std::fmt;

/// How the called tool stands to what was recorded of its server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pin {
    /// Listed by the server, with the definition that was recorded.
    Known,
    /// Never listed: there is no definition to judge by.
    Unknown,
    /// Listed with another definition than the recorded one, not yet accepted by a person.
    Changed {
        /// What changed, in words: `new text for the model: /description`.
        what: String,
    },
    /// The record cannot be read or kept: nobody knows what the tool was.
    Unreadable {
        /// Why, with what to do about it.
        why: String,
    },
}

/// The SHA-256 of a definition in a canonical form: the order of members, white space and escapes do not matter,
/// everything else does, the text of a number (`1` is not `1.0`) and members unknown to Bouncer included.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hash([u8; 32]);

impl Hash {
    /// The hash of a definition: a tool, a prompt, a resource template.
    #[must_use]
    pub fn of(definition: &Value) -> Self {
        let mut sha = Sha256::new();
        feed(definition, &mut sha);
        Self(sha.finalize().into())
    }

    /// The hash that [`Display`](fmt::Display) wrote: 64 hexadecimal digits.
    #[must_use]
    pub fn from_hex(text: &str) -> Option<Self> {
        if text.len() != 64 || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        let mut bytes = [0; 32];
        for (i, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(text.get(2 * i..2 * i + 2)?, 16).ok()?;
        }
        Some(Self(bytes))
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash({self})")
    }
}

/// Each value is fed as a tag and its length before its content, so that no two values feed the same bytes.
fn feed(value: &Value, sha: &mut Sha256) {
    match value {
        Value::Null => sha.update(b"z"),
        Value::Bool(true) => sha.update(b"t"),
        Value::Bool(false) => sha.update(b"f"),
        Value::Number(text) => feed_text(b"n", text, sha),
        Value::String(text) => feed_text(b"s", text, sha),
        Value::Array(items) => {
            sha.update(b"a");
            feed_len(items.len(), sha);
            items.iter().for_each(|item| feed(item, sha));
        }
        Value::Object(members) => {
            let mut sorted: Vec<&(String, Value)> = members.iter().collect();
            // Stable: members of one key, which a lenient tree can have, keep their order.
            sorted.sort_by(|(a, _), (b, _)| a.cmp(b));
            sha.update(b"o");
            feed_len(sorted.len(), sha);
            for (key, member) in sorted {
                feed_text(b"s", key, sha);
                feed(member, sha);
            }
        }
    }
}

fn feed_text(tag: &[u8], text: &str, sha: &mut Sha256) {
    sha.update(tag);
    feed_len(text.len(), sha);
    sha.update(text.as_bytes());
}

fn feed_len(len: usize, sha: &mut Sha256) {
    sha.update((len as u64).to_be_bytes());
}

/// Whether two number texts are the same number (`1`, `1.0`, `10e-1`).
fn same_number(a: &str, b: &str) -> bool {
    canonical_number(a) == canonical_number(b)
}

/// One text for all spellings of one decimal number: its digits without zeros at the ends, and an exponent. Exact, never
/// through a float. A number whose exponent is beyond 64 bits keeps its text.
fn canonical_number(text: &str) -> String {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    let significant = digits.trim_end_matches('0');
    if significant.is_empty() {
        return "0".to_owned();
    }
    let shift = i64::try_from(digits.len() - significant.len())
        .ok()
        .zip(i64::try_from(fraction.len()).ok())
        .zip(exponent.parse::<i64>().ok())
        .and_then(|((zeros, places), exponent)| exponent.checked_add(zeros)?.checked_sub(places));
    shift.map_or_else(|| text.to_owned(), |shift| format!("{sign}{significant}e{shift}"))
}
