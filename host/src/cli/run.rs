//! `bouncer run`: resolves which server to launch or reach and by which rules, and hands over to the proxy.

use super::http::{self, HttpArgs};
use super::modules::Modules;
use super::{Failure, settings};
use crate::http::target::Target;
use crate::layer::Layers;
use crate::proxy::RunOptions;
use crate::wrap::config::{Config, Launch, Server};
use clap::Args;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

#[derive(Debug, Args)]
#[command(after_help = "\
The policy file is the one named, otherwise bouncer.toml in Bouncer's folder if it exists. Relative path prefixes in it are
resolved against the policy file's own folder, and `~` is your home folder.")]
pub(super) struct RunArgs {
    /// The client configuration that holds the server's original entry
    #[arg(long, value_name = "FILE", requires = "upstream_name", conflicts_with = "command")]
    config: Option<PathBuf>,
    /// The server's name in the configuration; rules and the log use it
    #[arg(long, value_name = "NAME")]
    upstream_name: Option<String>,
    /// The policy file, TOML or the older YAML
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// The session to share what was seen and approved with
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Seconds that a person has to answer a question; no answer is a no
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    ask_timeout: Option<u64>,
    /// The server's program and its arguments, where no configuration is named
    #[arg(last = true, value_name = "COMMAND", required_unless_present_any = ["config", "url"])]
    command: Vec<OsString>,
    #[command(flatten)]
    http: HttpArgs,
}

pub(super) fn run(args: RunArgs) -> Result<ExitCode, Failure> {
    // stdout is the protocol's alone.
    let filter = tracing_subscriber::EnvFilter::try_from_env("BOUNCER_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn"));
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        // It would be told on stderr, by a panic where that cannot be written either.
        .log_internal_errors(false)
        .with_ansi(false)
        .try_init();

    crate::pack::prepare_builtin();
    let home = settings::home()?;
    let policy = settings::policy(args.policy.as_deref(), &home)?;
    let listen = args.http.listen()?;
    let remote = args.http.remote()?.map(|remote| http::resolve(&remote)).transpose()?;
    let mut options = match (&args.config, &args.upstream_name) {
        (Some(file), Some(name)) => {
            match Config::read(file).and_then(|config| config.server(name)).map_err(Failure::new)? {
                Server::Program(launch) => launched(name, launch, home.audit()),
                Server::Remote(remote) => reached(name, http::resolve(&remote)?, home.audit()),
            }
        }
        (_, name) => match remote {
            Some(target) => {
                reached(&name.clone().unwrap_or_else(|| http::name_of(&target)), target, home.audit())
            }
            None => {
                let stem = args.command.first().map(Path::new).and_then(Path::file_stem);
                let stem =
                    stem.map_or_else(|| "server".to_owned(), |stem| stem.to_string_lossy().into_owned());
                RunOptions::new(&name.clone().unwrap_or(stem), args.command, home.audit())
            }
        },
    };
    options.pins = Some(home.clone());
    options.session = Some(Arc::new(settings::session(args.session.as_deref(), &home)?));
    if let Some(seconds) = args.ask_timeout.or(policy.ask_timeout()) {
        options.ask_timeout = Duration::from_secs(seconds);
    }
    let policy = Arc::new(policy);
    let packs = Arc::new(Modules::load(&policy, &home)?);
    options.layers = Layers { policy, packs };
    Ok(match listen {
        Some(listen) => crate::http::serve::run(options, &listen),
        None => crate::proxy::run(&options),
    })
}

/// A server that an entry starts as a program.
fn launched(name: &str, launch: Launch, audit: PathBuf) -> RunOptions {
    let command = std::iter::once(launch.command).chain(launch.args).map(OsString::from).collect();
    let mut options = RunOptions::new(name, command, audit);
    let env = launch.env.into_iter().filter(|(key, value)| sets(key, value));
    options.env = env.map(|(key, value)| (key.into(), value.into())).collect();
    options.cwd = launch.cwd.as_deref().and_then(folder);
    options
}

/// A remote server.
fn reached(name: &str, target: Target, audit: PathBuf) -> RunOptions {
    let mut options = RunOptions::new(name, Vec::new(), audit);
    options.remote = Some(target);
    options
}

/// Whether a variable of the entry is set here. The client did so already where it is the client that started this; what
/// it may have expanded (`${VAR}`) must not be overwritten with the text that it expanded.
fn sets(key: &str, value: &str) -> bool {
    if value.contains(['$', '%']) { std::env::var_os(key).is_none() && !value.contains("${") } else { true }
}

/// The entry's working directory, where it is for Bouncer to change to it: a client that knows the key did so already,
/// and a relative one must not be entered twice.
fn folder(cwd: &str) -> Option<PathBuf> {
    if cwd.is_empty() || cwd.contains("${") {
        return None;
    }
    let below_home = cwd.strip_prefix('~').and_then(|rest| rest.strip_prefix(crate::paths::SEPARATORS));
    let home = below_home.and_then(|rest| Some(std::env::home_dir()?.join(rest)));
    let path = home.unwrap_or_else(|| PathBuf::from(cwd));
    let inside = path.is_relative() && std::env::current_dir().is_ok_and(|now| now.ends_with(&path));
    (!inside).then_some(path)
}
