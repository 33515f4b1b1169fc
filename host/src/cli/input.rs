//! What `check`, `explain` and `policy show` are asked about: a server, its tools, and a call that nobody makes.
//!
//! Resolves the command line's words and files; [`crate::inquiry`] answers.

use super::modules::Modules;
use super::{Failure, settings};
use crate::home::Home;
use crate::inquiry::{Answer, Recorded, Scene, Seen, Supposed, Unanswered};
use crate::judge::Place;
use crate::layer::Layers;
use crate::pack::{Bundle, Grants};
use crate::pins::{Part, ServerKey, store};
use crate::policy::Policy;
use crate::wrap::config::{Config, Server};
use bouncer_core::shown::shell_word;
use bouncer_core::tool::{ServerIdentity, Tool};
use clap::Args;
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

pub(super) fn read_file(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|error| Failure::usage(format!("cannot read `{}`: {error}", path.display())))
}

/// Reads a recorded list of tools.
pub(super) fn recorded(path: &Path) -> Result<Recorded, Failure> {
    let wrong = |what: String| Failure::usage(format!("`{}`: {what}", path.display()));
    Recorded::parse(&read_file(path)?).map_err(wrong)
}

impl Upstream {
    /// Resolves everything as `run` would, for the server that the user calls `server`.
    pub(super) fn scene(&self, server: &str) -> Result<(Scene, Arc<Policy>), Failure> {
        self.scene_with(server, None)
    }

    /// The same as if this pack were installed too, with these grants.
    pub(super) fn scene_with(
        &self,
        server: &str,
        pack: Option<(Bundle, Grants)>,
    ) -> Result<(Scene, Arc<Policy>), Failure> {
        let home = settings::home()?;
        let policy = Arc::new(settings::policy(self.policy.as_deref(), &home)?);
        let recorded = self.tools.as_deref().map(recorded).transpose()?;
        let mut notes = Vec::new();
        let (mut identity, tools) = match recorded {
            Some(recorded) => (recorded.identity, Some(recorded.tools)),
            None => (ServerIdentity::default(), None),
        };
        server.clone_into(&mut identity.name);
        let mut cwd = std::env::current_dir()?;
        if let Some(file) = &self.config {
            match Config::read(file).and_then(|config| config.server(server)).map_err(Failure::usage)? {
                Server::Program(launch) => {
                    if let Some(folder) = launch.cwd.filter(|folder| !folder.contains("${")) {
                        cwd.push(folder);
                    }
                    identity.command = std::iter::once(launch.command).chain(launch.args).collect();
                }
                // As in a run: a server that nobody starts here has no command to choose packs by.
                Server::Remote(_) => identity.command.clear(),
            }
        } else if !self.command.is_empty() {
            identity.command.clone_from(&self.command);
        }
        let told = self.config.is_some() || !self.command.is_empty();
        let tools = match tools {
            Some(tools) => Some(tools),
            None => recorded_tools(&home, server, &mut identity, &cwd, &mut notes)?,
        };
        if let Some(tools) = &tools {
            let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
            notes.extend(policy.strays(server, &names));
        }
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
        let packs = Arc::new(match pack {
            None => Modules::load(&policy, &home)?,
            Some((bundle, granted)) => Modules::load_with(&policy, &home, bundle, granted)?,
        });
        let layers = Layers { policy: Arc::clone(&policy) as _, packs };
        Ok((Scene { identity, tools, layers, place, notes }, policy))
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
        let (mut scene, _) = self.upstream.scene(server)?;
        if scene.tools.is_none() {
            scene.notes.push(format!(
                "no list of tools was given: `{tool}` is judged by its name and the arguments of this call alone; hint: `--tools`"
            ));
        }
        let seen = self.seen.iter().map(|seen| seen_of(seen)).collect::<Result<_, _>>()?;
        let call = Supposed { tool, args, seen, prompts: &self.prompt, attempt: self.attempt };
        scene.answer(call).map_err(|error| match error {
            Unanswered::Args(_) => Failure::usage(error),
            Unanswered::Broken(_) => Failure::new(error),
        })
    }
}

/// One `--seen`.
fn seen_of(seen: &str) -> Result<Seen, Failure> {
    let named = seen.split_once('=').filter(|_| !Path::new(seen).exists());
    let source = named.and_then(|(from, file)| {
        let (server, tool) = from.split_once('/')?;
        (!server.is_empty() && !tool.is_empty()).then_some((server, tool, file))
    });
    let stem = Path::new(seen).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let (server, tool, file) = match source {
        Some((server, tool, file)) => (Some(server.to_owned()), tool.to_owned(), file),
        None => (None, stem.unwrap_or_default(), seen),
    };
    Ok(Seen { server, tool, bytes: read_file(Path::new(file))? })
}
