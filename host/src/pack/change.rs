//! Changes to what is installed: one process at a time, and in such an order that a kill at any moment leaves the old or the
//! new. What is read meanwhile, and after a kill, is [`super::installed`]'s matter.

use super::disk::{self, DiskError, failed};
use super::installed::{OLD, Shelf, folder_in_force, folders};
use super::lock::Locked;
use super::manifest::is_name;
use super::tables::TableError;
use super::{Bundle, Grants};
use crate::home::Home;
use crate::os;
use std::fs;
use std::path::Path;

/// What shall become of what is installed, while nobody else changes it.
pub struct Change<'a> {
    home: &'a Home,
    shelf: Shelf,
    _held: disk::Held,
}

impl std::fmt::Debug for Change<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Change").field("shelf", &self.shelf).finish_non_exhaustive()
    }
}

impl<'a> Change<'a> {
    /// Begins one.
    ///
    /// # Errors
    /// As [`Shelf::load`], and where somebody else does not end theirs.
    pub fn begin(home: &'a Home) -> Result<Self, TableError> {
        let held = disk::hold(home)?;
        let change = Self { home, shelf: Shelf::read(home)?, _held: held };
        change.tidy()?;
        Ok(change)
    }

    /// Ends what somebody was killed in: what is in force lies in its place, and nothing else is left.
    fn tidy(&self) -> Result<(), TableError> {
        let packs = self.home.packs();
        // Only what a pack can be called was put there by us.
        for name in folders(&packs)?.into_iter().filter(|name| is_name(name)) {
            let (place, old) = (packs.join(&name), packs.join(format!("{OLD}{name}")));
            if old.symlink_metadata().is_err() {
                continue;
            }
            if folder_in_force(self.home, &name, self.shelf.lock.named(&name)).as_ref() == Some(&old) {
                discard(&place)?;
                os::replace(&old, &place).map_err(failed("move", &old))?;
            } else {
                discard(&old)?;
            }
        }
        Ok(())
    }

    /// What is installed.
    #[must_use]
    pub fn shelf(&self) -> &Shelf {
        &self.shelf
    }

    /// Puts a pack there, in the place of one of the same name. It has no grants, unless they are for this content.
    ///
    /// # Errors
    /// Where it cannot be written. Then the old one is there still.
    pub fn put(&mut self, bundle: &Bundle, locked: Locked) -> Result<(), TableError> {
        let packs = self.home.packs();
        let name = &bundle.manifest.name;
        let (place, old) = (packs.join(name), packs.join(format!("{OLD}{name}")));
        let beside = packs.join(format!(".new-{name}"));
        discard(&beside)?;
        os::private_folder(&beside).map_err(failed("create", &beside))?;
        for (file, bytes) in bundle.files() {
            disk::write_new(&beside.join(file), bytes)?;
        }
        let replaces = place.symlink_metadata().is_ok();
        if replaces {
            os::replace(&place, &old).map_err(failed("move", &place))?;
        }
        self.shelf.lock.set(locked);
        // With the lock file it takes effect: see `folder_in_force`.
        let swapped = os::replace(&beside, &place).map_err(failed("move", &beside)).map_err(TableError::from);
        if let Err(error) = swapped.and_then(|()| self.shelf.lock.write(self.home)) {
            discard(&place)?;
            if replaces {
                os::replace(&old, &place).map_err(failed("move", &old))?;
            }
            return Err(error);
        }
        if self.shelf.grants.named(name).is_some() && self.shelf.grants.of(bundle).is_empty() {
            self.shelf.grants.forget(name);
            self.shelf.grants.write(self.home)?;
        }
        discard(&old)?;
        Ok(())
    }

    /// Takes a pack and its grants away.
    ///
    /// # Errors
    /// Where it cannot be removed.
    pub fn remove(&mut self, name: &str) -> Result<(), TableError> {
        self.shelf.grants.forget(name);
        self.shelf.grants.write(self.home)?;
        // Named in the lock file and not there would be a fault; there and not named is a pack, for a moment more.
        self.shelf.lock.forget(name);
        self.shelf.lock.write(self.home)?;
        let packs = self.home.packs();
        let (place, gone) = (packs.join(name), packs.join(format!(".gone-{name}")));
        discard(&gone)?;
        if place.symlink_metadata().is_ok() {
            os::replace(&place, &gone).map_err(failed("move", &place))?;
        }
        discard(&gone)?;
        Ok(())
    }

    /// Grants exactly these kinds to this content.
    ///
    /// # Errors
    /// Where that cannot be written.
    pub fn grant(&mut self, bundle: &Bundle, kinds: Grants) -> Result<(), TableError> {
        self.shelf.grants.set(bundle, kinds);
        self.shelf.grants.write(self.home)
    }

    /// Takes back what stands under this name, whatever content it is for.
    ///
    /// # Errors
    /// Where that cannot be written.
    pub fn revoke(&mut self, name: &str) -> Result<(), TableError> {
        self.shelf.grants.forget(name);
        self.shelf.grants.write(self.home)
    }
}

/// Removes a folder with all that is in it, or whatever else has this name.
fn discard(path: &Path) -> Result<(), DiskError> {
    match path.symlink_metadata() {
        Err(_) => Ok(()),
        Ok(meta) if meta.is_dir() => fs::remove_dir_all(path).map_err(failed("remove", path)),
        Ok(_) => fs::remove_file(path).map_err(failed("remove", path)),
    }
}
