//! Whether a command reaches the network, as far as its text tells.

use super::network::{is_local_action, may_be_socket, targets};
use super::options::{self, FISH, Known, SHELL, WRAPPERS};
use super::programs::{DECIDING, KEYWORDS, LOCAL, NETWORK, SHELLS};
use super::sums::{has_index, hides_command, takes_index};
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

fn simple(command: &Simple, depth: u8, found: &mut Vec<Reach>) {
    for file in &command.redirects {
        if may_be_socket(file) {
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
            // `coproc ls { x; }` runs `x`: before a bracket or a keyword stands a name.
            "coproc" if !first.quoted => {
                unknown(found, "`coproc` runs what follows it, or what follows a name");
                words = rest;
            }
            keyword if !first.quoted && KEYWORDS.contains(&keyword) => words = rest,
            // Over the arguments, and without a `;`: `for NAME do x`, `for NAME { x`.
            "for" | "select"
                if !first.quoted && rest.get(1).is_some_and(|w| w.text == "do" || w.text == "{") =>
            {
                rest.iter().take(1).for_each(|name| assigned(name, found));
                words = rest.get(2..).unwrap_or_default();
            }
            "for" | "select" if !first.quoted => {
                rest.iter().take(1).for_each(|name| assigned(name, found));
                return;
            }
            // `for NAME in WORDS` and `case WORD in` run nothing by themselves.
            "case" if !first.quoted => return,
            "function" if !first.quoted => words = rest.get(1..).unwrap_or_default(),
            _ if is_assignment(first) => {
                // `([x]=1)`: an index of the list that it stands in.
                if has_index(&format!("a{}", first.text)) {
                    unknown(found, "an index is a sum that may run what a variable holds");
                }
                // Where it parts what `read` reads, it decides nothing else.
                let program = rest.iter().find(|word| !is_assignment(word));
                let parts = first.text.starts_with("IFS=")
                    && program.is_some_and(|word| word.text == "read" && !word.uncertain);
                if !parts || hides_command(std::slice::from_ref(first)) {
                    assigned(first, found);
                }
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
    if has_index(&word.text)
        || hides_command(std::slice::from_ref(word))
        || value.contains("$(")
        || value.contains('`')
    {
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
            searched(rest, depth, found);
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
        // `--co` is the shortest that is no `--check`.
        "sort" | "split"
            if rest.iter().any(|word| word.may_begin(if program == "sort" { "--co" } else { "--f" })) =>
        {
            unknown(found, format!("`{program}` runs another program where an option says so"));
        }
        "[" | "[[" | "test" | "unset" | "wait" if hides_command(rest) || takes_index(program, rest) => {
            unknown(found, "an argument may hold a command that the shell runs");
        }
        "unset" | "wait" => rest.iter().for_each(|word| assigned(word, found)),
        "declare" | "local" if rest.iter().any(is_sum) => {
            unknown(found, format!("`{program}` makes a sum or a name out of what a variable is set to"));
        }
        "export" | "declare" | "local" | "read" => {
            if rest.iter().any(|word| word.unnamed) {
                unknown(found, format!("which variable `{program}` sets is decided by another"));
            }
            rest.iter().for_each(|word| assigned(word, found));
        }
        // `-v NAME`, `-vNAME`: a variable that holds the latter ends with a name, or with an index.
        "printf" => {
            let Some(option) = rest.first().filter(|word| word.may_begin("-v")) else { return };
            let name = |word: &Word| word.several || word.ends().1.is_empty() || word.text.ends_with(']');
            let next = rest.get(1).filter(|_| option.may_be("-v"));
            if option.uncertain && name(option) || next.is_some_and(|word| word.unnamed) {
                unknown(found, "which variable `printf` sets is decided by another");
            }
            let attached = option.text.strip_prefix("-v").unwrap_or_default();
            assigned(&Word { text: attached.to_owned(), ..Word::default() }, found);
            next.into_iter().for_each(|word| assigned(word, found));
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

/// What `find` runs.
fn searched(words: &[Word], depth: u8, found: &mut Vec<Reach>) {
    const RUNS: [&str; 4] = ["-exec", "-execdir", "-ok", "-okdir"];
    let runs = |word: &Word| !word.uncertain && RUNS.contains(&word.text.as_str());
    // A variable may hold one of those, but what runs then stands between it and a `;`; no program is called as an option is.
    let last = words.iter().rposition(|word| word.may_be(";") || word.may_be("+")).unwrap_or_default();
    let hidden = |(at, word): (usize, &Word)| {
        let next = words.get(at.saturating_add(1));
        let nothing = next.is_none_or(|next| {
            !next.uncertain && (next.text.starts_with('-') || matches!(next.text.as_str(), ";" | "(" | "!"))
        });
        word.uncertain && (word.several || at < last && !nothing && RUNS.iter().any(|runs| word.may_be(runs)))
    };
    if words.iter().enumerate().any(hidden) {
        unknown(found, "whether `find` runs a program is decided by a variable or a substitution");
    }
    for (at, _) in words.iter().enumerate().filter(|(_, word)| runs(word)) {
        let inner = words.get(at.saturating_add(1)..).unwrap_or_default();
        let end = |(at, word): (usize, &Word)| match word.text.as_str() {
            ";" => true,
            "+" => at.checked_sub(1).and_then(|at| inner.get(at)).is_some_and(|word| word.text == "{}"),
            _ => runs(word),
        };
        let end = inner.iter().enumerate().position(|(at, word)| end((at, word))).unwrap_or(inner.len());
        // A file's name becomes part of a text that a shell may run.
        let named = |word: &Word| word.text.len() > 2 && word.text.contains("{}");
        let mut command = replaced(inner.get(..end).unwrap_or_default(), named);
        // What follows belongs to this command or is one of its own. It is read once, as the latter.
        if inner.get(end).is_some_and(runs) {
            command.push(Word::any());
        }
        run(&command, false, depth, found);
    }
}

/// An option of `declare` by which the shell works out the value, `-i`, or takes it for a name, `-n`.
fn is_sum(word: &Word) -> bool {
    word.text.strip_prefix(['-', '+']).is_some_and(|letters| letters.contains(['i', 'n']))
}

fn strange(called: &str, found: &mut Vec<Reach>) {
    let reach = Reach::Program { name: called.chars().take(40).collect() };
    if !found.contains(&reach) {
        found.push(reach);
    }
}

/// These words, those that something else is put into marked as uncertain.
fn replaced(words: &[Word], is: impl Fn(&Word) -> bool) -> Vec<Word> {
    words
        .iter()
        .map(|word| if is(word) { Word { text: word.text.clone(), ..Word::any() } } else { word.clone() })
        .collect()
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
    let (mut shell, mut shown, mut direct, mut elsewhere) = (false, false, false, false);
    let (mut split, mut places): (Option<String>, Vec<String>) = (None, Vec::new());
    let seen = |option: &str, value: &str| match (program, option) {
        ("sudo" | "doas", "s" | "i" | "shell" | "login") => shell = true,
        ("command", "v" | "V") => shown = true,
        ("watch", "x" | "exec") => direct = true,
        ("env", "P") => elsewhere = true,
        ("env", "S" | "split-string") => split = Some(value.to_owned()),
        ("xargs", "i" | "replace") if value.is_empty() => places.push("{}".to_owned()),
        ("xargs", "I" | "J" | "i" | "replace") => places.push(value.to_owned()),
        _ => {}
    };
    let mut words = after_options(program, words, known, found, seen);
    if shell {
        unknown(found, format!("`{program}` opens a shell"));
    }
    if elsewhere {
        unknown(found, "`env -P` decides where programs are looked for");
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
        "xargs" => words.push(Word::any()),
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
