//! Bouncer's own folder: `$BOUNCER_HOME`, or `.bouncer` in the home folder; for the user's eyes only.
//!
//! Names the files in it. What stands in them is each owner's matter.

use std::io;
use std::path::{Path, PathBuf};

/// Where Bouncer keeps what it writes.
#[derive(Debug, Clone)]
pub struct Home {
    root: PathBuf,
}

/// Why there is no folder to write to.
#[derive(Debug, thiserror::Error)]
pub enum HomeError {
    /// Neither `$BOUNCER_HOME` nor a home folder is known.
    #[error("no home folder is known\nhint: set `BOUNCER_HOME` to a folder that Bouncer may write to")]
    Unknown,
    /// It could not be made or be closed to others.
    #[error("cannot prepare Bouncer's folder `{}`: {source}", path.display())]
    Prepare {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl Home {
    /// The folder's place; nothing is created.
    pub fn locate() -> Result<Self, HomeError> {
        let root = match std::env::var_os("BOUNCER_HOME").filter(|value| !value.is_empty()) {
            Some(folder) => PathBuf::from(folder),
            None => std::env::home_dir()
                .filter(|home| !home.as_os_str().is_empty())
                .ok_or(HomeError::Unknown)?
                .join(".bouncer"),
        };
        let path = root.clone();
        let root = std::path::absolute(root).map_err(|source| HomeError::Prepare { path, source })?;
        Ok(Self { root })
    }

    /// A home in a folder of the caller's.
    #[must_use]
    pub fn at(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// Creates the folder where it is missing, and takes away what others may do in it.
    pub fn prepare(&self) -> Result<(), HomeError> {
        let failed = |source| HomeError::Prepare { path: self.root.clone(), source };
        crate::os::private_folder(&self.root).map_err(failed)
    }

    /// The folder itself.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The log of every verdict, JSON lines.
    #[must_use]
    pub fn audit(&self) -> PathBuf {
        self.root.join("audit.jsonl")
    }

    /// The recorded tool definitions, one file a server.
    #[must_use]
    pub fn pins(&self) -> PathBuf {
        self.root.join("pins")
    }

    /// Compiled modules; may be deleted at any time.
    #[must_use]
    pub fn cache(&self) -> PathBuf {
        self.root.join("cache")
    }

    /// What the sessions have seen, shared by the proxies of one client.
    #[must_use]
    pub fn sessions(&self) -> PathBuf {
        self.root.join("sessions")
    }

    /// Packs that the user installed.
    #[must_use]
    pub fn packs(&self) -> PathBuf {
        self.root.join("packs")
    }

    /// What installed packs may loosen.
    #[must_use]
    pub fn grants(&self) -> PathBuf {
        self.root.join("grants.toml")
    }

    /// Which packs are installed, from where, with which hashes.
    #[must_use]
    pub fn packs_lock(&self) -> PathBuf {
        self.root.join("packs.lock")
    }

    /// What client configurations looked like before they were changed.
    #[must_use]
    pub fn backups(&self) -> PathBuf {
        self.root.join("backups")
    }

    /// The policy file that is used where none is named, if it exists.
    #[must_use]
    pub fn policy(&self) -> PathBuf {
        self.root.join("bouncer.toml")
    }
}
