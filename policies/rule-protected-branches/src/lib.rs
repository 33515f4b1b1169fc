//! A rule for servers that write to repositories (GitHub, GitLab and their kin): protected branches take no pushes, and
//! files that the build or its reviewers obey are asked about.

use bouncer_guest::prelude::*;

/// Settings of the rule.
#[derive(Debug, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Branches that take no pushes; `*` stands for any letters. A push without a branch goes to the default branch.
    pub branches: Vec<String>,
    /// Files that are asked about, by path; `*` stands for any letters, `/` included.
    pub files: Vec<String>,
    /// Tools that push or change branches.
    pub tools: Vec<String>,
    /// Whether a push to a protected branch is asked about in the place of being refused.
    pub ask: bool,
}

impl Default for Settings {
    fn default() -> Self {
        let owned = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
        Self {
            branches: owned(&[
                "main",
                "master",
                "trunk",
                "develop",
                "release",
                "release/*",
                "production",
                "gh-pages",
            ]),
            files: owned(&[
                ".github/*",
                ".gitlab-ci.yml",
                ".circleci/*",
                "azure-pipelines.yml",
                "bitbucket-pipelines.yml",
                "jenkinsfile",
                "*codeowners",
                ".gitmodules",
                ".npmrc",
                "*package.json",
                "*makefile",
                "*.claude/*",
                "*.cursor/*",
                "*.vscode/tasks.json",
                "*agents.md",
                "*claude.md",
            ]),
            tools: owned(&[
                "create_or_update_file",
                "push_files",
                "delete_file",
                "create_branch",
                "delete_branch",
                "update_ref",
                "merge_pull_request",
                "merge_merge_request",
                "create_commit",
            ]),
            ask: false,
        }
    }
}

/// The rule.
#[derive(Debug)]
pub struct ProtectedBranches;

/// Where servers name a branch, and where a file.
const BRANCHES: [&str; 6] = ["/branch", "/branch_name", "/ref", "/target_branch", "/base", "/start_branch"];
const FILES: [&str; 8] = [
    "/path",
    "/file_path",
    "/filePath",
    "/files/*/path",
    "/files/*/file_path",
    "/actions/*/file_path",
    "/actions/*/path",
    "/previous_path",
];

impl Policy for ProtectedBranches {
    type Settings = Settings;

    fn contracts(_: &Server, tools: &[Tool], settings: &Settings) -> Result<Vec<Contract>, Error> {
        let meant = tools.iter().filter(|tool| settings.tools.iter().any(|name| name == tool.name()));
        Ok(meant.map(|tool| Contract::new(tool.name()).evaluate()).collect())
    }

    fn evaluate(call: &Call<'_>, _: &[Destination], settings: &Settings) -> Result<Judgement, Error> {
        let mut judgement = Judgement::new();
        let named: Vec<(String, String)> = BRANCHES.iter().flat_map(|at| call.leaves(at)).collect();
        let creates = call.tool() == "create_branch";
        // A merge names a request, not a branch: where it leads is not known here.
        let merges = call.tool().starts_with("merge_");
        for (pointer, branch) in &named {
            let name = branch.trim().trim_start_matches("refs/heads/").trim_start_matches("heads/");
            // A new branch may start from a protected one.
            let start = creates && pointer != "/branch" && pointer != "/branch_name";
            if !start && settings.branches.iter().any(|pattern| matches(pattern, name)) {
                let text = format!("`{name}` is a protected branch");
                judgement.push(protected(settings, text).at(pointer.as_str()));
            }
        }
        if merges || named.is_empty() {
            let text = if merges {
                "a merge changes a branch that the call does not name"
            } else {
                "without a branch the push goes to the default branch"
            };
            judgement.push(protected(settings, text.to_owned()));
        }
        for (pointer, path) in FILES.iter().flat_map(|at| call.leaves(at)) {
            let name = normal(&path);
            if settings.files.iter().any(|pattern| matches(pattern, &name)) {
                let text = format!("`{name}` decides what the build or a tool does");
                judgement.push(Finding::ask("obeyed_file", text).at(pointer));
            }
        }
        Ok(judgement)
    }
}

fn protected(settings: &Settings, text: String) -> Finding {
    if settings.ask {
        Finding::ask("protected_branch", text)
    } else {
        Finding::deny("protected_branch", text)
    }
}

/// A path without `.`, `x/..` and a leading `/`, in lower case: file systems and servers may not tell letters apart.
fn normal(path: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(name),
        }
    }
    names.join("/").to_lowercase()
}

/// Whether a pattern with `*` covers the whole text; letters are not told apart by case.
fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.to_lowercase(), text.to_lowercase());
    let mut parts = pattern.split('*');
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    rest.ends_with(last)
}

export_policy!(ProtectedBranches);

#[cfg(test)]
mod tests;
