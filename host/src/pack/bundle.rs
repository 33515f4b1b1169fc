//! A pack's files, held against each other and not yet given to the sandbox: out of a folder, an archive or a registry.

use super::disk::{self, DiskError};
use super::{MAX_MANIFEST, Manifest, ManifestError, PackError, sha256_hex};
use std::collections::BTreeMap;
use std::path::Path;

/// The largest component that is read, in bytes.
pub const MAX_COMPONENT: u64 = 8 * 1024 * 1024;
/// The largest of the other files, in bytes.
pub(super) const MAX_OTHER: u64 = 1024 * 1024;

/// The manifest's file name.
pub(super) const MANIFEST: &str = "pack.toml";
/// What else a pack may hold beside its manifest and its component.
pub(super) const OTHERS: [&str; 9] = [
    SIGNATURE,
    "cases.toml",
    "README",
    "README.md",
    "README.txt",
    "LICENSE",
    "LICENSE.md",
    "LICENSE.txt",
    "settings.schema.json",
];
/// The signature of the manifest, which names the component's hash: it covers both.
pub(crate) const SIGNATURE: &str = "pack.toml.minisig";

/// The files of a pack whose manifest can be read and names this very component.
#[derive(Debug, Clone)]
pub struct Bundle {
    /// What it says of itself.
    pub manifest: Manifest,
    /// The manifest as it is written.
    pub text: String,
    /// SHA-256 of the manifest's text. It covers the component too, whose hash the manifest names.
    pub manifest_sha256: String,
    /// The component.
    pub component: Vec<u8>,
    /// Its SHA-256.
    pub sha256: String,
    /// The other files, by name.
    pub others: BTreeMap<String, Vec<u8>>,
}

/// Whether a pack may hold a file of this name.
pub(super) fn may_hold(name: &str) -> bool {
    let component = name.strip_suffix(".wasm").is_some_and(|stem| {
        !stem.is_empty()
            && stem.len() <= 64
            && stem.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    });
    name == MANIFEST || component || OTHERS.contains(&name)
}

/// The most bytes that a file of this name may have.
pub(super) fn limit_of(name: &str) -> u64 {
    match name {
        MANIFEST => MAX_MANIFEST as u64,
        _ if name.ends_with(".wasm") => MAX_COMPONENT,
        _ => MAX_OTHER,
    }
}

impl Bundle {
    /// From files by name. `place` says in messages where they come from.
    ///
    /// # Errors
    /// Where the manifest or the component is missing, the manifest is wrong, the component is not the one that it names,
    /// or there is another component.
    pub fn new(mut files: BTreeMap<String, Vec<u8>>, place: &str) -> Result<Self, PackError> {
        let text = files.remove(MANIFEST).ok_or_else(|| missing(place, MANIFEST))?;
        let manifest_sha256 = sha256_hex(&text);
        let text = utf8(text, place)?;
        let manifest =
            Manifest::parse(&text).map_err(|error| PackError::Manifest { pack: place.to_owned(), error })?;
        let component = files.remove(&manifest.module).ok_or_else(|| missing(place, &manifest.module))?;
        if let Some(other) = files.keys().find(|name| name.ends_with(".wasm")) {
            return Err(PackError::Content {
                place: place.to_owned(),
                what: format!("holds a second component, `{other}`"),
                hint: "a pack has the one component that its `pack.toml` names".to_owned(),
            });
        }
        let sha256 = manifest
            .verify(&component)
            .map_err(|error| PackError::Manifest { pack: manifest.name.clone(), error })?;
        Ok(Self { manifest, text, manifest_sha256, component, sha256, others: files })
    }

    /// From a folder. Of its files only those are read that a pack may hold; others, as of a project, are let be.
    ///
    /// # Errors
    /// Where a file is missing, too large or no plain file, and as [`Bundle::new`].
    pub fn from_folder(folder: &Path) -> Result<Self, PackError> {
        let files = files_of(folder)?;
        Self::new(files, &folder.display().to_string())
    }

    /// All files, by name, as they are to be written.
    pub fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let own =
            [(MANIFEST, self.text.as_bytes()), (self.manifest.module.as_str(), self.component.as_slice())];
        own.into_iter().chain(self.others.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())))
    }
}

/// The files of a folder that a pack may hold, by name. Others, as of a project, are let be, components that the manifest
/// does not name too.
pub(super) fn files_of(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>, PackError> {
    let mut files = BTreeMap::new();
    let text = disk::read(&folder.join(MANIFEST), limit_of(MANIFEST))?;
    // The manifest's check lets only a plain file name pass.
    let module = std::str::from_utf8(&text).ok().and_then(|text| Manifest::parse_all(text).ok());
    let module = module.map(|(manifest, _)| manifest.module).filter(|module| may_hold(module));
    files.insert(MANIFEST.to_owned(), text);
    for name in OTHERS.into_iter().chain(module.as_deref()) {
        if let Some(bytes) = disk::read_if_there(&folder.join(name), limit_of(name))? {
            files.insert(name.to_owned(), bytes);
        }
    }
    Ok(files)
}

fn missing(place: &str, name: &str) -> PackError {
    PackError::Content {
        place: place.to_owned(),
        what: format!("has no `{name}`"),
        hint: "a pack is a `pack.toml` and, beside it, the component that it names".to_owned(),
    }
}

fn utf8(bytes: Vec<u8>, place: &str) -> Result<String, PackError> {
    if bytes.len() > MAX_MANIFEST {
        let error = ManifestError::TooLarge(bytes.len());
        return Err(PackError::Manifest { pack: place.to_owned(), error });
    }
    String::from_utf8(bytes).map_err(|_| PackError::Content {
        place: place.to_owned(),
        what: "has a `pack.toml` that is not UTF-8".to_owned(),
        hint: "a manifest is text in UTF-8".to_owned(),
    })
}

impl From<DiskError> for PackError {
    fn from(error: DiskError) -> Self {
        Self::File(error)
    }
}
