//! Policy pack for trackers and wikis (Linear, Jira and Confluence, GitLab): comments go to whoever follows the issue or page,
//! people who are assigned or let in are destinations, those inside of free fields included.

use bouncer_guest::prelude::*;
use bouncer_pack_table::{mail, text};

/// What is known of each server's tools.
pub const TABLES: &[&str] = &[
    include_str!("../tables/atlassian.txt"),
    include_str!("../tables/gitlab-ref.txt"),
    include_str!("../tables/linear.txt"),
];

/// There is nothing to set.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {}

/// The policy.
#[derive(Debug)]
pub struct Trackers;

impl Policy for Trackers {
    type Settings = Settings;

    fn contracts(server: &Server, tools: &[Tool], _: &Settings) -> Result<Vec<Contract>, Error> {
        text::contracts(TABLES, server, tools)
    }

    fn evaluate(call: &Call<'_>, destinations: &[Destination], _: &Settings) -> Result<Judgement, Error> {
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

/// Fields are free: one that names a person is asked about.
fn people(call: &Call<'_>, path: &str, judgement: &mut Judgement) {
    let Some(fields) = call.get(path) else { return };
    let text = fields.to_string().to_ascii_lowercase();
    if PEOPLE.iter().any(|word| text.contains(word)) {
        let said = "a field names somebody who is assigned, told or let in";
        judgement.push(Finding::ask("person_in_fields", said).at(path));
    }
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
