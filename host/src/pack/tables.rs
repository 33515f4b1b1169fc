//! What the two files of installed packs share: TOML of a bounded size, problems with their place, dates, hashes.

use super::disk::{self, DiskError};
use crate::policy::{Malformed, Problem};
use serde::de::DeserializeOwned;
use std::path::Path;
use std::time::SystemTime;

/// Bytes that such a file may have.
const MAX_BYTES: u64 = 1024 * 1024;

/// Why such a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// It is not what it should be: file, line, column, what was expected.
    #[error("{0}")]
    Malformed(Box<Malformed>),
    /// It cannot be read or written.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

/// What stands in the file, with its text; `None` where it is not there.
pub(super) fn read<T: DeserializeOwned>(path: &Path, hint: &str) -> Result<Option<(T, String)>, TableError> {
    let Some(bytes) = disk::read_if_there(path, MAX_BYTES)? else { return Ok(None) };
    let text = String::from_utf8(bytes).map_err(|_| DiskError {
        what: "read",
        path: path.to_owned(),
        why: "it is not UTF-8".to_owned(),
    })?;
    match toml::from_str(&text) {
        Ok(value) => Ok(Some((value, text))),
        Err(error) => {
            let problem =
                Problem::new(error.span().unwrap_or_default(), "this is not what Bouncer wrote here")
                    .label(error.message().trim())
                    .hint(hint);
            Err(malformed(path, &text, problem))
        }
    }
}

pub(super) fn malformed(path: &Path, text: &str, problem: Problem) -> TableError {
    TableError::Malformed(Box::new(Malformed::new(path, text, vec![problem])))
}

/// Whether this is a SHA-256 in lower-case hexadecimal.
pub(crate) fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// Today, as `2026-11-30`.
pub(super) fn today() -> String {
    crate::audit::timestamp(SystemTime::now()).chars().take(10).collect()
}
