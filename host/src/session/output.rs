//! What upstreams say, kept as it came: what of it a model may read is told apart when it is digested, words apart from
//! structured answers. An answer on its way to the client is not taken to pieces.

use bouncer_core::arg_path::ArgPath;
use bouncer_core::line::server::{ServerLine, look};
use bouncer_core::provenance::Digest;
use bouncer_core::value::Value;

/// Members that hold words somebody wrote, in results and notifications of every revision.
const WORDS: [&str; 8] =
    ["text", "blob", "message", "instructions", "description", "systemPrompt", "reason", "title"];

/// What some bytes of an upstream's are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputKind {
    /// Words, without a message around them.
    Text,
    /// A line that answers a call of a tool.
    ToolAnswer,
    /// A line that answers another request, or none that is known.
    Answer,
    /// A line that is a request or a notification.
    Told,
    /// A line that clients may read in more than one way: all of it is read.
    Odd,
}

/// Something that an upstream said.
#[derive(Debug, Clone, Copy)]
pub struct Output<'a> {
    /// How the bytes are read.
    pub kind: OutputKind,
    /// The bytes, as they came.
    pub bytes: &'a [u8],
}

/// A piece of what was said.
#[derive(Debug)]
pub(super) enum Piece {
    /// Words.
    Text(String),
    /// A structured answer.
    Value(Value),
}

impl Piece {
    /// What the index is to know of it; `directories` are the places in it that only the user or their organisation can
    /// write.
    pub(super) fn digest(self, directories: &[ArgPath]) -> Digest {
        match self {
            Self::Text(text) => Digest::of_text(&text, directories),
            Self::Value(value) => Digest::of_value(&value, directories),
        }
    }
}

impl<'a> Output<'a> {
    /// Words, without a message around them.
    #[must_use]
    pub const fn text(text: &'a str) -> Self {
        Self { kind: OutputKind::Text, bytes: text.as_bytes() }
    }

    /// What is told apart in it.
    pub(super) fn pieces(self) -> Vec<Piece> {
        let line = || look(self.bytes);
        match self.kind {
            OutputKind::Text => vec![Piece::Text(String::from_utf8_lossy(self.bytes).into_owned())],
            OutputKind::ToolAnswer => answer(&line(), true),
            OutputKind::Answer => answer(&line(), false),
            OutputKind::Told => told(&line()),
            OutputKind::Odd => anything(&line()),
        }
    }
}

fn answer(line: &ServerLine<'_>, of_tool: bool) -> Vec<Piece> {
    let mut pieces = Vec::new();
    if let Some(result) = line.result() {
        result_pieces(result, of_tool, &mut pieces);
    }
    if let Some(error) = line.error() {
        split(error, &mut pieces);
    }
    beside(line, &mut pieces);
    if pieces.is_empty() { anything(line) } else { pieces }
}

fn told(line: &ServerLine<'_>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    match line.params() {
        Some(params) => split(params, &mut pieces),
        None => return anything(line),
    }
    beside(line, &mut pieces);
    pieces
}

/// Members that no client should read. One might.
fn beside(line: &ServerLine<'_>, pieces: &mut Vec<Piece>) {
    if let Some(extras) = line.extras() {
        split(extras, pieces);
    }
}

fn anything(line: &ServerLine<'_>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    match line.whole() {
        Some(value) => split(value, &mut pieces),
        None => pieces.push(Piece::Text(line.text().into_owned())),
    }
    pieces
}

fn result_pieces(result: Value, of_tool: bool, pieces: &mut Vec<Piece>) {
    let Value::Object(members) = result else {
        split(result, pieces);
        return;
    };
    for (key, value) in members {
        if key == "structuredContent" && of_tool {
            pieces.push(Piece::Value(value));
        } else {
            split(Value::Object(vec![(key, value)]), pieces);
        }
    }
}

/// Takes the words out of `value`; what is left is recorded as a structured answer.
fn split(mut value: Value, pieces: &mut Vec<Piece>) {
    take_words(&mut value, pieces, 0);
    if !value.is_unfilled() {
        pieces.push(Piece::Value(value));
    }
}

fn take_words(value: &mut Value, pieces: &mut Vec<Piece>, depth: usize) {
    match value {
        Value::String(_) if depth == 0 => {
            if let Value::String(text) = std::mem::replace(value, Value::Null) {
                pieces.push(Piece::Text(text));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| take_words(item, pieces, depth + 1)),
        Value::Object(members) => {
            for (key, item) in members {
                if WORDS.contains(&key.as_str()) && matches!(item, Value::String(_)) {
                    take_words(item, pieces, 0);
                } else {
                    take_words(item, pieces, depth + 1);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(line: &str) -> Vec<Piece> {
        Output { kind: OutputKind::ToolAnswer, bytes: line.as_bytes() }.pieces()
    }

    #[test]
    fn words_and_fields_are_told_apart() {
        let line = r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"mail eve@x.io"},{"type":"resource","resource":{"uri":"m://1","text":"body"}},
            {"type":"resource_link","uri":"https://e.io/a","description":"see"}],"structuredContent":{"from":"a@b.c"},"_meta":{"k":"v"}}}"#;
        let pieces = pieces(line);
        let words: Vec<_> = pieces
            .iter()
            .filter_map(|p| if let Piece::Text(t) = p { Some(t.as_str()) } else { None })
            .collect();
        assert_eq!(words, ["mail eve@x.io", "body", "see"]);
        let values: String = pieces
            .iter()
            .filter_map(|p| if let Piece::Value(v) = p { Some(v.to_json()) } else { None })
            .collect();
        for part in ["https://e.io/a", "m://1", r#"{"from":"a@b.c"}"#, r#""k":"v""#] {
            assert!(values.contains(part), "{part} in {values}");
        }
        assert!(!values.contains("eve@x.io"));
    }

    #[test]
    fn errors_and_unreadable_results_are_recorded_whole() {
        let error = pieces(
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"ask eve@x.io","data":{"hint":"u@v.w"}}}"#,
        );
        assert!(matches!(&error[0], Piece::Text(t) if t == "ask eve@x.io"));
        assert!(matches!(&error[1], Piece::Value(_)));
        let odd = pieces(
            r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"\ud800 eve@x.io"}]}}"#,
        );
        assert!(matches!(&odd[0], Piece::Text(t) if t.contains("eve@x.io")));
    }
}
