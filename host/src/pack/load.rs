//! Makes packs out of their files, wherever those came from.

use super::archive::ArchiveError;
use super::bundle::Bundle;
use super::disk::DiskError;
use super::{Grants, Manifest, ManifestError};
use crate::sandbox::{LoadError, Module, Sandbox};

/// Where a pack comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PackSource {
    /// It stands in Bouncer's own binary.
    Builtin,
    /// The user installed it; where it was taken from, as far as that is known.
    Installed(Option<String>),
}

/// A pack that is ready to be asked.
#[derive(Debug, Clone)]
pub struct Pack {
    /// What it says of itself.
    pub manifest: Manifest,
    /// The hash of its component.
    pub sha256: String,
    /// The hash of its manifest, which covers the component too: what grants are bound to.
    pub manifest_sha256: String,
    /// Where it comes from.
    pub source: PackSource,
    /// What was granted to this very manifest and component. It counts where the manifest asks for it.
    pub granted: Grants,
    /// Its module.
    pub module: Module,
}

/// Why a pack cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// The manifest is wrong.
    #[error("pack `{pack}`: {error}")]
    Manifest {
        /// The pack, or its folder where the name is not known yet.
        pack: String,
        /// What is wrong.
        error: ManifestError,
    },
    /// The component is refused.
    #[error("pack `{pack}`: {error}")]
    Module {
        /// The pack.
        pack: String,
        /// What is wrong.
        error: LoadError,
    },
    /// It is in an archive that is refused.
    #[error("`{place}` {error}")]
    Archive {
        /// The archive.
        place: String,
        /// What is wrong with it.
        error: ArchiveError,
    },
    /// A file cannot be read.
    #[error(transparent)]
    File(DiskError),
    /// What it holds is not what a pack holds.
    #[error("`{place}` {what}\nhint: {hint}")]
    Content {
        /// The folder, archive or address.
        place: String,
        /// What is wrong with it.
        what: String,
        /// What to do.
        hint: String,
    },
}

impl Pack {
    /// A pack from its files. `granted` is for the caller to know.
    ///
    /// # Errors
    /// Where the sandbox refuses the component.
    pub fn of(
        sandbox: &Sandbox,
        bundle: &Bundle,
        source: PackSource,
        granted: Grants,
    ) -> Result<Self, PackError> {
        // The bundle's manifest was held against its component when it was made.
        let module = sandbox
            .load(&bundle.manifest.name, &bundle.component)
            .map_err(|error| PackError::Module { pack: bundle.manifest.name.clone(), error })?;
        Ok(Self {
            manifest: bundle.manifest.clone(),
            sha256: bundle.sha256.clone(),
            manifest_sha256: bundle.manifest_sha256.clone(),
            source,
            granted,
            module,
        })
    }
}
