//! `bouncer init`: shows what would change in a client configuration, asks, and changes it in place.

use super::{Failure, settings, text};
use crate::policy::Policy;
use crate::wrap::config::{Config, EntryKind};
use crate::wrap::diff;
use crate::wrap::edit::{self, Wrapper};
use crate::wrap::store;
use crate::wrap::undo::{Undo, undo};
use clap::Args;
use std::io::{BufRead, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(super) struct InitArgs {
    /// The client configuration (`mcpServers`, or VS Code's `servers`; comments are kept)
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
    /// Only this server; may be given several times
    #[arg(long, value_name = "NAME")]
    server: Vec<String>,
    /// The policy file that the servers shall run with
    #[arg(long, value_name = "FILE", conflicts_with = "undo")]
    policy: Option<PathBuf>,
    /// Change the file without asking
    #[arg(long)]
    yes: bool,
    /// Only show what would change
    #[arg(long)]
    dry_run: bool,
    /// Launch the original servers again
    #[arg(long)]
    undo: bool,
}

pub(super) fn run(args: &InitArgs) -> Result<ExitCode, Failure> {
    let config = Config::read(&args.config).map_err(Failure::new)?;
    let home = settings::home()?;
    let backup = store::backup_of(&home.backups(), &args.config);
    let mut out = anstream::stdout();
    if args.undo {
        let (text, note) = match undo(&config, &backup, &args.server).map_err(Failure::new)? {
            Undo::Nothing => {
                writeln!(out, "nothing in `{}` is launched through Bouncer", args.config.display())?;
                return Ok(ExitCode::SUCCESS);
            }
            Undo::Restored(text) => (text, "restored byte for byte".to_owned()),
            Undo::Unwrapped { text, names } => (
                text,
                if args.server.is_empty() {
                    format!("the file was changed since; given their own launch back: {}", names.join(", "))
                } else {
                    format!("given their own launch back: {}", names.join(", "))
                },
            ),
        };
        if apply(args, &config, &text, || Ok(()))? {
            if args.server.is_empty() {
                store::drop_backup(&backup);
            }
            writeln!(out, "{note}: `{}`", args.config.display())?;
        }
        return Ok(ExitCode::SUCCESS);
    }

    let names = chosen(args, &config)?;
    if let Some(policy) = &args.policy {
        Policy::load(policy).map_err(|error| Failure::policy(&error))?;
    }
    let wrapper = Wrapper {
        program: settings::absolute(&std::env::current_exe()?)?,
        config: settings::absolute(&args.config)?,
        policy: args.policy.as_deref().map(settings::absolute).transpose()?,
    };
    let text = edit::wrap(&config, &names, &wrapper).map_err(Failure::new)?;
    if text == config.text {
        writeln!(out, "nothing to change in `{}`", args.config.display())?;
        return Ok(ExitCode::SUCCESS);
    }
    let keep = || store::keep(&backup, &config.text, &text).map_err(Failure::new);
    if apply(args, &config, &text, keep)? {
        writeln!(out, "wrapped {} in `{}`", names.join(", "), args.config.display())?;
        writeln!(out, "the file as it was: `{}`", backup.display())?;
        writeln!(
            out,
            "restart the client; `bouncer init --undo --config {}` takes it back",
            args.config.display()
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The servers to wrap: those named, otherwise all that can be.
fn chosen(args: &InitArgs, config: &Config) -> Result<Vec<String>, Failure> {
    for name in &args.server {
        config.server(name).map_err(Failure::new)?;
    }
    let mut names = Vec::new();
    for entry in &config.entries {
        if !args.server.is_empty() && !args.server.contains(&entry.name) {
            continue;
        }
        match &entry.kind {
            EntryKind::Stdio(_) | EntryKind::Wrapped(_) => names.push(entry.name.clone()),
            EntryKind::WrappedRemote(_) => names.push(entry.name.clone()),
            EntryKind::Remote(remote) => {
                names.push(entry.name.clone());
                if remote.headers.is_empty() {
                    writeln!(
                        anstream::stderr(),
                        "note: server `{}` is reached by URL and its entry has no headers: if your client signs in to it by itself \
                         (OAuth), it no longer will; put the `Authorization` header into the entry, or leave this one out (`--server`)",
                        entry.name
                    )?;
                }
            }
            EntryKind::Unusable(reason) => {
                writeln!(anstream::stderr(), "note: server `{}` is left as it is: {reason}", entry.name)?;
            }
        }
    }
    Ok(names)
}

/// Shows the change and writes it where the user agrees. Whether it was written.
fn apply(
    args: &InitArgs,
    config: &Config,
    new: &str,
    before: impl FnOnce() -> Result<(), Failure>,
) -> Result<bool, Failure> {
    let mut out = anstream::stdout();
    write!(out, "{}", diff::unified(&args.config, &config.text, new, text::colour_on_stdout()))?;
    if args.dry_run {
        writeln!(out, "nothing was written (--dry-run)")?;
        return Ok(false);
    }
    if !args.yes {
        if !std::io::stdin().is_terminal() {
            return Err(Failure::usage(
                "nobody to ask whether to write this\nhint: pass --yes, or --dry-run to look only",
            ));
        }
        write!(out, "write this? [y/N] ")?;
        out.flush()?;
        let mut answer = String::new();
        std::io::stdin().lock().read_line(&mut answer)?;
        if !matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes") {
            writeln!(out, "nothing was written")?;
            return Ok(false);
        }
    }
    before()?;
    store::replace(&args.config, &config.text, new).map_err(Failure::new)?;
    Ok(true)
}
