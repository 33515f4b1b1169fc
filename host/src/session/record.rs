//! What a session remembers, as records of the session folder: a tag, the time, then fields with their lengths. A record
//! that cannot be read back is reported, never skipped: it may be the very text that taints a destination.

use super::output::OutputKind;
use bouncer_core::arg_path::ArgPath;
use bouncer_core::provenance::Source;
use std::time::{SystemTime, UNIX_EPOCH};

/// One thing that happened. `K` is what the reader keeps of bytes that were heard.
#[derive(Debug)]
pub(super) enum Event<K> {
    /// An upstream sent something that a model can read.
    Heard {
        /// The number of the client's call that it answers, or 0.
        number: u64,
        source: Source,
        directories: Vec<ArgPath>,
        kind: OutputKind,
        kept: K,
    },
    /// A human said yes for the session: the question's key, with server and tool.
    Approved(String, String, String),
    /// A call was attempted: server and tool.
    Attempted(String, String),
    /// The user's own words.
    Prompt(String),
}

/// Appends the bytes of one record.
struct Writer<'o>(&'o mut Vec<u8>);

impl<'o> Writer<'o> {
    fn new(out: &'o mut Vec<u8>, tag: u8) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        out.push(tag);
        Self(out).number(u64::try_from(now.as_nanos()).unwrap_or(u64::MAX))
    }

    fn number(self, number: u64) -> Self {
        self.0.extend_from_slice(&number.to_le_bytes());
        self
    }

    fn text(self, text: &str) -> Self {
        let this = self.number(text.len() as u64);
        this.0.extend_from_slice(text.as_bytes());
        this
    }
}

/// The record of something heard, but for the bytes of it, which come last.
pub(super) fn heard(
    out: &mut Vec<u8>,
    number: u64,
    source: &Source,
    kind: OutputKind,
    directories: &[ArgPath],
) {
    let mut out = Writer::new(out, b'h').text(&source.server).text(&source.tool);
    out = out.number(number).number(directories.len() as u64);
    for directory in directories {
        out = out.text(directory.as_str());
    }
    out.0.push(match kind {
        OutputKind::Text => b'w',
        OutputKind::ToolAnswer => b't',
        OutputKind::Answer => b'a',
        OutputKind::Told => b'n',
        OutputKind::Odd => b'o',
    });
}

pub(super) fn approved(out: &mut Vec<u8>, server: &str, tool: &str, key: &str) {
    Writer::new(out, b'a').text(server).text(tool).text(key);
}

pub(super) fn attempted(out: &mut Vec<u8>, server: &str, tool: &str) {
    Writer::new(out, b'c').text(server).text(tool);
}

pub(super) fn prompt(out: &mut Vec<u8>, text: &str) {
    Writer::new(out, b'p').text(text);
}

/// Reads a record back: when it was written, and what happened. `keep` is told where in the record the bytes begin that
/// were heard; they go on to its end.
pub(super) fn read<K>(bytes: &[u8], keep: impl FnOnce(usize) -> K) -> Option<(u64, Event<K>)> {
    let (tag, rest) = bytes.split_first()?;
    let (time, mut rest) = number(rest)?;
    let rest = &mut rest;
    let event = match tag {
        b'h' => {
            let source = Source { server: text(rest)?, tool: text(rest)? };
            let (call, after) = number(rest)?;
            let (count, after) = number(after)?;
            *rest = after;
            let directories: Option<Vec<ArgPath>> =
                (0..count).map(|_| text(rest).and_then(|path| ArgPath::parse(&path).ok())).collect();
            let (letter, said) = rest.split_first()?;
            let kind = match letter {
                b'w' => OutputKind::Text,
                b't' => OutputKind::ToolAnswer,
                b'a' => OutputKind::Answer,
                b'n' => OutputKind::Told,
                b'o' => OutputKind::Odd,
                _ => return None,
            };
            *rest = &[];
            let kept = keep(bytes.len().checked_sub(said.len())?);
            Event::Heard { number: call, source, directories: directories?, kind, kept }
        }
        b'a' => Event::Approved(text(rest)?, text(rest)?, text(rest)?),
        b'c' => Event::Attempted(text(rest)?, text(rest)?),
        b'p' => Event::Prompt(text(rest)?),
        _ => return None,
    };
    rest.is_empty().then_some((time, event))
}

fn number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (head, rest) = bytes.split_first_chunk::<8>()?;
    Some((u64::from_le_bytes(*head), rest))
}

fn text(rest: &mut &[u8]) -> Option<String> {
    let (length, after) = number(rest)?;
    let (words, after) = after.split_at_checked(usize::try_from(length).ok()?)?;
    *rest = after;
    String::from_utf8(words.to_vec()).ok()
}
