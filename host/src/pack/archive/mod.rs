//! The files of a pack out of an archive, into memory. Every byte of it is taken to be an attacker's: what is no plain
//! file that a pack may hold, stands elsewhere than at the top or in one folder, is there twice, or is larger than
//! honest packs are, refuses the whole archive. Nothing is ever written under a name from an archive.

mod gzip;
mod zip;

use super::PackError;
use super::bundle::{Bundle, limit_of, may_hold};
use bouncer_core::shown::shown;
use std::collections::BTreeMap;
use std::io::Read;

/// The largest archive that is opened, in bytes.
pub const MAX_ARCHIVE: u64 = 16 * 1024 * 1024;
/// What all entries together may expand to, in bytes.
const MAX_EXPANDED: u64 = 16 * 1024 * 1024;
/// Entries, folders included.
const MAX_ENTRIES: usize = 32;

/// Why an archive is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArchiveError {
    /// It is no archive of a kind that is read.
    #[error(
        "is neither a gzipped tar nor a zip archive\nhint: make one with `tar czf PACK.tgz pack.toml MODULE.wasm`"
    )]
    Unknown,
    /// It is damaged.
    #[error("is a damaged archive: {0}")]
    Damaged(String),
    /// It is too large, or expands to too much.
    #[error("{0}: no pack needs that, and nothing of it was kept")]
    TooMuch(String),
    /// One entry is refused.
    #[error("holds the entry `{entry}`, which {why}\nhint: {HINT}")]
    Entry {
        /// Its name, with what cannot be seen written out.
        entry: String,
        /// What is wrong with it.
        why: String,
    },
}

const HINT: &str = "a pack's archive holds `pack.toml`, the component that it names, and at most a signature, `cases.toml`, a readme, a licence and `settings.schema.json`, as plain files at the top or in one folder";

impl Bundle {
    /// From the bytes of an archive; `place` says in messages where they come from.
    ///
    /// # Errors
    /// An [`ArchiveError`], and as [`Bundle::new`].
    pub fn from_archive(bytes: &[u8], place: &str) -> Result<Self, PackError> {
        Self::new(files_of(bytes, place)?, place)
    }
}

/// The files in an archive, by name.
pub(super) fn files_of(bytes: &[u8], place: &str) -> Result<BTreeMap<String, Vec<u8>>, PackError> {
    let refused = |error| PackError::Archive { place: place.to_owned(), error };
    if bytes.len() as u64 > MAX_ARCHIVE {
        return Err(refused(ArchiveError::TooMuch(format!("has more than {MAX_ARCHIVE} bytes"))));
    }
    let files = match bytes {
        [0x1f, 0x8b, ..] => gzip::files(bytes),
        [b'P', b'K', ..] => zip::files(bytes),
        _ => Err(ArchiveError::Unknown),
    };
    files.map_err(refused)
}

/// What was taken out of an archive so far.
#[derive(Default)]
struct Taken {
    files: BTreeMap<String, Vec<u8>>,
    /// The folder that everything lies in; empty for the top.
    folder: Option<String>,
    entries: usize,
    expanded: u64,
}

/// What an entry is, as its archive says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    File,
    Folder,
    Other(&'static str),
}

impl Taken {
    /// Takes one entry in, or refuses it.
    fn take(&mut self, raw: &[u8], what: What, content: &mut dyn Read) -> Result<(), ArchiveError> {
        let refused = |why: &str| ArchiveError::Entry { entry: visible(raw), why: why.to_owned() };
        self.entries += 1;
        if self.entries > MAX_ENTRIES {
            return Err(ArchiveError::TooMuch(format!("has more than {MAX_ENTRIES} entries")));
        }
        let name = std::str::from_utf8(raw).map_err(|_| refused("has a name that is not UTF-8"))?;
        if let What::Other(kind) = what {
            return Err(refused(&format!("is {kind}")));
        }
        let parts = parts(name).map_err(refused)?;
        if what == What::Folder {
            return match parts.as_slice() {
                [] | [_] => Ok(()),
                _ => Err(refused("is a folder inside of a folder")),
            };
        }
        let (folder, file) = match parts.as_slice() {
            [file] => ("", *file),
            [folder, file] => (*folder, *file),
            [] => return Err(refused("has no name")),
            _ => return Err(refused("lies deeper than in one folder")),
        };
        if !may_hold(file) {
            return Err(refused("is not a file that a pack holds"));
        }
        if self.folder.get_or_insert_with(|| folder.to_owned()) != folder {
            return Err(refused("lies in another folder than the entries before it"));
        }
        if self.files.contains_key(file) {
            return Err(refused("is there twice"));
        }
        let limit = limit_of(file);
        let mut bytes = Vec::new();
        let damaged = |error: std::io::Error| {
            refused(&format!("cannot be read: {}", visible(error.to_string().as_bytes())))
        };
        content.take(limit + 1).read_to_end(&mut bytes).map_err(damaged)?;
        if bytes.len() as u64 > limit {
            return Err(refused(&format!("expands to more than {limit} bytes")));
        }
        self.expanded += bytes.len() as u64;
        if self.expanded > MAX_EXPANDED {
            return Err(ArchiveError::TooMuch(format!("expands to more than {MAX_EXPANDED} bytes")));
        }
        self.files.insert(file.to_owned(), bytes);
        Ok(())
    }

    fn finish(self) -> BTreeMap<String, Vec<u8>> {
        debug_assert!(self.files.len() <= MAX_ENTRIES);
        self.files
    }
}

/// The parts of an entry's name, without a leading `./` and a folder's closing `/`.
fn parts(name: &str) -> Result<Vec<&str>, &'static str> {
    if name.starts_with('/') {
        return Err("has an absolute path");
    }
    if name.contains('\\') {
        return Err("has a backslash in its name");
    }
    if name.chars().any(|c| c.is_control()) {
        return Err("has a control character in its name");
    }
    let name = name.strip_prefix("./").unwrap_or(name);
    let name = name.strip_suffix('/').unwrap_or(name);
    if name.is_empty() || name == "." {
        return Ok(Vec::new());
    }
    let parts: Vec<&str> = name.split('/').collect();
    if parts.contains(&"..") {
        return Err("leads out of the archive with `..`");
    }
    if parts.iter().any(|part| part.is_empty() || *part == ".") {
        return Err("has an empty part in its path");
    }
    if parts.iter().any(|part| part.contains(':')) {
        return Err("has a colon in its path");
    }
    Ok(parts)
}

/// A name as it can be shown: whatever it holds, it is short and steers no terminal.
fn visible(raw: &[u8]) -> String {
    let text: String = raw.utf8_chunks().fold(String::new(), |mut text, chunk| {
        text.push_str(&shown(chunk.valid(), usize::MAX));
        text.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
        text
    });
    if text.chars().count() > 120 { text.chars().take(120).chain(['…']).collect() } else { text }
}

#[cfg(test)]
mod tests;
