//! Reads from a command line which package, image or program it launches. It runs nothing and looks nothing up; what
//! it cannot read for certain (a shell, an alias, a URL, an unknown launcher) is no package.

use std::borrow::Cow;

/// What a command line launches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Launched {
    /// The package or image, without version, tag or digest.
    pub(super) package: Option<String>,
    /// The stem of the program's file name, where the program is no launcher.
    pub(super) stem: Option<String>,
}

/// The options of one launcher. One that is in no list may or may not take the next word, so where the package stands
/// is not certain: then there is none.
struct Dialect {
    /// Options whose value is the package.
    package: &'static [&'static str],
    /// Options that stand alone.
    alone: &'static [&'static str],
    /// Options that take the next word.
    valued: &'static [&'static str],
    /// Reads a package's name without version; `None` where it is an alias, a URL or a path.
    name: fn(&str) -> Option<String>,
}

const NPM: Dialect = Dialect {
    package: &["--package", "-p"],
    alone: &[
        "-y",
        "--yes",
        "-q",
        "--quiet",
        "--silent",
        "-s",
        "--no-install",
        "--no",
        "--prefer-offline",
        "--prefer-online",
        "--offline",
        "--ignore-existing",
        "--bun",
        "--verbose",
        "--no-audit",
        "--no-fund",
    ],
    valued: &["--registry", "--userconfig", "--cache", "--loglevel", "--node-options", "-w", "--workspace"],
    name: npm_name,
};

const PYPI: Dialect = Dialect {
    package: &["--from", "--spec"],
    alone: &[
        "-q",
        "--quiet",
        "-v",
        "--verbose",
        "--offline",
        "--isolated",
        "-n",
        "--no-cache",
        "--refresh",
        "-U",
        "--upgrade",
        "--native-tls",
        "--no-progress",
        "--no-config",
    ],
    valued: &[
        "--with",
        "--with-requirements",
        "--python",
        "-p",
        "--index",
        "--default-index",
        "--index-url",
        "-i",
        "--extra-index-url",
        "--cache-dir",
        "--constraints",
        "-c",
        "--exclude-newer",
        "--directory",
        "--project",
        "--env-file",
        "--pip-args",
    ],
    name: pypi_name,
};

const DOCKER: Dialect = Dialect {
    package: &[],
    alone: &[
        "-i",
        "-t",
        "-it",
        "-ti",
        "-d",
        "--rm",
        "--init",
        "--interactive",
        "--tty",
        "--detach",
        "--privileged",
        "--read-only",
        "-P",
        "--publish-all",
        "-q",
        "--quiet",
    ],
    valued: &[
        "-e",
        "--env",
        "--env-file",
        "-v",
        "--volume",
        "--mount",
        "--name",
        "--network",
        "--net",
        "-u",
        "--user",
        "-w",
        "--workdir",
        "-p",
        "--publish",
        "--pull",
        "--platform",
        "-m",
        "--memory",
        "--cpus",
        "--add-host",
        "-h",
        "--hostname",
        "-l",
        "--label",
        "--security-opt",
        "--cap-add",
        "--cap-drop",
        "--tmpfs",
        "--restart",
        "--log-driver",
        "--shm-size",
        "--dns",
        "--gpus",
        "--ulimit",
        "--pids-limit",
    ],
    name: image_name,
};

/// Reads a command line: program, then arguments.
#[must_use]
pub(super) fn read(command: &[String]) -> Launched {
    let words: Vec<&str> = command.iter().map(String::as_str).collect();
    read_words(&words, 4)
}

/// `depth` bounds how often one launcher may launch another (`cmd /c env A=b npx ...`).
fn read_words(words: &[&str], depth: u8) -> Launched {
    let Some((program, rest)) = words.split_first() else { return Launched::default() };
    let Some(depth) = depth.checked_sub(1) else { return Launched::default() };
    let stem = stem(program);
    let package = |package| Launched { package, stem: None };
    match (stem.as_ref(), rest) {
        ("env", _) => match rest.iter().position(|word| !is_assignment(word)) {
            Some(at) => read_words(rest.get(at..).unwrap_or_default(), depth),
            None => Launched::default(),
        },
        ("cmd", [flag, rest @ ..]) if flag.eq_ignore_ascii_case("/c") => read_words(rest, depth),
        ("npx" | "bunx" | "pnpx", _) => package(NPM.find(rest)),
        ("npm", ["exec" | "x", rest @ ..])
        | ("pnpm" | "yarn", ["dlx", rest @ ..])
        | ("bun", ["x", rest @ ..]) => package(NPM.find(rest)),
        ("uvx", _) | ("uv", ["tool", "run", ..]) => {
            let rest = if stem == "uvx" { rest } else { rest.get(2..).unwrap_or_default() };
            package(PYPI.find(rest))
        }
        ("pipx", ["run", rest @ ..]) => package(PYPI.find(rest)),
        ("docker" | "podman" | "nerdctl", ["run", rest @ ..]) => package(DOCKER.find(rest)),
        ("node" | "bun" | "deno" | "tsx", _) => package(script(rest)),
        (
            "python" | "python3" | "py" | "sh" | "bash" | "zsh" | "fish" | "dash" | "cmd" | "powershell"
            | "pwsh" | "sudo" | "nohup",
            _,
        )
        | ("npm" | "pnpm" | "yarn" | "uv" | "pipx" | "docker" | "podman" | "nerdctl", _) => {
            Launched::default()
        }
        (stem, _) if !stem.is_empty() => {
            // A program that a package manager put in place is that package's: `node_modules/.bin` says no more.
            Launched { package: node_modules(program), stem: Some(stem.to_owned()) }
        }
        _ => Launched::default(),
    }
}

/// `/usr/bin/Name.exe` is `Name`; only endings that make a program are taken off.
fn stem(program: &str) -> Cow<'_, str> {
    let file = program.rsplit(['/', '\\']).next().unwrap_or_default();
    let endings = [".exe", ".cmd", ".bat", ".ps1"];
    let bare = endings.iter().find_map(|ending| {
        let at = file.len().checked_sub(ending.len())?;
        file.get(at..)?.eq_ignore_ascii_case(ending).then(|| file.get(..at)).flatten()
    });
    Cow::Borrowed(bare.unwrap_or(file))
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    })
}

impl Dialect {
    /// The package that the words after the launcher name: by an option, else by the first word that is no option.
    fn find(&self, words: &[&str]) -> Option<String> {
        let mut words = words.iter().copied();
        while let Some(word) = words.next() {
            let option = word.split_once('=');
            let name = option.map_or(word, |(name, _)| name);
            if word == "--" {
                return (self.name)(words.next()?);
            } else if self.package.contains(&name) {
                return (self.name)(
                    option.map_or_else(|| words.next().unwrap_or_default(), |(_, value)| value),
                );
            } else if self.valued.contains(&name) {
                if option.is_none() {
                    words.next()?;
                }
            } else if !word.starts_with('-') {
                return (self.name)(word);
            } else if !self.alone.contains(&word) {
                return None;
            }
        }
        None
    }
}

/// `@scope/name@1.2.3` is `@scope/name`; an alias, URL, path or git address is nothing.
fn npm_name(spec: &str) -> Option<String> {
    let (scope, rest) = match spec.strip_prefix('@') {
        Some(scoped) => scoped.split_once('/').map(|(scope, rest)| (Some(scope), rest))?,
        None => (None, spec),
    };
    let (name, version) = rest.split_once('@').unwrap_or((rest, "latest"));
    if version.is_empty() || version.contains([':', '/']) || !is_name(name) || !scope.is_none_or(is_name) {
        return None;
    }
    Some(scope.map_or_else(|| name.to_owned(), |scope| format!("@{scope}/{name}")))
}

/// `Name[extra]==1.2` and `name@1.2` are `name`, with `_` and `.` as `-`; a URL, path or git address is nothing.
fn pypi_name(spec: &str) -> Option<String> {
    if spec.contains([':', '/', '\\']) {
        return None;
    }
    let name = spec.split(['[', '=', '<', '>', '~', '!', '@', ' ']).next().unwrap_or_default();
    is_name(name).then(|| name.to_ascii_lowercase().replace(['_', '.'], "-"))
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(['-', '.'])
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
}

/// `host:5000/name:tag@sha256:00` is `host:5000/name`.
fn image_name(spec: &str) -> Option<String> {
    let name = spec.split_once('@').map_or(spec, |(name, _)| name);
    // A `:` in the last segment is a tag, one before it a registry's port.
    let tag = name.rfind(':').filter(|at| name.get(*at..).is_some_and(|tail| !tail.contains('/')));
    tag.map_or(Some(name), |at| name.get(..at)).filter(|name| !name.is_empty()).map(str::to_owned)
}

/// The package whose script `node` runs: the first word that is no option, where it lies in `node_modules`.
fn script(words: &[&str]) -> Option<String> {
    words.first().filter(|word| !word.starts_with('-')).and_then(|path| node_modules(path))
}

/// `/x/node_modules/@scope/name/dist/index.js` is `@scope/name`; the last `node_modules` counts.
fn node_modules(path: &str) -> Option<String> {
    let parts: Vec<&str> = path.split(['/', '\\']).collect();
    if parts.contains(&"..") {
        return None;
    }
    let at = parts.iter().rposition(|part| *part == "node_modules")?;
    let first = parts.get(at + 1)?;
    match first.strip_prefix('@') {
        Some(scope) => {
            let name = parts.get(at + 2).filter(|name| is_name(name) && is_name(scope))?;
            Some(format!("{first}/{name}"))
        }
        None => is_name(first).then(|| (*first).to_owned()),
    }
}
