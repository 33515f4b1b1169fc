//! A message as the transport sees it, and the headers of revision 2026-07-28 that repeat parts of it.
//!
//! Towards a server the headers are made from the body. From a client they are compared with it: the body is what is
//! judged and what the server gets, and a header that says otherwise is refused.

use super::mirror::Mirrors;
use bouncer_core::call::Id;
use bouncer_core::line::server::{Kind, look};
use bouncer_core::value::Value;
use http::{HeaderMap, HeaderName, HeaderValue};

pub(crate) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
pub(crate) const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
pub(crate) const METHOD: HeaderName = HeaderName::from_static("mcp-method");
pub(crate) const NAME: HeaderName = HeaderName::from_static("mcp-name");
pub(crate) const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");
const PARAM: &str = "mcp-param-";

/// The member of `_meta` that names the revision, from 2026-07-28 on.
const MEMBER: &str = "io.modelcontextprotocol/protocolVersion";

/// What a line is, apart from its bytes.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    pub(crate) kind: Kind,
    pub(crate) id: Option<Id>,
    pub(crate) method: String,
    pub(crate) params: Option<Value>,
}

impl Message {
    pub(crate) fn read(line: &[u8]) -> Self {
        let seen = look(line);
        let method = seen.method.as_deref().unwrap_or_default().to_owned();
        Self { kind: seen.kind, params: seen.params(), id: seen.id, method }
    }

    /// The revision that the message names itself: it needs no session.
    pub(crate) fn revision(&self) -> Option<&str> {
        self.params.as_ref()?.get("_meta")?.get(MEMBER)?.as_str()
    }

    /// What `Mcp-Name` repeats.
    fn name(&self) -> Option<&str> {
        let key = match self.method.as_str() {
            "tools/call" | "prompts/get" => "name",
            "resources/read" => "uri",
            _ => return None,
        };
        self.params.as_ref()?.get(key)?.as_str()
    }

    fn argument(&self, path: &[String]) -> Option<&Value> {
        let mut at = self.params.as_ref()?.get("arguments")?;
        for key in path {
            at = at.get(key)?;
        }
        Some(at)
    }

    /// The headers that repeat parts of a message which names its revision.
    pub(crate) fn headers(&self, mirrors: &Mirrors) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let Some(revision) = self.revision() else { return headers };
        let mut put = |key: HeaderName, value: &str| {
            if let Some(value) = encoded(value) {
                headers.insert(key, value);
            }
        };
        put(VERSION, revision);
        put(METHOD, &self.method);
        if let Some(name) = self.name() {
            put(NAME, name);
            if self.method == "tools/call" {
                for (header, path) in mirrors.of(name) {
                    let value = self.argument(path).and_then(spelled);
                    let key = HeaderName::from_bytes(format!("{PARAM}{header}").as_bytes());
                    if let (Some(value), Ok(key)) = (value, key) {
                        put(key, &value);
                    }
                }
            }
        }
        headers
    }

    /// Compares what the client says in headers with what it says in the body.
    ///
    /// # Errors
    /// What differs, for a person.
    pub(crate) fn check(&self, headers: &HeaderMap, mirrors: &Mirrors) -> Result<(), String> {
        let revision = self.revision();
        let must = revision.is_some_and(|r| r >= "2026-07-28");
        if let Some(revision) = revision {
            compare(headers, &VERSION, Some(revision), must)?;
        } else if headers.get_all(VERSION).iter().count() > 1 {
            return Err(format!("the header `{VERSION}` is there twice"));
        }
        let is_request = self.kind == Kind::Request;
        let method = (!self.method.is_empty()).then_some(self.method.as_str());
        compare(headers, &METHOD, method, must && is_request)?;
        compare(headers, &NAME, self.name(), must && is_request && self.name().is_some())?;
        let known: Vec<_> = match self.name() {
            Some(name) if self.method == "tools/call" && must => mirrors.of(name).collect(),
            _ => Vec::new(),
        };
        for (header, path) in known {
            let Ok(key) = HeaderName::from_bytes(format!("{PARAM}{header}").as_bytes()) else { continue };
            let value = self.argument(path).and_then(spelled);
            compare(headers, &key, value.as_deref(), value.is_some())?;
        }
        Ok(())
    }
}

/// Whether a header says what the body says. One that is missing is wrong only where it must be there.
fn compare(headers: &HeaderMap, key: &HeaderName, body: Option<&str>, must: bool) -> Result<(), String> {
    let mut values = headers.get_all(key).iter();
    let (value, more) = (values.next(), values.next());
    if more.is_some() {
        return Err(format!("the header `{key}` is there twice"));
    }
    match (value, body) {
        (None, _) if must => Err(format!("the header `{key}` is missing")),
        (None, _) => Ok(()),
        (Some(value), Some(body)) if says(value.as_bytes(), body) => Ok(()),
        (Some(_), Some(_)) => Err(format!("the header `{key}` differs from the body")),
        (Some(_), None) => Err(format!("the header `{key}` has nothing in the body that it could repeat")),
    }
}

fn says(header: &[u8], body: &str) -> bool {
    let header = header.trim_ascii();
    if is_plain(body) && header == body.as_bytes() {
        return true;
    }
    // A number may be spelled in more than one way.
    let whole = |text: &str| text.strip_suffix(".0").unwrap_or(text).parse::<i64>().ok();
    let number = std::str::from_utf8(header).ok().and_then(whole);
    if number.is_some() && number == whole(body) {
        return true;
    }
    header == wrapped(body).as_bytes()
}

/// A primitive argument as a header spells it.
fn spelled(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Number(text) => Some(text.to_string()),
        _ => None,
    }
}

fn encoded(text: &str) -> Option<HeaderValue> {
    let text = if is_plain(text) { text.to_owned() } else { wrapped(text) };
    HeaderValue::from_str(&text).ok()
}

/// Whether a text can stand in a header as it is.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|b| b == b'\t' || (b' '..=b'~').contains(&b))
        && text.trim_ascii() == text
        && !(text.starts_with(BEFORE) && text.ends_with(AFTER))
}

const BEFORE: &str = "=?base64?";
const AFTER: &str = "?=";

fn wrapped(text: &str) -> String {
    format!("{BEFORE}{}{AFTER}", base64(text.as_bytes()))
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let at = |i: usize| u32::from(chunk.get(i).copied().unwrap_or_default());
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for i in 0..4_u32 {
            let digit = (bits >> (18 - 6 * i)) & 63;
            let padding = i as usize > chunk.len();
            let digit = DIGITS.get(digit as usize).copied().unwrap_or(b'=');
            out.push(if padding { '=' } else { char::from(digit) });
        }
    }
    out
}

#[cfg(test)]
#[path = "meta_tests.rs"]
mod tests;
