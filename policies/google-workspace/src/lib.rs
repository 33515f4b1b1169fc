//! Policy pack for Google Calendar, Docs, Sheets, Slides, Forms, Chat, Contacts and Apps Script (mail and
//! Drive have packs of their own): guests and readers are destinations, and so is every address that Google
//! fetches for a document.

mod event;

use bouncer_guest::prelude::*;
use bouncer_pack_table::{formula, link, mail, rendered, text};

/// What is known of each server's tools.
pub const TABLES: &[&str] =
    &[include_str!("../tables/google-calendar.txt"), include_str!("../tables/google-workspace.txt")];

/// The policy.
#[derive(Debug)]
pub struct Workspace;

impl Policy for Workspace {
    type Settings = ();

    fn contracts(server: &Server, tools: &[Tool], _: &()) -> Result<Vec<Contract>, Error> {
        text::contracts(TABLES, server, tools)
    }

    fn evaluate(call: &Call<'_>, destinations: &[Destination], _: &()) -> Result<Judgement, Error> {
        let mut judgement = Judgement::new();
        match call.tool() {
            "manage_event" | "create-event" | "create-events" | "update-event" => {
                event::judge(call, destinations, &mut judgement);
            }
            "batch_update_doc" => fetched(call, "/operations", destinations, &mut judgement),
            "batch_update_form" | "batch_update_presentation" => {
                fetched(call, "/requests", destinations, &mut judgement);
            }
            "modify_sheet_values" | "append_table_rows" => {
                formula::asked(call, "/values", destinations, &mut judgement);
            }
            "manage_doc_tab" => {
                for (pointer, text) in call.leaves("/markdown_text") {
                    for address in rendered::fetched(&text) {
                        mail::add(&mut judgement, destinations, address, Kind::Url, &pointer);
                    }
                }
            }
            "manage_script_content" => link::add(call, &["/files"], destinations, &mut judgement),
            "set_publish_settings" => {
                let closed = call.flag("/is_published") == Some(false);
                if !closed {
                    let text = "anyone who has the link could open the form";
                    judgement.push(Finding::ask("form_published", text).at("/is_published"));
                }
            }
            "manage_deployment" => {
                let text = "the script would be put to use for whoever it is set up for, or taken from them";
                judgement.push(Finding::ask("deployed", text));
            }
            _ => {}
        }
        Ok(judgement)
    }
}

/// Pictures that Google fetches by their address.
fn fetched(call: &Call<'_>, path: &str, destinations: &[Destination], judgement: &mut Judgement) {
    for (pointer, text) in call.leaves(path) {
        let name = pointer.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
        let place = pointer.to_ascii_lowercase();
        let is_picture = ["image_uri", "imageuri", "uri", "sourceuri", "contenturl"].contains(&name.as_str())
            || name.contains("url") && (place.contains("image") || place.contains("picture"));
        // Operations in one text cannot be told apart by their names.
        if is_picture || pointer == path {
            for link in link::links(&text) {
                mail::add(judgement, destinations, link, Kind::Url, &pointer);
            }
        }
    }
}

export_policy!(Workspace);

#[cfg(test)]
mod tests;
