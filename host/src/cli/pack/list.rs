//! `bouncer pack list`.

use super::Failure;
use crate::cli::text::shown;
use crate::pack::{EMBEDDED, Manifest};
use clap::Args;
use std::io::Write;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(super) struct ListArgs {}

pub(super) fn run(_args: &ListArgs) -> Result<ExitCode, Failure> {
    let mut out = anstream::stdout();
    for pack in &EMBEDDED {
        let manifest = Manifest::parse(pack.manifest).map_err(Failure::new)?;
        writeln!(out, "{} {}  built in  {}", manifest.name, manifest.version, shown(&manifest.summary))?;
    }
    Ok(ExitCode::SUCCESS)
}
