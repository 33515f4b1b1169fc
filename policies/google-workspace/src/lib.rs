//! Policy pack for Google Calendar, Docs, Sheets, Slides, Forms, Chat, Contacts and Apps Script (mail and Drive have packs of
//! their own): guests and readers are destinations, and so is every address that Google fetches for a document.

mod event;

use bouncer_guest::prelude::*;
use bouncer_pack_table::{link, mail, text};

/// What is known of each server's tools.
pub const TABLES: &[&str] =
    &[include_str!("../tables/google-calendar.txt"), include_str!("../tables/google-workspace.txt")];

/// There is nothing to set.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {}

/// The policy.
#[derive(Debug)]
pub struct Workspace;

impl Policy for Workspace {
    type Settings = Settings;

    fn contracts(server: &Server, tools: &[Tool], _: &Settings) -> Result<Vec<Contract>, Error> {
        text::contracts(TABLES, server, tools)
    }

    fn evaluate(call: &Call<'_>, destinations: &[Destination], _: &Settings) -> Result<Judgement, Error> {
        let mut judgement = Judgement::new();
        match call.tool() {
            "manage_event" | "create-event" | "create-events" | "update-event" => {
                event::judge(call, destinations, &mut judgement);
            }
            "batch_update_doc" => fetched(call, "/operations", destinations, &mut judgement),
            "batch_update_form" | "batch_update_presentation" => {
                fetched(call, "/requests", destinations, &mut judgement);
            }
            "modify_sheet_values" | "append_table_rows" => formulas(call, destinations, &mut judgement),
            "manage_script_content" => link::add(call, &["/files"], destinations, &mut judgement),
            "set_publish_settings" => {
                let closed = call.flag("/is_published") == Some(false);
                if !closed {
                    let text = "anyone who has the link could open the form";
                    judgement.push(Finding::ask("form_published", text).at("/is_published"));
                }
            }
            "manage_deployment" => {
                let text = "the script would be put to use, or an address of it taken away, for whoever it is set up for";
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
        let is_picture = ["image_uri", "imageuri", "uri", "sourceuri"].contains(&name.as_str())
            || name.contains("url") && pointer.to_ascii_lowercase().contains("image");
        // Operations in one text cannot be told apart by their names.
        if is_picture || pointer == path {
            for link in link::links(&text) {
                mail::add(judgement, destinations, link, Kind::Url, &pointer);
            }
        }
    }
}

/// Formulas that fetch: `IMPORTDATA`, `IMAGE` and their kin send whatever is put into the address.
const FETCHES: [&str; 3] = ["import", "image", "webservice"];

fn formulas(call: &Call<'_>, destinations: &[Destination], judgement: &mut Judgement) {
    for (pointer, text) in call.leaves("/values") {
        let lower = text.to_ascii_lowercase();
        let formula =
            text.trim_start().starts_with(['=', '+', '-', '@']) || text.trim_start().starts_with(['[', '{']);
        if !formula || !FETCHES.iter().any(|name| lower.contains(name)) {
            continue;
        }
        link::add(call, &[&pointer], destinations, judgement);
        let said = "the formula fetches an address, and what is put into that address leaves with it";
        judgement.push(Finding::ask("formula_fetches", said).at(pointer));
    }
}

export_policy!(Workspace);
