//! Policy pack for what runs commands and code (shells, processes, `kubectl`, the AWS command line, n8n
//! workflows): the whole command is a destination, and so is every host and link that stands inside of it, or
//! of what a browser draws to make a PDF.

mod pdf;

use bouncer_guest::prelude::*;
use bouncer_pack_table::shell::{Reach, reach};
use bouncer_pack_table::{link, mail, text};

/// What is known of each server's tools.
pub const TABLES: &[&str] = &[
    include_str!("../tables/aws-api.txt"),
    include_str!("../tables/commands.txt"),
    include_str!("../tables/desktop-commander.txt"),
    include_str!("../tables/kubernetes.txt"),
    include_str!("../tables/n8n.txt"),
    include_str!("../tables/shell-tumf.txt"),
];

/// The policy.
#[derive(Debug)]
pub struct Shells;

impl Policy for Shells {
    type Settings = ();

    fn contracts(server: &Server, tools: &[Tool], _: &()) -> Result<Vec<Contract>, Error> {
        text::contracts(TABLES, server, tools)
    }

    fn evaluate(call: &Call<'_>, destinations: &[Destination], _: &()) -> Result<Judgement, Error> {
        let mut judgement = Judgement::new();
        match call.tool() {
            "read_file" => read(call, destinations, &mut judgement),
            "write_pdf" => pdf::judge(call, destinations, &mut judgement),
            "set_config_value" => {
                let text = "a setting of the command server would change: what it may run, and where";
                judgement.push(Finding::ask("setting_changed", text).at("/key"));
            }
            _ => {
                link::add(call, PROGRAMS, destinations, &mut judgement);
                for (pointer, text) in commands(call) {
                    reached(&text, &pointer, destinations, &mut judgement);
                }
            }
        }
        Ok(judgement)
    }
}

/// Arguments that are run.
const PROGRAMS: &[&str] = &[
    "/command",
    "/stdin",
    "/input",
    "/manifest",
    "/filename",
    "/args",
    "/flags",
    "/patchData",
    "/cli_command",
    "/nodes",
    "/operations",
    "/currentNodeParameters",
];

/// An address only where the call says that it is one; the server takes everything else for a local file.
fn read(call: &Call<'_>, destinations: &[Destination], judgement: &mut Judgement) {
    let said = |value: &Value| !matches!(value, Value::Null | Value::Bool(false));
    for (pointer, path) in call.leaves("/path") {
        if call.get("/isUrl").is_some_and(said) || path.contains("://") {
            mail::add(judgement, destinations, path, Kind::Url, &pointer);
        }
    }
}

/// Command lines; a list of words is one.
fn commands(call: &Call<'_>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for path in ["/command", "/stdin", "/input", "/cli_command"] {
        match call.get(path) {
            Some(Value::Array(_)) => {
                let quoted = |word: String| format!("'{}'", word.replace('\'', "'\\''"));
                let words: Vec<String> = call.texts(path).into_iter().map(quoted).collect();
                found.push((path.to_owned(), words.join(" ")));
            }
            _ => found.extend(call.leaves(path)),
        }
    }
    found
}

fn reached(text: &str, pointer: &str, destinations: &[Destination], judgement: &mut Judgement) {
    for found in reach(text) {
        let Reach::Network { targets, .. } = found else { continue };
        for target in targets {
            let kind = if target.contains("://") { Kind::Url } else { Kind::Unknown };
            mail::add(judgement, destinations, target, kind, pointer);
        }
    }
}

export_policy!(Shells);

#[cfg(test)]
mod tests;
