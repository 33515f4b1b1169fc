//! One client line: the seven rules, in order.

use super::envelope::{Envelope, Member, ambiguous, envelope, members, members_of_prefix, rule_of};
use super::{ClientLine, Limits, Notification, Refusal, Request, Response, fold};
use crate::call::{Call, Id, Method};
use crate::value::{JsonError, JsonErrorKind, Value};

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const INVALID_PARAMS: i32 = -32602;

/// Scans one line (without its newline). Raw line breaks outside of strings are replaced by spaces; otherwise the bytes
/// are untouched.
///
/// # Errors
/// The line must not be forwarded: the refusal says by which rule, and which request is to be answered, if any.
pub fn scan(mut bytes: Vec<u8>, limits: &Limits) -> Result<ClientLine, Refusal> {
    let parts = read(&bytes, limits)?;
    // Every raw line break of a line that passed stands between tokens: inside strings they are no JSON. Some servers
    // end a line there (universal newlines), and would read what follows as a message of its own.
    if memchr::memchr2(b'\r', b'\n', &bytes).is_some() {
        for byte in &mut bytes {
            if matches!(*byte, b'\r' | b'\n') {
                *byte = b' ';
            }
        }
    }
    Ok(match parts {
        Parts::Call { method, id, tool, arguments, params } => {
            ClientLine::Call(Call { method, id, tool, arguments, params, bytes })
        }
        Parts::Request { id, method } => ClientLine::Request(Request { id, method, bytes }),
        Parts::Notification { method } => ClientLine::Notification(Notification { method, bytes }),
        Parts::Response { id } => ClientLine::Response(Response { id, bytes }),
    })
}

/// The id of a request of which only the beginning is known, because the line is too long to be kept: a string or
/// integer `id` that stands whole in `prefix`, once, in what names a method there and is no response.
#[must_use]
pub fn id_in_prefix(prefix: &[u8]) -> Option<Id> {
    let members = members_of_prefix(prefix);
    members.iter().any(|m| m.key == "method").then(|| certain_id(&members))?
}

enum Parts {
    Call { method: Method, id: Id, tool: String, arguments: Value, params: Value },
    Request { id: Id, method: String },
    Notification { method: String },
    Response { id: Id },
}

#[cold]
fn refuse(code: i32, rule: &'static str, text: impl Into<String>) -> Refusal {
    Refusal { id: None, code, rule, text: text.into() }
}

#[cold]
fn faulty(code: i32, base: usize, fault: JsonError) -> Refusal {
    let JsonError { kind, offset, what } = fault;
    refuse(code, rule_of(kind), format!("{what} at byte {}", base + offset))
}

fn read(bytes: &[u8], limits: &Limits) -> Result<Parts, Refusal> {
    if bytes.len() > limits.max_bytes {
        let text = format!("line of {} bytes is longer than {} bytes", bytes.len(), limits.max_bytes);
        // The reader may have cut it.
        let id = match members(bytes, false) {
            Ok(members) => certain_id(&members),
            Err(_) => id_in_prefix(bytes),
        };
        return Err(Refusal { id, ..refuse(INVALID_REQUEST, "too_long", text) });
    }
    let line = std::str::from_utf8(bytes)
        .map_err(|e| refuse(PARSE_ERROR, "not_utf8", format!("not UTF-8 at byte {}", e.valid_up_to())))?;
    match bytes {
        [b'{', ..] => {}
        [] => return Err(refuse(INVALID_REQUEST, "empty", "empty line")),
        [0xEF, 0xBB, 0xBF, ..] => {
            return Err(refuse(PARSE_ERROR, "bom", "line starts with a byte order mark"));
        }
        [b'[', ..] => return Err(refuse(INVALID_REQUEST, "batch", "batches are not supported")),
        _ => return Err(refuse(PARSE_ERROR, "not_object", "line does not start with `{`")),
    }
    let Envelope { members, params } = envelope(line).map_err(|fault| {
        let syntax = matches!(fault.kind, JsonErrorKind::Syntax | JsonErrorKind::Trailing);
        faulty(if syntax { PARSE_ERROR } else { INVALID_REQUEST }, 0, fault)
    })?;
    classify(&members, params, limits).map_err(|refusal| Refusal { id: certain_id(&members), ..refusal })
}

/// The id under which the sender of a refused line waits for an answer, if that is certain.
fn certain_id(envelope: &[Member<'_>]) -> Option<Id> {
    let names = |name: &str| envelope.iter().filter(|m| fold::reads_as(&m.key, name)).count();
    if names("id") != 1 || (names("method") == 0 && names("result") + names("error") > 0) {
        return None;
    }
    envelope.iter().find(|m| m.key == "id").and_then(|m| Id::read(m.raw))
}

fn classify(
    envelope: &[Member<'_>],
    params: Option<Result<Vec<Member<'_>>, JsonError>>,
    limits: &Limits,
) -> Result<Parts, Refusal> {
    if let Some((rule, text)) = ambiguous(envelope) {
        return Err(refuse(INVALID_REQUEST, rule, text));
    }
    let find = |key: &str| envelope.iter().find(|m| m.key == key);
    let params = params.transpose().map_err(|fault| faulty(INVALID_REQUEST, 0, fault))?;
    if let Some((rule, text)) = params.as_deref().and_then(ambiguous) {
        return Err(refuse(INVALID_REQUEST, rule, format!("{text} in `params`")));
    }
    // Nearly always written so; with escapes it is no less right.
    let version = find("jsonrpc");
    let plain = version.is_some_and(|m| m.raw == br#""2.0""#);
    if !plain && string(version)?.as_deref() != Some("2.0") {
        return Err(refuse(INVALID_REQUEST, "jsonrpc", "`jsonrpc` is not \"2.0\""));
    }
    let id = match find("id") {
        None => None,
        Some(m) => Some(
            Id::read(m.raw)
                .ok_or_else(|| refuse(INVALID_REQUEST, "id", "`id` is neither a string nor an integer"))?,
        ),
    };
    let answers = usize::from(find("result").is_some()) + usize::from(find("error").is_some());
    let Some(method) = find("method") else {
        return match id {
            Some(id) if answers == 1 => Ok(Parts::Response { id }),
            _ => Err(refuse(INVALID_REQUEST, "shape", "neither a request nor a response")),
        };
    };
    let Some(method) = string(Some(method))? else {
        return Err(refuse(INVALID_REQUEST, "method", "`method` is not a string"));
    };
    if answers > 0 {
        return Err(refuse(INVALID_REQUEST, "shape", "both a request and a response"));
    }
    if fold::call_lookalike(&method) {
        let text = format!("method `{}` looks like another that is judged", method.escape_debug());
        return Err(refuse(INVALID_REQUEST, "lookalike_method", text));
    }
    match (id, Method::of(&method)) {
        (None, Some(_)) => {
            Err(refuse(INVALID_REQUEST, "call_notification", format!("`{method}` without an `id`")))
        }
        (None, None) => Ok(Parts::Notification { method: method.into_owned() }),
        (Some(id), None) => Ok(Parts::Request { id, method: method.into_owned() }),
        (Some(id), Some(method)) => call(method, id, envelope, params, limits),
    }
}

/// The text of a member that is a string, `None` if it is something else or absent.
fn string<'a>(member: Option<&Member<'a>>) -> Result<Option<std::borrow::Cow<'a, str>>, Refusal> {
    let Some(member) = member.filter(|m| m.raw.starts_with(b"\"")) else { return Ok(None) };
    crate::value::lex::Lexer::new(member.raw)
        .string()
        .and_then(|token| token.text())
        .map(Some)
        .map_err(|fault| faulty(INVALID_REQUEST, member.offset, fault))
}

fn call(
    method: Method,
    id: Id,
    envelope: &[Member<'_>],
    params: Option<Vec<Member<'_>>>,
    limits: &Limits,
) -> Result<Parts, Refusal> {
    // Members of the envelope without a meaning are forwarded too, so that they must be unambiguous as well. What a
    // call has beside `params` is a string each, or a number, and was read.
    let read = |key: &str| matches!(key, "jsonrpc" | "id" | "method" | "params");
    for member in envelope.iter().filter(|m| !read(&m.key)) {
        Value::parse(member.raw, limits.max_depth.saturating_sub(1))
            .map_err(|fault| faulty(INVALID_REQUEST, member.offset, fault))?;
    }
    let members = match params {
        Some(members) => members,
        None if envelope.iter().any(|m| m.key == "params") => {
            return Err(refuse(INVALID_PARAMS, "params", "`params` is not an object"));
        }
        None if method == Method::CallTool => {
            return Err(refuse(INVALID_PARAMS, "params", "`tools/call` without `params`"));
        }
        None => Vec::new(),
    };
    let read = |member: &Member<'_>| {
        Value::parse(member.raw, limits.max_depth.saturating_sub(2))
            .map_err(|fault| faulty(INVALID_PARAMS, member.offset, fault))
    };
    if method != Method::CallTool {
        let mut all = Vec::with_capacity(members.len());
        for member in members {
            let value = read(&member)?;
            all.push((member.key.into_owned(), value));
        }
        let beside = |key: &str| matches!(key, "_meta" | "requestState" | "inputResponses");
        let (others, arguments) = all.into_iter().partition(|(key, _)| beside(key));
        let (arguments, params) = (Value::Object(arguments), Value::Object(others));
        return Ok(Parts::Call { method, id, tool: method.as_str().to_owned(), arguments, params });
    }
    let (mut tool, mut arguments, mut others) = (None, Value::empty_object(), Vec::new());
    for member in members {
        let value = read(&member)?;
        match (member.key.as_ref(), value) {
            ("name", Value::String(name)) => tool = Some(name),
            ("name", _) => return Err(refuse(INVALID_PARAMS, "tool_name", "`name` is not a string")),
            ("arguments", value @ Value::Object(_)) => arguments = value,
            ("arguments", _) => {
                return Err(refuse(INVALID_PARAMS, "arguments", "`arguments` is not an object"));
            }
            (_, value) => others.push((member.key.into_owned(), value)),
        }
    }
    let tool = tool.ok_or_else(|| refuse(INVALID_PARAMS, "tool_name", "`tools/call` without a `name`"))?;
    Ok(Parts::Call { method, id, tool, arguments, params: Value::Object(others) })
}
