//! A look at a line from the server: what it answers or says, without ever refusing it.
//!
//! A server's lines pass whatever they are. So a line that is [`Kind::Other`], or [`ServerLine::is_odd`], still reaches
//! the client: whatever it says must be taken as said, by [`ServerLine::whole`] or [`ServerLine::text`].

use super::envelope::{DEPTH, Member, Seen, ambiguous, items, members, seen};
use crate::call::Id;
use crate::value::{JsonError, JsonErrorKind, Value};
use memchr::memmem::Finder;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;
use std::sync::LazyLock;

/// What a server's line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `method` and `id`.
    Request,
    /// `method`, no `id`.
    Notification,
    /// `id` and one of `result` and `error`, no `method`.
    Response,
    /// Anything else, JSON or not, and whatever clients could read in two ways.
    Other,
}

/// A server's line, borrowed.
#[derive(Debug)]
pub struct ServerLine<'a> {
    /// What it is.
    pub kind: Kind,
    /// The id, where there is one that is a string or an integer.
    pub id: Option<Id>,
    /// The method, where there is one.
    pub method: Option<Cow<'a, str>>,
    bytes: &'a [u8],
    members: Vec<Member<'a>>,
    odd: bool,
    /// Whether letters are written as escapes somewhere: looked for at most once.
    escapes_letters: OnceCell<bool>,
}

/// Looks at one line from the server (without its newline). Never fails, checks the syntax of the whole line.
#[must_use]
pub fn look(bytes: &[u8]) -> ServerLine<'_> {
    let Ok(Seen { members, escapes, breaks }) = seen(bytes) else {
        return ServerLine {
            kind: Kind::Other,
            id: None,
            method: None,
            bytes,
            members: Vec::new(),
            odd: true,
            escapes_letters: OnceCell::new(),
        };
    };
    let find = |key: &str| members.iter().find(|m| m.key == key);
    let id = find("id").and_then(|m| Id::read(m.raw));
    let method = find("method").and_then(|m| text_of(m.raw));
    // A client with universal newlines reads the parts between raw carriage returns as lines of their own.
    let ambiguous = ambiguous(&members).is_some();
    let odd = ambiguous || breaks;
    let answers = usize::from(find("result").is_some()) + usize::from(find("error").is_some());
    let kind = match (&method, &id) {
        _ if ambiguous => Kind::Other,
        (Some(_), Some(_)) if answers == 0 => Kind::Request,
        (Some(_), None) if answers == 0 && find("id").is_none() => Kind::Notification,
        (None, Some(_)) if answers == 1 && find("method").is_none() => Kind::Response,
        _ => Kind::Other,
    };
    let escapes_letters = if escapes { OnceCell::new() } else { OnceCell::from(false) };
    ServerLine { kind, id, method, bytes, members, odd, escapes_letters }
}

fn text_of(raw: &[u8]) -> Option<Cow<'_, str>> {
    raw.starts_with(b"\"").then(|| crate::value::lex::Lexer::new(raw).string().ok())?.map(|t| t.text_lossy())
}

impl<'a> ServerLine<'a> {
    fn raw(&self, key: &str) -> Option<&'a [u8]> {
        self.members.iter().find(|m| m.key == key).map(|m| m.raw)
    }

    /// A member with where it begins in the line.
    pub(super) fn placed(&self, key: &str) -> Option<(usize, &'a [u8])> {
        self.members.iter().find(|m| m.key == key).map(|m| (m.offset, m.raw))
    }

    /// Whether a word of ASCII letters can stand anywhere in the line, plainly or with letters written as escapes.
    pub(super) fn may_hold(&self, word: &Finder<'_>) -> bool {
        word.find(self.bytes).is_some()
            || *self.escapes_letters.get_or_init(|| super::question::escapes_letters(self.bytes))
    }

    /// Whether this can be a result that needs input first.
    #[must_use]
    pub fn may_need_input(&self) -> bool {
        static WORD: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("input_required"));
        self.may_hold(&WORD)
    }

    fn lenient(&self, key: &str) -> Option<Value> {
        Value::parse_lenient(self.raw(key)?, DEPTH).ok()
    }

    /// `result`, parsed now: nothing that it says is lost (see [`Value::parse_lenient`]).
    #[must_use]
    pub fn result(&self) -> Option<Value> {
        self.lenient("result")
    }

    /// `result`, parsed now, where it can be read in one way only: for what a decision rests on (a list of tools).
    ///
    /// # Errors
    /// There is a result that has a key twice, a lone surrogate, or is too deep.
    pub fn result_strict(&self) -> Option<Result<Value, JsonError>> {
        self.raw("result").map(|raw| Value::parse(raw, DEPTH))
    }

    /// `error`, as [`Self::result`].
    #[must_use]
    pub fn error(&self) -> Option<Value> {
        self.lenient("error")
    }

    /// `params`, as [`Self::result`].
    #[must_use]
    pub fn params(&self) -> Option<Value> {
        self.lenient("params")
    }

    /// What stands in the line beside the members that JSON-RPC knows; `None` where nothing does.
    #[must_use]
    pub fn extras(&self) -> Option<Value> {
        const KNOWN: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];
        let unknown = self.members.iter().filter(|m| !KNOWN.contains(&m.key.as_ref()));
        let all: Vec<(String, Value)> = unknown
            .filter_map(|m| Some((m.key.to_string(), Value::parse_lenient(m.raw, DEPTH).ok()?)))
            .collect();
        (!all.is_empty()).then_some(Value::Object(all))
    }

    /// The bytes of `result`.
    #[must_use]
    pub fn result_bytes(&self) -> Option<&'a [u8]> {
        self.raw("result")
    }

    /// Where the member `key` of `result` stands in the line; `None` where there is none.
    ///
    /// # Errors
    /// The result is no object, or could be read in two ways: a key twice, or one that is `key` in another case.
    pub fn place_in_result(&self, key: &str) -> Result<Option<Range<usize>>, JsonError> {
        let Some(result) = self.members.iter().find(|m| m.key == "result") else { return Ok(None) };
        let inner = members(result.raw, false)?;
        let other = inner.iter().find(|m| m.key != key && super::fold::reads_as(&m.key, key));
        if let Some(what) = ambiguous(&inner).map(|(_, what)| what).or(other.map(|m| m.key.to_string())) {
            return Err(JsonError { kind: JsonErrorKind::DuplicateKey, offset: result.offset, what });
        }
        Ok(inner.iter().find(|m| m.key == key).map(|member| {
            let start = result.offset + member.offset;
            start..start + member.raw.len()
        }))
    }

    /// Where the items of the list `key` of `result` stand in the line, in order; `None` where there is no such list.
    ///
    /// # Errors
    /// As [`Self::place_in_result`], and where it is no list.
    pub fn places_of_items(&self, key: &str) -> Result<Option<Vec<Range<usize>>>, JsonError> {
        let Some(list) = self.place_in_result(key)? else { return Ok(None) };
        let found = items(self.bytes.get(list.clone()).unwrap_or_default())?;
        let place = |item: Range<usize>| list.start + item.start..list.start + item.end;
        Ok(Some(found.into_iter().map(place).collect()))
    }

    /// The bytes of the line.
    #[must_use]
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Not JSON, a key twice, a reserved name in another case, or a raw line break inside: clients differ in how they
    /// read it, so that looking at one member is not enough.
    #[must_use]
    pub const fn is_odd(&self) -> bool {
        self.odd
    }

    /// The whole line as a value, whatever it is a value of; `None` for what is not JSON.
    #[must_use]
    pub fn whole(&self) -> Option<Value> {
        Value::parse_lenient(self.bytes, DEPTH).ok()
    }

    /// The line as text.
    #[must_use]
    pub fn text(&self) -> Cow<'a, str> {
        String::from_utf8_lossy(self.bytes)
    }
}
