//! What the client sees of the server's lists and instructions, held against the record; and Bouncer's own lists of
//! prompts and resource templates, one after another, for which nothing waits.

use super::Relay;
use super::heard;
use super::server::Fate;
use super::wire;
use crate::pins::Part;
use bouncer_core::call::Id;
use bouncer_core::line::server::{ServerLine, look};
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
        self.hear(method, &heard::answer(&look(&line), method), None);
        Fate::Instead(line)
    }

    /// A line that clients may read in more than one way, while a list is awaited, may be that list for some of them.
    /// It is withheld, and the requests are answered with an error.
    pub(super) fn odd_while_listing(&self) -> Option<Fate> {
        let ids: Vec<(Id, String)> = {
            let mut state = self.state();
            let awaited = state.flights.iter().filter(|(_, flight)| part_of(&flight.method).is_some());
            let ids: Vec<_> = awaited.map(|(id, flight)| (id.clone(), flight.method.clone())).collect();
            ids.iter().for_each(|(id, _)| drop(state.flights.remove(id)));
            ids
        };
        if ids.is_empty() {
            return None;
        }
        tracing::warn!(
            "a line that can be read in more than one way came while a list was awaited; it was withheld"
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

    /// Lists a part anew.
    pub(super) fn list_beside(&self, part: Part) {
        self.judge.announced(part);
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

/// The definitions in an answer, with where each stands. `None` where it can be read in more than one way.
fn listed(part: Part, line: &ServerLine<'_>) -> Option<(Vec<Value>, Vec<Range<usize>>)> {
    let result = line.result_strict()?.ok()?;
    let member = result.get(part.member());
    if part == Part::Instructions {
        let place = line.place_in_result(part.member()).ok()?;
        return match (member, place) {
            (None | Some(Value::Null), _) => Some((Vec::new(), Vec::new())),
            (Some(text @ Value::String(_)), Some(place)) => Some((vec![text.clone()], vec![place])),
            _ => None,
        };
    }
    let places = line.places_of_items(part.member()).ok()?;
    match (member.and_then(Value::as_array), places) {
        (None, None) => Some((Vec::new(), Vec::new())),
        (Some(items), Some(places)) if items.len() == places.len() => Some((items.to_vec(), places)),
        _ => None,
    }
}

/// `line` with other bytes at some places, which are in order.
fn spliced(line: &[u8], instead: impl Iterator<Item = (Range<usize>, Option<String>)>) -> Vec<u8> {
    let mut out = Vec::with_capacity(line.len());
    let mut from = 0;
    for (place, instead) in instead {
        if let Some(instead) = instead {
            out.extend_from_slice(line.get(from..place.start).unwrap_or_default());
            out.extend_from_slice(instead.as_bytes());
            from = place.end;
        }
    }
    out.extend_from_slice(line.get(from..).unwrap_or_default());
    out
}

fn unreadable(id: Option<&Id>, method: &str) -> Vec<u8> {
    let text =
        format!("[bouncer blocked] the server's answer to `{method}` can be read in more than one way");
    wire::error(id, -32603, &text).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let none = listed(Part::Tools, &look(br#"{"id":1,"result":{}}"#)).unwrap();
        assert!(none.0.is_empty());
    }
}
