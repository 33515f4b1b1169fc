//! Policy pack for trackers and wikis (Linear, Jira and Confluence, GitLab): comments go to whoever follows
//! the issue or page, people who are assigned or let in are destinations, those inside of free fields
//! included.

use bouncer_guest::prelude::*;
use bouncer_pack_table::{mail, text};

/// What is known of each server's tools.
pub const TABLES: &[&str] = &[
    include_str!("../tables/atlassian.txt"),
    include_str!("../tables/gitlab-ref.txt"),
    include_str!("../tables/linear.txt"),
];

/// The policy.
#[derive(Debug)]
pub struct Trackers;

impl Policy for Trackers {
    type Settings = ();

    fn contracts(server: &Server, tools: &[Tool], _: &()) -> Result<Vec<Contract>, Error> {
        text::contracts(TABLES, server, tools)
    }

    fn evaluate(call: &Call<'_>, destinations: &[Destination], _: &()) -> Result<Judgement, Error> {
        let mut judgement = Judgement::new();
        match call.tool() {
            "create_repository" => {
                let visibility = call.text("/visibility").map(|text| text.trim().to_ascii_lowercase());
                if !matches!(visibility.as_deref(), None | Some("private" | "")) {
                    let text = "others than its members could read the project";
                    judgement.push(Finding::ask("open_project", text).at("/visibility"));
                }
            }
            "confluence_upload_attachment" | "confluence_upload_attachments" => {
                mail::hidden_files(call, &["/file_path", "/file_paths"], &mut judgement);
            }
            "jira_batch_create_issues" => {
                issues(call, destinations, &mut judgement);
                people(call, "/issues", &mut judgement);
            }
            _ => {
                for path in ["/fields", "/additional_fields", "/request_field_values"] {
                    people(call, path, &mut judgement);
                }
                mail::hidden_files(call, &["/attachments"], &mut judgement);
            }
        }
        Ok(judgement)
    }
}

/// Names of fields that say who is assigned, told or let in.
const PEOPLE: [&str; 8] =
    ["assignee", "reporter", "watch", "participant", "approver", "security", "accountid", "emailaddress"];

/// Fields are free: one whose name is a person's place is asked about, and so is a text that cannot be read.
/// What a field says names nobody, whatever words are in it.
fn people(call: &Call<'_>, path: &str, judgement: &mut Judgement) {
    let parsed = match call.get(path) {
        None | Some(Value::Null) => return,
        Some(Value::String(text)) if text.trim().is_empty() => return,
        Some(Value::String(text)) => text.parse::<Value>().ok().filter(|value| !value.is_string()),
        Some(other) => Some(other.clone()),
    };
    match parsed {
        None => {
            let said = "the fields cannot be read, and one may name somebody who is assigned, told or let in";
            judgement.push(Finding::ask("unread_fields", said).at(path));
        }
        Some(fields) if names_somebody(&fields) => {
            let said = "a field names somebody who is assigned, told or let in";
            judgement.push(Finding::ask("person_in_fields", said).at(path));
        }
        Some(_) => {}
    }
}

/// Whether a key at any depth is a person's place: `Request participants` and `account_id` too.
fn names_somebody(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.iter().any(|(key, inner)| is_persons(key) || names_somebody(inner)),
        Value::Array(items) => items.iter().any(names_somebody),
        _ => false,
    }
}

fn is_persons(key: &str) -> bool {
    let key: String = key.chars().filter(char::is_ascii_alphanumeric).collect();
    PEOPLE.iter().any(|word| bouncer_pack_table::find(&key.to_ascii_lowercase(), word).is_some())
}

/// The projects that a batch of issues goes to; it is handed over as JSON in a text.
fn issues(call: &Call<'_>, destinations: &[Destination], judgement: &mut Judgement) {
    let parsed = match call.get("/issues") {
        Some(Value::String(text)) => text.parse::<Value>().ok(),
        other => other.cloned(),
    };
    let keys = parsed.as_ref().and_then(Value::as_array).map(|list| {
        list.iter().map(|issue| issue.get("project_key").and_then(Value::as_str)).collect::<Option<Vec<_>>>()
    });
    match keys.flatten() {
        Some(keys) => {
            keys.into_iter().for_each(|key| mail::add(judgement, destinations, key, Kind::Channel, "/issues"))
        }
        None => judgement.push(
            Finding::ask("unread_issues", "which projects the issues go to cannot be read").at("/issues"),
        ),
    }
}

export_policy!(Trackers);

#[cfg(test)]
mod tests;
