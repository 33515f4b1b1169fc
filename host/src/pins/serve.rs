//! What the client sees of a list: recorded definitions as they were recorded, of everything else the name only.

use super::{Part, Pins, Stray, note_strays};
use crate::json::quoted;
use bouncer_core::pin::Hash;
use bouncer_core::shown::shell_word;
use bouncer_core::value::Value;

/// What becomes of a list on its way to the client.
#[derive(Debug, Default)]
pub struct Served {
    /// For each item, the JSON that takes its place; `None` where it stays as it is.
    pub instead: Vec<Option<String>>,
    /// Whether the list told something that is not recorded and was not known to be pending: the tools must be looked
    /// at again.
    pub news: bool,
}

impl Pins {
    /// Looks at a list, or a page of one, that the server sends to the client.
    pub fn serve(&mut self, part: Part, items: &[Value]) -> Served {
        let mut served = Served::default();
        for item in items {
            let instead = match part.name_of(item) {
                Some(name) => self.serve_one(part, name, item, &mut served.news),
                // Nothing that can be recorded, whatever it says.
                None if self.record.knows(part) => Some(placeholder(part, "", &self.not_recorded(part))),
                None => None,
            };
            served.instead.push(instead);
        }
        if served.news {
            let strays = self.strays_of(part);
            let mut told = false;
            self.change(|record| {
                told = note_strays(record, part, &strays);
                told
            });
            if told && self.home.is_some() {
                super::report::pending(&self.record, part);
            }
        }
        served
    }

    fn serve_one(&mut self, part: Part, name: String, item: &Value, news: &mut bool) -> Option<String> {
        if let Some(trouble) = &self.trouble {
            let why = format!("[bouncer] {}", super::one_line(trouble));
            return Some(placeholder(part, &name, &why));
        }
        if !self.record.knows(part) {
            let before = self.shown.insert((part, name.clone()), item.clone());
            if let Some(before) = before.filter(|before| Hash::of(before) != Hash::of(item)) {
                // Shown in two ways before anything was recorded.
                self.strays.insert((part, name), Stray { definition: before, arrived: true });
            }
            return None;
        }
        let recorded = self.record.definition(part, &name);
        let instead = match recorded {
            Some(recorded) if Hash::of(recorded) == Hash::of(item) => return None,
            Some(recorded) => recorded.to_json(),
            None => placeholder(part, &name, &self.not_recorded(part)),
        };
        let key = (part, name);
        if !self.strays.get(&key).is_some_and(|stray| stray.arrived) {
            let stray = Stray { definition: item.clone(), arrived: false };
            let before = self.strays.insert(key, stray);
            *news |= before.is_none_or(|before| before.definition != *item);
        }
        Some(instead)
    }

    fn not_recorded(&self, part: Part) -> String {
        let server = shell_word(self.record.key.name(), 80);
        match part {
            Part::Tools => format!(
                "[bouncer] The server did not list this tool when its tools were recorded. Calls are refused until the user accepts it; hint: `bouncer pins diff {server}`"
            ),
            Part::Prompts | Part::Templates => format!(
                "[bouncer] The server did not list this {} when it was recorded. Its definition is withheld until the user accepts it; hint: `bouncer pins diff {server}`",
                part.one()
            ),
            Part::Instructions => format!(
                "[bouncer] The server had no instructions when it was recorded. They are withheld until the user accepts them; hint: `bouncer pins diff {server}`"
            ),
        }
    }
}

/// An entry of the list that says nothing of the server's but the name.
fn placeholder(part: Part, name: &str, why: &str) -> String {
    let (name, why) = (quoted(name), quoted(why));
    match part {
        Part::Tools => {
            format!(r#"{{"name":{name},"description":{why},"inputSchema":{{"type":"object"}}}}"#)
        }
        Part::Prompts => format!(r#"{{"name":{name},"description":{why}}}"#),
        Part::Templates => {
            format!(r#"{{"uriTemplate":{name},"name":"not recorded","description":{why}}}"#)
        }
        Part::Instructions => why,
    }
}
