//! Whether a command reaches the network, as far as its text tells.

use super::programs::{DECIDING, KEYWORDS, LOCAL, LOCAL_ACTIONS, NETWORK, SHELLS, VALUED, WRAPPERS};
use super::{Simple, Unreadable, Word, read};

/// What a command line can do towards the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// This program speaks to the network, to these hosts and addresses as far as they are written out.
    Network {
        /// The program.
        program: String,
        /// Hosts, URLs and addresses among its arguments.
        targets: Vec<String>,
    },
    /// This program runs, and nothing is known of it.
    Program {
        /// Its name, or the path that it is called by.
        name: String,
    },
    /// What runs cannot be told from the text.
    Unknown {
        /// Why.
        why: String,
    },
}

/// What the command line reaches; empty where every command of it is known to stay on this machine.
#[must_use]
pub fn reach(text: &str) -> Vec<Reach> {
    let mut found = Vec::new();
    line(text, 8, &mut found);
    found
}

fn line(text: &str, depth: u8, found: &mut Vec<Reach>) {
    let Some(depth) = depth.checked_sub(1) else {
        return unknown(found, "shells are nested too deeply");
    };
    match read(text) {
        Err(Unreadable(why)) => unknown(found, format!("the command line cannot be read: {why}")),
        Ok(commands) => commands.iter().for_each(|command| simple(command, depth, found)),
    }
}

fn unknown(found: &mut Vec<Reach>, why: impl Into<String>) {
    let reach = Reach::Unknown { why: why.into() };
    if !found.contains(&reach) {
        found.push(reach);
    }
}

/// Words from which a shell takes a command that stands quoted in them: `[ -v 'a[$(x)]' ]` runs `x`.
fn hides_command(words: &[Word]) -> bool {
    words.iter().any(|word| {
        let index = word.text.split_once('[').map_or("", |(_, index)| index);
        index.contains("$(") || index.contains('`')
    })
}

fn simple(command: &Simple, depth: u8, found: &mut Vec<Reach>) {
    for file in &command.redirects {
        // Only a shell's own `/dev/tcp/` is a network, and it may be put together from variables.
        if file.uncertain {
            unknown(found, "which file is read or written is decided by a variable or a substitution");
        }
        let rest = file.text.strip_prefix("/dev/tcp/").or_else(|| file.text.strip_prefix("/dev/udp/"));
        if let Some(rest) = rest {
            let host = rest.split('/').next().unwrap_or_default();
            found.push(Reach::Network { program: "/dev/tcp".into(), targets: vec![host.to_owned()] });
        }
    }
    let mut words = command.words.as_slice();
    while let Some((first, rest)) = words.split_first() {
        match first.text.as_str() {
            keyword if !first.quoted && KEYWORDS.contains(&keyword) => words = rest,
            // `for NAME in WORDS` and `case WORD in` run nothing by themselves.
            "for" | "select" | "case" if !first.quoted => return,
            "function" if !first.quoted => words = rest.get(1..).unwrap_or_default(),
            text if is_assignment(text) => {
                assigned(first, found);
                words = rest;
            }
            _ => break,
        }
    }
    run(words, command.fed, depth, found);
}

fn is_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| {
        let name = name.trim_end_matches('+');
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '[' | ']'))
    })
}

/// Variables that decide which program runs, or what it runs in its turn.
fn assigned(word: &Word, found: &mut Vec<Reach>) {
    let name = word.text.split(['=', '+', '[']).next().unwrap_or_default();
    let decides = DECIDING.contains(&name)
        || ["GIT_", "LD_", "DYLD_", "npm_config_", "PIP_", "CARGO_"]
            .iter()
            .any(|start| name.starts_with(start))
        || ["PATH", "PAGER", "EDITOR", "OPTIONS"].iter().any(|end| name.ends_with(end));
    if decides {
        unknown(found, format!("`{name}` decides what other programs run"));
    }
    if hides_command(std::slice::from_ref(word)) {
        unknown(found, "a value holds a command that the shell may run");
    }
}

fn run(words: &[Word], fed: bool, depth: u8, found: &mut Vec<Reach>) {
    let Some(depth) = depth.checked_sub(1) else {
        return unknown(found, "commands are wrapped too deeply");
    };
    let Some((first, rest)) = words.split_first() else { return };
    if first.uncertain {
        return unknown(found, "which program runs is decided by a variable or a substitution");
    }
    let called = ["/bin/", "/usr/bin/", "/usr/local/bin/"]
        .iter()
        .find_map(|folder| first.text.strip_prefix(folder).filter(|name| !name.contains('/')))
        .unwrap_or(&first.text);
    let program = called.rsplit('/').next().unwrap_or_default();
    // By a path of its own it may be another program of that name.
    if called != program && !NETWORK.contains(&program) {
        strange(called, found);
    }
    if program == "env" && rest.iter().any(|word| word.text.starts_with("-S") || word.text.starts_with("--s"))
    {
        return unknown(found, "`env -S` makes a command out of a text");
    }
    if let Some((_, valued)) = WRAPPERS.iter().find(|(name, _)| *name == program) {
        return match wrapped(program, rest, valued, found) {
            // What it reads becomes further words of the command.
            inner if program == "xargs" && !inner.is_empty() => {
                let read = Word { uncertain: true, ..Word::default() };
                run(&[inner, &[read]].concat(), fed, depth, found);
            }
            inner => run(inner, fed, depth, found),
        };
    }
    match program {
        "eval" if rest.iter().any(|word| word.uncertain) => {
            unknown(found, "`eval` runs what a variable or a substitution holds");
        }
        "eval" => {
            let text: Vec<&str> = rest.iter().map(|word| word.text.as_str()).collect();
            line(&text.join(" "), depth, found);
        }
        shell if SHELLS.contains(&shell) => nested(shell, rest, fed, depth, found),
        "find" => {
            let runs = |text: &str| text.starts_with("-exec") || text.starts_with("-ok");
            if rest.iter().any(|word| word.uncertain) {
                unknown(found, "whether `find` runs a program is decided by a variable or a substitution");
            }
            for (at, _) in rest.iter().enumerate().filter(|(_, word)| runs(&word.text)) {
                let inner = rest.get(at.saturating_add(1)..).unwrap_or_default();
                let end = inner.iter().position(|word| word.text == ";").unwrap_or(inner.len());
                run(inner.get(..end).unwrap_or_default(), false, depth, found);
            }
        }
        "sort" | "split" if rest.iter().any(|word| word.uncertain || begins(word, &["--c", "--f"])) => {
            unknown(found, format!("`{program}` runs another program where an option says so"));
        }
        "[" | "[[" | "test" | "unset" if hides_command(rest) => {
            unknown(found, "an argument holds a command that the shell may run");
        }
        "export" | "declare" | "local" | "read" => rest.iter().for_each(|word| assigned(word, found)),
        "printf" if rest.iter().any(|word| word.uncertain || word.text.starts_with("-v")) => {
            rest.iter().for_each(|word| assigned(word, found));
        }
        local if LOCAL.contains(&local) => {}
        network if NETWORK.contains(&network) => {
            let targets = targets(network, rest);
            if called != program || !is_local_action(network, rest, &targets) {
                found.push(Reach::Network { program: called.to_owned(), targets });
            }
        }
        _ => strange(called, found),
    }
}

fn strange(called: &str, found: &mut Vec<Reach>) {
    let reach = Reach::Program { name: called.chars().take(40).collect() };
    if !found.contains(&reach) {
        found.push(reach);
    }
}

fn begins(word: &Word, starts: &[&str]) -> bool {
    starts.iter().any(|start| word.text.starts_with(start))
}

/// `git status`, `cargo tree`: what follows a program that may speak to the network, and keeps it from that.
fn is_local_action(program: &str, words: &[Word], targets: &[String]) -> bool {
    let Some((_, actions)) = LOCAL_ACTIONS.iter().find(|(name, _)| *name == program) else { return false };
    let Some(at) = words.iter().position(|word| !word.text.starts_with('-')) else { return false };
    let (before, rest) = words.split_at_checked(at).unwrap_or_default();
    let Some((action, rest)) = rest.split_first() else { return false };
    // `--host=tcp://x`, `--exec-path=.`: they decide where the action takes place.
    let moved = before.iter().any(|word| word.text.contains('='));
    // A commit may speak of addresses; for the others they are places.
    let elsewhere = program != "git" && !targets.is_empty();
    let greps = |word: &Word| action.text == "grep" && (word.uncertain || begins(word, &["-O", "--op"]));
    let runs = rest.iter().any(|word| greps(word) || begins(word, &["--ext"]));
    actions.contains(&action.text.as_str()) && !moved && !elsewhere && !runs
}

/// What a wrapper runs: the words after its options, assignments and, for `timeout`, the time.
fn wrapped<'w>(program: &str, mut words: &'w [Word], valued: &[&str], found: &mut Vec<Reach>) -> &'w [Word] {
    let mut duration = program == "timeout";
    while let Some((first, rest)) = words.split_first() {
        if first.uncertain {
            unknown(found, format!("what `{program}` runs is decided by a variable or a substitution"));
        }
        if valued.contains(&first.text.as_str()) {
            words = rest.get(1..).unwrap_or_default();
        } else if first.text.starts_with('-') {
            words = rest;
        } else if matches!(program, "env" | "sudo" | "doas") && is_assignment(&first.text) {
            assigned(first, found);
            words = rest;
        } else if duration {
            duration = false;
            words = rest;
        } else {
            break;
        }
    }
    words
}

fn nested(shell: &str, words: &[Word], fed: bool, depth: u8, found: &mut Vec<Reach>) {
    let flag =
        |word: &&Word| word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains('c');
    if let Some(at) = words.iter().position(|word| flag(&word)) {
        match words.get(at.saturating_add(1)) {
            Some(script) if script.uncertain => {
                unknown(found, format!("`{shell} -c` runs what a variable or a substitution holds"));
            }
            Some(script) => line(&script.text, depth, found),
            None => unknown(found, format!("`{shell} -c` without a command")),
        }
    } else if fed {
        unknown(found, format!("`{shell}` runs what is piped into it"));
    } else {
        unknown(found, format!("`{shell}` runs a file, or what it is told next"));
    }
}

fn targets(program: &str, words: &[Word]) -> Vec<String> {
    let mut found = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        // `wget -O` takes a file, `curl -O` stands alone: rather one word too many than too few.
        if VALUED.contains(&word.text.as_str()) && !(program == "curl" && word.text == "-O") {
            words.next();
            continue;
        }
        let text = word.text.as_str();
        let text =
            if text.starts_with('-') { text.split_once('=').map_or("", |(_, value)| value) } else { text };
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
