//! Tables as text, one file for each server, one line for each tool: short enough to be read beside the
//! server's own list.
//!
//! ```text
//! # what stands after a # is for people
//! server mcp-server-fetch mcp-fetch
//! sends                   fetch      url=url max_length raw
//! quiet                   list_pages page
//! sends,destroys,evaluate run        command=unknown ~timeout ^/jobs/*/id
//! ```
//!
//! `server` names packages, programs and reported names (`_` for a space in them); a pack for several servers
//! picks its table by them. Then the first word of a line says whether the tool sends (`sends`, `quiet`,
//! `says` for nothing), with what else is known: `destroys`, `keeps` (it loses nothing), `evaluate`,
//! `calls:N`. After the tool's name stand **all** its arguments:
//!
//! | written | meaning |
//! | --- | --- |
//! | `name` | known, and content |
//! | `path=kind` | a destination; `a+b=kind` are one together, joined with `/` |
//! | `~path` | no destination, whatever it looks like |
//! | `>path` | names a file or folder that is written |
//! | `^/place` | a place in the answer that only the user or their organisation can write |
//!
//! As in the other tables, what loosens is said only while the server lists no further argument.

use bouncer_guest::{Contract, Error, Kind, Server, Tool, Value};

/// What a family of servers' tables say of one server's tools. The tables that name the server count; where
/// none does, all do, for what tightens.
///
/// # Errors
/// Where a table cannot be read.
pub fn contracts(tables: &[&'static str], server: &Server, tools: &[Tool]) -> Result<Vec<Contract>, Error> {
    let tables: Vec<Listing> = tables.iter().map(|text| read(text)).collect::<Result<_, _>>()?;
    let own: Vec<&Listing> = tables.iter().filter(|table| table.is_for(server)).collect();
    let known = !own.is_empty();
    let asked: Vec<&Listing> = if known { own } else { tables.iter().collect() };
    let line = |tool: &Tool| asked.iter().find_map(|table| table.line(tool.name()));
    Ok(tools.iter().filter_map(|tool| Some(line(tool)?.contract(tool, known))).collect())
}

/// One table.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing {
    /// Packages, programs and reported names.
    pub servers: Vec<&'static str>,
    /// Its tools.
    pub lines: Vec<Line>,
}

/// One tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Its name.
    pub tool: &'static str,
    /// Whether it sends; `None` says nothing.
    pub sends: Option<bool>,
    /// Whether it can lose something for good; `None` says nothing.
    pub destroys: Option<bool>,
    /// Whether each call is to be evaluated.
    pub evaluate: bool,
    /// Calls per session.
    pub max_calls: Option<u64>,
    /// Destinations: argument paths that are joined, and their kind.
    pub sinks: Vec<(Vec<String>, Kind)>,
    /// Arguments that are no destinations.
    pub harmless: Vec<String>,
    /// Arguments that name a file to be written.
    pub writes: Vec<String>,
    /// Places in the answer that are a directory.
    pub directories: Vec<&'static str>,
    /// Every top-level argument.
    pub arguments: Vec<&'static str>,
}

/// Reads a table.
///
/// # Errors
/// With the number of the line that is none.
pub fn read(text: &'static str) -> Result<Listing, Error> {
    let mut listing = Listing { servers: Vec::new(), lines: Vec::new() };
    for (number, line) in text.lines().enumerate() {
        let mut words = line.split_whitespace().take_while(|word| !word.starts_with('#'));
        match words.next() {
            None => {}
            Some("server") => listing.servers.extend(words),
            Some(stance) => match Line::read(stance, words) {
                Some(line) => listing.lines.push(line),
                None => {
                    return Err(Error::new(format!("table, line {}: `{line}`", number.saturating_add(1))));
                }
            },
        }
    }
    Ok(listing)
}

impl Listing {
    /// The line of a tool.
    #[must_use]
    pub fn line(&self, tool: &str) -> Option<&Line> {
        self.lines.iter().find(|line| line.tool == tool)
    }

    /// Whether the table names this server: as a word of its command line, a folder or file in one, or what
    /// it calls itself. The host has made sure already that the pack is for it.
    #[must_use]
    pub fn is_for(&self, server: &Server) -> bool {
        let reported = server.reported_name.replace(' ', "_");
        self.servers
            .iter()
            .any(|name| *name == reported || server.command.iter().any(|word| names(word, name)))
    }
}

/// `mcp-server-fetch@1`, `/x/node_modules/NAME/index.js`, `NAME.exe`.
fn names(word: &str, name: &str) -> bool {
    word.match_indices(name).any(|(at, _)| {
        let before = word.get(..at).and_then(|text| text.chars().next_back());
        let after = word.get(at.saturating_add(name.len())..).and_then(|text| text.chars().next());
        before.is_none_or(|c| matches!(c, '/' | '\\' | '='))
            && after
                .is_none_or(|c| matches!(c, '/' | '\\' | '@' | '=' | '[' | '<' | '>' | '~' | '!' | ':' | '.'))
    })
}

impl Line {
    fn read(stance: &'static str, mut words: impl Iterator<Item = &'static str>) -> Option<Self> {
        let mut line = Self {
            tool: "",
            sends: None,
            destroys: None,
            evaluate: false,
            max_calls: None,
            sinks: Vec::new(),
            harmless: Vec::new(),
            writes: Vec::new(),
            directories: Vec::new(),
            arguments: Vec::new(),
        };
        for word in stance.split(',') {
            match word {
                "sends" => line.sends = Some(true),
                "quiet" => line.sends = Some(false),
                "says" => line.sends = None,
                "destroys" => line.destroys = Some(true),
                "keeps" => line.destroys = Some(false),
                "evaluate" => line.evaluate = true,
                other => line.max_calls = Some(other.strip_prefix("calls:")?.parse().ok()?),
            }
        }
        line.tool = words.next()?;
        for word in words {
            if let Some(place) = word.strip_prefix('^') {
                line.directories.push(place);
            } else if let Some(path) = word.strip_prefix('~') {
                line.harmless.push(pointer(path));
                line.argument(path);
            } else if let Some(path) = word.strip_prefix('>') {
                line.writes.push(pointer(path));
                line.argument(path);
            } else if let Some((paths, kind)) = word.split_once('=') {
                paths.split('+').for_each(|path| line.argument(path));
                line.sinks.push((paths.split('+').map(pointer).collect(), self::kind(kind)?));
            } else {
                line.argument(word);
            }
        }
        Some(line)
    }

    fn argument(&mut self, path: &'static str) {
        let top = path.split('/').next().unwrap_or_default();
        if !self.arguments.contains(&top) {
            self.arguments.push(top);
        }
    }

    /// The contract of this tool. `loosens` is whether what loosens may be said of this server at all.
    #[must_use]
    pub fn contract(&self, tool: &Tool, loosens: bool) -> Contract {
        let mut contract = Contract::new(self.tool);
        let loosens = loosens
            && tool
                .definition()
                .is_ok_and(|definition| crate::knows_all(&definition, |name| self.arguments.contains(&name)));
        contract = match self.sends {
            Some(true) => contract.exfiltrating(),
            Some(false) if loosens => contract.not_exfiltrating(),
            _ => contract,
        };
        contract = match self.destroys {
            Some(true) => contract.destructive(),
            Some(false) if loosens => contract.not_destructive(),
            _ => contract,
        };
        for (paths, kind) in &self.sinks {
            let join = if paths.len() > 1 { "/" } else { "" };
            contract = contract.joined_sink(paths.iter().map(String::as_str), join, *kind);
        }
        if loosens {
            contract = self.harmless.iter().fold(contract, |contract, path| contract.harmless(path.as_str()));
            contract = self.directories.iter().fold(contract, |contract, place| contract.directory(*place));
        }
        contract = self.writes.iter().fold(contract, |contract, path| contract.write_param(path.as_str()));
        if let Some(calls) = self.max_calls {
            contract = contract.max_calls(calls);
        }
        if self.evaluate { contract.evaluate() } else { contract }
    }
}

fn pointer(path: &str) -> String {
    format!("/{path}")
}

fn kind(word: &str) -> Option<Kind> {
    Some(match word {
        "email" => Kind::Email,
        "url" => Kind::Url,
        "host" => Kind::Host,
        "phone" => Kind::Phone,
        "channel" => Kind::Channel,
        "user" => Kind::User,
        "repository" => Kind::Repository,
        "account" => Kind::Account,
        "path" => Kind::Path,
        "reference" => Kind::Reference,
        "unknown" => Kind::Unknown,
        _ => return None,
    })
}

/// Whether the caller filled an argument: it is neither absent nor null, false or empty.
#[must_use]
pub fn is_filled(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::String(text)) => !text.trim().is_empty(),
        Some(Value::Array(items)) => !items.is_empty(),
        Some(Value::Object(map)) => !map.is_empty(),
        Some(Value::Bool(true) | Value::Number(_)) => true,
    }
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;
