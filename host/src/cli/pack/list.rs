//! `bouncer pack list`: what is built in and what is installed, from where, and what each may loosen.

use super::Failure;
use super::said::{servers, short};
use crate::cli::settings;
use crate::cli::text::shown;
use crate::pack::{EMBEDDED, Installed, Manifest, Shelf};
use clap::Args;
use std::io::Write;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(in crate::cli) struct ListArgs {
    /// Only what is installed
    #[arg(long)]
    installed: bool,
}

pub(super) fn run(args: &ListArgs) -> Result<ExitCode, Failure> {
    let shelf = Shelf::load(&settings::home()?)?;
    let mut out = anstream::stdout();
    for pack in EMBEDDED.iter().filter(|_| !args.installed) {
        let manifest = Manifest::parse(pack.manifest).map_err(Failure::new)?;
        let grants = format!("{} (built in)", manifest.grants.kinds());
        about(&mut out, &manifest, "built in", &grants)?;
    }
    for pack in &shelf.packs {
        installed(&mut out, pack, &shelf)?;
    }
    if args.installed && shelf.packs.is_empty() {
        writeln!(out, "no pack is installed; `bouncer pack install SOURCE` does that")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn installed(out: &mut impl Write, pack: &Installed, shelf: &Shelf) -> Result<(), Failure> {
    let source = pack.locked.as_ref().map_or_else(|| "unknown".to_owned(), |locked| shown(&locked.source));
    match &pack.bundle {
        Err(why) => writeln!(out, "{}  BROKEN: {}", shown(&pack.name), shown(why))?,
        Ok(bundle) => {
            let wanted = bundle.manifest.grants.kinds();
            let left = wanted.without(&pack.granted);
            let date = shelf.grants.named(&pack.name).filter(|_| !pack.granted.is_empty());
            let date = date.map(|granted| format!(" since {}", shown(&granted.date))).unwrap_or_default();
            let left = if left.is_empty() { String::new() } else { format!("; it would like {left}") };
            let grants = format!("{}{date}{left}", pack.granted.and(&wanted));
            about(out, &bundle.manifest, &source, &grants)?;
        }
    }
    Ok(())
}

fn about(out: &mut impl Write, manifest: &Manifest, source: &str, grants: &str) -> Result<(), Failure> {
    writeln!(out, "{} {}  {}", manifest.name, manifest.version, shown(&manifest.summary))?;
    writeln!(out, "  source   {source}")?;
    writeln!(out, "  sha256   {}", short(&manifest.sha256))?;
    writeln!(out, "  servers  {}", servers(manifest).join(", "))?;
    writeln!(out, "  granted  {grants}")?;
    let checked: Vec<String> = manifest.checked.iter().map(|line| shown(line)).collect();
    writeln!(
        out,
        "  checked  {}",
        if checked.is_empty() { "nothing named".to_owned() } else { checked.join(", ") }
    )?;
    Ok(())
}
