//! Policy pack for mail through Gmail: who receives a mail is read out of the headers as a mail server would
//! read them, and what hides a receiver (a line break in a header, a thread's participants, a rule that
//! forwards) is found.

pub use bouncer_pack_table::address;
mod mail;
mod table;

use bouncer_guest::prelude::*;
pub use table::TABLE;

/// Settings: `[packs.gmail]` of the user's policy.
#[derive(Debug, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// How many mails one call may delete without a question.
    pub max_deleted: usize,
    /// Folders that attachments may come from; empty: any, but hidden files are asked about.
    pub attachments_from: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { max_deleted: 10, attachments_from: Vec::new() }
    }
}

/// The policy.
#[derive(Debug)]
pub struct Gmail;

impl Policy for Gmail {
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
            "send_email" | "draft_email" | "send_gmail_message" | "draft_gmail_message" => {
                mail::sent(call, destinations, settings)
            }
            "batch_delete_emails" => deleted(call, settings),
            "download_attachment" => saved(call),
            "manage_gmail_filter" | "manage_gmail_label" => managed(call),
            _ => Judgement::new(),
        })
    }
}

fn deleted(call: &Call<'_>, settings: &Settings) -> Judgement {
    let count = call.texts("/messageIds").len();
    if count <= settings.max_deleted {
        return Judgement::new();
    }
    Finding::ask("many_deleted", format!("{count} mails would be deleted for good")).at("/messageIds").into()
}

/// The server joins folder and name, so a name with a separator in it leaves the folder.
fn saved(call: &Call<'_>) -> Judgement {
    let leaves = |name: &String| name.contains(['/', '\\', '\0']) || name == "..";
    if !call.texts("/filename").iter().any(leaves) {
        return Judgement::new();
    }
    Finding::deny("path_in_filename", "the file name of the attachment leads out of the folder")
        .at("/filename")
        .into()
}

/// Tools that do several things by `action`.
fn managed(call: &Call<'_>) -> Judgement {
    match call.text("/action").map(|action| action.trim().to_ascii_lowercase()).as_deref() {
        Some("create" | "apply") | None => Judgement::new(),
        Some("update") if call.tool() == "manage_gmail_label" => Judgement::new(),
        // The old filter is deleted and another put in its place.
        Some("update" | "delete") => {
            Finding::ask("replaced_or_deleted", "a label or filter would be replaced or deleted")
                .at("/action")
                .into()
        }
        Some(_) => {
            Finding::ask("unknown_action", "the action is none that this pack knows").at("/action").into()
        }
    }
}

export_policy!(Gmail);

#[cfg(test)]
mod tests;
