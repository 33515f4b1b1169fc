//! Policy packs: what they say of themselves, which servers they are for, and what they state of a server's tools.
//! Running a module is the sandbox's work, weighing what it states the core's.

mod builtin;
mod identity;
mod launch;
mod load;
mod manifest;
mod stated;

pub use builtin::{EMBEDDED, Embedded, builtin, builtin_where};
pub use identity::{Matched, Names, ServerMatch};
pub use load::{MAX_COMPONENT, Pack, PackError, PackSource, load_dir};
pub use manifest::{MAX_MANIFEST, Manifest, ManifestError, WantedGrants};
pub use stated::{PackStatements, stated};

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
