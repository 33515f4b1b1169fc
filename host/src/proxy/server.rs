//! Lines from the server: recorded where a model may read them, then passed on as they are.

use super::Relay;
use super::clerk::Job;
use super::rounds::Round;
use super::state::{Flight, Listing};
use crate::pins::Part;
use crate::session::{Output, OutputKind};
use bouncer_core::call::Id;
use bouncer_core::line::server::{Kind, ServerLine, look};
use bouncer_core::value::Value;
use std::sync::atomic::Ordering;

/// What becomes of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fate {
    /// To the client.
    Pass,
    /// To the client in this form: questions to a person are marked in it, changed definitions are as recorded.
    Instead(Vec<u8>),
    /// It was meant for Bouncer, or must not be shown.
    Keep,
    /// Not JSON: to standard error.
    Aside,
}

impl Relay {
    /// One line from the server. Whatever of it a model can read has been recorded when this returns; the session is to be
    /// flushed before the client gets it.
    pub(crate) fn server_line(&self, bytes: &[u8]) -> Fate {
        // Some clients take a byte order mark before a message, others do not: it is one more way to be read in two ways.
        let body = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let line = look(body);
        let odd = line.is_odd() || body.len() != bytes.len();
        match line.kind {
            Kind::Response | Kind::Request | Kind::Notification if !odd => {
                let fate = self.questions(&line, bytes);
                if fate == Some(Fate::Keep) {
                    return Fate::Keep;
                }
                let usual =
                    if line.kind == Kind::Response { self.on_answer(&line) } else { self.on_told(&line) };
                match (usual, fate) {
                    (Fate::Pass, Some(marked)) => marked,
                    // Both to be changed: the questions are marked in what the client reads instead.
                    (Fate::Instead(other), Some(_)) => {
                        self.questions(&look(&other), &other).unwrap_or(Fate::Instead(other))
                    }
                    (usual, _) => usual,
                }
            }
            _ if is_json(body, &line) => {
                // First, because somebody waits for the list and must be told.
                if let Some(fate) = self.odd_list(&line) {
                    return fate;
                }
                // Some clients would show it, and nobody can say as whose.
                if line.may_ask() {
                    tracing::warn!("a question of `{}` that can be read in two ways:", self.judge.server());
                    return Fate::Aside;
                }
                // An odd answer still ends what it answers, or the id could never be used again.
                if let Some(id) = &line.id {
                    self.state().flights.remove(id);
                }
                self.hear("message", OutputKind::Odd, body);
                Fate::Pass
            }
            _ => Fate::Aside,
        }
    }

    fn on_answer(&self, line: &ServerLine<'_>) -> Fate {
        let Some(id) = &line.id else { return Fate::Pass };
        if let Some(own) = self.own(id) {
            self.own_answer(&own, line);
            return Fate::Keep;
        }
        let flight = self.state().flights.remove(id);
        match flight {
            Some(Flight { tool: Some(source), method, round, .. }) => {
                let directories = self.judge.directories(&source.tool);
                let output = Output { kind: answer(&method), bytes: line.bytes() };
                self.judge.session().record(source, output, directories);
                self.index_soon();
                self.needs_input(line, round);
            }
            Some(Flight { tool: None, method, round, .. }) => {
                self.hear(&method, answer(&method), line.bytes());
                self.learn(&method, line);
                self.learn_resources(&method, line);
                self.needs_input(line, round);
                return self.pinned_answer(&method, line);
            }
            None => self.hear("answer", OutputKind::Answer, line.bytes()),
        }
        Fate::Pass
    }

    fn on_told(&self, line: &ServerLine<'_>) -> Fate {
        let method = line.method.as_deref().unwrap_or_default();
        if method == "notifications/tools/list_changed" {
            self.judge.announced(Part::Tools);
            let listed = !matches!(self.state().listing, Listing::Idle);
            if listed {
                self.start_listing();
            }
        }
        if method == "notifications/prompts/list_changed" {
            self.announced(Part::Prompts);
        } else if method == "notifications/resources/list_changed" {
            self.announced(Part::Templates);
            self.state().catalog.changed();
        }
        if method != "ping" {
            self.hear(method, OutputKind::Told, line.bytes());
        }
        Fate::Pass
    }

    /// A call that the server answers with a question of its own may come back.
    fn needs_input(&self, line: &ServerLine<'_>, round: Option<Round>) {
        let Some(round) = round.filter(|_| line.may_need_input()) else { return };
        let Some(Ok(result)) = line.result_strict() else { return };
        if result.get("resultType").and_then(Value::as_str) == Some("input_required") {
            self.state().rounds.open(round, result.get("requestState").cloned());
        }
    }

    /// What an answer says of the server itself.
    fn learn(&self, method: &str, line: &ServerLine<'_>) {
        if method != "initialize" && method != "server/discover" {
            return;
        }
        let Some(result) = line.result() else { return };
        let namespaced = result.get("_meta").and_then(|m| m.get("io.modelcontextprotocol/serverInfo"));
        let info = result.get("serverInfo").or(namespaced);
        let text = |key| info.and_then(|i| i.get(key)).and_then(Value::as_str).map(str::to_owned);
        let offers = super::relist::offers(&result);
        let start = {
            let mut state = self.state();
            state.offers = offers;
            if let Some(name) = text("name") {
                state.identity.reported_name = name;
            }
            if let Some(version) = text("version") {
                state.identity.reported_version = version;
            }
            if method == "initialize" {
                state.greeted = true;
                state.modern = None;
                state.initialized
            } else {
                matches!(state.listing, Listing::Idle)
            }
        };
        if start {
            self.start_listing();
        }
    }

    fn own(&self, id: &Id) -> Option<String> {
        // Cheap first: nearly all ids are the client's.
        let raw = id.json().strip_prefix('"')?;
        raw.starts_with(&self.prefix).then(|| raw.trim_end_matches('"').to_owned())
    }

    /// Records what answers no call of a tool.
    pub(super) fn hear(&self, what: &str, kind: OutputKind, bytes: &[u8]) {
        self.judge.session().record_aside(self.judge.source(what), Output { kind, bytes });
        self.index_soon();
    }

    fn index_soon(&self) {
        // One word for all that comes until the clerk has nothing left to index.
        if !self.indexing.swap(true, Ordering::AcqRel) {
            let _ = self.clerk.send(Job::Index);
        }
    }
}

/// What a line is that answers a request of this method.
pub(super) fn answer(method: &str) -> OutputKind {
    if method == "tools/call" { OutputKind::ToolAnswer } else { OutputKind::Answer }
}

/// Whether some client could read the line as JSON, broken characters included.
fn is_json(bytes: &[u8], line: &ServerLine<'_>) -> bool {
    let start = bytes.iter().find(|b| !b.is_ascii_whitespace());
    match start {
        Some(b'{' | b'[') => line.whole().is_some(),
        _ => false,
    }
}
