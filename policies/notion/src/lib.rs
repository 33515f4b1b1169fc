//! Policy pack for Notion: a comment and a new page go to whoever reads the page they are put on; a picture by address is
//! fetched by whoever looks, so that address is a destination.

use bouncer_guest::prelude::*;
use bouncer_pack_table::{link, mail, text};

/// What is known of each server's tools.
pub const TABLES: &[&str] = &[include_str!("../tables/notion.txt")];

/// There is nothing to set.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {}

/// The policy.
#[derive(Debug)]
pub struct Notion;

impl Policy for Notion {
    type Settings = Settings;

    fn contracts(server: &Server, tools: &[Tool], _: &Settings) -> Result<Vec<Contract>, Error> {
        text::contracts(TABLES, server, tools)
    }

    fn evaluate(call: &Call<'_>, destinations: &[Destination], _: &Settings) -> Result<Judgement, Error> {
        let mut judgement = Judgement::new();
        for (pointer, text) in call.leaves("") {
            let by_address = pointer.ends_with("/external/url") || pointer == "/icon" || pointer == "/cover";
            if by_address && text.contains("://") {
                mail::add(&mut judgement, destinations, text, Kind::Url, &pointer);
            }
        }
        // Blocks may be handed over as JSON in a text.
        for (pointer, text) in
            call.leaves("/children").into_iter().filter(|(_, text)| text.contains("external"))
        {
            for link in link::links(&text) {
                mail::add(&mut judgement, destinations, link, Kind::Url, &pointer);
            }
        }
        for (pointer, value) in ["/in_trash", "/archived"].iter().filter_map(|at| Some((*at, call.get(at)?)))
        {
            if !matches!(value, Value::Null | Value::Bool(false)) {
                judgement.push(Finding::ask("trashed", "it would be moved to the trash").at(pointer));
            }
        }
        // A comment may go to a discussion or a block in the place of a page.
        if matches!(call.tool(), "API-create-a-comment" | "API-post-page") {
            for (pointer, text) in call.leaves("/parent").into_iter().chain(call.leaves("/discussion_id")) {
                if !pointer.ends_with("/type") {
                    mail::add(&mut judgement, destinations, text, Kind::Channel, &pointer);
                }
            }
        }
        Ok(judgement)
    }
}

export_policy!(Notion);
