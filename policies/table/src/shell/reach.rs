//! Whether a command reaches the network, as far as its text tells.

use super::network::{begins, is_local_action, targets};
use super::options::{self, FISH, Known, SHELL, WRAPPERS};
use super::programs::{DECIDING, KEYWORDS, LOCAL, NETWORK, SHELLS};
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

/// Whether a sum or a variable's name is made of what is not known: `[[ $x -eq 0 ]]` runs `y` where `x` is `a[$(y)]`.
fn takes_index(program: &str, words: &[Word]) -> bool {
    let number = |word: &Word| {
        !word.uncertain && word.text.trim_start_matches('-').bytes().all(|b| b.is_ascii_digit())
    };
    let sums = ["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];
    words.iter().enumerate().any(|(at, word)| {
        let next = words.get(at.saturating_add(1));
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        match word.text.as_str() {
            "-v" | "-R" | "-p" if program != "unset" => next.is_some_and(|word| word.uncertain),
            sum if program == "[[" && sums.contains(&sum) => {
                ![before, next].into_iter().flatten().all(number)
            }
            _ => program == "unset" && word.uncertain,
        }
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
            // Over the arguments, and without a `;`: `for NAME do x`.
            "for" | "select" if !first.quoted && rest.get(1).is_some_and(|word| word.text == "do") => {
                words = rest.get(2..).unwrap_or_default();
            }
            // `for NAME in WORDS` and `case WORD in` run nothing by themselves.
            "for" | "select" | "case" if !first.quoted => return,
            "function" if !first.quoted => words = rest.get(1..).unwrap_or_default(),
            _ if is_assignment(first) => {
                assigned(first, found);
                words = rest;
            }
            _ => break,
        }
    }
    run(words, command.fed, depth, found);
}

fn is_assignment(word: &Word) -> bool {
    !word.unnamed
        && word.text.split_once('=').is_some_and(|(name, _)| {
            let name = name.trim_end_matches('+');
            !name.is_empty()
                && !name.starts_with(|c: char| c.is_ascii_digit())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '[' | ']'))
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
    let value = word.text.split_once('=').map_or("", |(_, value)| value);
    // A sum, an index or a prompt takes it from there.
    if hides_command(std::slice::from_ref(word)) || value.contains("$(") || value.contains('`') {
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
    if let Some((_, known)) = WRAPPERS.iter().find(|(name, _)| *name == program) {
        return wrapped(program, rest, known, fed, depth, found);
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
                // A file's name becomes part of a text that a shell may run.
                let named = |word: &Word| word.text.len() > 2 && word.text.contains("{}");
                let inner = replaced(inner.get(..end).unwrap_or_default(), named);
                run(&inner, false, depth, found);
            }
        }
        // Bash runs what follows.
        "jobs"
            if rest
                .iter()
                .any(|word| word.uncertain || word.text.starts_with('-') && word.text.contains('x')) =>
        {
            let words =
                rest.iter().position(|word| !word.text.starts_with('-')).and_then(|at| rest.get(at..));
            unknown(found, "`jobs -x` runs a command");
            run(words.unwrap_or_default(), false, depth, found);
        }
        "sort" | "split" if rest.iter().any(|word| word.uncertain || begins(word, &["--c", "--f"])) => {
            unknown(found, format!("`{program}` runs another program where an option says so"));
        }
        "[" | "[[" | "test" | "unset" | "wait" if hides_command(rest) || takes_index(program, rest) => {
            unknown(found, "an argument may hold a command that the shell runs");
        }
        "export" | "declare" | "local" | "read" => {
            if rest.iter().any(|word| word.unnamed) {
                unknown(found, format!("which variable `{program}` sets is decided by another"));
            }
            rest.iter().for_each(|word| assigned(word, found));
        }
        "printf" if rest.iter().any(|word| word.uncertain || word.text.starts_with("-v")) => {
            if rest.first().is_some_and(|word| word.text.starts_with("-v"))
                && rest.iter().take(2).any(|w| w.unnamed)
            {
                unknown(found, "which variable `printf` sets is decided by another");
            }
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

/// These words, those that something else is put into marked as uncertain.
fn replaced(words: &[Word], is: impl Fn(&Word) -> bool) -> Vec<Word> {
    words.iter().map(|word| Word { uncertain: word.uncertain || is(word), ..word.clone() }).collect()
}

/// The words after a program's options, with what those say; an option that is not known may hide another program.
fn after_options<'w>(
    program: &str,
    words: &'w [Word],
    known: &Known,
    found: &mut Vec<Reach>,
    seen: impl FnMut(&str, &str),
) -> &'w [Word] {
    let rest = options::read(words, known, seen).unwrap_or_else(|(option, rest)| {
        let option: String = option.chars().take(40).collect();
        unknown(found, format!("what `{program}` makes of `{option}` is not known"));
        rest
    });
    let read = words.len().saturating_sub(rest.len());
    if words.iter().take(read).any(|word| word.uncertain) {
        unknown(found, format!("what `{program}` runs is decided by a variable or a substitution"));
    }
    rest
}

/// What a wrapper runs: the words after its options, assignments and, for `timeout`, the time.
fn wrapped(program: &str, words: &[Word], known: &Known, fed: bool, depth: u8, found: &mut Vec<Reach>) {
    let (mut shell, mut shown, mut direct) = (false, false, false);
    let (mut split, mut places): (Option<String>, Vec<String>) = (None, Vec::new());
    let seen = |option: &str, value: &str| match (program, option) {
        ("sudo" | "doas", "s" | "i" | "shell" | "login") => shell = true,
        ("command", "v" | "V") => shown = true,
        ("watch", "x" | "exec") => direct = true,
        ("env", "S" | "split-string") => split = Some(value.to_owned()),
        ("xargs", "i" | "replace") if value.is_empty() => places.push("{}".to_owned()),
        ("xargs", "I" | "J" | "i" | "replace") => places.push(value.to_owned()),
        _ => {}
    };
    let mut words = after_options(program, words, known, found, seen);
    if shell {
        unknown(found, format!("`{program}` opens a shell"));
    }
    if let Some(text) = split {
        unknown(found, "`env -S` makes a command out of a text");
        line(&text, depth, found);
    }
    let mut time = program == "timeout";
    while let Some((first, rest)) = words.split_first() {
        match program {
            "env" if first.text == "-" => {}
            "env" | "sudo" if is_assignment(first) => assigned(first, found),
            _ if std::mem::take(&mut time) => {}
            _ => break,
        }
        // It may become several words, of which one is a program.
        if first.uncertain {
            unknown(found, format!("what `{program}` runs is decided by a variable or a substitution"));
        }
        words = rest;
    }
    if shown || words.is_empty() {
        return;
    }
    let mut words = replaced(words, |word| places.iter().any(|place| word.text.contains(place)));
    match program {
        // What it reads becomes further words of the command.
        "xargs" => words.push(Word { uncertain: true, ..Word::default() }),
        "watch" if !direct => {
            if words.iter().any(|word| word.uncertain) {
                unknown(found, "`watch` runs what a variable or a substitution holds");
            }
            let text: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
            return line(&text.join(" "), depth, found);
        }
        _ => {}
    }
    run(&words, fed, depth, found);
}

fn nested(shell: &str, words: &[Word], fed: bool, depth: u8, found: &mut Vec<Reach>) {
    if shell == "fish" {
        let mut scripts = Vec::new();
        let seen = |option: &str, value: &str| {
            if option == "c" {
                scripts.push(value.to_owned());
            }
        };
        let rest = after_options(shell, words, &FISH, found, seen);
        if scripts.is_empty() || rest.iter().any(|word| word.text.starts_with('-')) {
            unknown(found, "`fish` runs a file, or what it is told next");
        }
        return scripts.iter().for_each(|script| line(script, depth, found));
    }
    let mut text = false;
    let rest = after_options(shell, words, &SHELL, found, |option, _| text |= option == "c");
    match rest.first() {
        Some(script) if text && script.uncertain => {
            unknown(found, format!("`{shell} -c` runs what a variable or a substitution holds"));
        }
        Some(script) if text => line(&script.text, depth, found),
        None if text => unknown(found, format!("`{shell} -c` without a command")),
        _ if fed => unknown(found, format!("`{shell}` runs what is piped into it")),
        _ => unknown(found, format!("`{shell}` runs a file, or what it is told next")),
    }
}
