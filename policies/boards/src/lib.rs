//! Policy pack for to-do lists and boards (Todoist, Trello): comments go to whoever shares the card; an
//! address that the server fetches is a destination, and a local file is asked about.

use bouncer_guest::prelude::*;
use bouncer_pack_table::{mail, text};

/// What is known of each server's tools.
pub const TABLES: &[&str] = &[include_str!("../tables/todoist.txt"), include_str!("../tables/trello.txt")];

/// The policy.
#[derive(Debug)]
pub struct Boards;

impl Policy for Boards {
    type Settings = ();

    fn contracts(server: &Server, tools: &[Tool], _: &()) -> Result<Vec<Contract>, Error> {
        text::contracts(TABLES, server, tools)
    }

    fn evaluate(call: &Call<'_>, _: &[Destination], _: &()) -> Result<Judgement, Error> {
        let mut judgement = Judgement::new();
        for (pointer, url) in call.leaves("/fileUrl") {
            let lower = url.trim().to_ascii_lowercase();
            if !lower.starts_with("http://") && !lower.starts_with("https://") {
                let text = "a file of this machine would be put on the board";
                judgement.push(Finding::ask("local_file", text).at(pointer));
            }
        }
        mail::hidden_files(call, &["/fileUrl"], &mut judgement);
        Ok(judgement)
    }
}

export_policy!(Boards);
