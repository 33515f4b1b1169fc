//! `bouncer pack remove`: takes an installed pack and its grants away.

use super::Failure;
use crate::cli::settings;
use crate::cli::text::shown;
use crate::pack::Change;
use clap::Args;
use std::io::Write;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(in crate::cli) struct RemoveArgs {
    /// The pack
    name: String,
}

pub(super) fn run(args: &RemoveArgs) -> Result<ExitCode, Failure> {
    let home = settings::home()?;
    let mut change = Change::begin(&home)?;
    let Some(pack) = change.shelf().named(&args.name) else {
        return Err(super::grant::unknown(change.shelf(), &args.name));
    };
    let name = pack.name.clone();
    change.remove(&name)?;
    writeln!(
        anstream::stdout(),
        "removed {} and its grants; servers that run already keep it until they are started anew",
        shown(&name)
    )?;
    Ok(ExitCode::SUCCESS)
}
