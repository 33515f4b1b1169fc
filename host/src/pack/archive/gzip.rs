//! Gzipped tar archives.

use super::{ArchiveError, MAX_EXPANDED, Taken, What};
use flate2::read::MultiGzDecoder;
use std::collections::BTreeMap;
use std::io::{Cursor, Read};

/// A tar pads each file and ends with empty blocks.
const PADDING: u64 = 1024 * 1024;

pub(super) fn files(bytes: &[u8]) -> Result<BTreeMap<String, Vec<u8>>, ArchiveError> {
    // The whole of it, within the bound, before any entry is looked at: long names and extended headers cannot take more
    // than that either.
    let most = MAX_EXPANDED + PADDING;
    let mut plain = Vec::new();
    MultiGzDecoder::new(bytes).take(most + 1).read_to_end(&mut plain).map_err(damaged)?;
    if plain.len() as u64 > most {
        return Err(ArchiveError::TooMuch(format!("expands to more than {most} bytes")));
    }
    let mut archive = tar::Archive::new(Cursor::new(plain));
    let mut taken = Taken::default();
    for entry in archive.entries().map_err(damaged)? {
        let mut entry = entry.map_err(damaged)?;
        let kind = entry.header().entry_type();
        let what = match kind {
            tar::EntryType::Regular => What::File,
            tar::EntryType::Directory => What::Folder,
            tar::EntryType::Symlink => What::Other("a symbolic link"),
            tar::EntryType::Link => What::Other("a hard link"),
            tar::EntryType::Char | tar::EntryType::Block => What::Other("a device"),
            tar::EntryType::Fifo => What::Other("a pipe"),
            // Of the whole archive, as `git archive` writes: the reader takes nothing from it.
            tar::EntryType::XGlobalHeader => continue,
            _ => What::Other("no plain file"),
        };
        let name = entry.path_bytes().into_owned();
        taken.take(&name, what, &mut entry)?;
    }
    Ok(taken.finish())
}

fn damaged(error: std::io::Error) -> ArchiveError {
    ArchiveError::Damaged(super::visible(error.to_string().as_bytes()))
}
