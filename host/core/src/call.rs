//! A client's `tools/call`, parsed once from the very bytes that a permit would forward.

use crate::value::Value;

/// A JSON-RPC id as written: the raw text decides equality, so `1` and `"1"` and `1.0` differ.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(pub(crate) Box<str>);

impl Id {
    /// The id's JSON text, quotes included where it is a string.
    #[must_use]
    pub fn json(&self) -> &str {
        &self.0
    }

    /// An id from JSON text that the host made itself or that [`crate::line`] has checked.
    #[must_use]
    pub fn from_json(text: &str) -> Self {
        Self(text.trim().into())
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
