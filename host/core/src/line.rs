//! The strict scanner for lines from a client: one pass, fail closed, nothing forwarded that servers could read otherwise.
#![allow(clippy::todo, missing_docs)]
use crate::call::{Call, Id};
use crate::permit::Permit;
use crate::value::Value;

/// Limits on one line.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub max_bytes: usize,
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
    /// A `tools/call`: to be judged.
    Call(Call),
    /// Any other request.
    Request(Request),
    Notification(Notification),
    /// An answer to a request of the server's, or to one of Bouncer's own.
    Response(Response),
}
#[derive(Debug)]
pub struct Request {
    pub(crate) id: Id,
    pub(crate) method: String,
    pub(crate) bytes: Vec<u8>,
}
#[derive(Debug)]
pub struct Notification {
    pub(crate) method: String,
    pub(crate) bytes: Vec<u8>,
}
#[derive(Debug)]
pub struct Response {
    pub(crate) id: Id,
    pub(crate) bytes: Vec<u8>,
}
// Request, Notification, Response each get: accessors id()/method(), params() -> Option<Value> (Response: result()/error()) parsed on demand,
// and permit(self) -> Permit (they are not gated here; the host decides which of them it swallows).
impl Request {
    pub fn id(&self) -> &Id {
        &self.id
    }
    pub fn method(&self) -> &str {
        &self.method
    }
    pub fn params(&self) -> Option<Value> {
        todo!()
    }
    pub fn permit(self) -> Permit {
        Permit { bytes: self.bytes }
    }
}
impl Notification {
    pub fn method(&self) -> &str {
        &self.method
    }
    pub fn params(&self) -> Option<Value> {
        todo!()
    }
    pub fn permit(self) -> Permit {
        Permit { bytes: self.bytes }
    }
}
impl Response {
    pub fn id(&self) -> &Id {
        &self.id
    }
    pub fn result(&self) -> Option<Value> {
        todo!()
    }
    pub fn permit(self) -> Permit {
        Permit { bytes: self.bytes }
    }
}

/// Why a line was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The request's id where one could be found for certain.
    pub id: Option<Id>,
    /// JSON-RPC code: -32700, -32600 or -32602.
    pub code: i32,
    /// A stable word: `batch`, `duplicate_key`, `not_utf8`, `too_long`, `lone_surrogate`, ...
    pub rule: &'static str,
    /// For a person: what and where.
    pub text: String,
}

/// Scans one line (without its newline). Raw CR outside of strings is replaced by a space; otherwise the bytes are untouched.
pub fn scan(bytes: Vec<u8>, limits: &Limits) -> Result<ClientLine, Refusal> {
    let _ = (bytes, limits);
    todo!()
}

/// A request that Bouncer itself sends upstream (`tools/list`, `ping`...). Never `tools/call`: `None` for what is gated.
pub fn own_request(id: &Id, method: &str, params_json: &str) -> Option<Permit> {
    let _ = (id, method, params_json);
    todo!()
}
