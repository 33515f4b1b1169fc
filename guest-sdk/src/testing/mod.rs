//! What native unit tests of a policy need: calls, tools and destinations from JSON.
//!
//! ```
//! use bouncer_guest::testing::{self, json};
//! use bouncer_guest::{Kind, Trust};
//! let call = testing::call("send_email", json!({"to": "bob@x.io"}));
//! assert_eq!(call.text("/to"), Some("bob@x.io"));
//! let to = testing::destination("bob@x.io", Kind::Email, "/to", Trust::Tainted);
//! assert_eq!(to.trust, Trust::Tainted);
//! ```

#[cfg(not(target_arch = "wasm32"))]
mod cases;

#[cfg(not(target_arch = "wasm32"))]
pub use cases::{answer, answer_cases};

use crate::Value;
pub use crate::json;
use crate::{Call, Destination, Error, Kind, Policy, Server, Tool, Trust};
use alloc::borrow::ToOwned as _;
use alloc::string::{String, ToString as _};
use alloc::vec;
use alloc::vec::Vec;

/// A call of `tool` with these arguments, on a server named `server`.
#[must_use]
pub fn call(tool: &str, arguments: Value) -> Call<'_> {
    Call::new("server", tool, arguments)
}

/// A server of this name; its reported name is the same.
#[must_use]
pub fn server(name: &str) -> Server {
    Server {
        name: name.to_owned(),
        reported_name: name.to_owned(),
        reported_version: "1.0.0".to_owned(),
        command: vec![name.to_owned()],
    }
}

/// Tools from a `tools/list` result (an object with `tools`) or from a list of definitions; entries without a name
/// are left out.
#[must_use]
pub fn tools(listed: &Value) -> Vec<Tool> {
    let entries = listed.get("tools").unwrap_or(listed).as_array();
    entries
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(Tool::new(entry.get("name")?.as_str()?, entry.to_string())))
        .collect()
}

/// A tool with a plain object schema of these string arguments.
#[must_use]
pub fn tool(name: &str, params: &[&str]) -> Tool {
    let properties: crate::Map =
        params.iter().map(|param| ((*param).to_owned(), json!({"type": "string"}))).collect();
    let definition = json!({"name": name, "inputSchema": {"type": "object", "properties": properties}});
    Tool::new(name, definition.to_string())
}

/// A destination as the host would hand it over, its canonical form the same as written.
#[must_use]
pub fn destination(value: &str, kind: Kind, argument: &str, trust: Trust) -> Destination {
    Destination {
        value: value.to_owned(),
        canonical: value.to_owned(),
        kind,
        argument: argument.to_owned(),
        trust,
        seen: String::new(),
    }
}

/// Settings from JSON, as the host would hand them over.
///
/// # Errors
/// Where they do not fit the policy's type.
pub fn settings<P: Policy>(settings: &Value) -> Result<P::Settings, Error> {
    crate::glue::settings::<P>(&settings.to_string())
}
