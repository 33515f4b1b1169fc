//! What a program that may speak to the network is told to do, and whom it would speak to.

use super::Word;
use super::programs::{LOCAL_ACTIONS, VALUED, VALUED_LONG};

fn begins(word: &Word, starts: &[&str]) -> bool {
    starts.iter().any(|start| word.text.starts_with(start))
}

/// `git status`, `cargo tree`: what follows a program that may speak to the network, and keeps it from that.
pub(super) fn is_local_action(program: &str, words: &[Word], targets: &[String]) -> bool {
    let Some((_, actions)) = LOCAL_ACTIONS.iter().find(|(name, _)| *name == program) else { return false };
    let is_action = |word: &Word| actions.contains(&word.text.as_str());
    let Some(at) = words.iter().position(|word| !word.text.starts_with('-') || is_action(word)) else {
        return false;
    };
    let (before, rest) = words.split_at_checked(at).unwrap_or_default();
    let Some((action, rest)) = rest.split_first() else { return false };
    // `--host=tcp://x`, `-Htcp://x`, `--exec-path=.`: they decide where the action takes place.
    let quiet = ["--no-pager", "-P", "--no-optional-locks", "-q", "--quiet"];
    let moved = before.iter().any(|word| word.uncertain || !quiet.contains(&word.text.as_str()));
    // A commit may speak of addresses; for the others they are places.
    let elsewhere = program != "git" && !targets.is_empty();
    let cluster = |word: &Word, letters: &[char]| {
        word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains(letters)
    };
    let runs = |word: &Word| match (program, action.text.as_str()) {
        ("git", "grep") => word.uncertain || cluster(word, &['O']) || begins(word, &["--op", "--ext"]),
        // Another program that shows differences, where these do not run it anyway.
        ("git", "log" | "reflog" | "show" | "stash") => word.may_begin("--ext"),
        ("git", _) => begins(word, &["--ext"]),
        _ if word.uncertain && word.may_begin("-") => true,
        ("cargo", _) => begins(word, &["--conf"]),
        // What is newer is known elsewhere.
        ("pip" | "pip3", "list") => cluster(word, &['o', 'u']) || begins(word, &["--ou", "--up"]),
        _ => false,
    };
    is_action(action) && !moved && !elsewhere && !rest.iter().any(runs)
}

/// Whether a file that is read or written may be a shell's own `/dev/tcp/HOST/PORT` once its variables are known.
pub(super) fn may_be_socket(file: &Word) -> bool {
    let (head, tail) = file.ends();
    let socket = |start: &str| start.starts_with(head) || head.starts_with(start);
    // No port is called `x.txt`.
    let last = tail.rsplit('/').next().unwrap_or_default();
    let ending = last
        .rsplit_once('.')
        .is_some_and(|(_, ending)| ending.starts_with(|c: char| c.is_ascii_alphabetic()));
    file.uncertain && (socket("/dev/tcp/") || socket("/dev/udp/")) && !ending
}

pub(super) fn targets(program: &str, words: &[Word]) -> Vec<String> {
    let mut found = Vec::new();
    let mut words = words.iter();
    // Rather one word too many than too few.
    let valued = VALUED.iter().find(|(name, _)| *name == program).map_or(&[][..], |(_, options)| options);
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        if valued.contains(&text) || !valued.is_empty() && VALUED_LONG.contains(&text) {
            words.next();
            continue;
        }
        let text = match text.strip_prefix('-') {
            Some(option) => match option.split_once('=') {
                Some((_, value)) => value,
                // `-Htcp://x`.
                None => option.get(1..).filter(|value| value.contains("://")).unwrap_or_default(),
            },
            None => text,
        };
        let plain = !matches!(
            program,
            "git" | "npm" | "pip" | "pip3" | "cargo" | "docker" | "kubectl" | "helm" | "aws"
        );
        if is_place(text, plain) && !found.iter().any(|known| known == text) {
            found.push(text.to_owned());
        }
    }
    found
}

/// A URL, `user@host:path`, or (`plain`) a host by itself.
fn is_place(text: &str, plain: bool) -> bool {
    if text.contains("://") {
        return true;
    }
    let host = text.rsplit('@').next().unwrap_or_default();
    let host = host.split([':', '/']).next().unwrap_or_default();
    let label = |label: &str| {
        !label.is_empty()
            && label.chars().all(|c| c.is_ascii_alphanumeric() || !c.is_ascii() || matches!(c, '-' | '_'))
    };
    let dotted = host.contains('.') && host.split('.').all(label);
    dotted && (plain || text.contains('@')) || text.contains('@') && text.contains(':')
}
