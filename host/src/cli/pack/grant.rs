//! `bouncer pack grant` and `revoke`: what an installed pack may loosen. Giving takes a person's word, taking back does not.

use super::Failure;
use super::said::{self, records, short};
use super::source::wrong;
use crate::cli::consent::{agreed, askable};
use crate::cli::settings;
use crate::cli::text::shown;
use crate::home::Home;
use crate::pack::{Change, Effects, GrantKind, Grants, Shelf, is_builtin};
use crate::sandbox::Sandbox;
use clap::Args;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

const LATER: &str = "takes effect at the next start of a server; restart the client for that";

#[derive(Debug, Args)]
#[command(after_help = "\
A grant holds for the content that is installed now, by hash: an update has none until it is granted anew. All grants stand in \
grants.toml in Bouncer's folder. A server that only calls itself as the pack wants is never loosened for.")]
pub(in crate::cli) struct GrantArgs {
    /// The pack
    name: String,
    /// What to grant; all that it wants where nothing is named
    #[arg(value_name = "KIND")]
    kinds: Vec<GrantKind>,
    /// Grant without asking
    #[arg(long)]
    yes: bool,
    /// The policy file with the pack's settings; otherwise bouncer.toml in Bouncer's folder, if it exists
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct RevokeArgs {
    /// The pack
    name: String,
    /// What to take back; everything where nothing is named
    #[arg(value_name = "KIND")]
    kinds: Vec<GrantKind>,
}

pub(super) fn run(args: &GrantArgs) -> Result<ExitCode, Failure> {
    if !args.yes {
        askable()?;
    }
    let home = settings::home()?;
    let kinds: Grants = args.kinds.iter().copied().collect();
    let policy = settings::policy(args.policy.as_deref(), &home)?;
    let mut out = anstream::stdout();
    give(&mut out, &home, &args.name, &kinds, &policy.settings(&args.name), args.yes)?;
    Ok(ExitCode::SUCCESS)
}

/// Shows what these kinds would loosen, all that are wanted where there is none, and grants them if a person says so.
pub(super) fn give(
    out: &mut impl Write,
    home: &Home,
    name: &str,
    kinds: &Grants,
    settings: &str,
    yes: bool,
) -> Result<(), Failure> {
    let shelf = Shelf::load(home)?;
    let installed = named(&shelf, name)?;
    let sandbox = Sandbox::new(Some(home.cache())).map_err(Failure::new)?;
    let broken = |why: String| wrong(format!("the pack `{}` {why}", shown(name)));
    let pack = installed.pack(&sandbox).map_err(broken)?;
    let wanted = pack.manifest.grants.kinds();
    let kinds = if kinds.is_empty() { wanted.clone() } else { kinds.clone() };
    let unwanted = kinds.without(&wanted);
    if !unwanted.is_empty() {
        return Err(Failure::usage(format!(
            "`{name}` does not ask for {unwanted}, so granting it would change nothing\nhint: it asks for {wanted}"
        )));
    }
    let fresh = kinds.without(&pack.granted);
    if fresh.is_empty() {
        let what = if wanted.is_empty() { "it wants to loosen nothing" } else { "that is granted already" };
        writeln!(out, "nothing to grant to {name}: {what}")?;
        return Ok(());
    }
    writeln!(out, "{name} {} (sha256 {}) would then", pack.manifest.version, short(&pack.sha256))?;
    let effects = Effects::of(&pack, &records(home)?, settings);
    said::wanted(out, &pack, &fresh, &effects, usize::MAX)?;
    if !yes && !agreed(out, &format!("grant {fresh} to {name}?"))? {
        writeln!(out, "nothing was granted")?;
        return Ok(());
    }
    let mut change = Change::begin(home)?;
    // Somebody may have replaced it while the question stood: the yes was for what was shown.
    let now = named(change.shelf(), name)?;
    let shown_one = now.bundle.as_ref().ok().filter(|bundle| bundle.manifest_sha256 == pack.manifest_sha256);
    let Some(bundle) = shown_one.cloned() else {
        return Err(Failure::new(format!("`{name}` was replaced meanwhile, so nothing was granted")));
    };
    let all = now.granted.or(&fresh);
    change.grant(&bundle, all)?;
    writeln!(out, "granted {fresh} to {name}; {LATER}")?;
    Ok(())
}

fn named<'a>(shelf: &'a Shelf, name: &str) -> Result<&'a crate::pack::Installed, Failure> {
    if let Some(pack) = shelf.named(name) {
        return Ok(pack);
    }
    Err(unknown(shelf, name))
}

/// There is no such pack.
pub(super) fn unknown(shelf: &Shelf, name: &str) -> Failure {
    if is_builtin(name) {
        return Failure::new(format!(
            "`{name}` is built in: its grants come with Bouncer, and it cannot be removed or replaced\nhint: what your policy file says of a tool is stronger than any pack"
        ));
    }
    let names: Vec<String> = shelf.packs.iter().map(|pack| format!("`{}`", shown(&pack.name))).collect();
    let known = if names.is_empty() { "none yet".to_owned() } else { names.join(", ") };
    Failure::new(format!("no pack called `{}` is installed\nhint: installed: {known}", shown(name)))
}

pub(super) fn revoke(args: &RevokeArgs) -> Result<ExitCode, Failure> {
    let home = settings::home()?;
    let name = args.name.as_str();
    let mut change = Change::begin(&home)?;
    let standing = change.shelf().grants.named(name).map(|granted| granted.kinds.clone());
    let mut out = anstream::stdout();
    let Some(standing) = standing else {
        named(change.shelf(), name)?;
        writeln!(out, "nothing is granted to {name}")?;
        return Ok(ExitCode::SUCCESS);
    };
    let back: Grants =
        if args.kinds.is_empty() { standing.clone() } else { args.kinds.iter().copied().collect() };
    let (back, left) = (standing.and(&back), standing.without(&back));
    let bundle = change.shelf().named(name).filter(|pack| !pack.granted.is_empty());
    let bundle = bundle.and_then(|pack| pack.bundle.as_ref().ok()).cloned();
    let done = match bundle {
        Some(bundle) => change.grant(&bundle, left.clone()),
        // What stands there is for other content, or for what cannot be read: it was in force nowhere.
        None => change.revoke(name),
    };
    done?;
    writeln!(out, "took back {back} from {}; {LATER}", shown(name))?;
    writeln!(out, "granted now: {left}")?;
    Ok(ExitCode::SUCCESS)
}
