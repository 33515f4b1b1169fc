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

/// The bytes of a record being written.
struct Writer(Vec<u8>);

impl Writer {
    fn new(tag: u8) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut bytes = vec![tag];
        bytes.extend_from_slice(&u64::try_from(now.as_nanos()).unwrap_or(u64::MAX).to_le_bytes());
        Self(bytes)
    }

    fn text(mut self, text: &str) -> Self {
        self.0.extend_from_slice(&(text.len() as u64).to_le_bytes());
        self.0.extend_from_slice(text.as_bytes());
        self
    }
}

pub(super) fn heard(number: u64, source: &Source, pieces: &[Piece], directories: &[ArgPath]) -> Vec<u8> {
    let mut out = Writer::new(b'h').text(&source.server).text(&source.tool);
    out.0.extend_from_slice(&number.to_le_bytes());
    out.0.extend_from_slice(&(directories.len() as u64).to_le_bytes());
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
    out.0
}

pub(super) fn approved(server: &str, tool: &str, key: &str) -> Vec<u8> {
    Writer::new(b'a').text(server).text(tool).text(key).0
}

pub(super) fn attempted(server: &str, tool: &str) -> Vec<u8> {
    Writer::new(b'c').text(server).text(tool).0
}

pub(super) fn prompt(text: &str) -> Vec<u8> {
    Writer::new(b'p').text(text).0
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
