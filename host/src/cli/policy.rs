//! `bouncer policy`: the example, the schema, whether files are policies, and what they come to.

use super::Failure;
use super::text::shown;
use crate::home::Home;
use crate::pack::Shelf;
use crate::policy::{EXAMPLE, Policy, PolicyError, SCHEMA, Warning, warnings};
use clap::Subcommand;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Debug, Subcommand)]
pub(super) enum PolicyCommand {
    /// Print a commented policy file to start from
    Example,
    /// Print the JSON Schema of the policy file
    Schema,
    /// Show the merged contract of each tool of a server, with the layer of each field
    Show(super::show::ShowArgs),
    /// Check policy files; relative path prefixes are resolved against each file's own folder
    Validate {
        /// TOML, or the older YAML
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
}

pub(super) fn run(command: &PolicyCommand) -> Result<ExitCode, Failure> {
    let mut out = anstream::stdout();
    match command {
        PolicyCommand::Example => write!(out, "{EXAMPLE}")?,
        PolicyCommand::Schema => write!(out, "{SCHEMA}")?,
        PolicyCommand::Show(args) => return super::show::run(args),
        PolicyCommand::Validate { files } => return validate(files),
    }
    Ok(ExitCode::SUCCESS)
}

fn validate(files: &[PathBuf]) -> Result<ExitCode, Failure> {
    let mut out = anstream::stdout();
    let mut bad: Vec<PolicyError> = Vec::new();
    for file in files {
        match Policy::load(file) {
            Ok(policy) => {
                let tools = policy.tools().count();
                let word = if tools == 1 { "tool" } else { "tools" };
                writeln!(out, "{}: valid, {tools} {word}", file.display())?;
                warn(&policy, file)?;
            }
            Err(error) => bad.push(error),
        }
    }
    let texts: Vec<String> = bad.iter().map(|error| Failure::policy(error).text).collect();
    if texts.is_empty() { Ok(ExitCode::SUCCESS) } else { Err(Failure { code: 2, text: texts.join("\n\n") }) }
}

/// What the file says but perhaps does not mean; no reason to refuse it.
fn warn(policy: &Policy, file: &Path) -> Result<(), Failure> {
    let mut err = anstream::stderr();
    // Without them there are more warnings, which is no reason to fail.
    let shelf = Home::locate().ok().and_then(|home| Shelf::load(&home).ok()).unwrap_or_default();
    let installed: Vec<String> = shelf.packs.into_iter().map(|pack| pack.name).collect();
    for Warning { line, column, text } in warnings(policy, &std::fs::read_to_string(file)?, &installed) {
        writeln!(err, "{}:{line}:{column}: warning: {}", file.display(), shown(&text))?;
    }
    Ok(())
}
