//! The tools as they were first seen, in memory. What a server lists later is compared with it.

pub mod key;
pub mod record;
pub mod store;

pub use key::ServerKey;
pub use record::{Part, Recorded};
pub use store::PinsError;

use bouncer_core::pin::{Hash, Pin, differences};
use bouncer_core::tool::Tool;
use std::collections::BTreeMap;

/// What was recorded of one server.
#[derive(Debug, Default)]
pub struct Pins {
    recorded: Option<BTreeMap<String, Pinned>>,
}

#[derive(Debug)]
struct Pinned {
    hash: Hash,
    tool: Tool,
}

impl Pins {
    /// Takes a complete list. The first one is recorded as it is; of a later one, each tool comes back as it was
    /// *recorded*, with how the listed definition stands to it. A tool that was not in the first list is unknown.
    pub fn compare(&mut self, listed: Vec<Tool>) -> Vec<(Tool, Pin)> {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for tool in &listed {
            *seen.entry(tool.name.clone()).or_default() += 1;
        }
        // Two tools of one name: which of them a call would run is not known.
        let (once, twice): (Vec<Tool>, Vec<Tool>) =
            listed.into_iter().partition(|tool| seen.get(&tool.name) == Some(&1));
        let Some(recorded) = &self.recorded else {
            let pinned = once.iter().map(|tool| (tool.name.clone(), Pinned::of(tool))).collect();
            self.recorded = Some(pinned);
            let known = once.into_iter().map(|tool| (tool, Pin::Known));
            return known.chain(twice.into_iter().map(|tool| (tool, Pin::Unknown))).collect();
        };
        let compare = |tool: Tool| match recorded.get(&tool.name) {
            None => (tool, Pin::Unknown),
            Some(pinned) if pinned.hash == Hash::of(&tool.definition) => (pinned.tool.clone(), Pin::Known),
            Some(pinned) => {
                let what = differences(&pinned.tool.definition, &tool.definition).join(", ");
                (pinned.tool.clone(), Pin::Changed { what })
            }
        };
        once.into_iter().map(compare).chain(twice.into_iter().map(|tool| (tool, Pin::Unknown))).collect()
    }
}

impl Pinned {
    fn of(tool: &Tool) -> Self {
        Self { hash: Hash::of(&tool.definition), tool: tool.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bouncer_core::value::Value;

    fn tools(text: &str) -> Vec<Tool> {
        let list = Value::parse(text.as_bytes(), 32).unwrap();
        list.as_array().unwrap().iter().filter_map(|t| Tool::from_definition(t.clone())).collect()
    }

    #[test]
    fn a_changed_an_added_and_a_doubled_tool_are_told_apart() {
        let mut pins = Pins::default();
        let first =
            pins.compare(tools(r#"[{"name":"a","description":"x"},{"name":"b"},{"name":"d"},{"name":"d"}]"#));
        assert_eq!(first.iter().filter(|(_, pin)| *pin == Pin::Known).count(), 2);
        let later = pins.compare(tools(r#"[{"description":"y","name":"a"},{"name":"b"},{"name":"c"}]"#));
        assert_eq!(later[0].1, Pin::Changed { what: "description".into() });
        assert_eq!(later[0].0.description(), "x", "the recorded text stays the one that is judged by");
        assert_eq!(later[1].1, Pin::Known);
        assert_eq!(later[2].1, Pin::Unknown);
        let again = pins.compare(tools(r#"[{"description":"x","name":"a"}]"#));
        assert_eq!(again[0].1, Pin::Known);
    }
}
