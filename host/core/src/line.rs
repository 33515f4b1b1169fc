//! The strict scanner for lines from a client: fail closed, nothing forwarded that servers could read otherwise.
//!
//! Decides only what a line *is*. Whether a call may run is [`crate::decide`]'s business; lines from a server are
//! looked at, never refused, by [`server`].

mod envelope;
mod fold;
pub mod question;
mod scan;
pub mod server;
#[cfg(test)]
mod tests;

pub use crate::permit::{own_notification, own_refusal, own_request};
pub use fold::reads_as;
pub use scan::{id_in_prefix, scan};

use crate::call::{Call, Id};
use crate::permit::Permit;
use crate::value::Value;

/// Limits on one line.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The longest line, in bytes.
    pub max_bytes: usize,
    /// How deep a `tools/call` may nest containers, the envelope being the first.
    pub max_depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_bytes: 64 << 20, max_depth: 128 }
    }
}

/// A line that passed the scanner.
#[derive(Debug)]
pub enum ClientLine {
    /// A `tools/call`, or another request that is judged.
    Call(Call),
    /// Any other request.
    Request(Request),
    /// A notification; never of a method that is judged.
    Notification(Notification),
    /// An answer to a request of the server's, or to one of Bouncer's own.
    Response(Response),
}

/// A request that is not judged: see [`crate::call::Method`].
#[derive(Debug)]
pub struct Request {
    id: Id,
    method: String,
    bytes: Vec<u8>,
}

impl Request {
    /// The request's id.
    #[must_use]
    pub fn id(&self) -> &Id {
        &self.id
    }

    /// The method, unescaped.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.method
    }

    /// `params`, parsed now and strictly. `None` where there are none, and where they could be read in two ways
    /// (a key twice, a lone surrogate, too deep): who decides by them must take `None` for a no.
    #[must_use]
    pub fn params(&self) -> Option<Value> {
        envelope::member(&self.bytes, "params")
    }

    /// The key to the upstream server. Not gated here: the host decides which requests it keeps.
    #[must_use]
    pub fn permit(self) -> Permit {
        Permit { bytes: self.bytes }
    }
}

/// A notification.
#[derive(Debug)]
pub struct Notification {
    method: String,
    bytes: Vec<u8>,
}

impl Notification {
    /// The method, unescaped.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.method
    }

    /// As [`Request::params`].
    #[must_use]
    pub fn params(&self) -> Option<Value> {
        envelope::member(&self.bytes, "params")
    }

    /// The key to the upstream server.
    #[must_use]
    pub fn permit(self) -> Permit {
        Permit { bytes: self.bytes }
    }
}

/// A client's answer.
#[derive(Debug)]
pub struct Response {
    id: Id,
    bytes: Vec<u8>,
}

impl Response {
    /// The id of the request that is answered.
    #[must_use]
    pub fn id(&self) -> &Id {
        &self.id
    }

    /// The result, parsed now and strictly: `None` for an error, and for what could be read in two ways.
    #[must_use]
    pub fn result(&self) -> Option<Value> {
        envelope::member(&self.bytes, "result")
    }

    /// The error, as [`Self::result`].
    #[must_use]
    pub fn error(&self) -> Option<Value> {
        envelope::member(&self.bytes, "error")
    }

    /// The key to the upstream server.
    #[must_use]
    pub fn permit(self) -> Permit {
        Permit { bytes: self.bytes }
    }
}

/// Why a line was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Refusal {
    /// The request's id where one could be found for certain. `None` also where the line looks like a response:
    /// nobody waits for an answer to that.
    pub id: Option<Id>,
    /// JSON-RPC code: -32700, -32600 or -32602.
    pub code: i32,
    /// A stable word: `empty`, `too_long`, `not_utf8`, `bom`, `batch`, `not_object`, `syntax`, `trailing`,
    /// `duplicate_key`, `folded_key`, `lone_surrogate`, `too_deep`, `jsonrpc`, `shape`, `method`, `lookalike_method`,
    /// `id`, `call_notification`, `params`, `tool_name`, `arguments`.
    pub rule: &'static str,
    /// For a person: what and where.
    pub text: String,
}
