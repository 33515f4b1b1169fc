//! `bouncer pack`: for those who install packs, and those who write them. One file for each command.

mod list;

use super::Failure;
use clap::Subcommand;
use std::process::ExitCode;

#[derive(Debug, Subcommand)]
pub(super) enum PackCommand {
    /// Show the packs that are built in and those that are installed, and what each may loosen
    List(list::ListArgs),
}

pub(super) fn run(command: &PackCommand) -> Result<ExitCode, Failure> {
    match command {
        PackCommand::List(args) => list::run(args),
    }
}
