//! What the server lists of its resources: learnt from the client's own listings, and listed by Bouncer itself when a
//! request names an address that was not among them and that a human would have to be asked about.

use super::Relay;
use super::clerk::Job;
use super::state::Waiting;
use bouncer_core::call::Id;
use bouncer_core::line::server::ServerLine;
use bouncer_core::resource::Resources;
use bouncer_core::value::Value;
use std::collections::VecDeque;
use std::time::Instant;

/// A server that hands out page after page is stopped here.
const MOST_PAGES: usize = 1000;
/// The lists, in the order in which they are asked for: method, and the member that holds an entry's address.
const LISTS: [(&str, &str, &str); 2] = [
    ("resources/list", "resources", "uri"),
    ("resources/templates/list", "resourceTemplates", "uriTemplate"),
];

/// What is known, and what is on its way.
#[derive(Debug, Default)]
pub(crate) struct Catalog {
    known: Resources,
    progress: Progress,
    /// Requests that wait for it, in order.
    pub(crate) waiting: VecDeque<Waiting>,
}

#[derive(Debug, Default)]
enum Progress {
    #[default]
    Idle,
    Running {
        id: String,
        list: usize,
        pages: usize,
        since: Instant,
    },
    Done,
}

impl Catalog {
    /// A request that waits is cancelled.
    pub(crate) fn withdraw(&mut self, id: &Id) -> Option<Waiting> {
        let at = self.waiting.iter().position(|w| w.call.id() == id)?;
        self.waiting.remove(at)
    }

    /// Since when requests wait for it.
    pub(crate) fn since(&self) -> Option<Instant> {
        match self.progress {
            Progress::Running { since, .. } if !self.waiting.is_empty() => Some(since),
            _ => None,
        }
    }

    /// The server says that its resources changed: they are listed again when it matters.
    pub(crate) fn changed(&mut self) {
        if matches!(self.progress, Progress::Done) {
            self.progress = Progress::Idle;
        }
    }

    /// Gives up what does not come.
    pub(crate) fn stop(&mut self) {
        self.progress = Progress::Done;
    }

    fn add(&mut self, list: usize, page: &Value) {
        let Some((_, name, member)) = LISTS.get(list) else { return };
        for entry in page.get(name).and_then(Value::as_array).unwrap_or_default() {
            let Some(address) = entry.get(member).and_then(Value::as_str) else { continue };
            if list == 0 { self.known.add(address) } else { self.known.add_template(address) }
        }
    }
}

impl Relay {
    /// Starts to list the server's resources where they are not known yet. False: they are known as well as they can be.
    pub(crate) fn look_into_catalog(&self) -> bool {
        let id = {
            let mut state = self.state();
            match state.catalog.progress {
                Progress::Done => return false,
                Progress::Running { .. } => return true,
                Progress::Idle => {}
            }
            let id = self.own_id(&mut state);
            let since = Instant::now();
            state.catalog.progress = Progress::Running { id: id.clone(), list: 0, pages: 0, since };
            id
        };
        self.request_list(&id, 0, None);
        true
    }

    fn request_list(&self, id: &str, list: usize, cursor: Option<&str>) {
        let method = LISTS.get(list).map_or("", |(method, ..)| method);
        if !self.request_page(id, method, cursor) {
            self.catalog_done();
        }
    }

    /// An answer to a listing of Bouncer's own. False: it is another one.
    pub(crate) fn own_list(&self, own: &str, line: &ServerLine<'_>) -> bool {
        let mut state = self.state();
        let (list, pages) = match &state.catalog.progress {
            Progress::Running { id, list, pages, .. } if id == own => (*list, *pages),
            _ => return false,
        };
        let page = line.result_strict().and_then(Result::ok).unwrap_or(Value::Null);
        state.catalog.add(list, &page);
        let next = page.get("nextCursor").and_then(Value::as_str).filter(|_| pages < MOST_PAGES);
        let (list, pages) = if next.is_some() { (list, pages + 1) } else { (list + 1, 0) };
        if list >= LISTS.len() {
            drop(state);
            self.catalog_done();
            return true;
        }
        let fresh = self.own_id(&mut state);
        if let Progress::Running { id, list: at, pages: count, .. } = &mut state.catalog.progress {
            id.clone_from(&fresh);
            (*at, *count) = (list, pages);
        }
        drop(state);
        self.request_list(&fresh, list, next);
        true
    }

    /// What the client's own listing brings is known as well.
    pub(crate) fn learn_resources(&self, method: &str, line: &ServerLine<'_>) {
        let Some(list) = LISTS.iter().position(|(name, ..)| *name == method) else { return };
        let Some(Ok(page)) = line.result_strict() else { return };
        let known = {
            let mut state = self.state();
            state.catalog.add(list, &page);
            state.catalog.known.clone()
        };
        self.judge.set_resources(known);
    }

    fn catalog_done(&self) {
        let known = {
            let mut state = self.state();
            state.catalog.stop();
            state.catalog.known.clone()
        };
        self.judge.set_resources(known);
        let _ = self.clerk.send(Job::Release);
    }

    /// Judges the requests that waited. For the clerk.
    pub(crate) fn release_requests(&self) {
        loop {
            let next = {
                let mut state = self.state();
                match state.catalog.progress {
                    Progress::Done => state.catalog.waiting.pop_front(),
                    _ => None,
                }
            };
            let Some(Waiting { call, before }) = next else { return };
            self.decide(call, &before);
        }
    }
}
