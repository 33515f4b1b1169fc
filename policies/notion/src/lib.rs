//! Policy pack for Notion: a comment and a new page go to whoever reads the page they are put on; what a
//! block embeds or shows by its address is fetched by Notion, so that address is a destination.

mod blocks;

use bouncer_guest::prelude::*;
use bouncer_pack_table::{mail, text};

/// What is known of each server's tools.
pub const TABLES: &[&str] = &[include_str!("../tables/notion.txt")];

/// The policy.
#[derive(Debug)]
pub struct Notion;

impl Policy for Notion {
    type Settings = ();

    fn contracts(server: &Server, tools: &[Tool], _: &()) -> Result<Vec<Contract>, Error> {
        text::contracts(TABLES, server, tools)
    }

    fn evaluate(call: &Call<'_>, destinations: &[Destination], _: &()) -> Result<Judgement, Error> {
        let mut judgement = Judgement::new();
        for (pointer, text) in call.leaves("") {
            for address in blocks::fetched(call.tool(), &pointer, text) {
                mail::add(&mut judgement, destinations, address, Kind::Url, &pointer);
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

#[cfg(test)]
mod tests;
