//! What a proxy knows of its connection: the era, requests in flight, the tool list, questions to the human.

use super::catalog::Catalog;
use super::relist::Beside;
use super::rounds::{Round, Rounds};
use crate::judge::Before;
use crate::pins::Part;
use bouncer_core::call::{Call, Id, Method};
use bouncer_core::provenance::Source;
use bouncer_core::ruling::Ruling;
use bouncer_core::tool::{ServerIdentity, Tool};
use bouncer_core::value::Value;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Instant;

/// The member of `_meta` that tells the revision of a request, from 2026-07-28 on.
pub(crate) const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// The member of `_meta` that tells what the client can do.
pub(crate) const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) identity: ServerIdentity,
    /// The client's `initialize` was answered.
    pub(crate) greeted: bool,
    /// The client's `notifications/initialized` was forwarded.
    pub(crate) initialized: bool,
    /// The client said at `initialize` that it can show a form.
    pub(crate) elicits: bool,
    /// The revision that the client's requests name, where they do.
    pub(crate) modern: Option<String>,
    /// What such a request says that its client can do, as JSON: Bouncer's own requests say the same, so that the server
    /// lists for them what it lists for the client.
    pub(crate) modern_can: Option<String>,
    pub(crate) flights: BTreeMap<Id, Flight>,
    pub(crate) listing: Listing,
    /// When the list of tools is older than the server wants it to be.
    pub(crate) stale_at: Option<Instant>,
    /// What the server says that it has, beside tools.
    pub(crate) offers: BTreeSet<Part>,
    /// Bouncer's lists of it.
    pub(crate) beside: Beside,
    /// What the server lists of its resources.
    pub(crate) catalog: Catalog,
    /// Rounds of the server's own that its client may come back to.
    pub(crate) rounds: Rounds,
    /// Calls that wait for the tool list, in order.
    pub(crate) waiting: VecDeque<Waiting>,
    /// The clerk is judging calls that waited: later ones wait behind them.
    pub(crate) releasing: bool,
    /// Questions to the client, by the id of Bouncer's request.
    pub(crate) asked: BTreeMap<String, Asked>,
    /// Questions that a client of the 2026 revision answers with a retry, by `requestState`.
    pub(crate) parked: BTreeMap<String, Parked>,
    pub(crate) own_ids: u64,
    /// The client's input has ended.
    pub(crate) ended: bool,
}

/// A request of the client's that is not answered yet.
#[derive(Debug, Default)]
pub(crate) struct Flight {
    pub(crate) method: Cow<'static, str>,
    /// The tool of a `tools/call`, as the source of its answer.
    pub(crate) tool: Option<Arc<Source>>,
    /// The client wants a task for it, not a result (revision 2025-11-25).
    pub(crate) task: bool,
    /// What is to be remembered where the server answers that it needs input.
    pub(crate) round: Option<Round>,
}

#[derive(Debug, Default)]
pub(crate) enum Listing {
    #[default]
    Idle,
    Running(Pages),
    Done,
}

/// A listing on its way.
#[derive(Debug)]
pub(crate) struct Pages {
    /// The id of the request that is out.
    pub(crate) id: String,
    pub(crate) tools: Vec<Tool>,
    pub(crate) cursors: BTreeSet<String>,
    pub(crate) since: Instant,
    /// The server said meanwhile that its tools changed.
    pub(crate) stale: bool,
    /// The shortest time that a page may be kept for, in milliseconds.
    pub(crate) ttl: Option<u64>,
}

#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) call: Call,
    pub(crate) before: Before,
}

/// A call about which a human is asked by an elicitation.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) call: Call,
    pub(crate) ruling: Ruling,
    pub(crate) attempt: u64,
    pub(crate) since: Instant,
    pub(crate) until: Instant,
    /// The client's progress token as JSON, and how often it was told.
    pub(crate) progress: Option<(String, u32)>,
}

/// A call that was answered with `input_required`.
#[derive(Debug)]
pub(crate) struct Parked {
    pub(crate) method: Method,
    pub(crate) tool: String,
    pub(crate) arguments: Value,
    /// `requestState` and `inputResponses` of the call itself, which belong to the server.
    pub(crate) servers: Vec<(String, Value)>,
    pub(crate) ruling: Ruling,
    pub(crate) attempt: u64,
    pub(crate) until: Instant,
}

impl State {
    /// Whether there is a list of tools that is older than the server wants it to be.
    pub(crate) fn has_stale_list(&self) -> bool {
        matches!(self.listing, Listing::Done) && self.stale_at.is_some_and(|at| at <= Instant::now())
    }

    /// Whether calls wait for a listing.
    pub(crate) fn calls_wait(&self) -> bool {
        !self.waiting.is_empty() || !self.catalog.waiting.is_empty()
    }

    /// Whether a call can be judged now.
    pub(crate) fn is_ready(&self) -> bool {
        matches!(self.listing, Listing::Done)
            && self.waiting.is_empty()
            && !self.releasing
            && self.stale_at.is_none_or(|at| at > Instant::now())
    }
}

/// `_meta` of a request's parameters.
fn meta<'v>(params: &'v Value, key: &str) -> Option<&'v Value> {
    params.get("_meta")?.get(key)
}

/// The revision that a request names itself, from 2026-07-28 on.
pub(crate) fn version_of(params: &Value) -> Option<&str> {
    meta(params, VERSION)?.as_str()
}

/// What a request says that its client can do, as JSON.
pub(crate) fn capabilities_of(params: &Value) -> Option<String> {
    meta(params, CAPABILITIES).filter(|can| can.as_object().is_some()).map(Value::to_json)
}

/// Whether the request itself says that its client can show a form.
pub(crate) fn request_elicits(params: &Value) -> bool {
    meta(params, CAPABILITIES).is_some_and(can_show_form)
}

/// Whether these capabilities include forms: an empty `elicitation` means forms, `url` alone does not.
pub(crate) fn can_show_form(capabilities: &Value) -> bool {
    let Some(elicitation @ Value::Object(_)) = capabilities.get("elicitation") else { return false };
    elicitation.get("form").is_some() || elicitation.get("url").is_none()
}

/// The progress token of a request, as JSON.
pub(crate) fn progress_token(params: &Value) -> Option<String> {
    let token = meta(params, "progressToken")?;
    matches!(token, Value::String(_) | Value::Number(_)).then(|| token.to_json())
}
