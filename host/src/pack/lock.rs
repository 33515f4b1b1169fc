//! `packs.lock`: which packs are installed, from where, and the hashes of what was taken. Like a lock file that comes
//! with a repository it grants nothing; that is what `grants.toml` is for.

use super::disk;
use super::manifest::is_name;
use super::tables::{self, TableError, is_hash};
use super::{Bundle, ServerMatch};
use crate::home::Home;
use crate::policy::Problem;
use serde::{Deserialize, Serialize};
use std::path::Path;

const HEADER: &str = "\
# The installed packs. Written by `bouncer pack`; `bouncer pack install --locked FILE` installs what such a file names, with
# exactly these hashes. It grants nothing.

";

/// One installed pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Locked {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Where it was taken from, as `bouncer pack install` takes it.
    pub source: String,
    /// Of the component.
    pub sha256: String,
    /// Of `pack.toml`.
    pub manifest: String,
    /// Of the archive, or of the manifest in the registry, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archive: Option<String>,
    /// The servers it is for, so that they are known where the pack itself is damaged.
    #[serde(default)]
    pub servers: Vec<ServerMatch>,
}

/// The file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockFile {
    /// The packs, by name.
    #[serde(default)]
    pub pack: Vec<Locked>,
}

impl LockFile {
    /// The user's own.
    ///
    /// # Errors
    /// Where it is malformed.
    pub fn load(home: &Home) -> Result<Self, TableError> {
        Ok(Self::read(&home.packs_lock())?.unwrap_or_default())
    }

    /// Any; `None` where there is none.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn read(path: &Path) -> Result<Option<Self>, TableError> {
        let hint = "move the file away and install the packs anew; until then no server is started with half of them";
        let Some((lock, text)) = tables::read::<Self>(path, hint)? else { return Ok(None) };
        for (index, one) in lock.pack.iter().enumerate() {
            let hashes = [Some(&one.sha256), Some(&one.manifest), one.archive.as_ref()];
            let wrong = hashes.into_iter().flatten().find(|hash| !is_hash(hash));
            let twice = lock.pack.iter().take(index).any(|other| other.name == one.name);
            let (what, at) = match wrong {
                Some(hash) => ("this is no SHA-256", hash.as_str()),
                // It becomes the name of a folder.
                None if !is_name(&one.name) => ("this is no pack's name", one.name.as_str()),
                None if twice => ("this pack stands here twice", one.name.as_str()),
                None => continue,
            };
            let at = text.rfind(at).map(|start| start..start + at.len()).unwrap_or_default();
            return Err(tables::malformed(path, &text, Problem::new(at, what).hint(hint)));
        }
        Ok(Some(lock))
    }

    /// The pack of this name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&Locked> {
        self.pack.iter().find(|one| one.name == name)
    }

    pub(super) fn set(&mut self, one: Locked) {
        self.forget(&one.name);
        self.pack.push(one);
        self.pack.sort_by(|a, b| a.name.cmp(&b.name));
    }

    pub(super) fn forget(&mut self, name: &str) {
        self.pack.retain(|one| one.name != name);
    }

    /// For whoever holds the lock on the packs.
    pub(super) fn write(&self, home: &Home) -> Result<(), TableError> {
        let path = home.packs_lock();
        let text = toml::to_string(self).map_err(|error| disk::DiskError {
            what: "write",
            path: path.clone(),
            why: error.to_string(),
        })?;
        Ok(disk::replace(&path, format!("{HEADER}{text}").as_bytes())?)
    }
}

impl Locked {
    /// The entry of a pack that was taken from `source`.
    #[must_use]
    pub fn of(bundle: &Bundle, source: &str, archive: Option<String>) -> Self {
        Self {
            name: bundle.manifest.name.clone(),
            version: bundle.manifest.version.clone(),
            source: source.to_owned(),
            sha256: bundle.sha256.clone(),
            manifest: bundle.manifest_sha256.clone(),
            archive,
            servers: bundle.manifest.servers.clone(),
        }
    }

    /// Whether this is the content that is named.
    #[must_use]
    pub fn is(&self, bundle: &Bundle) -> bool {
        self.name == bundle.manifest.name
            && self.sha256 == bundle.sha256
            && self.manifest == bundle.manifest_sha256
    }
}
