//! The only key to an upstream server. No other crate can make one.
//!
//! ```compile_fail
//! let forged = bouncer_core::permit::Permit { bytes: b"{}".to_vec() };
//! ```

use crate::call::Id;
use crate::line::{ClientLine, Limits, scan};
use crate::value::{MAX_DEPTH, Value};

/// Bytes that may be written to the upstream server: one line without its newline.
#[derive(Debug)]
pub struct Permit {
    pub(crate) bytes: Vec<u8>,
}

impl Permit {
    /// Gives up the bytes to be written. The permit is spent.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The bytes to be written, to look at.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// The requests that Bouncer may send on its own account: they list, greet and probe, and run nothing.
const OWN_REQUESTS: [&str; 7] = [
    "initialize",
    "server/discover",
    "ping",
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
];

/// The notifications that Bouncer may send on its own account.
const OWN_NOTIFICATIONS: [&str; 2] = ["notifications/initialized", "notifications/cancelled"];

/// A request that Bouncer itself sends upstream. `None` for every method that is not on a short fixed list (so never
/// for `tools/call`), and where `params_json` is not one JSON object or `id` not an id.
#[must_use]
pub fn own_request(id: &Id, method: &str, params_json: &str) -> Option<Permit> {
    let method = OWN_REQUESTS.into_iter().find(|own| *own == method)?;
    let params = object(params_json)?;
    let line = format!(r#"{{"jsonrpc":"2.0","id":{},"method":"{method}","params":{params}}}"#, id.json());
    // Read back by the same rules as a client's line: an id of odd text must not make two members of one.
    match scan(line.into_bytes(), &Limits::default()) {
        Ok(ClientLine::Request(request)) if request.method() == method && request.id() == id => {
            Some(request.permit())
        }
        _ => None,
    }
}

/// A notification that Bouncer itself sends upstream, under the same conditions as [`own_request`].
#[must_use]
pub fn own_notification(method: &str, params_json: &str) -> Option<Permit> {
    let method = OWN_NOTIFICATIONS.into_iter().find(|own| *own == method)?;
    let params = object(params_json)?;
    let line = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#);
    match scan(line.into_bytes(), &Limits::default()) {
        Ok(ClientLine::Notification(notification)) if notification.method() == method => {
            Some(notification.permit())
        }
        _ => None,
    }
}

/// The answer *no* to a server that, with a request of `method`, wants to ask a person or a person's model something.
/// `None` where `id` is no id.
#[must_use]
pub fn own_refusal(method: &str, id: &Id) -> Option<Permit> {
    // Only a question to a person has an answer that says no (specification of 2025-11-25, client/elicitation).
    let no = if method == "elicitation/create" {
        r#""result":{"action":"decline"}"#
    } else {
        r#""error":{"code":-1,"message":"the request was rejected: it can be read in two ways"}"#
    };
    own_response(id, no)
}

fn own_response(id: &Id, member: &str) -> Option<Permit> {
    let line = format!(r#"{{"jsonrpc":"2.0","id":{},{member}}}"#, id.json());
    match scan(line.into_bytes(), &Limits::default()) {
        Ok(ClientLine::Response(response)) if response.id() == id => Some(response.permit()),
        _ => None,
    }
}

/// One JSON object on one line.
fn object(json: &str) -> Option<String> {
    let value = Value::parse(json.as_bytes(), MAX_DEPTH).ok()?;
    value.as_object().map(|_| value.to_json())
}
