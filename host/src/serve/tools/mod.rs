//! The tools, one file each: what each takes, what it returns, and how it is called. None of them changes anything.

mod active_policies;
mod audit_summary;
mod check_verdict;
mod schema;
mod verify_policy;

pub(super) use schema::anything;

use super::house::{House, Wrong};
use crate::policy::nearest;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use std::sync::Arc;

/// Entries of the log that are listed where no number is given.
pub(super) const USUAL_ENTRIES: usize = audit_summary::USUAL;

/// A tool of this server.
pub(super) struct Room {
    pub(super) name: &'static str,
    definition: fn() -> Tool,
    call: fn(&House, JsonObject) -> Result<Json, Wrong>,
}

/// All tools, in the order in which they are listed.
pub(super) const ROOMS: [Room; 4] =
    [check_verdict::ROOM, verify_policy::ROOM, active_policies::ROOM, audit_summary::ROOM];

/// The tool of a name, or what to say instead.
pub(super) fn room(name: &str) -> Result<&'static Room, String> {
    ROOMS.iter().find(|room| room.name == name).ok_or_else(|| {
        // Without the prefix it is near to nothing.
        let full = if name.starts_with("bouncer") { name.to_owned() } else { format!("bouncer_{name}") };
        let shown = bouncer_core::shown::shown(name, 80);
        match nearest(&full, ROOMS.iter().map(|room| room.name)) {
            Some(near) => format!("there is no tool `{shown}`; did you mean `{near}`?"),
            None => {
                let names: Vec<&str> = ROOMS.iter().map(|room| room.name).collect();
                format!("there is no tool `{shown}`; there are {}", names.join(", "))
            }
        }
    })
}

impl Room {
    pub(super) fn definition(&self) -> Tool {
        (self.definition)()
    }

    pub(super) fn call(&self, house: &House, arguments: JsonObject) -> Result<Json, Wrong> {
        let definition = self.definition();
        let known = definition.input_schema.get("properties").and_then(Json::as_object);
        let known: Vec<&str> = known.into_iter().flat_map(|keys| keys.keys()).map(String::as_str).collect();
        for key in arguments.keys() {
            if known.contains(&key.as_str()) {
                continue;
            }
            let shown = bouncer_core::shown::shown(key, 80);
            let near = nearest(key, known.iter().copied());
            let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            return Err(Wrong(format!(
                "`{}` takes no argument `{shown}`{hint}\nhint: it takes {}",
                self.name,
                known.join(", ")
            )));
        }
        (self.call)(house, arguments)
    }
}

/// A definition: read-only, with the schemas of what it takes and returns.
fn define<Takes: JsonSchema + 'static, Gives: JsonSchema + 'static>(
    name: &'static str,
    title: &str,
    description: &'static str,
) -> Tool {
    let annotations = ToolAnnotations::with_title(title)
        .read_only(true)
        .destructive(false)
        .idempotent(true)
        .open_world(false);
    let mut tool = Tool::new(name, description, JsonObject::new())
        .with_input_schema::<Takes>()
        .with_output_schema::<Gives>()
        .with_title(title)
        .with_annotations(annotations);
    tool.input_schema = Arc::new(schema::portable(&tool.input_schema));
    tool.output_schema = tool.output_schema.map(|gives| Arc::new(schema::portable(&gives)));
    tool
}

fn take<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, Wrong> {
    serde_json::from_value(Json::Object(arguments))
        .map_err(|error| Wrong(format!("wrong arguments: {error}")))
}

fn give(value: &impl Serialize) -> Result<Json, Wrong> {
    serde_json::to_value(value).map_err(Wrong::new)
}

/// How a policy text is written, where the caller says so.
#[derive(Debug, Clone, Copy, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Written {
    Toml,
    Yaml,
}

impl Written {
    fn format(written: Option<Self>, text: &str) -> crate::policy::Format {
        match written {
            Some(Self::Toml) => crate::policy::Format::Toml,
            Some(Self::Yaml) => crate::policy::Format::OlderYaml,
            None => crate::policy::Format::by_shape(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_read_only_and_says_what_it_returns() {
        for room in &ROOMS {
            let tool = room.definition();
            assert_eq!(tool.name, room.name);
            assert!(tool.annotations.as_ref().unwrap().read_only_hint.unwrap(), "{}", room.name);
            assert_eq!(tool.output_schema.as_ref().unwrap()["type"], "object", "{}", room.name);
            assert_eq!(tool.input_schema["additionalProperties"], false, "{}", room.name);
        }
    }

    #[test]
    fn a_name_that_is_nearly_one_is_put_right() {
        for (name, near) in
            [("bouncer_check_verdcit", "bouncer_check_verdict"), ("verify_policy", "bouncer_verify_policy")]
        {
            let error = room(name).err().unwrap();
            assert!(error.contains(&format!("did you mean `{near}`")), "{error}");
        }
        assert!(room("rm_rf").err().unwrap().contains("there are bouncer_check_verdict"));
    }
}
