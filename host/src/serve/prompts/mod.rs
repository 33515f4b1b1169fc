//! The prompts: a task for a model, in Bouncer's own words, and what servers wrote behind a fence.

mod definitions;
mod generate;
mod review;

use super::house::{House, Wrong};
use crate::policy::nearest;
use rmcp::model::{JsonObject, Prompt, PromptArgument};
use serde_json::Value as Json;

/// A prompt of this server.
pub(super) struct Room {
    pub(super) name: &'static str,
    title: &'static str,
    description: &'static str,
    /// Name, description, whether it is required.
    arguments: &'static [(&'static str, &'static str, bool)],
    text: fn(&House, &Given<'_>) -> Result<String, Wrong>,
}

/// All prompts, in the order in which they are listed.
pub(super) const ROOMS: [Room; 2] = [review::ROOM, generate::ROOM];

/// How much is asked.
pub(super) const LEVELS: [&str; 3] = generate::LEVELS;

/// The arguments that a client gave.
struct Given<'a>(&'a JsonObject);

impl Given<'_> {
    fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Json::as_str).map(str::trim).filter(|text| !text.is_empty())
    }
}

/// The prompt of a name, or what to say instead.
pub(super) fn room(name: &str) -> Result<&'static Room, String> {
    ROOMS.iter().find(|room| room.name == name).ok_or_else(|| {
        let near = nearest(name, ROOMS.iter().map(|room| room.name));
        let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        let names: Vec<&str> = ROOMS.iter().map(|room| room.name).collect();
        format!(
            "there is no prompt `{}`{hint}; there are {}",
            bouncer_core::shown::shown(name, 80),
            names.join(", ")
        )
    })
}

impl Room {
    pub(super) fn definition(&self) -> Prompt {
        let argument = |(name, description, required): &(&str, &str, bool)| {
            PromptArgument::new(*name).with_description(*description).with_required(*required)
        };
        let arguments = self.arguments.iter().map(argument).collect();
        Prompt::new(self.name, Some(self.description), Some(arguments)).with_title(self.title)
    }

    pub(super) fn description(&self) -> &'static str {
        self.description
    }

    /// The prompt's text.
    pub(super) fn text(&self, house: &House, arguments: &JsonObject) -> Result<String, Wrong> {
        for (key, value) in arguments {
            let shown = bouncer_core::shown::shown(key, 80);
            let known = self.arguments.iter().map(|(name, ..)| *name);
            if !known.clone().any(|name| name == key) {
                let near = nearest(key, known.clone());
                let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                let known: Vec<&str> = known.collect();
                return Err(Wrong(format!(
                    "`{}` takes no argument `{shown}`{hint}\nhint: it takes {}",
                    self.name,
                    known.join(", ")
                )));
            }
            if !value.is_string() {
                return Err(Wrong(format!("the argument `{shown}` is no string")));
            }
        }
        let given = Given(arguments);
        for (name, _, required) in self.arguments {
            if *required && given.text(name).is_none() {
                return Err(Wrong(format!("`{}` needs the argument `{name}`", self.name)));
            }
        }
        (self.text)(house, &given)
    }
}
