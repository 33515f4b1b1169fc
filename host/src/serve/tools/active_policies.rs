//! `bouncer_get_active_policies`: the packs and the user's own word.

use super::super::house::{House, Wrong};
use super::super::packs::{self, PackView, UserView};
use super::{Room, define, give, take};
use crate::policy::nearest;
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

pub(super) const ROOM: Room = Room {
    name: "bouncer_get_active_policies",
    definition: || {
        define::<Takes, Gives>(
            "bouncer_get_active_policies",
            "Policies in force",
            "Lists the policy packs with their identity, version, hash, grants and what each says of its tools, and what the user's own policy file says over them.",
        )
    },
    call,
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Takes {
    /// Only packs whose name contains this, whatever the case.
    #[serde(default)]
    pack: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Gives {
    packs: Vec<PackView>,
    /// The user's own policy: the strongest layer.
    user: UserView,
    notes: Vec<String>,
}

fn call(house: &House, arguments: JsonObject) -> Result<Json, Wrong> {
    let Takes { pack } = take(arguments)?;
    let filter = pack.unwrap_or_default().to_ascii_lowercase();
    let views = packs::views(house, &filter)?;
    let mut notes = Vec::new();
    if views.is_empty() {
        let names = packs::all_names(house);
        let near = nearest(&filter, names.iter().map(String::as_str));
        let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        let shown = bouncer_core::shown::shown(&filter, 80);
        notes.push(format!("no pack's name contains `{shown}`{hint}; there are {}", names.join(", ")));
    }
    give(&Gives { packs: views, user: packs::user(house)?, notes })
}
