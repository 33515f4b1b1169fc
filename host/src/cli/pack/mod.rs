//! `bouncer pack`: for those who install packs, and those who write them. One file for each command.

mod check;
mod find;
mod grant;
mod inspect;
mod install;
mod list;
mod locked;
mod remove;
mod said;
mod signed;
mod source;
mod update;

use super::Failure;
use clap::Subcommand;
use std::process::ExitCode;

#[derive(Debug, Subcommand)]
pub(super) enum PackCommand {
    /// Say everything that a host would refuse in a pack, and why
    Check(check::CheckArgs),
    /// Show what a pack is, what it wants to loosen, and the contract of each tool that results
    Inspect(inspect::InspectArgs),
    /// Install a pack; it may make verdicts stricter, and loosens nothing until that is granted
    Install(install::InstallArgs),
    /// Show the packs that are built in and those that are installed, and what each may loosen
    List(list::ListArgs),
    /// Let an installed pack loosen what it asks for, after showing it
    Grant(grant::GrantArgs),
    /// Take back what a pack may loosen
    Revoke(grant::RevokeArgs),
    /// Replace an installed pack, showing what changes in its contracts; grants are to be given anew
    Update(update::UpdateArgs),
    /// Take an installed pack and its grants away
    Remove(remove::RemoveArgs),
}

pub(super) fn run(command: &PackCommand) -> Result<ExitCode, Failure> {
    match command {
        PackCommand::Check(args) => check::run(args),
        PackCommand::Inspect(args) => inspect::run(args),
        PackCommand::Install(args) => install::run(args),
        PackCommand::List(args) => list::run(args),
        PackCommand::Grant(args) => grant::run(args),
        PackCommand::Revoke(args) => grant::revoke(args),
        PackCommand::Update(args) => update::run(args),
        PackCommand::Remove(args) => remove::run(args),
    }
}
