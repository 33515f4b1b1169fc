//! Policy pack for Google Drive: who gains access to a file is a destination, a domain or the whole world
//! included; an address that the server fetches for the caller is one too, and so is one that Google fetches
//! for a document that it makes of a file.

mod imported;
mod table;

use bouncer_guest::prelude::*;
pub use table::TABLE;

/// What happens when a file would open for anyone.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Public {
    /// A person is asked.
    #[default]
    Ask,
    /// Refused.
    Deny,
}

/// Settings: `[packs.gdrive]` of the user's policy.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Sharing with anyone, by link or in search.
    pub public: Public,
}

/// The policy.
#[derive(Debug)]
pub struct Drive;

impl Policy for Drive {
    type Settings = Settings;

    fn contracts(_: &Server, tools: &[Tool], _: &Settings) -> Result<Vec<Contract>, Error> {
        Ok(TABLE.contracts(tools))
    }

    fn evaluate(
        call: &Call<'_>,
        destinations: &[Destination],
        settings: &Settings,
    ) -> Result<Judgement, Error> {
        Ok(match call.tool() {
            "set_drive_file_permissions" => link(call, settings),
            "manage_drive_access" => access(call, settings),
            "update_drive_file" => trashed(call, imported::judge(call, destinations)),
            "create_drive_file"
            | "import_to_google_doc"
            | "import_to_google_slides"
            | "import_to_google_sheets" => imported::judge(call, destinations),
            _ => Judgement::new(),
        })
    }
}

/// Text as the server compares it: it takes `Anyone` for `anyone`.
fn word(text: &str) -> String {
    text.trim().to_ascii_lowercase()
}

fn open_to_anyone(settings: &Settings, pointer: &str) -> Finding {
    let text = "anyone who has or guesses the link could open the file";
    match settings.public {
        Public::Ask => Finding::ask("open_to_anyone", text).at(pointer),
        Public::Deny => Finding::deny("open_to_anyone", text).at(pointer),
    }
}

/// `link_sharing`: all but `off` and nothing opens the file.
fn link(call: &Call<'_>, settings: &Settings) -> Judgement {
    match call.texts("/link_sharing").first().map(|text| word(text)).as_deref() {
        None | Some("" | "off") => Judgement::new(),
        Some(_) => open_to_anyone(settings, "/link_sharing").into(),
    }
}

/// Granting, changing and handing over access.
fn access(call: &Call<'_>, settings: &Settings) -> Judgement {
    let mut judgement = Judgement::new();
    for path in ["/share_type", "/recipients/*/share_type", "/recipients/*/type"] {
        for (pointer, text) in call.leaves(path) {
            match word(&text).as_str() {
                "user" | "group" | "" => {}
                "domain" => judgement.push(
                    Finding::ask("open_to_domain", "everybody of a whole domain could open the file")
                        .at(pointer),
                ),
                // `anyone`, `anyoneWithLink`, and whatever is not known to be narrower.
                _ => judgement.push(open_to_anyone(settings, &pointer)),
            }
        }
    }
    for (pointer, id) in call.leaves("/permission_id") {
        // The permission of the link itself has a fixed id; changing its role opens the file further.
        if word(&id).starts_with("anyone") && call.text("/action").map(word).as_deref() != Some("revoke") {
            judgement.push(open_to_anyone(settings, &pointer));
        }
    }
    match call.text("/action").map(word).as_deref() {
        Some("grant" | "grant_batch" | "revoke") => {}
        Some("update") => {
            for (pointer, id) in call.leaves("/permission_id") {
                judgement.push_destination(id, Kind::Reference, pointer);
            }
        }
        Some("transfer_owner") => {
            judgement
                .push(Finding::ask("owner_changes", "the file would belong to somebody else").at("/action"));
        }
        _ => judgement
            .push(Finding::ask("unknown_action", "the action is none that this pack knows").at("/action")),
    }
    judgement
}

fn trashed(call: &Call<'_>, mut judgement: Judgement) -> Judgement {
    let said = |value: &Value| !matches!(value, Value::Null | Value::Bool(false));
    if call.get("/trashed").is_some_and(said) {
        judgement.push(Finding::ask("trashed", "the file would be moved to the trash").at("/trashed"));
    }
    judgement
}

export_policy!(Drive);

#[cfg(test)]
mod tests;
