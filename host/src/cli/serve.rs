//! `bouncer serve`: hands over to the server that answers questions about Bouncer.

use super::{Failure, settings};
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Default, Args)]
#[command(after_help = "\
A client's entry for it: {\"command\": \"bouncer\", \"args\": [\"serve\"]}. It wraps no server, makes no call and writes no log: that is
`bouncer run`. It stops when the client closes stdin.")]
pub(super) struct ServeArgs {
    /// The user's policy file; otherwise bouncer.toml in Bouncer's folder, if it exists
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
}

pub(super) fn run(args: ServeArgs) -> Result<ExitCode, Failure> {
    crate::serve::run(settings::home()?, args.policy).map_err(Failure::new)?;
    Ok(ExitCode::SUCCESS)
}
