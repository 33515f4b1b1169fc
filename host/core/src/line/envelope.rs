//! The members of one JSON object, without a tree: keys unescaped, values as the bytes they stand in.

use crate::value::lex::Lexer;
use crate::value::token::Token;
use crate::value::{JsonError, JsonErrorKind, Value};
use std::borrow::Cow;
use std::ops::Range;

/// The depth to which a member is parsed on demand.
pub(super) const DEPTH: usize = 128;

/// One member of an object.
#[derive(Debug)]
pub(super) struct Member<'a> {
    pub(super) key: Cow<'a, str>,
    /// The value's text, its syntax checked.
    pub(super) raw: &'a [u8],
    /// Where the value starts.
    pub(super) offset: usize,
}

/// A client's line, its syntax checked to the last byte.
pub(super) struct Envelope<'a> {
    pub(super) members: Vec<Member<'a>>,
    /// What stands in `params`, where that is an object. Offsets count from the beginning of the line.
    pub(super) params: Option<Result<Vec<Member<'a>>, JsonError>>,
}

/// Reads a client's line in one walk, `params` included. A fault that is not one of syntax, in a key of `params`, is
/// no fault of the line yet: others are told first.
pub(super) fn envelope(line: &str) -> Result<Envelope<'_>, JsonError> {
    let (mut members, mut params) = (Vec::with_capacity(8), None);
    let mut lexer = Lexer::of_text(line);
    walk(&mut lexer, &mut members, |lexer, key| {
        let key = key.text()?;
        let start = lexer.value_start();
        if key == "params" && lexer.peek() == Some(b'{') {
            params = Some(inside(lexer)?);
        } else {
            lexer.skip_value()?;
        }
        Ok(Member { key, raw: lexer.since(start), offset: start })
    })?;
    lexer.end()?;
    Ok(Envelope { members, params })
}

/// The members of an object, or the first fault of its keys; failing only by its syntax.
fn inside<'a>(lexer: &mut Lexer<'a>) -> Result<Result<Vec<Member<'a>>, JsonError>, JsonError> {
    let (mut found, mut fault) = (Vec::with_capacity(4), None);
    walk(lexer, &mut found, |lexer, key| {
        let key = key.text().unwrap_or_else(|first| {
            fault.get_or_insert(first);
            Cow::Borrowed("")
        });
        member_of(lexer, key)
    })?;
    Ok(match fault {
        None => Ok(found),
        Some(fault) => Err(fault),
    })
}

/// A server's line, its syntax checked to the last byte.
pub(super) struct Seen<'a> {
    pub(super) members: Vec<Member<'a>>,
    /// Whether there are escapes in its strings.
    pub(super) escapes: bool,
    /// Whether there are line breaks in it, but for a carriage return at its end, which belongs to the line's end. They stand
    /// between tokens: inside strings they are no JSON.
    pub(super) breaks: bool,
}

/// Reads a server's line, keys as [`Token::text_lossy`].
pub(super) fn seen(bytes: &[u8]) -> Result<Seen<'_>, JsonError> {
    let mut members = Vec::with_capacity(8);
    let mut lexer = Lexer::new(bytes);
    walk(&mut lexer, &mut members, |lexer, key| member_of(lexer, key.text_lossy()))?;
    let (escapes, breaks) = (lexer.escapes, lexer.breaks);
    let rest = bytes.get(lexer.pos()..).unwrap_or_default();
    let behind = rest.strip_suffix(b"\r").unwrap_or(rest);
    lexer.end()?;
    Ok(Seen { members, escapes, breaks: breaks || memchr::memchr2(b'\r', b'\n', behind).is_some() })
}

/// The members of the object that `bytes` are. All of it is checked for syntax, to the last byte.
pub(super) fn members(bytes: &[u8], lossy: bool) -> Result<Vec<Member<'_>>, JsonError> {
    let mut found = Vec::with_capacity(8);
    let mut lexer = Lexer::new(bytes);
    walk(&mut lexer, &mut found, |lexer, key| {
        let key = if lossy { key.text_lossy() } else { key.text()? };
        member_of(lexer, key)
    })?;
    lexer.end()?;
    Ok(found)
}

/// The members that stand whole in the beginning of a line.
pub(super) fn members_of_prefix(bytes: &[u8]) -> Vec<Member<'_>> {
    let mut found = Vec::new();
    // The end is missing, so that this fails; what was read until then counts.
    let _ = walk(&mut Lexer::new(bytes), &mut found, |lexer, key| member_of(lexer, key.text()?));
    found
}

/// The member of `key`, whose value comes next.
fn member_of<'a>(lexer: &mut Lexer<'a>, key: Cow<'a, str>) -> Result<Member<'a>, JsonError> {
    let offset = lexer.value_start();
    Ok(Member { key, raw: lexer.skip_value()?, offset })
}

/// Walks over one object. `read` makes a member of a key and the value that comes next.
fn walk<'a>(
    lexer: &mut Lexer<'a>,
    found: &mut Vec<Member<'a>>,
    mut read: impl FnMut(&mut Lexer<'a>, Token<'a>) -> Result<Member<'a>, JsonError>,
) -> Result<(), JsonError> {
    lexer.skip_space();
    lexer.expect(b'{', "expected an object")?;
    lexer.skip_space();
    if lexer.take(b'}') {
        return Ok(());
    }
    loop {
        lexer.skip_space();
        let key = lexer.key()?;
        let member = read(lexer, key)?;
        lexer.skip_space();
        let more = lexer.take(b',');
        if !more {
            lexer.expect(b'}', "expected `,` or `}`")?;
        }
        // Only now is it certain that the value has ended: a number at the end of a prefix may go on.
        found.push(member);
        if !more {
            return Ok(());
        }
    }
}

/// Where the items of the array that `bytes` are stand in them.
pub(super) fn items(bytes: &[u8]) -> Result<Vec<Range<usize>>, JsonError> {
    let mut lexer = Lexer::new(bytes);
    let mut found = Vec::new();
    lexer.skip_space();
    lexer.expect(b'[', "expected an array")?;
    lexer.skip_space();
    if !lexer.take(b']') {
        loop {
            lexer.skip_space();
            let start = lexer.pos();
            lexer.skip_value()?;
            found.push(start..lexer.pos());
            lexer.skip_space();
            if !lexer.take(b',') {
                lexer.expect(b']', "expected `,` or `]`")?;
                break;
            }
        }
    }
    lexer.end()?;
    Ok(found)
}

/// A member of a line that passed the scanner, parsed strictly.
pub(super) fn member(bytes: &[u8], key: &str) -> Option<Value> {
    let members = members(bytes, false).ok()?;
    let member = members.iter().find(|m| m.key == key)?;
    Value::parse(member.raw, DEPTH).ok()
}

/// Where two readers could take one member for another: a key that stands twice, or a reserved name in another case.
pub(super) fn ambiguous(members: &[Member<'_>]) -> Option<(&'static str, String)> {
    if let Some(key) = crate::value::parse::repeated(members.iter().map(|m| m.key.as_ref())) {
        return Some(("duplicate_key", format!("duplicate key `{}`", key.escape_debug())));
    }
    members.iter().find_map(|m| {
        let name = super::fold::reserved_lookalike(&m.key)?;
        Some(("folded_key", format!("key `{}` looks like `{name}`", m.key.escape_debug())))
    })
}

/// The stable word for a fault that the value parser found.
pub(super) fn rule_of(kind: JsonErrorKind) -> &'static str {
    match kind {
        JsonErrorKind::Syntax => "syntax",
        JsonErrorKind::Trailing => "trailing",
        JsonErrorKind::DuplicateKey => "duplicate_key",
        JsonErrorKind::TooDeep => "too_deep",
        JsonErrorKind::LoneSurrogate => "lone_surrogate",
        JsonErrorKind::NotUtf8 => "not_utf8",
    }
}
