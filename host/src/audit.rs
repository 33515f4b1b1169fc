//! The audit log: one line for each verdict, written with one `write` (for the calls that came together, with one for all) to
//! a file opened for appending, so that the lines of several proxies never mix. What it does not do: rotate, or keep anything
//! in memory.
//!
//! A line that could not be written whole is an error, and the caller refuses the call.

pub(crate) mod read;

use crate::json;
use crate::os;
use crate::pack::GrantUse;
use bouncer_core::evidence::Evidence;
use bouncer_core::ruling::Ruling;
use bouncer_core::value::Value;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Longer strings of the arguments are cut in the log, with a note of their length.
const CUT: usize = 8 << 10;
/// Arguments that are larger than this even so are left out, with a note of their size.
const MOST: usize = 256 << 10;

/// Why the log cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// The file could not be opened.
    #[error(
        "cannot open the audit log `{path}`: {source}\nhint: the folder must exist and be writable by you"
    )]
    Open {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A line could not be written whole.
    #[error("cannot write the audit log `{path}`: {source}")]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Lines that could not all be written.
#[derive(Debug)]
pub(crate) struct Unwritten {
    /// So many bytes of them, whole lines, are in the log.
    pub(crate) whole: usize,
    /// Why not all.
    pub(crate) error: AuditError,
}

/// An open audit log.
#[derive(Debug)]
pub struct Audit {
    path: PathBuf,
    open: Mutex<Open>,
}

#[derive(Debug)]
struct Open {
    file: File,
    /// Which file that is, as far as the system tells.
    identity: Option<(u64, u64)>,
    /// The last line was written in part: the next one starts with a newline, so that only the torn one is lost.
    torn: bool,
}

/// One line of the log.
#[derive(Debug, Clone, Default)]
pub struct Entry<'a> {
    /// The session's id.
    pub session: &'a str,
    /// The user's name for the server.
    pub server: &'a str,
    /// The tool, empty where the line named none.
    pub tool: &'a str,
    /// The arguments of the call.
    pub args: Option<&'a Value>,
    /// `allow`, `ask` or `deny`.
    pub verdict: &'a str,
    /// Why; empty for a plain allow.
    pub reason: &'a str,
    /// The contract that decided, `default` for a plain allow, `line` for a line that was not forwarded unread.
    pub contract: &'a str,
    /// How long the judgement took.
    pub duration: Duration,
    /// The JSON-RPC id of the request, as JSON.
    pub id: Option<&'a str>,
    /// The whole ruling, for its findings.
    pub ruling: Option<&'a Ruling>,
    /// What was granted to installed packs and takes part in what is said of the tool.
    pub grants: &'a [GrantUse],
}

impl Audit {
    /// Opens `path` for appending, and creates it readable by its owner only.
    ///
    /// # Errors
    /// When the file cannot be opened or created.
    pub fn open(path: &Path) -> Result<Self, AuditError> {
        let open = Open::at(path).map_err(|source| AuditError::Open { path: path.to_owned(), source })?;
        Ok(Self { path: path.to_owned(), open: Mutex::new(open) })
    }

    /// Where the log lies.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends one line.
    ///
    /// # Errors
    /// When the line could not be written whole: nothing may be forwarded then.
    pub fn append(&self, entry: &Entry<'_>) -> Result<(), AuditError> {
        let mut line = String::with_capacity(512);
        write_line(entry, &mut line);
        self.append_lines(&line).map_err(|unwritten| unwritten.error)
    }

    /// Appends lines that [`write_line`] wrote, in one go.
    ///
    /// # Errors
    /// When they could not all be written whole.
    pub(crate) fn append_lines(&self, lines: &str) -> Result<(), Unwritten> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.identity != os::identity(&self.path) {
            // Moved away or deleted: what went on into the old file, nobody would find.
            *open = Open::at(&self.path).map_err(|source| Unwritten {
                whole: 0,
                error: AuditError::Open { path: self.path.clone(), source },
            })?;
        }
        let Open { file, torn, .. } = &mut *open;
        write_once(file, torn, lines).map_err(|(whole, source)| Unwritten {
            whole,
            error: AuditError::Write { path: self.path.clone(), source },
        })
    }
}

impl Open {
    fn at(path: &Path) -> io::Result<Self> {
        let file = os::private(OpenOptions::new().append(true).create(true)).open(path)?;
        let identity = os::identity_of(&file);
        Ok(Self { file, identity, torn: false })
    }
}

/// Writes all lines with one `write`. An error comes with how many bytes of them are whole lines in the log.
fn write_once(file: &mut impl Write, torn: &mut bool, lines: &str) -> Result<(), (usize, io::Error)> {
    let mended = if *torn { format!("\n{lines}") } else { String::new() };
    let bytes = if *torn { mended.as_bytes() } else { lines.as_bytes() };
    loop {
        match file.write(bytes) {
            Ok(n) if n == bytes.len() => {
                *torn = false;
                return Ok(());
            }
            Ok(n) => {
                let written = n.saturating_sub(bytes.len() - lines.len());
                let written = lines.as_bytes().get(..written).unwrap_or_default();
                let whole = memchr::memrchr(b'\n', written).map_or(0, |at| at + 1);
                if n > 0 {
                    *torn = whole < written.len();
                }
                let error = format!("{n} of {} bytes written", bytes.len());
                return Err((whole, io::Error::new(io::ErrorKind::WriteZero, error)));
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err((0, e)),
        }
    }
}

/// Appends the line of a verdict that is given now, with its newline.
pub(crate) fn write_line(entry: &Entry<'_>, out: &mut String) {
    write_entry(entry, SystemTime::now(), out);
    out.push('\n');
}

fn write_entry(entry: &Entry<'_>, now: SystemTime, out: &mut String) {
    out.push_str("{\"ts\":\"");
    write_timestamp(now, out);
    out.push('"');
    let mut member = |key: &str, value: &str| {
        out.push_str(key);
        json::write_str(value, out);
    };
    member(",\"session\":", entry.session);
    member(",\"server\":", entry.server);
    member(",\"tool\":", entry.tool);
    out.push_str(",\"args\":");
    write_args(entry.args, out);
    let mut member = |key: &str, value: &str| {
        out.push_str(key);
        json::write_str(value, out);
    };
    member(",\"verdict\":", entry.verdict);
    member(",\"reason\":", entry.reason);
    member(",\"contract\":", entry.contract);
    out.push_str(",\"duration_us\":");
    json::write_number(u64::try_from(entry.duration.as_micros()).unwrap_or(u64::MAX), out);
    if let Some(id) = entry.id {
        out.push_str(",\"id\":");
        out.push_str(id);
    }
    if let Some(ruling) = entry.ruling {
        write_findings(ruling, out);
    }
    write_grants(entry.grants, out);
    out.push('}');
}

fn write_args(args: Option<&Value>, out: &mut String) {
    let Some(args) = args else {
        out.push_str("null");
        return;
    };
    let start = out.len();
    json::write(args, CUT, out);
    let size = out.len() - start;
    if size > MOST {
        out.truncate(start);
        out.push_str(&format!("{{\"bouncer:left_out\":{{\"bytes\":{size}}}}}"));
    }
}

/// The findings that carry a verdict above allow, or evidence: what a person needs to see why.
fn write_findings(ruling: &Ruling, out: &mut String) {
    let mut first = true;
    for finding in &ruling.findings {
        if finding.destination.is_none() && finding.verdict == bouncer_core::verdict::Verdict::Allow {
            continue;
        }
        out.push_str(if first { ",\"evidence\":[{\"code\":" } else { ",{\"code\":" });
        first = false;
        json::write_str(&finding.code, out);
        out.push_str(",\"verdict\":");
        json::write_str(finding.verdict.as_str(), out);
        out.push_str(",\"contract\":");
        json::write_str(finding.contract.as_str(), out);
        if let Some(destination) = &finding.destination {
            out.push_str(",\"argument\":");
            json::write_str(&destination.argument, out);
            out.push_str(",\"destination\":");
            json::write(&Value::String(destination.raw.clone()), CUT, out);
        }
        if let Some(evidence) = &finding.evidence {
            write_evidence(evidence, out);
        }
        out.push('}');
    }
    if !first {
        out.push(']');
    }
}

/// `"grants":[{"pack","sha256","kinds"}]`; nothing where no grant takes part.
fn write_grants(grants: &[GrantUse], out: &mut String) {
    for (index, used) in grants.iter().enumerate() {
        out.push_str(if index == 0 { ",\"grants\":[{\"pack\":" } else { ",{\"pack\":" });
        json::write_str(&used.pack, out);
        out.push_str(",\"sha256\":");
        json::write_str(&used.sha256, out);
        let kinds: Vec<String> = used.kinds.iter().map(|kind| format!("\"{}\"", kind.as_str())).collect();
        out.push_str(&format!(",\"kinds\":[{}]}}", kinds.join(",")));
    }
    if !grants.is_empty() {
        out.push(']');
    }
}

fn write_evidence(evidence: &Evidence, out: &mut String) {
    out.push_str(",\"trust\":");
    json::write_str(evidence.trust().as_str(), out);
    let near = evidence.near.as_ref().map(|(_, s)| s);
    let composed = evidence.composed.as_ref().map(|(_, s)| s);
    let seen = [evidence.text.as_ref(), composed, evidence.field.as_ref(), near, evidence.directory.as_ref()];
    if let Some(seen) = seen.into_iter().flatten().next() {
        out.push_str(",\"seen\":{\"server\":");
        json::write_str(&seen.server, out);
        out.push_str(",\"tool\":");
        json::write_str(&seen.tool, out);
        out.push_str(",\"answer\":");
        json::write_number(seen.call, out);
        out.push_str(",\"pointer\":");
        json::write_str(&seen.pointer, out);
        out.push_str(",\"excerpt\":");
        json::write_str(&seen.excerpt, out);
        out.push('}');
    }
}

/// RFC 3339 in UTC with milliseconds.
#[must_use]
pub fn timestamp(time: SystemTime) -> String {
    let mut out = String::with_capacity(24);
    write_timestamp(time, &mut out);
    out
}

fn write_timestamp(time: SystemTime, out: &mut String) {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (days, rest) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    // Days to a civil date, counted from 0000-03-01 in eras of 400 years (H. Hinnant's method).
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    let millis = u64::from(since.subsec_millis());
    // By hand: every call that is judged has one, and `format!` took two fifths of the instructions that its line does.
    let digit = |number: u64| b'0' + u8::try_from(number % 10).unwrap_or(0);
    let two = |number: u64| [digit(number / 10), digit(number)];
    let [[y1, y2], [y3, y4], [m1, m2], [d1, d2]] = [two(year / 100), two(year), two(month), two(day)];
    let [[h1, h2], [n1, n2], [s1, s2], [t2, t3]] = [two(hour), two(minute), two(second), two(millis)];
    let t1 = digit(millis / 100);
    let text = [
        y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2, b'T', h1, h2, b':', n1, n2, b':', s1, s2, b'.', t1, t2,
        t3, b'Z',
    ];
    out.push_str(std::str::from_utf8(&text).unwrap_or_default());
}

#[cfg(test)]
#[path = "audit_tests.rs"]
mod tests;
