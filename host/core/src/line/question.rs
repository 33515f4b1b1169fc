//! What a server asks a person, or a person's model: where in a line its words begin, so that they can be marked as
//! the server's, and which link they want followed. The rest of the line stays as it is.

use super::envelope::{DEPTH, Member, ambiguous, members};
use super::fold;
use super::server::{Kind, ServerLine};
use crate::value::Value;
use crate::value::lex::Lexer;
use memchr::memmem::Finder;
use std::sync::LazyLock;

const ASK: &str = "elicitation/create";
const SAMPLE: &str = "sampling/createMessage";
/// Words of both that no escape of the solidus splits.
static WORDS: LazyLock<[Finder<'static>; 2]> =
    LazyLock::new(|| [Finder::new("elicitation"), Finder::new("sampling")]);
static LINKS: LazyLock<[Finder<'static>; 1]> = LazyLock::new(|| [Finder::new("elicitations")]);
/// What letters as escapes begin with.
static ESCAPE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\\u00"));

/// One question to a person or their model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The byte of the line before which a mark is put.
    at: usize,
    place: Place,
    /// The member that holds its words: `message`, or `systemPrompt` of what a model is to answer.
    words: &'static str,
    /// The link that the person is to follow, where there is one.
    pub link: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In front of the first character of the words.
    Words,
    /// There are no words: the first of the object's members, of which there are others, or none.
    Member { others: bool },
    /// In place of `null`.
    Null,
}

/// A question that clients may read in more than one way: it must not be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a question of the server's that can be read in two ways")]
pub struct Unclear;

type Found = Result<Vec<Question>, Unclear>;

impl ServerLine<'_> {
    /// The questions to a person or their model in this line: its own, those of an answer that needs input, those of an error that asks
    /// for a link to be followed.
    ///
    /// # Errors
    /// There is one that could be read in two ways.
    pub fn questions(&self) -> Found {
        let mut all = Vec::new();
        if let Some(read) = self.method.as_deref().and_then(reader).filter(|_| self.kind == Kind::Request) {
            let (offset, raw) = self.placed("params").ok_or(Unclear)?;
            all.push(read(offset, raw)?);
        }
        // Cheap first: nearly no line has one.
        if !WORDS.iter().any(|word| self.may_hold(word)) {
            return Ok(all);
        }
        for key in ["result", "params"] {
            if let Some((offset, raw)) = self.placed(key).filter(|(_, raw)| raw.starts_with(b"{")) {
                input_requests(offset, raw, &mut all)?;
            }
        }
        if let Some((offset, raw)) = self.placed("error").filter(|(_, raw)| raw.starts_with(b"{")) {
            elicitations(offset, raw, &mut all)?;
        }
        Ok(all)
    }

    /// Whether a reader who does not mind how a line is odd could find a question to a person in it.
    #[must_use]
    pub fn may_ask(&self) -> bool {
        self.whole().is_some_and(|value| mentions(&value))
    }
}

fn mentions(value: &Value) -> bool {
    match value {
        Value::String(text) => text == ASK || text == SAMPLE,
        Value::Array(items) => items.iter().any(mentions),
        Value::Object(members) => members.iter().any(|(key, v)| key == "elicitations" || mentions(v)),
        _ => false,
    }
}

/// The line with `marks` put before the words of its questions: one for each, in their order.
#[must_use]
pub fn marked(line: &[u8], questions: &[Question], marks: &[String]) -> Vec<u8> {
    let mut order: Vec<(&Question, &String)> = questions.iter().zip(marks).collect();
    order.sort_by_key(|(question, _)| question.at);
    let mut out = Vec::with_capacity(line.len() + marks.iter().map(|m| m.len() * 2 + 16).sum::<usize>());
    let mut done = 0;
    for (question, mark) in order {
        out.extend_from_slice(line.get(done..question.at).unwrap_or_default());
        done = question.at;
        let quoted = Value::String(mark.clone()).to_json();
        match question.place {
            Place::Words => {
                let inner = quoted.strip_prefix('"').and_then(|q| q.strip_suffix('"')).unwrap_or_default();
                out.extend_from_slice(inner.as_bytes());
            }
            Place::Member { others } => {
                out.extend_from_slice(format!(r#""{}":{quoted}"#, question.words).as_bytes());
                out.extend_from_slice(if others { b"," } else { b"" });
            }
            Place::Null => {
                out.extend_from_slice(quoted.as_bytes());
                done += NULL.len();
            }
        }
    }
    out.extend_from_slice(line.get(done..).unwrap_or_default());
    out
}

/// The members of an object that can be read in one way only.
fn clear(raw: &[u8]) -> Result<Vec<Member<'_>>, Unclear> {
    let members = members(raw, true).map_err(|_| Unclear)?;
    if ambiguous(&members).is_some() { Err(Unclear) } else { Ok(members) }
}

fn find<'m, 'a>(members: &'m [Member<'a>], key: &str) -> Result<Option<&'m Member<'a>>, Unclear> {
    if members.iter().any(|m| m.key != key && fold::reads_as(&m.key, key)) {
        return Err(Unclear);
    }
    Ok(members.iter().find(|m| m.key == key))
}

fn text(member: &Member<'_>) -> Result<String, Unclear> {
    match Value::parse_lenient(member.raw, 0) {
        Ok(Value::String(text)) => Ok(text),
        _ => Err(Unclear),
    }
}

const NULL: &[u8] = b"null";

type Reader = fn(usize, &[u8]) -> Result<Question, Unclear>;

/// How the parameters of a method that asks are read.
fn reader(method: &str) -> Option<Reader> {
    match method {
        ASK => Some(question),
        SAMPLE => Some(sampling),
        _ => None,
    }
}

/// Where the mark goes, by the member that holds the words.
fn place(members: &[Member<'_>], words: &str, offset: usize) -> Result<(usize, Place), Unclear> {
    match find(members, words)? {
        Some(text) if text.raw.starts_with(b"\"") => Ok((offset + text.offset + 1, Place::Words)),
        Some(text) if text.raw == NULL => Ok((offset + text.offset, Place::Null)),
        Some(_) => Err(Unclear),
        None => Ok((offset + 1, Place::Member { others: !members.is_empty() })),
    }
}

/// `params` of a request for what a model answers. Its messages are the server's words to the model, and stay as they are.
fn sampling(offset: usize, raw: &[u8]) -> Result<Question, Unclear> {
    let words = "systemPrompt";
    let (at, place) = place(&clear(raw)?, words, offset)?;
    Ok(Question { at, place, words, link: None })
}

/// `params` of an elicitation.
fn question(offset: usize, raw: &[u8]) -> Result<Question, Unclear> {
    let members = clear(raw)?;
    let words = "message";
    let (at, place) = place(&members, words, offset)?;
    let mode = find(&members, "mode")?.map(text).transpose()?;
    let url = find(&members, "url")?.map(text).transpose()?;
    if mode.as_deref() == Some("url") && url.is_none() {
        return Err(Unclear);
    }
    Ok(Question { at, place, words, link: url })
}

/// The member `key` of an object; `None` where it has none, or, where `inner` names something, none that could hold one of
/// these. What else is odd about the object is not the matter here.
fn section<'a>(raw: &'a [u8], key: &str, inner: &[Finder<'_>]) -> Result<Option<Member<'a>>, Unclear> {
    let all = members(raw, true).map_err(|_| Unclear)?;
    let mut hits: Vec<Member<'a>> = all.into_iter().filter(|m| fold::reads_as(&m.key, key)).collect();
    hits.retain(|m| {
        inner.is_empty() || escapes_letters(m.raw) || inner.iter().any(|word| word.find(m.raw).is_some())
    });
    match hits.pop() {
        None => Ok(None),
        Some(only) if hits.is_empty() && only.key == key => Ok(Some(only)),
        Some(_) => Err(Unclear),
    }
}

fn input_requests(offset: usize, raw: &[u8], all: &mut Vec<Question>) -> Result<(), Unclear> {
    let Some(requests) = section(raw, "inputRequests", &*WORDS)?.filter(|m| m.raw.starts_with(b"{")) else {
        return Ok(());
    };
    let offset = offset + requests.offset;
    for request in members(requests.raw, true).map_err(|_| Unclear)? {
        if !request.raw.starts_with(b"{")
            || !Value::parse_lenient(request.raw, DEPTH).is_ok_and(|v| mentions(&v))
        {
            continue;
        }
        let (offset, request) = (offset + request.offset, clear(request.raw)?);
        let method = find(&request, "method")?.map(text).transpose()?;
        if let Some(read) = method.as_deref().and_then(reader) {
            let params = find(&request, "params")?.ok_or(Unclear)?;
            all.push(read(offset + params.offset, params.raw)?);
        }
    }
    Ok(())
}

fn elicitations(offset: usize, raw: &[u8], all: &mut Vec<Question>) -> Result<(), Unclear> {
    let Some(data) = section(raw, "data", &*LINKS)?.filter(|m| m.raw.starts_with(b"{")) else {
        return Ok(());
    };
    let offset = offset + data.offset;
    let Some(list) = section(data.raw, "elicitations", &[])?.filter(|m| m.raw.starts_with(b"[")) else {
        return Ok(());
    };
    let offset = offset + list.offset;
    for (at, item) in items(list.raw).ok_or(Unclear)? {
        if item.starts_with(b"{") {
            all.push(question(offset + at, item)?);
        }
    }
    Ok(())
}

/// Whether some ASCII letter is written as an escape.
pub(super) fn escapes_letters(bytes: &[u8]) -> bool {
    let is_letter = |at: usize| matches!(bytes.get(at + 4), Some(b'4'..=b'7'));
    ESCAPE.find_iter(bytes).any(is_letter)
}

/// The items of a list, with where they begin.
fn items(raw: &[u8]) -> Option<Vec<(usize, &[u8])>> {
    let mut found = Vec::new();
    let mut lexer = Lexer::new(raw);
    lexer.expect(b'[', "expected a list").ok()?;
    lexer.skip_space();
    if lexer.take(b']') {
        return Some(found);
    }
    loop {
        lexer.skip_space();
        let at = lexer.pos();
        found.push((at, lexer.skip_value().ok()?));
        lexer.skip_space();
        if !lexer.take(b',') {
            return lexer.take(b']').then_some(found);
        }
    }
}

#[cfg(test)]
#[path = "question_tests.rs"]
mod tests;
