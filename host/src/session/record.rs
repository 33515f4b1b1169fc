//! What a session remembers, as records of the session folder: a tag, the time, then fields with their lengths. A record
//! that cannot be read back is reported, never skipped: it may be the very text that taints a destination.

use super::Piece;
use bouncer_core::arg_path::ArgPath;
use bouncer_core::provenance::Source;
use bouncer_core::value::Value;
use std::time::{SystemTime, UNIX_EPOCH};

/// As deep as an answer is read; what lies deeper is kept as text by the lenient parser.
const DEPTH: usize = 128;

/// One thing that happened.
#[derive(Debug)]
pub(super) enum Event {
    /// An upstream sent something that a model can read; with the number of the client's call that it answers, or 0.
    Heard(u64, Source, Vec<Piece>, Vec<ArgPath>),
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

pub(super) fn heard(
    out: &mut Vec<u8>,
    number: u64,
    source: &Source,
    pieces: &[Piece],
    directories: &[ArgPath],
) {
    let mut out = Writer::new(out, b'h').text(&source.server).text(&source.tool);
    out = out.number(number).number(directories.len() as u64);
    for directory in directories {
        out = out.text(directory.as_str());
    }
    for piece in pieces {
        out.0.push(if matches!(piece, Piece::Text(_)) { b't' } else { b'v' });
        out = match piece {
            Piece::Text(text) => out.text(text),
            Piece::Value(value) => out.text(&value.to_json()),
        };
    }
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

/// Reads a record back: when it was written, and what happened.
pub(super) fn read(bytes: &[u8]) -> Option<(u64, Event)> {
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
            let mut pieces = Vec::new();
            while let Some((kind, after)) = rest.split_first() {
                *rest = after;
                let words = text(rest)?;
                pieces.push(match kind {
                    b't' => Piece::Text(words),
                    b'v' => match Value::parse_lenient(words.as_bytes(), DEPTH) {
                        Ok(value) => Piece::Value(value),
                        Err(_) => Piece::Text(words),
                    },
                    _ => return None,
                });
            }
            Event::Heard(call, source, pieces, directories?)
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
