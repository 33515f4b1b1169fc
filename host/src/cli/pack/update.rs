//! `bouncer pack update`: another content in the place of an installed pack, with what changes in its contracts.

use super::Failure;
use super::install::{after, checked};
use super::said::{records, short};
use super::source;
use crate::cli::settings;
use crate::cli::show::lines;
use crate::cli::text::shown;
use crate::home::Home;
use crate::pack::{Change, Effects, GrantKind, Installed, Pack, Shelf};
use crate::pins::Recorded;
use crate::sandbox::Sandbox;
use bouncer_core::contract::{Contract, Layer, Said, Stated};
use bouncer_core::decide;
use bouncer_core::tool::Tool;
use clap::Args;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Args)]
#[command(after_help = "\
The contracts of both are asked for over the recorded tools of your servers. What the pack's code says of single calls cannot be \
compared. Grants hold for one content only: the new one has none until they are granted anew. It replaces without a question, and \
what the old one refused the new one may let pass: --dry-run changes nothing.")]
pub(in crate::cli) struct UpdateArgs {
    /// The installed pack
    name: String,
    /// Where from; where it was taken from before, if nothing is named
    source: Option<String>,
    /// The SHA-256 that the archive must have
    #[arg(long, value_name = "HEX")]
    sha256: Option<String>,
    /// Only show what would change
    #[arg(long)]
    dry_run: bool,
    /// The signature, where it is not beside the archive or `pack.toml`
    #[arg(long, value_name = "FILE")]
    signature: Option<PathBuf>,
    /// The policy file; otherwise bouncer.toml in Bouncer's folder, if it exists
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
}

pub(super) fn run(args: &UpdateArgs) -> Result<ExitCode, Failure> {
    let home = settings::home()?;
    let policy = settings::policy(args.policy.as_deref(), &home)?;
    let name = args.name.as_str();
    let shelf = Shelf::load(&home)?;
    let Some(old) = shelf.named(name) else {
        return Err(super::grant::unknown(&shelf, name));
    };
    let before = old.locked.as_ref().map(|locked| locked.source.as_str());
    let source = args.source.as_deref().or(before).ok_or_else(|| {
        Failure::usage(format!(
            "it is not known where `{name}` was taken from\nhint: `bouncer pack update {name} SOURCE`"
        ))
    })?;
    let taken = source::take(source, args.sha256.as_deref())?;
    if taken.bundle.manifest.name != name {
        return Err(Failure::new(format!(
            "`{}` holds the pack `{}`, which cannot take the place of `{name}`",
            shown(&taken.source),
            taken.bundle.manifest.name
        )));
    }
    super::signed::demand(&policy, &taken, args.signature.as_deref())?;
    let new = checked(&home, &taken)?;
    let mut out = anstream::stdout();
    if old.bundle.as_ref().is_ok_and(|bundle| bundle.manifest_sha256 == taken.bundle.manifest_sha256) {
        writeln!(out, "{name} {} is what is installed already", new.manifest.version)?;
        return Ok(ExitCode::SUCCESS);
    }
    let records = records(&home)?;
    differences(&mut out, &home, old, &new, &records, &policy.settings(name))?;
    let had = old.granted.clone();
    if args.dry_run {
        writeln!(out, "nothing was changed")?;
        return Ok(ExitCode::SUCCESS);
    }
    // Begun only now: servers that start would wait for it while something is fetched.
    let mut change = Change::begin(&home)?;
    let hash = |pack: Option<&Installed>| Some(pack?.bundle.as_ref().ok()?.manifest_sha256.clone());
    if change.shelf().named(name).is_none() || hash(change.shelf().named(name)) != hash(Some(old)) {
        return Err(Failure::new(format!("`{name}` was replaced meanwhile, so nothing was changed")));
    }
    change.put(&taken.bundle, taken.locked())?;
    drop(change);
    writeln!(out, "updated {name} to {} (sha256 {})", new.manifest.version, short(&new.sha256))?;
    if !had.is_empty() {
        writeln!(out, "what was granted to the old content is gone: {had}")?;
    }
    let effects = Effects::of(&new, &records, &policy.settings(name));
    after(&mut out, &new, &effects)?;
    Ok(ExitCode::SUCCESS)
}

fn differences(
    out: &mut impl Write,
    home: &Home,
    installed: &Installed,
    new: &Pack,
    records: &[Recorded],
    settings: &str,
) -> Result<(), Failure> {
    let sandbox = Sandbox::new(Some(home.cache())).map_err(Failure::new)?;
    let old = match installed.pack(&sandbox) {
        Ok(old) => old,
        Err(why) => {
            writeln!(out, "there is nothing to compare with: what is there {}", shown(&why))?;
            return Ok(());
        }
    };
    let (was, is) = (&old.manifest, &new.manifest);
    writeln!(
        out,
        "{}: {} (sha256 {}) -> {} (sha256 {})",
        is.name,
        was.version,
        short(&old.sha256),
        is.version,
        short(&new.sha256)
    )?;
    if number(&is.version) < number(&was.version) {
        writeln!(out, "  note: that is an older version than the one that is installed")?;
    }
    let servers = |manifest| super::said::servers(manifest).into_iter().collect();
    changed(out, "", &servers(was), &servers(is), "server")?;
    let wants = |pack: &Pack| -> BTreeSet<String> {
        let kinds = &pack.manifest.grants;
        GrantKind::ALL
            .into_iter()
            .filter_map(|kind| Some(format!("{}: {}", kind.as_str(), kinds.why(kind)?)))
            .collect()
    };
    changed(out, "", &wants(&old), &wants(new), "wants to loosen")?;
    let mut compared = 0_usize;
    for record in records {
        let identity = record.identity();
        if !was.is_for(&identity) && !is.is_for(&identity) {
            continue;
        }
        compared += 1;
        let tools = record.tools();
        let (before, now) = (said(&old, record, &tools, settings), said(new, record, &tools, settings));
        for tool in tools.iter().map(|tool| tool.name.as_str()).chain(["(every tool)"]) {
            let of = |all: &BTreeMap<String, BTreeSet<String>>| all.get(tool).cloned().unwrap_or_default();
            let place = format!("{}/{}", shown(record.key.name()), shown(tool));
            changed(out, &place, &of(&before), &of(&now), "")?;
        }
    }
    if compared == 0 {
        writeln!(out, "  no server that it is for is recorded, so contracts were not compared")?;
    }
    if old.sha256 != new.sha256 {
        writeln!(out, "  its code changed; what that says of single calls cannot be compared here")?;
    }
    Ok(())
}

/// The numbers of a version, for comparing.
fn number(version: &str) -> Vec<u64> {
    let numbers = version.split(['-', '+']).next().unwrap_or_default();
    numbers.split('.').map(|part| part.parse().unwrap_or_default()).collect()
}

/// What a pack states of each tool, as if it were granted all that it wants; of all of them, where it fails.
fn said(
    pack: &Pack,
    record: &Recorded,
    tools: &[Tool],
    settings: &str,
) -> BTreeMap<String, BTreeSet<String>> {
    let identity = record.identity();
    if !pack.manifest.is_for(&identity) {
        return BTreeMap::new();
    }
    let stated = match pack.module.contracts(&identity, tools, settings) {
        Ok(stated) => stated,
        Err(fault) => {
            let fails = BTreeSet::from([format!("fails, so that calls are denied: {}", fault.reason)]);
            return BTreeMap::from([("(every tool)".to_owned(), fails)]);
        }
    };
    let of_one = |stated: crate::sandbox::PackContract| {
        let tool = tools.iter().find(|tool| tool.name == stated.tool)?;
        let layer = Said { layer: Layer::Pack(pack.manifest.name.clone()), place: String::new() };
        let contract = Contract { replace: false, on_tainted: None, ..stated.contract };
        let layers = [Stated { said: layer, contract, may_loosen: true }];
        Some((stated.tool, lines(&decide::merge(tool, &layers))))
    };
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (tool, lines) in stated.into_iter().filter_map(of_one) {
        all.entry(tool).or_default().extend(lines);
    }
    all
}

fn changed(
    out: &mut impl Write,
    place: &str,
    old: &BTreeSet<String>,
    new: &BTreeSet<String>,
    what: &str,
) -> Result<(), Failure> {
    if old == new {
        return Ok(());
    }
    if !place.is_empty() {
        writeln!(out, "  {place}")?;
    }
    let what = if what.is_empty() { String::new() } else { format!("{what} ") };
    for line in old.difference(new) {
        writeln!(out, "  - {what}{}", shown(line))?;
    }
    for line in new.difference(old) {
        writeln!(out, "  + {what}{}", shown(line))?;
    }
    Ok(())
}
