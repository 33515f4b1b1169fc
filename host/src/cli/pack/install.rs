//! `bouncer pack install`: reads a pack from wherever it is, shows what it would loosen, and puts it there without grants.

use super::Failure;
use super::said::{self, SOME, records, short};
use super::signed;
use super::source::{self, Taken};
use crate::cli::consent::askable;
use crate::cli::settings;
use crate::cli::text::shown;
use crate::home::Home;
use crate::pack::{Change, Effects, GrantKind, Grants, Pack, PackSource, is_builtin};
use crate::sandbox::Sandbox;
use clap::Args;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Args)]
#[command(after_help = "\
An installed pack can make verdicts stricter at once. What it would loosen is shown, and waits for `bouncer pack grant`.
An archive's bytes are held against --sha256 before anything in it is looked at. It holds `pack.toml`, the component, and at most a few named texts, at the top or in one folder; anything else refuses it.
A running server's proxy does not change: restart the client.")]
pub(in crate::cli) struct InstallArgs {
    /// A folder, a .tar.gz, .tgz or .zip archive, `https://…` with --sha256, or `oci://REGISTRY/NAME:TAG`
    #[arg(required_unless_present = "locked")]
    pub(super) source: Option<String>,
    /// Install what this lock file names, with exactly its hashes, and nothing else
    #[arg(long, value_name = "FILE", conflicts_with = "grant")]
    locked: Option<PathBuf>,
    /// The SHA-256 that the archive must have
    #[arg(long, value_name = "HEX")]
    pub(super) sha256: Option<String>,
    /// Also grant what it wants, or only these kinds: --grant=harmless,vouch
    #[arg(long, value_name = "KIND", num_args = 0..=1, require_equals = true, value_delimiter = ',')]
    grant: Option<Vec<GrantKind>>,
    /// Grant without asking
    #[arg(long, requires = "grant")]
    yes: bool,
    /// The signature, where it is not beside the archive or `pack.toml`
    #[arg(long, value_name = "FILE")]
    pub(super) signature: Option<PathBuf>,
    /// The policy file; otherwise bouncer.toml in Bouncer's folder, if it exists
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
}

pub(super) fn run(args: &InstallArgs) -> Result<ExitCode, Failure> {
    if args.grant.is_some() && !args.yes {
        askable()?;
    }
    let home = settings::home()?;
    let policy = settings::policy(args.policy.as_deref(), &home)?;
    let mut out = anstream::stdout();
    let source = match (&args.locked, &args.source) {
        (Some(file), _) => return super::locked::run(&mut out, &home, &policy, args, file),
        (None, source) => source.as_deref().unwrap_or_default(),
    };
    let taken = source::take(source, args.sha256.as_deref())?;
    let signed = signed::demand(&policy, &taken, args.signature.as_deref())?;
    let pack = checked(&home, &taken)?;
    put(&mut out, &home, &taken)?;
    if let Some(what) = signed {
        writeln!(out, "  its {what} is signed by the key in your policy file")?;
    }
    let effects = Effects::of(&pack, &records(&home)?, &policy.settings(&pack.manifest.name));
    after(&mut out, &pack, &effects)?;
    if let Some(kinds) = &args.grant {
        let kinds: Grants =
            if kinds.is_empty() { pack.manifest.grants.kinds() } else { kinds.iter().copied().collect() };
        let name = &pack.manifest.name;
        super::grant::give(&mut out, &home, name, &kinds, &policy.settings(name), args.yes)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The pack, if the sandbox takes it.
pub(super) fn checked(home: &Home, taken: &Taken) -> Result<Pack, Failure> {
    let sandbox = Sandbox::new(Some(home.cache())).map_err(Failure::new)?;
    let source = PackSource::Installed(Some(taken.source.clone()));
    Pack::of(&sandbox, &taken.bundle, source, Grants::default()).map_err(source::wrong)
}

/// Puts a pack there under a name that nobody has.
pub(super) fn put(out: &mut impl Write, home: &Home, taken: &Taken) -> Result<(), Failure> {
    let manifest = &taken.bundle.manifest;
    let name = &manifest.name;
    if is_builtin(name) {
        return Err(Failure::new(format!(
            "a pack called `{name}` is built in, and no other can have its name\nhint: whoever wrote this pack can give it another name in its `pack.toml`"
        )));
    }
    let mut change = Change::begin(home)?;
    if let Some(there) = change.shelf().named(name) {
        let same =
            there.bundle.as_ref().is_ok_and(|bundle| bundle.manifest_sha256 == taken.bundle.manifest_sha256);
        if same {
            writeln!(out, "{name} {} is installed already, with the same content", manifest.version)?;
            return Ok(());
        }
        let from = there.locked.as_ref().map(|locked| format!(" from `{}`", shown(&locked.source)));
        return Err(Failure::new(format!(
            "a pack called `{name}` is installed already{}\nhint: `bouncer pack update {name} SOURCE` shows what would change and replaces it",
            from.unwrap_or_default()
        )));
    }
    change.put(&taken.bundle, taken.locked())?;
    writeln!(
        out,
        "installed {name} {} (sha256 {}) from {}",
        manifest.version,
        short(&taken.bundle.sha256),
        shown(&taken.source)
    )?;
    writeln!(out, "  {}", shown(&manifest.summary))?;
    writeln!(out, "  for {}", said::servers(manifest).join(", "))?;
    Ok(())
}

/// What the user should know then.
pub(super) fn after(out: &mut impl Write, pack: &Pack, effects: &Effects) -> Result<(), Failure> {
    writeln!(
        out,
        "it makes verdicts stricter from the next start of a server on; restart the client for that"
    )?;
    let wanted = pack.manifest.grants.kinds();
    if wanted.is_empty() {
        writeln!(out, "it wants to loosen nothing")?;
        return said::wanted(out, pack, &wanted, effects, SOME);
    }
    writeln!(out, "it would like to loosen as well, and none of that is granted:")?;
    said::wanted(out, pack, &wanted, effects, SOME)?;
    let name = &pack.manifest.name;
    writeln!(out, "`bouncer pack grant {name}` grants all of it, `bouncer pack grant {name} KIND` one kind")?;
    Ok(())
}
