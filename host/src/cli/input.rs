//! What `check`, `explain` and `policy show` are asked about: a server, its tools, and a call that nobody makes.
//!
//! The call goes through the scanner and the judge that `run` uses, in a session that exists in memory only. Nothing is
//! forwarded, logged or remembered.

use super::modules::Modules;
use super::{Failure, settings};
use crate::home::Home;
use crate::json::quoted;
use crate::judge::{Before, Judge, Place};
use crate::layer::Layers;
use crate::pins::{Part, ServerKey, store};
use crate::policy::Policy;
use crate::proxy::heard;
use crate::session::{Piece, Session};
use crate::wrap::config::Config;
use bouncer_core::line::server::{Kind, look};
use bouncer_core::line::{ClientLine, Limits, scan};
use bouncer_core::provenance::Source;
use bouncer_core::ruling::Ruling;
use bouncer_core::shown::shell_word;
use bouncer_core::tool::{ServerIdentity, Tool};
use bouncer_core::value::{MAX_DEPTH, Value};
use bouncer_core::verdict::Verdict;
use clap::Args;
use serde_json::value::RawValue;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Which server is meant, and by which rules.
#[derive(Debug, Args)]
pub(super) struct Upstream {
    /// The server's name in the client's configuration; rules are looked up by it
    #[arg(long, value_name = "NAME")]
    pub(super) server: Option<String>,
    /// Its tools: a `tools/list` result or answer, or a recorded list with a member `tools`
    #[arg(long, value_name = "FILE")]
    pub(super) tools: Option<PathBuf>,
    /// The policy file; otherwise bouncer.toml in Bouncer's folder, if it exists
    #[arg(long, value_name = "FILE")]
    pub(super) policy: Option<PathBuf>,
    /// The client configuration that says how the server is started: packs are chosen by that
    #[arg(long, value_name = "FILE", conflicts_with = "command")]
    pub(super) config: Option<PathBuf>,
    /// How the server is started, instead of `--config`; takes the rest of the line
    #[arg(long, value_name = "WORDS", num_args = 1.., allow_hyphen_values = true)]
    pub(super) command: Vec<String>,
}

/// A call that nobody makes, and what the session shall have seen before it.
#[derive(Debug, Args)]
pub(super) struct Asked {
    /// The tool
    #[arg(long, value_name = "NAME")]
    pub(super) tool: Option<String>,
    /// Its arguments: a JSON object, or @FILE
    #[arg(long, value_name = "JSON|@FILE")]
    pub(super) args: Option<String>,
    /// An output that the session shall have seen: FILE, as one of a tool of this server's that is named like the file,
    /// or SERVER/TOOL=FILE; may be given several times
    #[arg(long, value_name = "FILE")]
    pub(super) seen: Vec<String>,
    /// Words of the user's own
    #[arg(long, value_name = "TEXT")]
    pub(super) prompt: Vec<String>,
    /// Which attempt in the session this is, for budgets
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) attempt: Option<u64>,
    #[command(flatten)]
    pub(super) upstream: Upstream,
    /// Print one JSON object
    #[arg(long)]
    pub(super) json: bool,
}

/// What would become of the call.
pub(super) struct Answer {
    pub(super) server: String,
    pub(super) tool: String,
    /// As the proxy acts on it: an ask that no answer helps is a deny.
    pub(super) verdict: Verdict,
    pub(super) contract: String,
    pub(super) reason: String,
    /// `None` where the call was refused before any contract looked at it.
    pub(super) ruling: Option<Ruling>,
    /// What the answer was given without.
    pub(super) notes: Vec<String>,
}

/// A server's tools as a file holds them, with what the file says of the server.
#[derive(Debug, Default)]
pub(super) struct Recorded {
    pub(super) server: String,
    pub(super) identity: ServerIdentity,
    pub(super) tools: Vec<Tool>,
}

/// A server with its rules, ready to be judged for.
pub(super) struct Scene {
    pub(super) identity: ServerIdentity,
    /// `None` where no list was given.
    pub(super) tools: Option<Vec<Tool>>,
    pub(super) policy: Arc<Policy>,
    pub(super) layers: Layers,
    pub(super) place: Place,
    pub(super) notes: Vec<String>,
}

pub(super) fn read_file(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|error| Failure::usage(format!("cannot read `{}`: {error}", path.display())))
}

impl Recorded {
    /// Reads a file. As in a run, it must be readable in one way only, and a definition without a name is no tool.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let wrong = |what: String| Failure::usage(format!("`{}`: {what}", path.display()));
        let list = Value::parse(read_file(path)?.trim_ascii(), MAX_DEPTH)
            .map_err(|error| wrong(format!("not a list of tools: {error}")))?;
        let holder = list.get("result").unwrap_or(&list);
        let tools = holder.get("tools").unwrap_or(holder).as_array().ok_or_else(|| {
            wrong("not a list of tools\nhint: a `tools/list` result, as in {\"tools\": [...]}".to_owned())
        })?;
        let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
        let info = list.get("initialize").unwrap_or(holder).get("serverInfo");
        // Only which package it is matters, not which launcher starts it.
        let package = text(list.get("package"));
        let words = ["npx", "-y", package.as_str()];
        let command = if package.is_empty() { Vec::new() } else { words.map(str::to_owned).to_vec() };
        let server = text(list.get("server"));
        Ok(Self {
            identity: ServerIdentity {
                name: server.clone(),
                reported_name: text(info.and_then(|info| info.get("name"))),
                reported_version: text(info.and_then(|info| info.get("version"))),
                command,
            },
            server,
            tools: tools.iter().filter_map(|tool| Tool::from_definition(tool.clone())).collect(),
        })
    }
}

impl Upstream {
    /// Resolves everything as `run` would, for the server that the user calls `server`.
    pub(super) fn scene(&self, server: &str) -> Result<Scene, Failure> {
        let home = settings::home()?;
        let policy = Arc::new(settings::policy(self.policy.as_deref(), &home)?);
        let recorded = self.tools.as_deref().map(Recorded::read).transpose()?;
        let mut notes = Vec::new();
        let (mut identity, tools) = match recorded {
            Some(recorded) => (recorded.identity, Some(recorded.tools)),
            None => (ServerIdentity::default(), None),
        };
        server.clone_into(&mut identity.name);
        let mut cwd = std::env::current_dir()?;
        if let Some(file) = &self.config {
            let launch =
                Config::read(file).and_then(|config| config.launch(server)).map_err(Failure::usage)?;
            if let Some(folder) = launch.cwd.filter(|folder| !folder.contains("${")) {
                cwd.push(folder);
            }
            identity.command = std::iter::once(launch.command).chain(launch.args).collect();
        } else if !self.command.is_empty() {
            identity.command.clone_from(&self.command);
        }
        let told = self.config.is_some() || !self.command.is_empty();
        let tools = match tools {
            Some(tools) => Some(tools),
            None => recorded_tools(&home, server, &mut identity, &cwd, &mut notes)?,
        };
        if told {
            // The user's own word.
        } else if !identity.command.is_empty() {
            let key = ServerKey::command(server, &identity.command, Path::new("/"));
            notes.push(format!("taken to be started as `{}`", super::pins::launch(&key)));
        } else {
            notes.push(
                "how the server is started was not said, so that packs are chosen by its own name at most; hint: `--config` or `--command`"
                    .to_owned(),
            );
        }
        let place = Place {
            cwd,
            args: identity.command.iter().skip(1).cloned().collect(),
            home: std::env::home_dir().filter(|home| !home.as_os_str().is_empty()),
        };
        let packs = Arc::new(Modules::load(&policy, &home)?);
        let layers = Layers { policy: Arc::clone(&policy) as _, packs };
        Ok(Scene { identity, tools, policy, layers, place, notes })
    }
}

/// The tools that `bouncer run` recorded of the server, where it did: of the command in `identity`, otherwise of the one
/// that was used last, which is put there.
fn recorded_tools(
    home: &Home,
    server: &str,
    identity: &mut ServerIdentity,
    cwd: &Path,
    notes: &mut Vec<String>,
) -> Result<Option<Vec<Tool>>, Failure> {
    let record = if identity.command.is_empty() {
        store::recorded(home, server)
    } else {
        store::load(home, &ServerKey::command(server, &identity.command, cwd))
    };
    let Some(record) = record.map_err(Failure::new)?.filter(|record| record.knows(Part::Tools)) else {
        return Ok(None);
    };
    let command = std::mem::take(&mut identity.command);
    *identity = record.identity();
    if !command.is_empty() {
        identity.command = command;
    }
    let (at, word) = (&record.first_seen, shell_word(server, 80));
    notes.push(format!("its tools are those recorded since {at}; hint: `bouncer pins list {word}`"));
    if record.pending(Part::Tools).next().is_some() {
        notes.push(format!(
            "it lists some tools otherwise by now, and calls of those are refused; hint: `bouncer pins diff {word}`"
        ));
    }
    Ok(Some(record.tools()))
}

impl Asked {
    /// Judges the call that the command line describes.
    pub(super) fn answer(&self) -> Result<Answer, Failure> {
        let needed = |what: &Option<String>, flag: &str| {
            what.clone().ok_or_else(|| Failure::usage(format!("`{flag}` is missing\nhint: see --help")))
        };
        let (tool, server) = (needed(&self.tool, "--tool")?, needed(&self.upstream.server, "--server")?);
        let args = match self.args.as_deref() {
            None => "{}".to_owned(),
            Some(text) => match text.strip_prefix('@') {
                None => text.to_owned(),
                Some(file) => String::from_utf8(read_file(Path::new(file))?)
                    .map_err(|_| Failure::usage(format!("`{file}` is not UTF-8")))?,
            },
        };
        self.judge(&server, &tool, &args)
    }

    /// Judges a call of `tool` on `server` with the arguments `args`, in a session that has seen what was given.
    pub(super) fn judge(&self, server: &str, tool: &str, args: &str) -> Result<Answer, Failure> {
        // One JSON value and nothing behind it; what else may be wrong with it is the scanner's to say.
        let args = serde_json::from_str::<&RawValue>(args)
            .map_err(|error| Failure::usage(format!("the arguments are not JSON: {error}")))?
            .get();
        let mut scene = self.upstream.scene(server)?;
        let mut notes = std::mem::take(&mut scene.notes);
        let tools = match scene.tools.take() {
            Some(tools) => {
                notes.extend(unlisted(&tools, tool));
                tools
            }
            None => {
                notes.push(format!(
                    "no list of tools was given: `{tool}` is judged by its name and the arguments of this call alone; hint: `--tools`"
                ));
                synthesised(tool, args).into_iter().collect()
            }
        };
        let session = Arc::new(Session::new("check".to_owned()));
        let judge = Judge::new(server, scene.layers, session, scene.place);
        judge.set_tools(&scene.identity, tools);
        for seen in &self.seen {
            record(&judge, seen)?;
        }
        for prompt in &self.prompt {
            judge.session().prompt(prompt).map_err(Failure::new)?;
        }
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":{},"arguments":{args}}}}}"#,
            quoted(tool)
        );
        let mut answer = Answer {
            server: server.to_owned(),
            tool: tool.to_owned(),
            verdict: Verdict::Deny,
            contract: "line".to_owned(),
            reason: String::new(),
            ruling: None,
            notes,
        };
        let before = Before { attempt: self.attempt, ..Before::default() };
        match scan(line.into_bytes(), &Limits::default()) {
            Ok(ClientLine::Call(call)) => match judge.judge(call, &before) {
                Ok(verdicted) => answer.take(verdicted.judged.ruling().clone()),
                Err(fault) => {
                    "default".clone_into(&mut answer.contract);
                    answer.reason = fault.to_string();
                }
            },
            Ok(_) => "line refused: it is not a call".clone_into(&mut answer.reason),
            Err(refusal) => answer.reason = format!("line refused ({}): {}", refusal.rule, refusal.text),
        }
        Ok(answer)
    }
}

impl Answer {
    fn take(&mut self, ruling: Ruling) {
        self.verdict = ruling.verdict;
        self.contract = ruling.contract.as_str().to_owned();
        self.reason.clone_from(&ruling.reason);
        if ruling.verdict == Verdict::Ask && ruling.questions.is_empty() {
            self.verdict = Verdict::Deny;
            self.notes.push("no answer of a human could allow this, so nobody is asked".to_owned());
        } else if ruling.questions.len() > crate::proxy::MOST_QUESTIONS {
            self.verdict = Verdict::Deny;
            self.reason = format!(
                "{}; {} questions at once are too many for a human",
                ruling.reason,
                ruling.questions.len()
            );
        } else if ruling.verdict == Verdict::Ask {
            self.notes.push("where the client cannot show a question, an ask is a deny".to_owned());
        }
        self.ruling = Some(ruling);
    }
}

/// A tool of which only one call is known.
fn synthesised(tool: &str, args: &str) -> Option<Tool> {
    let members = Value::parse_lenient(args.as_bytes(), MAX_DEPTH).ok();
    let members = members.as_ref().and_then(Value::as_object).unwrap_or_default();
    let properties = members.iter().map(|(name, value)| {
        let kind = match value {
            Value::String(_) => Some("string"),
            Value::Number(_) => Some("number"),
            Value::Bool(_) => Some("boolean"),
            Value::Array(_) => Some("array"),
            Value::Object(_) => Some("object"),
            Value::Null => None,
        };
        let kind = kind.map(|kind| ("type".to_owned(), Value::String(kind.to_owned())));
        (name.clone(), Value::Object(kind.into_iter().collect()))
    });
    let schema = Value::Object(vec![
        ("type".to_owned(), Value::String("object".to_owned())),
        ("properties".to_owned(), Value::Object(properties.collect())),
    ]);
    Tool::from_definition(Value::Object(vec![
        ("name".to_owned(), Value::String(tool.to_owned())),
        ("inputSchema".to_owned(), schema),
    ]))
}

fn unlisted(tools: &[Tool], tool: &str) -> Option<String> {
    if tools.iter().any(|listed| listed.name == tool) {
        return None;
    }
    let alike = |listed: &&Tool| strsim::damerau_levenshtein(&listed.name, tool) <= 3;
    let near = tools.iter().filter(alike).min_by_key(|t| strsim::damerau_levenshtein(&t.name, tool));
    Some(match near {
        Some(near) => format!("`{tool}` is not in the list of tools; hint: did you mean `{}`?", near.name),
        None => format!("`{tool}` is not in the list of tools"),
    })
}

/// Records one `--seen`.
fn record(judge: &Judge, seen: &str) -> Result<(), Failure> {
    let named = seen.split_once('=').filter(|_| !Path::new(seen).exists());
    let source = named.and_then(|(from, file)| {
        let (server, tool) = from.split_once('/')?;
        (!server.is_empty() && !tool.is_empty()).then_some((server, tool, file))
    });
    let stem = Path::new(seen).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let stem = stem.unwrap_or_default();
    let (server, tool, file) = source.unwrap_or((judge.server(), &stem, seen));
    let bytes = read_file(Path::new(file))?;
    let directories = if server == judge.server() { judge.directories(tool) } else { Vec::new() };
    let source = Source { server: server.to_owned(), tool: tool.to_owned() };
    judge.session().record(&source, &pieces(&bytes), &directories);
    Ok(())
}

/// The pieces of an answer, of its result alone, or of what a tool wrote as text.
fn pieces(bytes: &[u8]) -> Vec<Piece> {
    let text = String::from_utf8_lossy(bytes).trim().to_owned();
    // Line breaks of a JSON text stand between its tokens.
    let line = text.replace(['\r', '\n'], " ");
    let answer = look(line.as_bytes());
    if answer.kind == Kind::Response && !answer.is_odd() {
        return heard::answer(&answer, "tools/call");
    }
    let result = answer.whole().is_some_and(|value| {
        value.get("content").and_then(Value::as_array).is_some() || value.get("structuredContent").is_some()
    });
    if result {
        let line = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{line}}}"#);
        return heard::answer(&look(line.as_bytes()), "tools/call");
    }
    vec![Piece::Text(text)]
}
