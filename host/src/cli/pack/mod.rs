//! `bouncer pack`: for those who install packs, and those who write them. One file for each command.

mod author;
mod bench;
mod build;
mod check;
mod find;
mod grant;
mod inspect;
mod install;
mod list;
mod locked;
mod new;
mod remove;
mod said;
mod signed;
mod source;
mod test;
mod update;

use super::Failure;
use clap::Subcommand;
use std::process::ExitCode;

#[derive(Debug, Subcommand)]
pub(super) enum PackCommand {
    /// Make a project for a policy module of your own, with a rule that works and its tests
    New(new::NewArgs),
    /// Build a project's module, and write its hash into pack.toml
    Build(build::BuildArgs),
    /// Run a project's tests, and its cases natively and as Wasm
    Test(test::TestArgs),
    /// Say what a call costs with a project's module in its way
    Bench(bench::BenchArgs),
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
        PackCommand::New(args) => new::run(args),
        PackCommand::Build(args) => build::run(args),
        PackCommand::Test(args) => test::run(args),
        PackCommand::Bench(args) => bench::run(args),
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
