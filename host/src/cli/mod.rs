//! The command line: one file for each command, settings resolved once, exit codes in one place.

mod advice;
mod audit;
mod check;
mod classify;
mod consent;
mod explain;
mod hook;
mod http;
mod init;
mod input;
pub(crate) mod modules;
mod pack;
mod pins;
mod policy;
mod report;
mod run;
mod serve;
mod settings;
pub(crate) mod show;
pub(crate) mod text;

use clap::{CommandFactory, Parser, Subcommand};
use std::fmt::Display;
use std::io::{IsTerminal as _, Write};
use std::process::ExitCode;

/// A local MCP proxy that decides on each tool call whether this destination may receive this value.
#[derive(Debug, Parser)]
#[command(name = "bouncer", version, after_help = EXITS)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

const EXITS: &str = "\
Exit codes: 0 success; 1 the command failed; 2 the command line or a policy file is wrong.
`bouncer check` ends with 0 for allow, 10 for ask, 11 for deny.
`bouncer run` ends with the server's own code, 126 or 127 where it could not be started or found.
Bouncer keeps its files in $BOUNCER_HOME, or ~/.bouncer.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Launch or reach a server behind Bouncer, and speak MCP over stdio or HTTP
    Run(run::RunArgs),
    /// Answer an MCP client's questions about verdicts and policies on stdin and stdout
    Serve(serve::ServeArgs),
    /// Make a client launch its servers through Bouncer, or undo that
    Init(init::InitArgs),
    /// See it work: a mail server with a poisoned message, behind the real proxy, with no set-up
    Demo,
    /// The demo's mail server, which the demo launches itself
    #[command(hide = true)]
    DemoUpstream,
    /// Say what would become of a call, without making it
    Check(check::CheckArgs),
    /// Say why a call, or a line of the log, comes out as it does, and what would change that
    Explain(explain::ExplainArgs),
    /// Print what is known of recorded tools, as JSON lines
    Classify(classify::ClassifyArgs),
    /// For a client's hooks: hand over what the client knows
    #[command(subcommand)]
    Hook(hook::HookCommand),
    /// Look at what is recorded of each server, and accept what it changed
    #[command(subcommand)]
    Pins(pins::PinsCommand),
    /// Write policy packs, install them, look at them, and say what they may loosen
    #[command(subcommand)]
    Pack(pack::PackCommand),
    /// Print, check or explain policy files
    #[command(subcommand)]
    Policy(policy::PolicyCommand),
    /// Read the log of verdicts
    #[command(subcommand)]
    Audit(audit::AuditCommand),
}

/// Why a command ends without success.
pub(crate) struct Failure {
    code: u8,
    text: String,
}

impl Failure {
    /// The command failed.
    pub(crate) fn new(error: impl Display) -> Self {
        Self { code: 1, text: format!("error: {error}") }
    }

    /// The command line or a policy file is wrong.
    pub(crate) fn usage(error: impl Display) -> Self {
        Self { code: 2, text: format!("error: {error}") }
    }

    /// What a policy file says is wrong; the drawing says so itself.
    pub(crate) fn policy(error: &crate::policy::PolicyError) -> Self {
        match error {
            crate::policy::PolicyError::Malformed(malformed) => {
                Self { code: 2, text: malformed.draw(text::colour_on_stderr()) }
            }
            other => Self::usage(other),
        }
    }
}

/// A file of installed packs cannot be used.
impl From<crate::pack::TableError> for Failure {
    fn from(error: crate::pack::TableError) -> Self {
        match error {
            crate::pack::TableError::Malformed(malformed) => {
                Self { code: 2, text: malformed.draw(text::colour_on_stderr()) }
            }
            crate::pack::TableError::Disk(error) => Self::new(error),
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            // Whoever read our output has seen enough (`| head`).
            return Self { code: 0, text: String::new() };
        }
        Self::new(error)
    }
}

/// Runs the command line of this process.
#[must_use]
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let outcome = match cli.command {
        Some(Command::Run(args)) => run::run(args),
        Some(Command::Serve(args)) => serve::run(args),
        Some(Command::Init(args)) => init::run(&args),
        Some(Command::Demo) => Ok(crate::demo::run()),
        Some(Command::DemoUpstream) => Ok(crate::demo::upstream()),
        Some(Command::Check(args)) => check::run(&args),
        Some(Command::Explain(args)) => explain::run(&args),
        Some(Command::Classify(args)) => classify::run(&args),
        Some(Command::Hook(command)) => hook::run(&command),
        Some(Command::Pins(command)) => pins::run(&command),
        Some(Command::Pack(command)) => pack::run(&command),
        Some(Command::Policy(command)) => policy::run(&command),
        Some(Command::Audit(command)) => audit::run(&command),
        // Launched by a client: stdin and stdout are a protocol.
        None if !std::io::stdin().is_terminal() => serve::run(serve::ServeArgs::default()),
        None => {
            let help = Cli::command().render_long_help();
            write!(anstream::stdout(), "{}", help).map(|()| ExitCode::SUCCESS).map_err(Failure::from)
        }
    };
    match outcome {
        Ok(code) => code,
        Err(failure) => {
            if !failure.text.is_empty() {
                let _ = writeln!(anstream::stderr(), "{}", failure.text);
            }
            ExitCode::from(failure.code)
        }
    }
}
