//! Policy pack for what fetches, crawls and searches the web: an address that is fetched is a destination,
//! and so is one that stands inside of a script or a prompt; a watched page that reports by mail or webhook
//! sends.

use bouncer_guest::prelude::*;
use bouncer_pack_table::{link, mail, text};

/// What is known of each server's tools.
pub const TABLES: &[&str] = &[
    include_str!("../tables/brave-search-ref.txt"),
    include_str!("../tables/context7.txt"),
    include_str!("../tables/exa.txt"),
    include_str!("../tables/fetch.txt"),
    include_str!("../tables/firecrawl.txt"),
];

/// The policy.
#[derive(Debug)]
pub struct Web;

impl Policy for Web {
    type Settings = ();

    fn contracts(server: &Server, tools: &[Tool], _: &()) -> Result<Vec<Contract>, Error> {
        text::contracts(TABLES, server, tools)
    }

    fn evaluate(call: &Call<'_>, destinations: &[Destination], _: &()) -> Result<Judgement, Error> {
        let mut judgement = Judgement::new();
        let places = [
            "/actions",
            "/scrapeOptions/actions",
            "/prompt",
            "/code",
            "/body",
            "/page",
            "/pages",
            "/webhook",
        ];
        link::add(call, &places, destinations, &mut judgement);
        for (pointer, text) in call.leaves("/body") {
            mail::add_addresses(&mut judgement, destinations, &text, &pointer);
        }
        mail::hidden_files(call, &["/filePath"], &mut judgement);
        // Who is reported to may stand anywhere in a monitor's own description, and what has no link in it is
        // none that reports.
        if call.tool() == "firecrawl_monitor_update" && !text::is_filled(call.get("/body")) {
            judgement.push(Finding::ask("no_body", "what is changed of the monitor is not said").at("/body"));
        }
        Ok(judgement)
    }
}

export_policy!(Web);

#[cfg(test)]
mod tests;
