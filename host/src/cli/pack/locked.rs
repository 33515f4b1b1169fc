//! `bouncer pack install --locked FILE`: the packs that a lock file names, with exactly the hashes that it names. The file
//! may have come with a repository: it names what is taken, and grants nothing.

use super::Failure;
use super::install::{InstallArgs, checked, put};
use super::signed;
use super::source::{self, Taken};
use crate::cli::text::shown;
use crate::home::Home;
use crate::pack::{LockFile, Locked, Shelf};
use crate::policy::Policy;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub(super) fn run(
    out: &mut impl Write,
    home: &Home,
    policy: &Policy,
    args: &InstallArgs,
    file: &Path,
) -> Result<ExitCode, Failure> {
    let lock = LockFile::read(file)?;
    let lock = lock.ok_or_else(|| Failure::usage(format!("there is no lock file `{}`", file.display())))?;
    if let Some(given) = &args.source {
        let taken = source::take(given, args.sha256.as_deref())?;
        let name = &taken.bundle.manifest.name;
        let entry = lock.named(name).ok_or_else(|| {
            Failure::new(format!("`{}` names no pack `{name}`, so it was not installed", file.display()))
        })?;
        return one(out, home, policy, args, entry, &taken);
    }
    if args.sha256.is_some() {
        return Err(Failure::usage("`--sha256` is of one archive, and the lock file names the hash of each"));
    }
    let shelf = Shelf::load(home)?;
    for entry in &lock.pack {
        let there = shelf.named(&entry.name);
        if there.is_some_and(|pack| pack.bundle.as_ref().is_ok_and(|bundle| entry.is(bundle))) {
            writeln!(out, "{} {} is installed as locked", shown(&entry.name), shown(&entry.version))?;
            continue;
        }
        if there.is_some() {
            return Err(Failure::new(format!(
                "`{}` is installed with another content than `{}` names\nhint: `bouncer pack update {} SOURCE`, or `bouncer pack remove`",
                shown(&entry.name),
                file.display(),
                shown(&entry.name)
            )));
        }
        // A path is meant from where the lock file lies.
        let base = std::path::absolute(file)?.parent().map(Path::to_owned).unwrap_or_default();
        let from = if entry.source.contains("://") {
            entry.source.clone()
        } else {
            base.join(&entry.source).to_string_lossy().into_owned()
        };
        let is_archive = !from.starts_with("oci://") && !Path::new(&from).is_dir();
        let sha256 = entry.archive.as_deref().filter(|_| is_archive);
        if sha256.is_none() && from.starts_with("https:") {
            return Err(Failure::new(format!(
                "`{}` names an address for `{}` and no SHA-256 of the archive, so it was not fetched",
                shown(&file.display().to_string()),
                shown(&entry.name)
            )));
        }
        one(out, home, policy, args, entry, &source::take(&from, sha256)?)?;
    }
    if lock.pack.is_empty() {
        writeln!(out, "`{}` names no pack", file.display())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn one(
    out: &mut impl Write,
    home: &Home,
    policy: &Policy,
    args: &InstallArgs,
    entry: &Locked,
    taken: &Taken,
) -> Result<ExitCode, Failure> {
    if !entry.is(&taken.bundle) {
        return Err(Failure::new(format!(
            "`{}` is not the pack `{}` of the lock file: its manifest has the SHA-256 `{}`, not `{}`; it was not installed",
            shown(&taken.source),
            shown(&entry.name),
            taken.bundle.manifest_sha256,
            entry.manifest
        )));
    }
    signed::demand(policy, taken, args.signature.as_deref())?;
    checked(home, taken)?;
    put(out, home, taken)?;
    writeln!(
        out,
        "  nothing that it would loosen is granted; `bouncer pack inspect {}` shows it",
        entry.name
    )?;
    Ok(ExitCode::SUCCESS)
}
