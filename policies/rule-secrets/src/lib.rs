//! A rule against keys, tokens and private keys in the arguments of any call, in plain text, percent-encoded or in base64.

pub mod detect;
pub mod formats;

use bouncer_guest::prelude::*;
use detect::Sure;

/// What becomes of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Then {
    /// A person is asked.
    Ask,
    /// Refused.
    Deny,
}

/// Settings of the rule.
#[derive(Debug, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// What becomes of a call with a secret that is certain to be one.
    pub certain: Then,
    /// What becomes of one that may be one.
    pub maybe: Then,
    /// Tools that are left alone: those that are meant to be given a secret.
    pub except: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { certain: Then::Deny, maybe: Then::Ask, except: Vec::new() }
    }
}

/// The rule.
#[derive(Debug)]
pub struct Secrets;

impl Policy for Secrets {
    type Settings = Settings;

    fn contracts(_: &Server, tools: &[Tool], settings: &Settings) -> Result<Vec<Contract>, Error> {
        let meant = tools.iter().filter(|tool| !settings.except.iter().any(|name| name == tool.name()));
        Ok(meant.map(|tool| Contract::new(tool.name()).evaluate()).collect())
    }

    fn evaluate(call: &Call<'_>, _: &[Destination], settings: &Settings) -> Result<Judgement, Error> {
        let mut judgement = Judgement::new();
        for (pointer, text) in call.leaves("") {
            let readings = [Some(text.clone()), unescaped(&text), decoded(&text)];
            let mut told: Vec<&str> = Vec::new();
            for found in readings.iter().flatten().flat_map(|text| detect::find(text)) {
                if told.contains(&found.what) || judgement.findings().len() >= 50 {
                    continue;
                }
                told.push(found.what);
                let then = if found.sure == Sure::Certain { settings.certain } else { settings.maybe };
                let text = format!("the argument holds {}", found.what);
                let finding = match then {
                    Then::Ask => Finding::ask("secret", text),
                    Then::Deny => Finding::deny("secret", text),
                };
                judgement.push(finding.at(pointer.as_str()));
            }
        }
        Ok(judgement)
    }
}

/// Percent escapes undone; `None` where there are none.
fn unescaped(text: &str) -> Option<String> {
    if !text.contains('%') {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let digits = tail.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Every run of base64 in the text that is long enough to hold a secret, decoded.
fn decoded(text: &str) -> Option<String> {
    let is_digit = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '-' | '_');
    let runs = text.split(|c: char| !is_digit(c)).filter(|run| run.len() >= 24);
    let texts: Vec<String> = runs.filter_map(base64).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

fn base64(run: &str) -> Option<String> {
    let (mut bits, mut count, mut bytes) = (0_u32, 0_u32, Vec::with_capacity(run.len()));
    for c in run.bytes() {
        let six = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' | b'-' => 62,
            _ => 63,
        };
        bits = (bits << 6 | u32::from(six)) & 0xff_ffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).ok()?);
        }
    }
    String::from_utf8(bytes).ok().filter(|text| !text.chars().any(|c| c.is_control() && !c.is_whitespace()))
}

export_policy!(Secrets);

#[cfg(test)]
mod tests;
