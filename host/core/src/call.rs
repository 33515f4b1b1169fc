//! A client's `tools/call`, parsed once from the very bytes that a permit would forward.

use crate::value::Value;

/// A JSON-RPC id. `1` and `"1"` and `1.0` differ; `"a"` and `"\u0061"` are one, since a server may answer with either.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(Box<str>);

impl Id {
    /// The id's JSON text, quotes included where it is a string.
    #[must_use]
    pub fn json(&self) -> &str {
        &self.0
    }

    /// An id from JSON text that the host made itself or that [`crate::line`] has checked.
    #[must_use]
    pub fn from_json(text: &str) -> Self {
        Self::read(text.trim().as_bytes()).unwrap_or_else(|| Self(text.trim().into()))
    }

    /// An id that stands inside of a message, such as `requestId`: `None` unless it is a string or an integer.
    #[must_use]
    pub fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Number(text) if text.bytes().all(|b| b == b'-' || b.is_ascii_digit()) => {
                Some(Self(text.clone()))
            }
            Value::String(_) => Some(Self(value.to_json().into())),
            _ => None,
        }
    }

    /// An id from bytes of anyone: `None` unless they are a string (without lone surrogates) or an integer.
    pub(crate) fn read(raw: &[u8]) -> Option<Self> {
        matches!(raw.first(), Some(b'"' | b'-' | b'0'..=b'9'))
            .then(|| Value::parse(raw, 0).ok())?
            .and_then(|value| Self::from_value(&value))
    }
}

/// A tool call that can be judged. Made by [`crate::line::scan`] only: it holds the bytes it was read from.
#[derive(Debug)]
pub struct Call {
    pub(crate) id: Id,
    pub(crate) tool: String,
    pub(crate) arguments: Value,
    pub(crate) params: Value,
    pub(crate) bytes: Vec<u8>,
}

impl Call {
    /// The JSON-RPC id of the request.
    #[must_use]
    pub fn id(&self) -> &Id {
        &self.id
    }

    /// The tool's name as the server knows it.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The arguments: always an object, empty where the call has none.
    #[must_use]
    pub fn arguments(&self) -> &Value {
        &self.arguments
    }

    /// All of `params` but the arguments: `_meta`, `task`, `requestState`, `inputResponses`, unknown members.
    #[must_use]
    pub fn params(&self) -> &Value {
        &self.params
    }
}
