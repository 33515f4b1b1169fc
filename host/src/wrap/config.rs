//! Reading a client configuration: JSON with comments, `mcpServers` or VS Code's `servers`.

use super::{ORIGINAL, WrapError};
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
    Remote,
    /// Neither; says why.
    Unusable(String),
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

    /// How the real server of an entry is started, wrapped or not.
    pub fn launch(&self, name: &str) -> Result<Launch, WrapError> {
        let reason = match &self.entry(name)?.kind {
            EntryKind::Stdio(launch) | EntryKind::Wrapped(launch) => return Ok(launch.clone()),
            EntryKind::Remote => {
                "it is reached by URL; only servers that are started as a program can be run".to_owned()
            }
            EntryKind::Unusable(reason) => reason.clone(),
        };
        Err(WrapError::Entry { path: self.path.clone(), name: name.to_owned(), reason })
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
    let body = if text.starts_with('\u{feff}') {
        blanked = format!("   {}", text.trim_start_matches('\u{feff}'));
        &blanked
    } else {
        text
    };
    let parsed = parse_to_ast(body, &CollectOptions::default(), &options)
        .map_err(|error| WrapError::Syntax { path: path.to_owned(), reason: error.to_string() })?;
    match &parsed.value {
        Some(Value::Object(root)) => read(root),
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
        return launch(original, object).map_or_else(EntryKind::Unusable, EntryKind::Wrapped);
    }
    if object.get("command").is_some() {
        return launch(object, object).map_or_else(EntryKind::Unusable, EntryKind::Stdio);
    }
    if ["url", "serverUrl", "httpUrl"].iter().any(|key| object.get(key).is_some()) {
        return EntryKind::Remote;
    }
    EntryKind::Unusable("it has neither a `command` nor a `url`".to_owned())
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
    let cwd = entry.get_string("cwd").map(|cwd| cwd.value.clone().into_owned());
    Ok(Launch { command, args, env, cwd })
}
