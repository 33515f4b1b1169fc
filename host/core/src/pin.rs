//! Pinning: a canonical hash of a tool's whole definition, and what a pin's state means for a call.
//!
//! Does not store pins, nor judge how grave a change is.

#[cfg(test)]
mod tests;

use crate::value::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
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
        /// What changed, in words: `description, inputSchema`.
        what: String,
    },
}

/// The SHA-256 of a definition in a canonical form: the order of members and the way a number is written (`1`, `1.0`,
/// `10e-1`) do not matter, everything else does, members unknown to Bouncer included.
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

/// The names of the top-level members in which two definitions differ, sorted: changed, added or removed.
#[must_use]
pub fn differences(old: &Value, new: &Value) -> Vec<String> {
    let empty: &[(String, Value)] = &[];
    let (old_members, new_members) = (old.as_object().unwrap_or(empty), new.as_object().unwrap_or(empty));
    let names: BTreeSet<&str> = old_members.iter().chain(new_members).map(|(key, _)| key.as_str()).collect();
    let all = |members: &[(String, Value)], name: &str| -> Vec<Hash> {
        members.iter().filter(|(key, _)| key == name).map(|(_, value)| Hash::of(value)).collect()
    };
    names
        .into_iter()
        .filter(|name| all(old_members, name) != all(new_members, name))
        .map(str::to_owned)
        .collect()
}

/// Each value is fed as a tag and its length before its content, so that no two values feed the same bytes.
fn feed(value: &Value, sha: &mut Sha256) {
    match value {
        Value::Null => sha.update(b"z"),
        Value::Bool(true) => sha.update(b"t"),
        Value::Bool(false) => sha.update(b"f"),
        Value::Number(text) => feed_text(b"n", &canonical_number(text), sha),
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
