//! Policy pack for Microsoft 365 and Teams: bodies are Microsoft Graph's own objects, deep, open and blind to
//! upper and lower case, so everyone who receives, gains access or is told is read out of each call.

mod body;

use bouncer_guest::prelude::*;
use bouncer_pack_table::text;

/// What is known of each server's tools.
pub const TABLES: &[&str] = &[include_str!("../tables/ms-365.txt"), include_str!("../tables/teams.txt")];

/// The policy.
#[derive(Debug)]
pub struct Graph;

impl Policy for Graph {
    type Settings = ();

    fn contracts(server: &Server, tools: &[Tool], _: &()) -> Result<Vec<Contract>, Error> {
        text::contracts(TABLES, server, tools)
    }

    fn evaluate(call: &Call<'_>, destinations: &[Destination], _: &()) -> Result<Judgement, Error> {
        Ok(body::judge(call, destinations))
    }
}

export_policy!(Graph);

#[cfg(test)]
mod tests;
