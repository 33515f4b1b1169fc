//! `bouncer pins`: what is recorded of each server, what it says otherwise since, and a person's word on it.

mod json;
mod show;

pub(super) use show::launch;

use super::consent::agreed;
use super::{Failure, settings, text};
use crate::home::Home;
use crate::pins::review::{Difference, accept, differences};
use crate::pins::store::{self, Entry};
use crate::pins::{Part, ServerKey};
use bouncer_core::shown::shell_word;
use clap::{Args, Subcommand};
use std::io::Write;
use std::process::ExitCode;

#[derive(Debug, Subcommand)]
pub(super) enum PinsCommand {
    /// Show which servers are recorded, what looks odd in their texts, and what waits to be accepted
    List(Which),
    /// Show what servers say otherwise than recorded; what cannot be seen is written out
    Diff(Which),
    /// Take what a server says now into the record, after showing it
    Accept(AcceptArgs),
    /// Forget a server; what it says at its next start is recorded anew, without comparison
    Reset(ResetArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "\
A server is recorded under its name in the client's configuration together with its command line (or URL): \
another command is another server. `list` shows the id of each record, which may be given instead of the name.")]
pub(super) struct Which {
    /// Only this server: its name, or the id of a record
    server: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
A running session takes it in at its next call or list; nothing needs to be restarted. Where the server says \
something else by the time of your yes, nothing is accepted. What a server lists no more stays recorded unless it is \
named or --removed is given: it cannot be called meanwhile, and is compared if it comes back.")]
pub(super) struct AcceptArgs {
    /// The server: its name, or the id of a record
    server: String,
    /// Only these: names of tools and prompts, URI templates, `instructions`
    #[arg(value_name = "TOOL")]
    only: Vec<String>,
    /// Also forget what is not listed any more
    #[arg(long)]
    removed: bool,
    /// Accept without asking
    #[arg(long)]
    yes: bool,
}

#[derive(Debug, Args)]
pub(super) struct ResetArgs {
    /// The server: its name, or the id of a record, damaged ones too
    server: String,
    /// Forget without asking
    #[arg(long)]
    yes: bool,
}

pub(super) fn run(command: &PinsCommand) -> Result<ExitCode, Failure> {
    let home = settings::home()?;
    match command {
        PinsCommand::List(which) => list(&home, which),
        PinsCommand::Diff(which) => diff(&home, which),
        PinsCommand::Accept(args) => accept_some(&home, args),
        PinsCommand::Reset(args) => reset(&home, args),
    }
}

/// The records that `server` means: those of that name, otherwise that of that id; all without one.
fn chosen(home: &Home, server: Option<&str>) -> Result<Vec<Entry>, Failure> {
    let all = store::all(home).map_err(Failure::new)?;
    let Some(server) = server else { return Ok(all) };
    let is_named = |entry: &Entry| match &entry.record {
        Ok(record) => record.key.name() == server,
        Err(_) => ServerKey::may_be(server, &entry.id),
    };
    let is_meant =
        |entry: &Entry| if all.iter().any(is_named) { is_named(entry) } else { entry.id == server };
    let meant: Vec<bool> = all.iter().map(is_meant).collect();
    let found: Vec<Entry> = all.into_iter().zip(meant).filter(|(_, meant)| *meant).map(|(e, _)| e).collect();
    if found.is_empty() {
        let names = store::servers(home).map_err(Failure::new)?;
        let names: Vec<String> = names.iter().map(|name| format!("`{}`", text::shown(name))).collect();
        let known = if names.is_empty() { "none yet".to_owned() } else { names.join(", ") };
        return Err(Failure::new(format!(
            "nothing is recorded of a server `{}`\nhint: recorded: {known}",
            text::shown(server)
        )));
    }
    Ok(found)
}

fn list(home: &Home, which: &Which) -> Result<ExitCode, Failure> {
    let entries = chosen(home, which.server.as_deref())?;
    let mut out = anstream::stdout();
    if which.json {
        writeln!(out, "{}", json::list(&entries))?;
        return Ok(ExitCode::SUCCESS);
    }
    if entries.is_empty() {
        writeln!(out, "no server is recorded yet; that happens when one is first started by `bouncer run`")?;
    }
    for entry in &entries {
        show::entry(&mut out, entry)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn diff(home: &Home, which: &Which) -> Result<ExitCode, Failure> {
    let entries = chosen(home, which.server.as_deref())?;
    let mut out = anstream::stdout();
    if which.json {
        writeln!(out, "{}", json::diff(&entries))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut shown = false;
    for entry in &entries {
        match &entry.record {
            Err(_) => show::entry(&mut out, entry)?,
            Ok(record) if record.is_settled() => continue,
            Ok(record) => {
                show::heading(&mut out, entry, record)?;
                show::differences(&mut out, &differences(record))?;
                let name = shell_word(record.key.name(), 80);
                writeln!(
                    out,
                    "nothing of this is in force; `bouncer pins accept {name}` takes it into the record"
                )?;
            }
        }
        shown = true;
    }
    if !shown {
        writeln!(out, "every definition is as recorded, as far as the servers have been started since")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn accept_some(home: &Home, args: &AcceptArgs) -> Result<ExitCode, Failure> {
    let entries = chosen(home, Some(&args.server))?;
    let mut out = anstream::stdout();
    let mut waiting = Vec::new();
    let mut missing: Vec<&String> = args.only.iter().collect();
    for entry in &entries {
        let record = entry.record.as_ref().map_err(Failure::new)?;
        let mut differences = differences(record);
        missing.retain(|name| !differences.iter().any(|one| is_called(one, name)));
        differences.retain(|one| {
            let named = args.only.iter().any(|name| is_called(one, name));
            named || (args.only.is_empty() && (one.listed.is_some() || args.removed))
        });
        if !differences.is_empty() {
            waiting.push((entry, record, differences));
        }
    }
    if !missing.is_empty() {
        let names: Vec<String> = missing.iter().map(|name| format!("`{}`", text::shown(name))).collect();
        return Err(Failure::new(format!(
            "nothing called {} waits to be accepted\nhint: `bouncer pins diff {}`",
            names.join(", "),
            shell_word(&args.server, 80)
        )));
    }
    if waiting.is_empty() {
        writeln!(out, "nothing of `{}` waits to be accepted", text::shown(&args.server))?;
        return Ok(ExitCode::SUCCESS);
    }
    for (entry, record, differences) in &waiting {
        show::heading(&mut out, entry, record)?;
        show::differences(&mut out, differences)?;
    }
    if !args.yes && !agreed(&mut out, "accept this?")? {
        writeln!(out, "nothing was accepted")?;
        return Ok(ExitCode::SUCCESS);
    }
    for (_, record, differences) in &waiting {
        accept(home, &record.key, differences).map_err(Failure::new)?;
        let count = differences.len();
        let word = if count == 1 { "change" } else { "changes" };
        writeln!(out, "accepted {count} {word} of `{}`", text::shown(record.key.name()))?;
    }
    writeln!(out, "a running session takes it in at its next call or list")?;
    Ok(ExitCode::SUCCESS)
}

fn reset(home: &Home, args: &ResetArgs) -> Result<ExitCode, Failure> {
    let entries = chosen(home, Some(&args.server))?;
    let mut out = anstream::stdout();
    for entry in &entries {
        show::entry(&mut out, entry)?;
    }
    if !args.yes && !agreed(&mut out, "forget this, and trust the server anew at its next start?")? {
        writeln!(out, "nothing was forgotten")?;
        return Ok(ExitCode::SUCCESS);
    }
    for entry in &entries {
        if store::forget(home, &entry.id).map_err(Failure::new)? {
            writeln!(out, "forgot `{}`", entry.id)?;
        }
    }
    writeln!(out, "restart the client: the server's next start is recorded as a first sight")?;
    Ok(ExitCode::SUCCESS)
}

fn is_called(one: &Difference, name: &str) -> bool {
    if one.part == Part::Instructions { name == "instructions" } else { one.name == name }
}
