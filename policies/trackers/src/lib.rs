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
const PEOPLE: [&str; 9] = [
    "assignee",
    "reporter",
    "watch",
    "participant",
    "approver",
    "reviewer",
    "security",
    "accountid",
    "emailaddress",
];

/// Such names that are the beginnings of others too (`lead time`, `account`): words of their own in a field's name.
const ROLES: [&str; 9] = ["owner", "owners", "lead", "cc", "review", "reviews", "approvers", "user", "users"];

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

/// Whether a key at any depth is a person's place (`Request participants` and `account_id` too), a field of the site's own
/// holds what may be a person, or a text mentions somebody.
fn names_somebody(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.iter().any(|(key, inner)| {
            is_persons(key)
                || key.trim_start().to_ascii_lowercase().starts_with("customfield_") && holds_somebody(inner)
                || names_somebody(inner)
        }),
        Value::Array(items) => items.iter().any(names_somebody),
        Value::String(text) => ["[~", "accountid:"]
            .iter()
            .any(|mark| bouncer_pack_table::find(&text.to_ascii_lowercase(), mark).is_some()),
        _ => false,
    }
}

/// Whether a value may be a person: an account's id, or one with a name. Options have short numbers.
fn holds_somebody(value: &Value) -> bool {
    let is_option = |id: &Value| match id {
        Value::String(id) => id.len() < 10 && id.bytes().all(|b| b.is_ascii_digit()),
        Value::Number(_) | Value::Null => true,
        _ => false,
    };
    match value {
        Value::Object(map) => map.iter().any(|(key, inner)| match key.to_ascii_lowercase().as_str() {
            "id" => !is_option(inner),
            "name" | "key" | "username" => !matches!(inner, Value::Null),
            _ => holds_somebody(inner),
        }),
        Value::Array(items) => items.iter().any(holds_somebody),
        Value::String(text) => is_account(text),
        _ => false,
    }
}

/// `5b10a2844c20165700ede21g`, and `712020:` before a UUID.
fn is_account(text: &str) -> bool {
    let id = text.trim();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | ':');
    id.len() >= 24 && id.chars().all(plain) && id.contains(|c: char| c.is_ascii_digit())
}

fn is_persons(key: &str) -> bool {
    let joined: String = key.chars().filter(char::is_ascii_alphanumeric).collect();
    let joined = joined.to_ascii_lowercase();
    let mut words = key.split(|c: char| !c.is_ascii_alphanumeric()).map(str::to_ascii_lowercase);
    let mut ends = ROLES.iter().filter(|role| role.len() > 3);
    PEOPLE.iter().any(|word| bouncer_pack_table::find(&joined, word).is_some())
        || ends.any(|role| joined.ends_with(role))
        || words.any(|word| ROLES.contains(&word.as_str()))
            && !["time", "date", "count"].iter().any(|end| joined.ends_with(end))
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
