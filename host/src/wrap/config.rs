//! Reading a client configuration: JSON with comments, `mcpServers` or VS Code's `servers`.

use super::{ORIGINAL, WrapError, remote};
use crate::http::target::Remote;
use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Bytes that a client configuration may have; the largest seen hold a client's whole state.
const MAX_BYTES: u64 = 256 << 20;

/// A client configuration.
#[derive(Debug)]
pub struct Config {
    /// The file as the user named it.
    pub path: PathBuf,
    /// Its text, byte for byte.
    pub text: String,
    /// The stdio and remote servers, in the order of the file.
    pub entries: Vec<Entry>,
}

/// One server in a client configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The user's name for it.
    pub name: String,
    /// What it is.
    pub kind: EntryKind,
    /// Byte range of its object in the text.
    pub range: Range<usize>,
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryKind {
    /// A program that speaks over stdio.
    Stdio(Launch),
    /// Already launched through Bouncer; holds the original launch.
    Wrapped(Launch),
    /// Reached by URL.
    Remote(Remote),
    /// Launched through Bouncer; originally reached by URL.
    WrappedRemote(Remote),
    /// Neither; says why.
    Unusable(String),
}

/// What a server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Server {
    /// A program that speaks over stdio.
    Program(Launch),
    /// Reached by URL.
    Remote(Remote),
}

/// The program of a server and what it is given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Launch {
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables of the entry.
    pub env: Vec<(String, String)>,
    /// The entry's working directory.
    pub cwd: Option<String>,
}

impl Config {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, WrapError> {
        let failed = |source| WrapError::Read { path: path.to_owned(), source };
        if std::fs::metadata(path).map_err(failed)?.len() > MAX_BYTES {
            return Err(failed(std::io::Error::other("the file is larger than 256 MiB")));
        }
        Self::parse(path, std::fs::read_to_string(path).map_err(failed)?)
    }

    /// Reads text that stands for the file `path`.
    pub fn parse(path: &Path, text: String) -> Result<Self, WrapError> {
        let entries = with_ast(path, &text, |root| {
            let servers = servers(root).ok_or_else(|| WrapError::NoServers { path: path.to_owned() })?;
            let mut entries: Vec<Entry> = Vec::new();
            for property in &servers.properties {
                let name = property.name.as_str().to_owned();
                if entries.iter().any(|entry| entry.name == name) {
                    let reason =
                        "the name is there twice, and clients differ in which one they start".to_owned();
                    return Err(WrapError::Entry { path: path.to_owned(), name, reason });
                }
                let kind = match &property.value {
                    Value::Object(object) => kind_of(object),
                    _ => EntryKind::Unusable("the entry is not an object".to_owned()),
                };
                let range = property.value.range();
                entries.push(Entry { name, kind, range: range.start..range.end });
            }
            Ok(entries)
        })?;
        Ok(Self { path: path.to_owned(), text, entries })
    }

    /// The entry of a server.
    pub fn entry(&self, name: &str) -> Result<&Entry, WrapError> {
        self.entries.iter().find(|entry| entry.name == name).ok_or_else(|| WrapError::NoSuchServer {
            path: self.path.clone(),
            name: name.to_owned(),
            names: self.entries.iter().map(|entry| entry.name.clone()).collect(),
        })
    }

    /// What the real server of an entry is, wrapped or not.
    pub fn server(&self, name: &str) -> Result<Server, WrapError> {
        match &self.entry(name)?.kind {
            EntryKind::Stdio(launch) | EntryKind::Wrapped(launch) => Ok(Server::Program(launch.clone())),
            EntryKind::Remote(remote) | EntryKind::WrappedRemote(remote) => {
                Ok(Server::Remote(remote.clone()))
            }
            EntryKind::Unusable(reason) => Err(self.unusable(name, reason)),
        }
    }

    /// How the real server of an entry is started as a program, wrapped or not.
    pub fn launch(&self, name: &str) -> Result<Launch, WrapError> {
        match self.server(name)? {
            Server::Program(launch) => Ok(launch),
            Server::Remote(_) => Err(self.unusable(name, "it is reached by URL and started by nobody here")),
        }
    }

    fn unusable(&self, name: &str, reason: &str) -> WrapError {
        WrapError::Entry { path: self.path.clone(), name: name.to_owned(), reason: reason.to_owned() }
    }
}

/// Parses the text and hands its root object over; positions in it are byte offsets of `text`.
pub(super) fn with_ast<T>(
    path: &Path,
    text: &str,
    read: impl FnOnce(&Object<'_>) -> Result<T, WrapError>,
) -> Result<T, WrapError> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        ..ParseOptions::default()
    };
    // Blank out the mark of the byte order rather than cut it off: offsets stay those of the file.
    let blanked;
    let body = match text.strip_prefix('\u{feff}') {
        Some(rest) => {
            blanked = format!("   {rest}");
            &blanked
        }
        None => text,
    };
    let parsed = parse_to_ast(body, &CollectOptions::default(), &options)
        .map_err(|error| WrapError::Syntax { path: path.to_owned(), reason: error.to_string() })?;
    match &parsed.value {
        Some(Value::Object(root)) => {
            for key in ["mcpServers", "servers"] {
                if root.properties.iter().filter(|property| property.name.as_str() == key).count() > 1 {
                    let reason = format!("`{key}` is there twice, and clients differ in which one they read");
                    return Err(WrapError::Syntax { path: path.to_owned(), reason });
                }
            }
            read(root)
        }
        _ => {
            Err(WrapError::Syntax { path: path.to_owned(), reason: "it does not hold an object".to_owned() })
        }
    }
}

/// The object of servers: `mcpServers` where there is one, otherwise VS Code's `servers`.
pub(super) fn servers<'r, 'a>(root: &'r Object<'a>) -> Option<&'r Object<'a>> {
    root.get_object("mcpServers").or_else(|| root.get_object("servers"))
}

fn kind_of(object: &Object<'_>) -> EntryKind {
    for (at, property) in object.properties.iter().enumerate() {
        if object.properties.iter().take(at).any(|other| other.name.as_str() == property.name.as_str()) {
            return EntryKind::Unusable(format!("the key `{}` is there twice", property.name.as_str()));
        }
    }
    if let Some(original) = object.get(ORIGINAL) {
        let Value::Object(original) = &original.value else {
            return EntryKind::Unusable(format!("its `{ORIGINAL}` is not an object"));
        };
        if remote::is_remote(original) {
            return remote::read(original).map_or_else(EntryKind::Unusable, EntryKind::WrappedRemote);
        }
        return launch(original, object).map_or_else(EntryKind::Unusable, EntryKind::Wrapped);
    }
    if object.get("command").is_some() {
        return match launch(object, object) {
            Ok(launch) if is_own(&launch) => EntryKind::Unusable(
                "it is `bouncer serve`, which calls no server and needs no gate".to_owned(),
            ),
            launch => launch.map_or_else(EntryKind::Unusable, EntryKind::Stdio),
        };
    }
    if remote::is_remote(object) {
        return remote::read(object).map_or_else(EntryKind::Unusable, EntryKind::Remote);
    }
    EntryKind::Unusable("it has neither a `command` nor a `url`".to_owned())
}

/// Whether an entry starts Bouncer to answer questions.
fn is_own(launch: &Launch) -> bool {
    let stem = Path::new(&launch.command).file_stem();
    stem.is_some_and(|stem| stem == "bouncer") && launch.args.first().is_none_or(|word| word == "serve")
}

/// Command and arguments from `program`, the surroundings from `entry`.
fn launch(program: &Object<'_>, entry: &Object<'_>) -> Result<Launch, String> {
    let command = match program.get("command").map(|property| &property.value) {
        Some(Value::StringLit(command)) if !command.value.trim().is_empty() => {
            command.value.clone().into_owned()
        }
        _ => return Err("its `command` is not a string".to_owned()),
    };
    let args = match program.get("args").map(|property| &property.value) {
        None | Some(Value::NullKeyword(_)) => Vec::new(),
        Some(Value::Array(items)) => items
            .elements
            .iter()
            .map(|item| item.as_string_lit().map(|item| item.value.clone().into_owned()))
            .collect::<Option<_>>()
            .ok_or("its `args` are not all strings")?,
        Some(_) => return Err("its `args` are not a list".to_owned()),
    };
    let env = match entry.get("env").map(|property| &property.value) {
        None | Some(Value::NullKeyword(_)) => Vec::new(),
        Some(Value::Object(env)) => env
            .properties
            .iter()
            .filter_map(|property| {
                let value = match &property.value {
                    Value::StringLit(text) => text.value.clone().into_owned(),
                    Value::NumberLit(number) => number.value.to_owned(),
                    Value::BooleanLit(flag) => flag.value.to_string(),
                    _ => return None,
                };
                Some((property.name.as_str().to_owned(), value))
            })
            .collect(),
        Some(_) => return Err("its `env` is not an object".to_owned()),
    };
    // A program that is Bouncer and is told to look into this file would find itself there, and start itself for ever.
    if is_bouncer(&command) && args.first().is_some_and(|first| first == "run") {
        return Err("it launches Bouncer itself, which was not put there by `bouncer init`\nhint: write the server's own \
                    program into it, and wrap it with `bouncer init`"
            .to_owned());
    }
    let cwd = entry.get_string("cwd").map(|cwd| cwd.value.clone().into_owned());
    Ok(Launch { command, args, env, cwd })
}

/// Whether a program is Bouncer by its name, on either kind of path.
fn is_bouncer(command: &str) -> bool {
    let name = command.rsplit(['/', '\\']).next().unwrap_or(command).to_ascii_lowercase();
    name == "bouncer" || name == "bouncer.exe"
}
