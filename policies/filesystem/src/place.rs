//! Places where a file does more than lie there.

/// Why a path is worth more than its prefix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Danger {
    /// It holds a character that no path needs and that programs read differently.
    Unreadable,
    /// Bouncer's own folder.
    Bouncer,
    /// Another program runs or obeys what is written there.
    RunLater(String),
    /// Keys, or the list of those who may log in.
    Keys(String),
}

/// Folders and files whose content others run: a name anywhere in the path.
const RUN_LATER: [&str; 40] = [
    ".git",
    ".githooks",
    ".husky",
    ".gitconfig",
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".xinitrc",
    ".xprofile",
    ".vimrc",
    ".envrc",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pypirc",
    ".netrc",
    ".curlrc",
    ".wgetrc",
    ".vscode",
    ".cursor",
    ".claude",
    ".claude.json",
    ".mcp.json",
    ".cursorrules",
    "claude.md",
    "agents.md",
    "claude_desktop_config.json",
    "launchagents",
    "launchdaemons",
    "crontabs",
    "authorized_keys",
    "sitecustomize.py",
    ".pre-commit-config.yaml",
];

/// Two names in a row whose content others run.
const RUN_LATER_PAIRS: [(&str, &str); 9] = [
    (".config", "autostart"),
    (".config", "systemd"),
    (".config", "fish"),
    (".config", "git"),
    (".config", "nvim"),
    (".github", "workflows"),
    (".github", "actions"),
    (".cargo", "config.toml"),
    ("start menu", "programs"),
];

const KEYS: [&str; 6] = [".ssh", ".gnupg", ".aws", ".kube", ".docker", ".password-store"];

/// Whether writing to this path does more than leave a file. `usual` are names that the user writes to every day.
#[must_use]
pub fn danger(path: &str, usual: &[String]) -> Option<Danger> {
    if path.chars().any(char::is_control) {
        return Some(Danger::Unreadable);
    }
    let names = names(path);
    let usual: Vec<String> = usual.iter().map(|name| folded(name)).collect();
    if names.iter().any(|name| name == ".bouncer") {
        return Some(Danger::Bouncer);
    }
    let usual = |name: &&String| !usual.contains(name);
    if let Some(name) = names.iter().filter(usual).find(|name| KEYS.contains(&name.as_str())) {
        return Some(Danger::Keys(name.clone()));
    }
    if let Some(name) = names.iter().filter(usual).find(|name| RUN_LATER.contains(&name.as_str())) {
        return Some(Danger::RunLater(name.clone()));
    }
    let pair = names
        .iter()
        .zip(names.iter().skip(1))
        .filter(|(_, name)| usual(name))
        .find(|(first, second)| RUN_LATER_PAIRS.contains(&(first.as_str(), second.as_str())))?;
    Some(Danger::RunLater(format!("{}/{}", pair.0, pair.1)))
}

/// The names in a path, as a file system that folds case and drops trailing dots and spaces would see them; `.` and
/// `x/..` are gone.
fn names(path: &str) -> Vec<String> {
    let mut names = Vec::new();
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(folded(name)),
        }
    }
    names
}

fn folded(name: &str) -> String {
    // `.git::$INDEX_ALLOCATION` is `.git` on NTFS.
    let name = name.split(':').next().unwrap_or_default();
    bouncer_pack_table::folded(name.trim_end_matches(['.', ' ']))
}
