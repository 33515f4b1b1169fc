//! Lines from the server: recorded where a model may read them, then passed on as they are.

use super::Relay;
use super::heard;
use super::state::{Flight, Listing};
use crate::pins::Part;
use crate::session::Piece;
use bouncer_core::call::Id;
use bouncer_core::line::server::{Kind, ServerLine, look};
use bouncer_core::provenance::Source;
use bouncer_core::value::Value;

/// What becomes of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fate {
    /// To the client.
    Pass,
    /// This goes to the client in its place, without the last newline.
    Replace(Vec<u8>),
    /// It was meant for Bouncer.
    Keep,
    /// Not JSON: to standard error.
    Aside,
}

impl Relay {
    /// One line from the server. Whatever of it a model can read has been recorded when this returns.
    pub(crate) fn server_line(&self, bytes: &[u8]) -> Fate {
        let line = look(bytes);
        match line.kind {
            Kind::Response if !line.is_odd() => self.on_answer(&line),
            Kind::Request | Kind::Notification if !line.is_odd() => self.on_told(&line),
            _ if is_json(bytes, &line) => {
                if let Some(fate) = self.odd_list(&line) {
                    return fate;
                }
                // An odd answer still ends what it answers, or the id could never be used again.
                if let Some(id) = &line.id {
                    self.state().flights.remove(id);
                }
                self.hear("message", &heard::anything(&line), None);
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
            Some(Flight { tool: Some(tool), method }) => {
                self.hear(&tool, &heard::answer(line, &method), Some(&tool))
            }
            Some(Flight { tool: None, method }) => {
                self.hear(&method, &heard::answer(line, &method), None);
                self.learn(&method, line);
                return self.pinned_answer(&method, line);
            }
            None => self.hear("answer", &heard::answer(line, ""), None),
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
        } else if method == "notifications/prompts/list_changed" {
            self.announced(Part::Prompts);
        } else if method == "notifications/resources/list_changed" {
            self.announced(Part::Templates);
        } else if method != "ping" {
            self.hear(method, &heard::told(line), None);
        }
        Fate::Pass
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

    pub(super) fn hear(&self, tool: &str, pieces: &[Piece], directories_of: Option<&str>) {
        if pieces.is_empty() {
            return;
        }
        let directories = directories_of.map(|tool| self.judge.directories(tool)).unwrap_or_default();
        let source = Source { server: self.judge.server().to_owned(), tool: tool.to_owned() };
        self.judge.session().record(&source, pieces, &directories);
    }
}

/// Whether some client could read the line as JSON, broken characters included.
fn is_json(bytes: &[u8], line: &ServerLine<'_>) -> bool {
    let start = bytes.iter().find(|b| !b.is_ascii_whitespace());
    match start {
        Some(b'{' | b'[') => line.whole().is_some(),
        _ => false,
    }
}
