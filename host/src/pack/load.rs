//! Makes packs out of a manifest and a component: those that stand in the binary, and those in a folder.

use super::{Manifest, ManifestError};
use crate::sandbox::{LoadError, Module, Sandbox};
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The largest component that is read, in bytes.
pub const MAX_COMPONENT: u64 = 8 * 1024 * 1024;

/// Where a pack comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PackSource {
    /// It stands in Bouncer's own binary.
    Builtin,
    /// A folder on this machine.
    Folder(PathBuf),
}

/// A pack that is ready to be asked.
#[derive(Debug, Clone)]
pub struct Pack {
    /// What it says of itself.
    pub manifest: Manifest,
    /// The hash of its component, which grants are bound to.
    pub sha256: String,
    /// Where it comes from.
    pub source: PackSource,
    /// Whether what its manifest asks for was granted to this very component.
    pub granted: bool,
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
    /// A file cannot be read.
    #[error("`{}`: {reason}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

impl Pack {
    /// A pack from the text of its manifest and the bytes of its component. `granted` is for the caller to know.
    ///
    /// # Errors
    /// Where the manifest is wrong, the component is not the one it names, or the sandbox refuses it.
    pub fn new(
        sandbox: &Sandbox,
        manifest: &str,
        component: &[u8],
        source: PackSource,
        granted: bool,
    ) -> Result<Self, PackError> {
        let named = |pack: &str| {
            let pack = pack.to_owned();
            move |error| PackError::Manifest { pack, error }
        };
        let place = match &source {
            PackSource::Builtin => "built in".to_owned(),
            PackSource::Folder(folder) => folder.display().to_string(),
        };
        let manifest = Manifest::parse(manifest).map_err(named(&place))?;
        let sha256 = manifest.verify(component).map_err(named(&manifest.name))?;
        let module = sandbox
            .load(&manifest.name, component)
            .map_err(|error| PackError::Module { pack: manifest.name.clone(), error })?;
        Ok(Self { manifest, sha256, source, granted, module })
    }
}

/// A pack from a folder: `pack.toml` and the component that it names. It has no grants.
///
/// # Errors
/// Where a file is missing, too large or no plain file (a link may lead anywhere), and as [`Pack::new`].
pub fn load_dir(sandbox: &Sandbox, folder: &Path) -> Result<Pack, PackError> {
    let path = folder.join("pack.toml");
    let text = String::from_utf8(read(&path, super::MAX_MANIFEST as u64)?)
        .map_err(|_| PackError::File { path: path.clone(), reason: "is not UTF-8".to_owned() })?;
    let manifest = Manifest::parse(&text)
        .map_err(|error| PackError::Manifest { pack: folder.display().to_string(), error })?;
    // The manifest's check lets only a plain file name pass.
    let component = read(&folder.join(&manifest.module), MAX_COMPONENT)?;
    Pack::new(sandbox, &text, &component, PackSource::Folder(folder.to_owned()), false)
}

fn read(path: &Path, limit: u64) -> Result<Vec<u8>, PackError> {
    let failed = |reason: String| PackError::File { path: path.to_owned(), reason };
    let kind = fs::symlink_metadata(path).map_err(|error| failed(error.to_string()))?.file_type();
    if !kind.is_file() {
        return Err(failed("is no plain file".to_owned()));
    }
    let file = fs::File::open(path).map_err(|error| failed(error.to_string()))?;
    let mut bytes = Vec::new();
    // It may grow while it is read.
    file.take(limit + 1).read_to_end(&mut bytes).map_err(|error| failed(error.to_string()))?;
    if bytes.len() as u64 > limit {
        return Err(failed(format!("has more than {limit} bytes")));
    }
    Ok(bytes)
}
