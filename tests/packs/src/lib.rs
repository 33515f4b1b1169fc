//! What the pack tests and `refresh-packs` share: a pack's component built from source, and its manifest with the
//! hash of that component.

use bouncer::pack::sha256_hex;
use std::path::{Path, PathBuf};

/// The root of the repository.
#[must_use]
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_owned()
}

/// The folder of a pack.
#[must_use]
pub fn folder(pack: &str) -> PathBuf {
    root().join("packs").join(pack)
}

/// A pack's component as its sources give it today.
///
/// # Errors
/// Where there is no such guest or no component can be made of it.
pub fn component(pack: &str) -> Result<Vec<u8>, String> {
    let package = format!("bouncer-pack-{pack}");
    let module =
        bouncer_artifacts::core_module(&package).ok_or_else(|| format!("`{package}` was not built"))?;
    bouncer::sandbox::component::from_core_module(module).map_err(|error| error.to_string())
}

/// A manifest with the hash of this component in it.
#[must_use]
pub fn with_hash(manifest: &str, component: &[u8]) -> String {
    let hash = sha256_hex(component);
    let line = |line: &str| match line.strip_prefix("sha256 = ") {
        Some(_) => format!("sha256 = \"{hash}\"\n"),
        None => format!("{line}\n"),
    };
    manifest.lines().map(line).collect()
}
