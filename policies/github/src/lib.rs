//! Policy pack for GitHub: owner and repository are one destination; a pull request brings in another's fork;
//! files that the build obeys, public repositories, gists and deletions behind a `method` are asked about.

mod table;

use bouncer_guest::prelude::*;
pub use table::TABLE;

/// Settings: `[packs.github]` of the user's policy.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Refuse what would be public (a repository, a gist) instead of asking.
    pub deny_public: bool,
}

/// The policy.
#[derive(Debug)]
pub struct GitHub;

impl Policy for GitHub {
    type Settings = Settings;

    fn contracts(_: &Server, tools: &[Tool], _: &Settings) -> Result<Vec<Contract>, Error> {
        Ok(TABLE.contracts(tools))
    }

    fn evaluate(
        call: &Call<'_>,
        destinations: &[Destination],
        settings: &Settings,
    ) -> Result<Judgement, Error> {
        Ok(match call.tool() {
            "create_or_update_file" | "push_files" | "delete_file" => obeyed(call),
            "create_repository" => repository(call, settings),
            "create_gist" => {
                public(settings, "public_gist", "whoever has the link can read a gist, secret or not").into()
            }
            "create_pull_request" | "update_pull_request" => fork(call, destinations),
            "delete_repository" => {
                Finding::ask("repository_deleted", "the repository would be deleted, with all that is in it")
                    .into()
            }
            "discussion_comment_write" => discussion(call),
            "pull_request_review_write" | "actions_run_trigger" | "label_write" | "projects_write" => {
                method(call)
            }
            _ => Judgement::new(),
        })
    }
}

fn public(settings: &Settings, code: &str, text: &str) -> Finding {
    if settings.deny_public { Finding::deny(code, text) } else { Finding::ask(code, text) }
}

/// Files that the build or a code owner's rule obeys; each is run with the repository's secrets at hand.
fn obeyed(call: &Call<'_>) -> Judgement {
    let paths = call.leaves("/path").into_iter().chain(call.leaves("/files/*/path"));
    let mut judgement = Judgement::new();
    for (pointer, path) in paths {
        let names: Vec<String> = names(&path);
        let starts =
            |prefix: &[&str]| names.iter().map(String::as_str).take(prefix.len()).eq(prefix.iter().copied());
        let file = names.last().map(String::as_str);
        let obeyed = starts(&[".github", "workflows"])
            || starts(&[".github", "actions"])
            || starts(&[".circleci"])
            || matches!(
                file,
                Some("codeowners" | ".gitlab-ci.yml" | "jenkinsfile" | "azure-pipelines.yml" | ".gitmodules")
            );
        if obeyed {
            let text = "the file decides what the build runs, with the repository's secrets at hand";
            judgement.push(Finding::ask("build_file", text).at(pointer));
        }
    }
    judgement
}

/// The names in a path inside a repository, `.` and `x/..` resolved, letter case folded.
fn names(path: &str) -> Vec<String> {
    let mut names = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(bouncer_pack_table::folded(name)),
        }
    }
    names
}

/// A repository is public unless the call says otherwise.
fn repository(call: &Call<'_>, settings: &Settings) -> Judgement {
    if call.flag("/private") == Some(true) {
        return Judgement::new();
    }
    public(settings, "public_repository", "the repository would be public").into()
}

/// `user:branch`: the branch of another's fork, whose owner can change it until it is merged.
fn fork(call: &Call<'_>, destinations: &[Destination]) -> Judgement {
    let mut judgement = Judgement::new();
    let owner = call.text("/owner").unwrap_or_default();
    for (pointer, text) in call.leaves("/head").into_iter().chain(call.leaves("/base")) {
        let Some((user, _)) = text.split_once(':') else { continue };
        let known = destinations.iter().any(|known| known.argument == pointer && known.value == user);
        if !user.eq_ignore_ascii_case(owner) && !known {
            judgement.push_destination(user, Kind::User, pointer);
        }
    }
    judgement
}

/// A comment changed or removed by its id is the one meant, whatever repository the call names beside it.
fn discussion(call: &Call<'_>) -> Judgement {
    let mut judgement = method(call);
    if call.text("/method").map(word).as_deref() == Some("update") {
        for (pointer, id) in call.leaves("/commentNodeID") {
            judgement.push_destination(id, Kind::Reference, pointer);
        }
    }
    judgement
}

/// Tools that do several things by `method`: what deletes is asked about, and what is not known.
fn method(call: &Call<'_>) -> Judgement {
    let known: &[&str] = match call.tool() {
        "discussion_comment_write" => &["add", "reply", "update", "mark_answer", "unmark_answer"],
        "pull_request_review_write" => &["create", "submit_pending", "resolve_thread", "unresolve_thread"],
        "actions_run_trigger" => {
            &["run_workflow", "rerun_workflow_run", "rerun_failed_jobs", "cancel_workflow_run"]
        }
        "label_write" => &["create", "update"],
        "projects_write" => &[
            "add_project_item",
            "update_project_item",
            "update_project_items",
            "create_project_status_update",
            "create_project_view",
            "update_project_view",
            "create_project",
            "create_iteration_field",
        ],
        _ => &[],
    };
    let method = call.text("/method").map(word).unwrap_or_default();
    if known.contains(&method.as_str()) {
        return Judgement::new();
    }
    if method.starts_with("delete") {
        return Finding::ask("deleted", "something would be deleted for good").at("/method").into();
    }
    Finding::ask("unknown_method", "the method is none that this pack knows").at("/method").into()
}

fn word(text: &str) -> String {
    text.trim().to_ascii_lowercase()
}

export_policy!(GitHub);

#[cfg(test)]
mod tests;
