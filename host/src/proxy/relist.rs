//! What the client sees of the server's lists and instructions, held against the record; and Bouncer's own lists of
//! prompts and resource templates, one after another, for which nothing waits.

use super::Relay;
use super::server::Fate;
use super::splice::spliced;
use super::wire;
use crate::pins::Part;
use bouncer_core::call::Id;
use bouncer_core::line::reads_as;
use bouncer_core::line::server::ServerLine;
use bouncer_core::value::Value;
use std::collections::BTreeSet;
use std::ops::Range;

/// A server that hands out page after page is stopped here.
const MOST_PAGES: usize = 1000;
const MOST_ITEMS: usize = 20_000;

/// Requests whose answers are held against the record.
fn part_of(method: &str) -> Option<Part> {
    match method {
        "initialize" | "server/discover" => Some(Part::Instructions),
        method => Part::listed_by(method),
    }
}

/// What the server says that it can list, beside tools.
pub(crate) fn offers(result: &Value) -> BTreeSet<Part> {
    let has = |name| matches!(result.get("capabilities").and_then(|c| c.get(name)), Some(Value::Object(_)));
    let parts = [(Part::Prompts, "prompts"), (Part::Templates, "resources")];
    parts.into_iter().filter(|(_, name)| has(name)).map(|(part, _)| part).collect()
}

/// Bouncer's own lists beside that of the tools.
#[derive(Debug, Default)]
pub(crate) struct Beside {
    running: Option<Pages>,
    waiting: BTreeSet<Part>,
    asked: BTreeSet<Part>,
}

#[derive(Debug)]
struct Pages {
    id: String,
    part: Part,
    items: Vec<Value>,
    cursors: BTreeSet<String>,
}

impl Relay {
    /// An answer to the client that lists something or greets: with recorded definitions in the place of others.
    pub(super) fn pinned_answer(&self, method: &str, line: &ServerLine<'_>) -> Fate {
        let Some(part) = part_of(method) else { return Fate::Pass };
        if line.result_bytes().is_none() {
            return Fate::Pass;
        }
        let Some((items, places)) = listed(part, line) else {
            tracing::warn!("an answer to `{method}` can be read in more than one way and was withheld");
            return Fate::Instead(unreadable(line.id.as_ref(), method));
        };
        if part == Part::Instructions {
            self.judge.see(part, items.clone());
        }
        let served = self.judge.serve(part, &items);
        if served.news && part == Part::Tools {
            self.start_listing();
        }
        if served.instead.iter().all(Option::is_none) {
            return Fate::Pass;
        }
        let line = spliced(line.bytes(), places.into_iter().zip(served.instead));
        // What the client reads instead counts as heard too.
        self.hear(method, super::server::answer(method), &line);
        Fate::Instead(line)
    }

    /// A line that clients may read in more than one way may be, for some of them, the list that they wait for. It is
    /// withheld then, and they get an error. A raw carriage return inside makes several lines of it for some clients:
    /// then anything may be in it.
    pub(super) fn odd_list(&self, line: &ServerLine<'_>) -> Option<Fate> {
        let whole = line.whole()?;
        let parted = line.bytes().trim_ascii().contains(&b'\r');
        let ids: Vec<(Id, String)> = {
            let mut state = self.state();
            let awaited = state.flights.iter().filter(|(_, flight)| part_of(&flight.method).is_some());
            let ids = awaited.filter(|(id, _)| parted || may_answer(&whole, id));
            let ids: Vec<_> =
                ids.map(|(id, flight)| (id.clone(), flight.method.clone().into_owned())).collect();
            ids.iter().for_each(|(id, _)| drop(state.flights.remove(id)));
            ids
        };
        if ids.is_empty() {
            return None;
        }
        tracing::warn!(
            "an answer that can be read in more than one way came where a list was awaited; it was withheld"
        );
        let errors: Vec<Vec<u8>> = ids.iter().map(|(id, method)| unreadable(Some(id), method)).collect();
        Some(Fate::Instead(errors.join(&b'\n')))
    }

    /// Lists what the server has beside tools, each once.
    pub(super) fn list_offered(&self) {
        let offers = self.state().offers.clone();
        offers.into_iter().for_each(|part| self.list_once(part));
    }

    /// The same for one part, where Bouncer has not asked for it yet. The client may ask for what nobody offered.
    pub(super) fn list_once(&self, part: Part) {
        if part != Part::Tools && !self.state().beside.asked.contains(&part) {
            self.list_beside(part);
        }
    }

    /// The server says that a part is another list now.
    pub(super) fn announced(&self, part: Part) {
        self.judge.announced(part);
        // What was never listed is not listed because of that.
        if self.state().beside.asked.contains(&part) {
            self.list_beside(part);
        }
    }

    /// Lists a part anew.
    fn list_beside(&self, part: Part) {
        {
            let mut state = self.state();
            state.beside.asked.insert(part);
            state.beside.waiting.insert(part);
        }
        self.next_beside();
    }

    fn next_beside(&self) {
        let (id, part) = {
            let mut state = self.state();
            if state.beside.running.is_some() {
                return;
            }
            let Some(part) = state.beside.waiting.pop_first() else { return };
            let id = self.own_id(&mut state);
            let pages = Pages { id: id.clone(), part, items: Vec::new(), cursors: BTreeSet::new() };
            state.beside.running = Some(pages);
            (id, part)
        };
        self.ask_beside(&id, part, None);
    }

    fn ask_beside(&self, id: &str, part: Part, cursor: Option<&str>) {
        let asked = part.method().is_some_and(|method| self.request_page(id, method, cursor));
        if !asked {
            self.state().beside.running = None;
        }
    }

    /// A page of such a list; `None` where it is none. A list that does not come is not recorded.
    pub(super) fn answer_beside(&self, own: &str, page: Option<&Value>) {
        let mut state = self.state();
        let Some(mut pages) = state.beside.running.take_if(|pages| pages.id == own) else { return };
        let items = page.and_then(|page| page.get(pages.part.member())).and_then(Value::as_array);
        let next = page.and_then(|page| page.get("nextCursor")).and_then(Value::as_str);
        let Some(items) = items else {
            state.beside.asked.remove(&pages.part);
            drop(state);
            return self.next_beside();
        };
        pages.items.extend(items.iter().cloned());
        if let Some(next) = next {
            let endless = pages.cursors.len() >= MOST_PAGES
                || pages.items.len() > MOST_ITEMS
                || !pages.cursors.insert(next.to_owned());
            if !endless {
                let id = self.own_id(&mut state);
                pages.id.clone_from(&id);
                let part = pages.part;
                state.beside.running = Some(pages);
                drop(state);
                return self.ask_beside(&id, part, Some(next));
            }
            drop(state);
            tracing::warn!("the pages of the server's {} do not end", pages.part.word());
            return self.next_beside();
        }
        drop(state);
        self.judge.see(pages.part, pages.items);
        self.next_beside();
    }
}

/// Whether some client could take an object in here for the answer to `id`, however it reads keys and numbers.
fn may_answer(value: &Value, id: &Id) -> bool {
    match value {
        Value::Array(items) => items.iter().any(|item| may_answer(item, id)),
        Value::Object(members) => {
            let has = |name: &str, fits: &dyn Fn(&Value) -> bool| {
                members.iter().any(|(key, item)| reads_as(key, name) && fits(item))
            };
            (has("result", &|_| true) && has("id", &|item| same_id(item, id)))
                || members.iter().any(|(_, item)| may_answer(item, id))
        }
        _ => false,
    }
}

/// Some clients take `3.0`, and some `"3"`, for 3.
fn same_id(item: &Value, id: &Id) -> bool {
    let plain = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(text) => Some(text.to_string()),
        _ => None,
    };
    let own = Value::parse(id.json().as_bytes(), 0).ok();
    let (Some(a), Some(b)) = (plain(item), own.as_ref().and_then(plain)) else { return false };
    let number = |text: &str| text.trim().parse::<f64>().ok();
    a == b || number(&a).is_some_and(|a| number(&b) == Some(a))
}

/// The definitions in an answer, with where each stands. `None` where it can be read in more than one way.
fn listed(part: Part, line: &ServerLine<'_>) -> Option<(Vec<Value>, Vec<Range<usize>>)> {
    if part == Part::Instructions {
        let Some(place) = line.place_in_result(part.member()).ok()? else {
            return Some((Vec::new(), Vec::new()));
        };
        // Only this member is held against the record: what else is odd in a greeting passes.
        return match Value::parse_lenient(line.bytes().get(place.clone())?, 1).ok()? {
            Value::Null => Some((Vec::new(), Vec::new())),
            text @ Value::String(_) => Some((vec![text], vec![place])),
            _ => None,
        };
    }
    let result = line.result_strict()?.ok()?;
    let member = result.get(part.member());
    let places = line.places_of_items(part.member()).ok()?;
    match (member.and_then(Value::as_array), places) {
        (None, None) => Some((Vec::new(), Vec::new())),
        (Some(items), Some(places)) if items.len() == places.len() => Some((items.to_vec(), places)),
        _ => None,
    }
}

fn unreadable(id: Option<&Id>, method: &str) -> Vec<u8> {
    let text =
        format!("[bouncer blocked] the server's answer to `{method}` can be read in more than one way");
    wire::error(id, -32603, &text).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bouncer_core::line::server::look;

    #[test]
    fn only_what_is_replaced_is_touched() {
        let line = br#" {"id":1, "result":{"tools":[ {"name":"a"} ,{"name" : "b"}, {"name":"c"}],"x":1e2}}"#;
        let looked = look(line);
        let (items, places) = listed(Part::Tools, &looked).unwrap();
        assert_eq!(items.len(), 3);
        let none = spliced(line, places.iter().cloned().zip([None, None, None]));
        assert_eq!(none, line);
        let one = spliced(line, places.into_iter().zip([None, Some("NEW".to_owned()), None]));
        let expected = br#" {"id":1, "result":{"tools":[ {"name":"a"} ,NEW, {"name":"c"}],"x":1e2}}"#;
        assert_eq!(one, expected);
    }

    #[test]
    fn a_list_that_is_read_in_two_ways_is_none() {
        for line in [
            r#"{"id":1,"result":{"tools":[],"tools":[{"name":"a"}]}}"#,
            r#"{"id":1,"result":{"tools":[{"name":"a","name":"b"}]}}"#,
            r#"{"id":1,"result":{"tools":[{"name":"\ud800"}]}}"#,
            r#"{"id":1,"result":{"tools":[],"Tools":[{"name":"a"}]}}"#,
            r#"{"id":1,"result":{"tools":{"name":"a"}}}"#,
        ] {
            assert!(listed(Part::Tools, &look(line.as_bytes())).is_none(), "{line}");
        }
        let odd = r#"{"id":1,"result":{"instructions":["x"]}}"#;
        assert!(listed(Part::Instructions, &look(odd.as_bytes())).is_none());
        let greeting = br#"{"id":1,"result":{"x":"\ud800","instructions":"a"}}"#;
        assert_eq!(listed(Part::Instructions, &look(greeting)).unwrap().0.len(), 1);
        let none = listed(Part::Tools, &look(br#"{"id":1,"result":{}}"#)).unwrap();
        assert!(none.0.is_empty());
    }

    #[test]
    fn whatever_may_be_taken_for_an_answer_is_found() {
        let id = Id::from_json("3");
        let value = |text: &str| Value::parse_lenient(text.as_bytes(), 99).unwrap();
        for answer in [
            r#"{"id":1,"id":3,"result":{}}"#,
            r#"{"\u0131d":3.0,"Result":{}}"#,
            r#"[{"id":"3","result":null}]"#,
            r#"{"x":[{"id":3e0,"re\u017fult":1}]}"#,
        ] {
            assert!(may_answer(&value(answer), &id), "{answer}");
        }
        for other in [r#"{"id":4,"result":1}"#, r#"{"level":"info","level":"x","id":3}"#, "[3]", "{}"] {
            assert!(!may_answer(&value(other), &id), "{other}");
        }
        assert!(may_answer(&value(r#"{"id":"a","id":2,"result":1}"#), &Id::from_json("\"a\"")));
    }
}
