//! `bouncer pack`: for those who install packs, and those who write them. One file for each command.

mod grant;
mod install;
mod list;
mod remove;
mod said;
mod source;

use super::Failure;
use clap::Subcommand;
use std::process::ExitCode;

#[derive(Debug, Subcommand)]
pub(super) enum PackCommand {
    /// Install a pack; it may make verdicts stricter, and loosens nothing until that is granted
    Install(install::InstallArgs),
    /// Show the packs that are built in and those that are installed, and what each may loosen
    List(list::ListArgs),
    /// Let an installed pack loosen what it asks for, after showing it
    Grant(grant::GrantArgs),
    /// Take back what a pack may loosen
    Revoke(grant::RevokeArgs),
    /// Take an installed pack and its grants away
    Remove(remove::RemoveArgs),
}

pub(super) fn run(command: &PackCommand) -> Result<ExitCode, Failure> {
    match command {
        PackCommand::Install(args) => install::run(args),
        PackCommand::List(args) => list::run(args),
        PackCommand::Grant(args) => grant::run(args),
        PackCommand::Revoke(args) => grant::revoke(args),
        PackCommand::Remove(args) => remove::run(args),
    }
}
