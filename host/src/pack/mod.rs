//! Policy packs: what they say of themselves, which servers they are for, and what they state of a server's tools.
//! Running a module is the sandbox's work, weighing what it states the core's.

mod archive;
mod builtin;
mod bundle;
mod change;
mod disk;
mod effects;
mod examine;
mod fetch;
mod granted;
mod grants;
mod identity;
mod installed;
mod launch;
mod load;
mod lock;
mod manifest;
mod signature;
mod stated;
mod tables;
mod used;

pub use archive::{ArchiveError, MAX_ARCHIVE};
pub(crate) use builtin::prepare as prepare_builtin;
pub use builtin::{EMBEDDED, Embedded, builtin, builtin_where, is_builtin};
pub(crate) use bundle::SIGNATURE;
pub use bundle::{Bundle, MAX_COMPONENT};
pub use change::Change;
pub use disk::DiskError;
pub use effects::{Effect, Effects, loosening};
pub use examine::Examined;
pub use fetch::{FetchError, FromRegistry, RegistryError, https, oci};
pub use granted::{Granted, GrantsFile};
pub use grants::{GrantKind, Grants};
pub use identity::{Matched, Names, ServerMatch};
pub use installed::{Installed, Shelf};
pub use load::{Pack, PackError, PackSource};
pub use lock::{LockFile, Locked};
pub use manifest::{MAX_MANIFEST, Manifest, ManifestError, WantedGrants};
pub use signature::{MAX_SIGNATURE, SignatureError, check_key, verify};
pub use stated::{PackStatements, stated};
pub use tables::TableError;
pub(crate) use tables::is_hash;
pub use used::{GrantUse, uses};

use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// SHA-256 of `bytes` in lower-case hexadecimal.
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// The first digits of a hash, which tell packs apart for a person.
#[must_use]
pub fn short_hash(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}
