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
                ".gitlab/*",
                ".circleci/*",
                "azure-pipelines.yml",
                "bitbucket-pipelines.yml",
                "jenkinsfile",
                ".travis.yml",
                ".buildkite/*",
                ".husky/*",
                ".pre-commit-config.yaml",
                "*codeowners",
                ".gitmodules",
                ".npmrc",
                "*package.json",
                "*makefile",
                "*.claude/*",
                "*.cursor/*",
                "*.cursorrules",
                "*.mcp.json",
                "*.vscode/tasks.json",
                "*.devcontainer/*",
                "*.cargo/config*",
                "*agents.md",
                "*claude.md",
                "*gemini.md",
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

/// Arguments that name the branch that is written, as [`folded`] leaves them. What a branch starts from (`base`, `from_branch`,
/// `start_branch`) is not among them: nothing happens to that one.
const WRITTEN: [&str; 4] = ["branch", "branchname", "targetbranch", "refspec"];

/// Arguments that name a file, here and in each item of a list.
const FILES: [&str; 5] = ["path", "filepath", "filename", "previouspath", "newpath"];
const LISTS: [&str; 3] = ["files", "actions", "changes"];

impl Policy for ProtectedBranches {
    type Settings = Settings;

    fn contracts(_: &Server, tools: &[Tool], settings: &Settings) -> Result<Vec<Contract>, Error> {
        let meant = tools.iter().filter(|tool| settings.tools.iter().any(|name| name == tool.name()));
        Ok(meant.map(|tool| Contract::new(tool.name()).evaluate()).collect())
    }

    fn evaluate(call: &Call<'_>, _: &[Destination], settings: &Settings) -> Result<Judgement, Error> {
        let mut judgement = Judgement::new();
        // A merge names a request, not a branch: where it leads is not known here.
        let merges = call.tool().to_lowercase().replace("merge_request", "").contains("merge");
        let mut named = false;
        for (argument, value) in members(call.arguments()) {
            let Some(counts) = names_branch(call.tool(), argument) else { continue };
            named |= counts && !value.is_null();
            let said = match value {
                Value::Null => None,
                Value::String(text) => objection(text, settings),
                _ => Some(protected(settings, "the branch cannot be read".to_owned())),
            };
            if let Some(finding) = said {
                judgement.push(finding.at(pointer(argument)));
            }
        }
        if merges || !named {
            let text = if merges {
                "a merge changes a branch that the call does not name"
            } else {
                "without a branch the push goes to the default branch"
            };
            judgement.push(protected(settings, text.to_owned()));
        }
        for (argument, value) in members(call.arguments()) {
            let at = pointer(argument);
            let name = folded(argument);
            if FILES.contains(&name.as_str()) {
                file(value, &at, settings, &mut judgement);
            } else if LISTS.contains(&name.as_str()) {
                files(value, &at, settings, &mut judgement);
            } else if name == "allowsymlinkwrite" && !matches!(value, Value::Null | Value::Bool(false)) {
                let text = "a link is written, and where it leads decides what is read in its place";
                judgement.push(Finding::ask("obeyed_file", text).at(at));
            }
        }
        Ok(judgement)
    }
}

fn members(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value.as_object().into_iter().flat_map(|map| map.iter()).map(|(name, value)| (name.as_str(), value))
}

fn pointer(argument: &str) -> String {
    format!("/{}", argument.replace('~', "~0").replace('/', "~1"))
}

/// A name without what servers write differently: `branchName`, `branch_name`.
fn folded(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-')).map(|c| c.to_ascii_lowercase()).collect()
}

/// Whether an argument names the branch that a tool writes, and whether it is known to: where it is not, a protected branch
/// counts in it, but the call has named none by it.
fn names_branch(tool: &str, argument: &str) -> Option<bool> {
    let name = folded(argument);
    let refs = tool.split(['_', '-']).any(|word| matches!(word, "ref" | "refs" | "reference"));
    match tool {
        // What these do not read leaves the push on the default branch.
        "create_or_update_file" | "push_files" | "delete_file" => {
            WRITTEN.contains(&name.as_str()).then_some(argument == "branch")
        }
        _ if refs => (name == "ref" || WRITTEN.contains(&name.as_str())).then_some(true),
        "create_branch" | "delete_branch" => {
            (name == "name" || WRITTEN.contains(&name.as_str())).then_some(true)
        }
        "create_commit" => WRITTEN.contains(&name.as_str()).then_some(true),
        // The user's own: `ref` and `base` may be what is read or what is written.
        _ if matches!(name.as_str(), "ref" | "base") => Some(false),
        _ => WRITTEN.contains(&name.as_str()).then_some(true),
    }
}

/// What is to be said against a push to what stands here: a branch, a reference or `from:to`. Git allows `#` and `%` in a name: what
/// a server makes of it that puts the name into an address is asked about.
fn objection(text: &str, settings: &Settings) -> Option<Finding> {
    let text = text.trim();
    let forced = text.strip_prefix('+').unwrap_or(text);
    let written = forced.split_once(':').map_or(forced, |(_, to)| to);
    if let Some(said) = protects(text, written, &settings.branches) {
        return Some(protected(settings, said));
    }
    let start: String = text.chars().take(60).collect();
    let mut reading = written.to_owned();
    for _ in 0..8 {
        let cut = reading.split('#').next().unwrap_or_default().trim_end_matches('/');
        let other = [reading.as_str(), cut].into_iter().filter(|other| *other != written);
        if let Some(said) = other.into_iter().find_map(|other| protects(other, other, &settings.branches)) {
            let said = format!("a server may cut or decode `{start}`, and then {said}");
            return Some(Finding::ask("protected_branch", said));
        }
        let next = decoded(&reading);
        if next == reading {
            return None;
        }
        reading = next;
    }
    let said = format!("a server may cut or decode `{start}`, which is encoded again and again");
    Some(Finding::ask("protected_branch", said))
}

/// Why nothing may be pushed to the branch of this name, which `shown` holds.
fn protects(shown: &str, name: &str, branches: &[String]) -> Option<String> {
    let name = plain(name);
    if name.is_empty() || name == "@" || name.eq_ignore_ascii_case("head") {
        return Some("without a branch of its own the push goes to the default branch".to_owned());
    }
    if !is_name(name) {
        let start: String = shown.chars().take(60).collect();
        return Some(format!("`{start}` is no name of a branch"));
    }
    let covered = branches.iter().any(|pattern| matches(plain(pattern), name));
    covered.then(|| format!("`{name}` is a protected branch"))
}

/// A branch's name without what may stand before it: `refs/heads/`, a remote.
fn plain(mut name: &str) -> &str {
    let strip = |name: &str, start: &str| {
        name.get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start)).then_some(start.len())
    };
    while let Some(length) =
        ["refs/heads/", "heads/", "origin/", "upstream/"].iter().find_map(|start| strip(name, start))
    {
        name = name.get(length..).unwrap_or_default();
    }
    match ["refs/remotes/", "remotes/"].iter().find_map(|start| strip(name, start)) {
        Some(length) => name.get(length..).and_then(|rest| rest.split_once('/')).map_or("", |(_, name)| name),
        None => name,
    }
}

/// Whether git takes it for a name: `x/../main`, `main~0`, `--all` and `@{u}` are none.
fn is_name(name: &str) -> bool {
    let hidden =
        |c: char| matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{206f}' | '\u{feff}');
    let odd = |c: char| {
        c.is_whitespace()
            || c.is_control()
            || hidden(c)
            || matches!(c, '~' | '^' | ':' | '?' | '*' | '[' | '\\')
    };
    let part = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.ends_with('.');
    !name.starts_with('-')
        && !name.contains(odd)
        && !name.contains("..")
        && !name.contains("@{")
        && name.split('/').all(part)
}

fn file(value: &Value, at: &str, settings: &Settings, judgement: &mut Judgement) {
    let Some(path) = value.as_str() else {
        if !value.is_null() {
            judgement.push(unread(at));
        }
        return;
    };
    // A server that puts a path into an address loses what follows `?` and `#`.
    let cut = path.split(['?', '#']).next().unwrap_or_default();
    let obeyed = |name: &String| settings.files.iter().any(|pattern| matches(pattern, name));
    if let Some(name) = [normal(path), normal(cut)].into_iter().find(obeyed) {
        let text = format!("`{name}` decides what the build or a tool does");
        judgement.push(Finding::ask("obeyed_file", text).at(at));
    }
}

fn files(list: &Value, at: &str, settings: &Settings, judgement: &mut Judgement) {
    let Value::Array(items) = list else {
        if !list.is_null() {
            judgement.push(unread(at));
        }
        return;
    };
    for (index, item) in items.iter().enumerate() {
        // Beyond this no finding is taken.
        if judgement.findings().len() >= 50 {
            return;
        }
        let at = format!("{at}/{index}");
        if item.as_str().is_some() {
            file(item, &at, settings, judgement);
            continue;
        }
        let mut none = true;
        for (name, value) in members(item) {
            if FILES.contains(&folded(name).as_str()) {
                none &= value.is_null();
                file(value, &format!("{at}{}", pointer(name)), settings, judgement);
            }
        }
        if none {
            judgement.push(unread(&at));
        }
    }
}

fn unread(at: &str) -> Finding {
    Finding::ask("obeyed_file", "which file is written cannot be read").at(at)
}

fn protected(settings: &Settings, text: String) -> Finding {
    if settings.ask {
        Finding::ask("protected_branch", text)
    } else {
        Finding::deny("protected_branch", text)
    }
}

/// A path without `.`, `x/..` and a leading `/`, decoded, in lower case and without a dot or space at the end of a name: file
/// systems and servers may not tell them apart.
fn normal(path: &str) -> String {
    let path = decoded(path);
    let mut names: Vec<&str> = Vec::new();
    for part in path.split(['/', '\\']) {
        match part.trim() {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(name.split("::").next().unwrap_or_default().trim_end_matches(['.', ' '])),
        }
    }
    names.join("/").to_lowercase()
}

/// With `%2e` as the dot that a server may make of it.
fn decoded(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let digits = tail.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        let byte = digits
            .filter(|two| *first == b'%' && two.bytes().all(|b| b.is_ascii_hexdigit()))
            .and_then(|two| u8::from_str_radix(two, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { tail.get(2..).unwrap_or_default() } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
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
