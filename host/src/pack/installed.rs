//! The packs that the user installed, in `packs/NAME/` of Bouncer's folder.
//!
//! A pack that cannot be used is never passed over: it stands in [`Installed`] with what is wrong, and the servers that it
//! is for, as far as that is known; where it is not, it may be for any.

use super::disk::{self, DiskError, failed};
use super::granted::GrantsFile;
use super::lock::{LockFile, Locked};
use super::tables::TableError;
use super::{Bundle, Grants, Pack, PackError, PackSource, is_builtin};
use crate::home::Home;
use crate::sandbox::Sandbox;
use bouncer_core::shown::sentence;
use bouncer_core::tool::ServerIdentity;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// One installed pack.
#[derive(Debug)]
pub struct Installed {
    /// Its name.
    pub name: String,
    /// Its files, or why they cannot be used.
    pub bundle: Result<Bundle, String>,
    /// What is granted to exactly these files.
    pub granted: Grants,
    /// What the lock file says of it.
    pub locked: Option<Locked>,
}

/// What is installed at one moment: the packs, their grants and the lock file.
#[derive(Debug, Default)]
pub struct Shelf {
    /// By name.
    pub packs: Vec<Installed>,
    /// What is granted.
    pub grants: GrantsFile,
    /// The lock file.
    pub lock: LockFile,
}

impl Installed {
    /// Whether it may be for this server: where nothing says which servers it is for, it may be for each.
    #[must_use]
    pub fn may_be_for(&self, server: &ServerIdentity) -> bool {
        let matches = |all: &[super::ServerMatch]| all.iter().any(|entry| entry.matches(server).is_some());
        let locked = self.locked.as_ref().map(|locked| locked.servers.as_slice()).filter(|s| !s.is_empty());
        match (&self.bundle, locked) {
            (Ok(bundle), _) => bundle.manifest.is_for(server),
            (Err(_), Some(servers)) => matches(servers),
            (Err(_), None) => true,
        }
    }

    /// The pack, ready to be asked.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub fn pack(&self, sandbox: &Sandbox) -> Result<Pack, String> {
        let bundle = self.bundle.as_ref().map_err(Clone::clone)?;
        let source = PackSource::Installed(self.locked.as_ref().map(|locked| locked.source.clone()));
        Pack::of(sandbox, bundle, source, self.granted.clone()).map_err(|error| self.unusable(&error))
    }

    fn unusable(&self, error: &PackError) -> String {
        unusable(&self.name, error)
    }
}

fn unusable(name: &str, why: impl std::fmt::Display) -> String {
    let name = one_line(name);
    // What helps comes first: an agent is shown the beginning.
    format!(
        "is installed and cannot be used; `bouncer pack update {name} SOURCE` replaces it, `bouncer pack remove {name}` takes it away: {}",
        one_line(&why.to_string())
    )
}

/// A reason for a log line: without the drawing of a text that is wrong, and with nothing in it that steers a terminal.
fn one_line(text: &str) -> String {
    let drawn = |line: &str| {
        line.split_once('|')
            .is_some_and(|(before, _)| before.trim().parse::<u32>().is_ok() || before.trim().is_empty())
    };
    let lines: Vec<&str> =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !drawn(line)).collect();
    sentence(&lines.join("; "), usize::MAX)
}

impl Shelf {
    /// Reads what is installed.
    ///
    /// # Errors
    /// Where the folder, the grants or the lock file cannot be read. A damaged pack is no error, see [`Installed`].
    pub fn load(home: &Home) -> Result<Self, TableError> {
        // Nothing was ever installed: nothing is made, and nothing waited for.
        if home.packs().symlink_metadata().is_err() {
            return Ok(Self {
                grants: GrantsFile::load(home)?,
                lock: LockFile::load(home)?,
                ..Self::default()
            }
            .with_packs(home, BTreeSet::new()));
        }
        let _held = disk::hold_shared(home)?;
        Self::read(home)
    }

    /// For whoever holds the lock.
    pub(super) fn read(home: &Home) -> Result<Self, TableError> {
        let shelf = Self { grants: GrantsFile::load(home)?, lock: LockFile::load(home)?, ..Self::default() };
        let names = folders(&home.packs())?;
        Ok(shelf.with_packs(home, names))
    }

    fn with_packs(mut self, home: &Home, mut names: BTreeSet<String>) -> Self {
        // One that is gone without having been removed is missed.
        names.extend(self.lock.pack.iter().map(|one| one.name.clone()));
        self.packs = names.into_iter().map(|name| self.one(home, name)).collect();
        self
    }

    fn one(&self, home: &Home, name: String) -> Installed {
        let locked = self.lock.named(&name).cloned();
        let bundle = folder_in_force(home, &name, locked.as_ref())
            .ok_or_else(|| unusable(&name, "its folder is gone"))
            .and_then(|folder| Bundle::from_folder(&folder).map_err(|error| unusable(&name, &error)))
            .and_then(|bundle| self.fits(&name, bundle));
        let granted = bundle.as_ref().map(|bundle| self.grants.of(bundle)).unwrap_or_default();
        Installed { name, bundle, granted, locked }
    }

    /// Whether these are the files that may lie under this name.
    fn fits(&self, name: &str, bundle: Bundle) -> Result<Bundle, String> {
        if is_builtin(name) {
            return Err(unusable(name, "a pack of this name is built in"));
        }
        if bundle.manifest.name != name {
            return Err(unusable(name, format!("it calls itself `{}`", bundle.manifest.name)));
        }
        if self.lock.named(name).is_some_and(|locked| !locked.is(&bundle)) {
            return Err(unusable(
                name,
                "it is not what was installed: its hashes are not those in `packs.lock`",
            ));
        }
        Ok(bundle)
    }

    /// The same as if this pack were installed, in the place of one of the same name.
    #[must_use]
    pub fn with(mut self, bundle: Bundle, granted: Grants) -> Self {
        let name = bundle.manifest.name.clone();
        self.packs.retain(|pack| pack.name != name);
        self.packs.push(Installed { name, bundle: Ok(bundle), granted, locked: None });
        self
    }

    /// The pack of this name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&Installed> {
        self.packs.iter().find(|pack| pack.name == name)
    }
}

/// The names of the folders of packs.
pub(super) fn folders(packs: &Path) -> Result<BTreeSet<String>, DiskError> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(packs).map_err(failed("read", packs))? {
        let name = entry.map_err(failed("read", packs))?.file_name().to_string_lossy().into_owned();
        match name.strip_prefix(OLD) {
            Some(old) => names.insert(old.to_owned()),
            // Half written ones of processes that were killed, and the lock.
            None if name.starts_with('.') => continue,
            None => names.insert(name),
        };
    }
    Ok(names)
}

/// What a folder is called while another takes its place.
pub(super) const OLD: &str = ".old-";

/// The folder of what is in force. A replacement takes effect when the lock file names it: before that, also after a
/// kill, the old one counts, wherever it was moved.
pub(super) fn folder_in_force(home: &Home, name: &str, locked: Option<&Locked>) -> Option<PathBuf> {
    let packs = home.packs();
    let (place, old) = (packs.join(name), packs.join(format!("{OLD}{name}")));
    let there = |folder: &PathBuf| folder.symlink_metadata().is_ok();
    if !there(&old) {
        return Some(place).filter(there);
    }
    let named = |folder: &PathBuf| {
        let bundle = Bundle::from_folder(folder);
        bundle.is_ok_and(|bundle| locked.is_none_or(|locked| locked.is(&bundle)))
    };
    if !named(&place) && named(&old) { Some(old) } else { Some(place).filter(there) }
}

#[cfg(test)]
#[path = "installed_tests.rs"]
mod tests;
