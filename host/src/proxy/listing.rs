//! Bouncer's own listing of the server's tools: all pages, by requests whose ids nobody else uses.
//!
//! Calls wait for it. When the server does not list its tools, for whatever reason, it has none that can be called.

use super::Relay;
use super::clerk::Job;
use super::state::{Listing, Pages, VERSION};
use crate::json::quoted;
use bouncer_core::call::Id;
use bouncer_core::line::own_request;
use bouncer_core::line::server::ServerLine;
use bouncer_core::tool::Tool;
use bouncer_core::value::Value;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// A server that hands out page after page is stopped here.
const MOST_PAGES: usize = 1000;
const MOST_TOOLS: usize = 20_000;
/// A list is not asked for again sooner than this because of its `ttlMs`.
const SHORTEST: Duration = Duration::from_secs(5);

/// How long a list may be kept, in milliseconds (revision 2026-07-28).
fn ttl_of(page: &Value) -> Option<u64> {
    match page.get("ttlMs") {
        Some(Value::Number(text)) => text.parse().ok(),
        _ => None,
    }
}

impl Relay {
    /// Starts a listing, unless one is on its way: that one will be repeated.
    pub(crate) fn start_listing(&self) {
        let id = {
            let mut state = self.state();
            if let Listing::Running(pages) = &mut state.listing {
                pages.stale = true;
                return;
            }
            state.stale_at = None;
            let id = self.own_id(&mut state);
            let tools = Vec::new();
            state.listing = Listing::Running(Pages {
                id: id.clone(),
                tools,
                cursors: BTreeSet::new(),
                since: Instant::now(),
                stale: false,
                ttl: None,
            });
            id
        };
        self.request_tools(&id, None);
    }

    fn request_tools(&self, id: &str, cursor: Option<&str>) {
        if !self.request_page(id, "tools/list", cursor) {
            self.no_tools("the request for them could not be made");
        }
    }

    /// Asks for a page of one of Bouncer's own lists. Whether that could be asked.
    pub(crate) fn request_page(&self, id: &str, method: &str, cursor: Option<&str>) -> bool {
        let (version, can) = {
            let state = self.state();
            (state.modern.clone(), state.modern_can.clone())
        };
        let mut params = Vec::new();
        if let Some(cursor) = cursor {
            params.push(format!(r#""cursor":{}"#, quoted(cursor)));
        }
        if let Some(version) = version {
            let client = format!(r#"{{"name":"bouncer","version":"{}"}}"#, env!("CARGO_PKG_VERSION"));
            params.push(format!(
                r#""_meta":{{"{VERSION}":{},"{}":{},"io.modelcontextprotocol/clientInfo":{client}}}"#,
                quoted(&version),
                super::state::CAPABILITIES,
                can.as_deref().unwrap_or("{}"),
            ));
        }
        let params = format!("{{{}}}", params.join(","));
        match own_request(&Id::from_json(&quoted(id)), method, &params) {
            // Written by the clerk: the thread that reads from the server must never wait for it to read.
            Some(permit) => self.clerk.send(Job::Own(permit)).is_ok(),
            None => false,
        }
    }

    /// An answer to one of Bouncer's own requests. It never reaches the client.
    pub(crate) fn own_answer(&self, own: &str, line: &ServerLine<'_>) {
        if self.own_list(own, line) {
            return;
        }
        let page = line.result_strict().and_then(Result::ok);
        let mut state = self.state();
        let pages = match &mut state.listing {
            Listing::Running(pages) if pages.id == own => pages,
            _ => {
                drop(state);
                return self.answer_beside(own, page.as_ref());
            }
        };
        let Some(page) = page.filter(|p| p.get("tools").and_then(Value::as_array).is_some()) else {
            drop(state);
            return self.no_tools("the server did not answer with a list of tools");
        };
        let listed = page.get("tools").and_then(Value::as_array).unwrap_or_default();
        pages.tools.extend(listed.iter().filter_map(|t| Tool::from_definition(t.clone())));
        if let Some(ttl) = ttl_of(&page) {
            pages.ttl = Some(pages.ttl.map_or(ttl, |shortest| shortest.min(ttl)));
        }
        let next = page.get("nextCursor").and_then(Value::as_str).map(str::to_owned);
        let Some(next) = next else {
            let (tools, stale) = (std::mem::take(&mut pages.tools), pages.stale);
            let fresh_for = pages.ttl.map(|ttl| Duration::from_millis(ttl).max(SHORTEST));
            state.stale_at = fresh_for.and_then(|time| Instant::now().checked_add(time));
            drop(state);
            return self.listed(tools, stale);
        };
        if pages.cursors.len() >= MOST_PAGES
            || pages.tools.len() > MOST_TOOLS
            || !pages.cursors.insert(next.clone())
        {
            drop(state);
            return self.no_tools("the pages of the server's list do not end");
        }
        let id = self.own_id(&mut state);
        if let Listing::Running(pages) = &mut state.listing {
            pages.id.clone_from(&id);
        }
        drop(state);
        self.request_tools(&id, Some(&next));
    }

    fn listed(&self, tools: Vec<Tool>, stale: bool) {
        let identity = self.state().identity.clone();
        let taken = catch_unwind(AssertUnwindSafe(|| self.judge.set_tools(&identity, tools)));
        if taken.is_err() {
            return self.no_tools("an internal fault while reading them");
        }
        self.state().listing = Listing::Done;
        self.release_soon();
        if stale {
            self.start_listing();
        }
        self.list_offered();
    }

    /// The listing failed: every tool is unknown, so every call is denied.
    pub(crate) fn no_tools(&self, why: &str) {
        tracing::warn!("no tool of `{}` can be called: {why}", self.judge.server());
        self.judge.forget_tools();
        {
            let mut state = self.state();
            state.listing = Listing::Done;
            state.stale_at = None;
        }
        self.release_soon();
    }

    fn release_soon(&self) {
        let _ = self.clerk.send(Job::Release);
    }

    /// Judges the calls that waited for the list, in order. For the clerk.
    pub(crate) fn release(&self) {
        self.state().releasing = true;
        loop {
            let next = {
                let mut state = self.state();
                let next =
                    if matches!(state.listing, Listing::Done) { state.waiting.pop_front() } else { None };
                if next.is_none() {
                    state.releasing = false;
                }
                next
            };
            match next {
                Some(waiting) => self.decide(waiting.call, &waiting.before),
                None => break,
            }
        }
        self.release_requests();
        let _ = self.send();
        let close = {
            let state = self.state();
            state.ended && !state.calls_wait()
        };
        if close {
            self.up.close(&self.audit);
        }
    }
}
