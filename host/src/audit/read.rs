//! The log read back: which lines are meant, and how often what stands in them.
//!
//! A line is looked at as bytes and only its members of a few names are parsed, so that a long log is quick; what is no
//! JSON line (a torn last one, or one of another program) is counted and passed over.

use super::timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, BufRead};
use std::time::{Duration, SystemTime};

/// The members that both systems write. One that is `null` counts as empty.
#[derive(Debug, Deserialize)]
pub(crate) struct Line<'a> {
    #[serde(borrow, default, deserialize_with = "text_or_null")]
    pub(crate) ts: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "text_or_null")]
    pub(crate) session: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "text_or_null")]
    pub(crate) server: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "text_or_null")]
    pub(crate) tool: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "text_or_null")]
    pub(crate) verdict: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "text_or_null")]
    pub(crate) reason: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "text_or_null")]
    pub(crate) contract: Cow<'a, str>,
    /// Grants to installed packs that took part; none in older lines.
    #[serde(default)]
    pub(crate) grants: Option<Vec<Granted>>,
}

fn text_or_null<'de: 'a, 'a, D: serde::Deserializer<'de>>(source: D) -> Result<Cow<'a, str>, D::Error> {
    #[derive(Deserialize)]
    struct Text<'t>(#[serde(borrow)] Cow<'t, str>);
    Ok(Option::<Text<'a>>::deserialize(source)?.map(|text| text.0).unwrap_or_default())
}

/// A grant to an installed pack.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Granted {
    pub(crate) pack: String,
    pub(crate) sha256: String,
    pub(crate) kinds: Vec<String>,
}

/// A line of the log; `None` for what is none.
pub(crate) fn parse(bytes: &[u8]) -> Option<Line<'_>> {
    serde_json::from_slice(bytes).ok()
}

/// Which lines are meant; `None` takes any.
#[derive(Debug, Default)]
pub(crate) struct Filter {
    pub(crate) verdict: Option<String>,
    pub(crate) tool: Option<String>,
    pub(crate) server: Option<String>,
    pub(crate) session: Option<String>,
    /// The beginning of a time stamp, UTC.
    pub(crate) since: Option<String>,
    /// The same; lines of then or later are not meant.
    pub(crate) until: Option<String>,
}

impl Filter {
    pub(crate) fn takes(&self, line: &Line<'_>) -> bool {
        let is = |wanted: &Option<String>, have: &str| wanted.as_deref().is_none_or(|wanted| wanted == have);
        is(&self.verdict, &line.verdict)
            && is(&self.tool, &line.tool)
            && is(&self.server, &line.server)
            && is(&self.session, &line.session)
            && self.since.as_deref().is_none_or(|since| &*line.ts >= since)
            && self.until.as_deref().is_none_or(|until| &*line.ts < until)
    }
}

/// How often what stands in the log.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Counts {
    /// Lines that were counted.
    pub(crate) lines: u64,
    /// Lines that are none of the log's, or were torn.
    pub(crate) unreadable: u64,
    /// By `allow`, `ask` and `deny`.
    pub(crate) verdicts: BTreeMap<String, u64>,
    /// By the contract that decided.
    pub(crate) contracts: BTreeMap<String, u64>,
    /// By `SERVER/TOOL`, then by verdict.
    pub(crate) tools: BTreeMap<String, BTreeMap<String, u64>>,
}

impl Counts {
    fn add(&mut self, line: &Line<'_>) {
        self.lines += 1;
        bump(&mut self.verdicts, &line.verdict);
        bump(&mut self.contracts, &line.contract);
        let tool = format!("{}/{}", line.server, line.tool);
        bump(self.tools.entry(tool).or_default(), &line.verdict);
    }

    /// Counts the whole log, and hands each line that is meant to `also`.
    pub(crate) fn of(
        mut log: impl BufRead,
        filter: &Filter,
        mut also: impl FnMut(&mut Vec<u8>),
    ) -> io::Result<Self> {
        let mut counts = Self::default();
        let mut buffer = Vec::new();
        while log.read_until(b'\n', &mut buffer)? > 0 {
            match parse(&buffer) {
                Some(line) if filter.takes(&line) => {
                    counts.add(&line);
                    also(&mut buffer);
                }
                Some(_) => {}
                None if buffer.trim_ascii().is_empty() => {}
                None => counts.unreadable += 1,
            }
            buffer.clear();
        }
        Ok(counts)
    }
}

fn bump(map: &mut BTreeMap<String, u64>, key: &str) {
    match map.get_mut(key) {
        Some(count) => *count += 1,
        None => {
            map.insert(key.to_owned(), 1);
        }
    }
}

/// A time as a user writes it: the beginning of a time stamp as it is, `90m`, `12h` or `2d` as that long before now.
///
/// # Errors
/// Where it is neither.
pub(crate) fn moment(text: &str) -> Result<String, String> {
    moment_from(text, SystemTime::now())
}

fn moment_from(text: &str, now: SystemTime) -> Result<String, String> {
    let wrong = || {
        format!(
            "`{text}` is no time: expected the beginning of one in UTC such as `2026-11-30T09`, or how long ago: `30s`, `90m`, `12h`, `2d`, `1w`"
        )
    };
    let bytes = text.as_bytes();
    let date = bytes.first_chunk::<4>().is_some_and(|year| year.iter().all(u8::is_ascii_digit));
    if date && bytes.get(4).is_none_or(|byte| *byte == b'-') {
        return Ok(text.to_owned());
    }
    let unit = match bytes.last() {
        Some(b's') => 1,
        Some(b'm') => 60,
        Some(b'h') => 3_600,
        Some(b'd') => 86_400,
        Some(b'w') => 7 * 86_400,
        _ => return Err(wrong()),
    };
    let count = text.get(..text.len() - 1).filter(|count| count.bytes().all(|b| b.is_ascii_digit()));
    let count: u64 = count.and_then(|count| count.parse().ok()).ok_or_else(wrong)?;
    let ago = count.checked_mul(unit).map(Duration::from_secs).ok_or_else(wrong)?;
    // Longer ago than time is counted: everything.
    Ok(timestamp(now.checked_sub(ago).unwrap_or(SystemTime::UNIX_EPOCH)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_stamps_or_how_long_ago() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        for (text, stamp) in [
            ("2026-11", "2026-11"),
            ("2026", "2026"),
            ("40s", "1970-01-12T13:46:00.000Z"),
            ("1h", "1970-01-12T12:46:40.000Z"),
            ("2d", "1970-01-10T13:46:40.000Z"),
            ("9999999999h", "1970-01-01T00:00:00.000Z"),
        ] {
            assert_eq!(moment_from(text, now).unwrap(), stamp, "{text}");
        }
        for text in ["", "h", "yesterday", "1.5h", "-1h", "1 h", "99999999999999999999d", "20261130", "é"] {
            assert!(moment_from(text, now).is_err(), "{text}");
        }
    }
}
