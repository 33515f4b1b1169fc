//! Zip archives.

use super::{ArchiveError, MAX_ENTRIES, Taken, What};
use std::collections::BTreeMap;
use std::io::Cursor;
use zip::{CompressionMethod, ZipArchive};

/// The bits of a Unix mode that say what kind of file it is, and those that a plain file has there.
const KIND: u32 = 0o170_000;
const PLAIN: u32 = 0o100_000;
const FOLDER: u32 = 0o040_000;

pub(super) fn files(bytes: &[u8]) -> Result<BTreeMap<String, Vec<u8>>, ArchiveError> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(damaged)?;
    if archive.len() > MAX_ENTRIES {
        return Err(ArchiveError::TooMuch(format!("has more than {MAX_ENTRIES} entries")));
    }
    // The reader keeps one of two entries of the same name.
    if archive.has_duplicate_names() {
        return Err(ArchiveError::Damaged("two entries have the same name".to_owned()));
    }
    if archive.has_overlapping_files().map_err(damaged)? {
        return Err(ArchiveError::Damaged("its entries overlap".to_owned()));
    }
    let mut taken = Taken::default();
    for index in 0..archive.len() {
        let raw = archive.by_index_raw(index).map_err(damaged)?;
        let (name, mode, encrypted) = (raw.name_raw().to_vec(), raw.unix_mode(), raw.encrypted());
        let compression = raw.compression();
        let is_folder = name.ends_with(b"/");
        drop(raw);
        let what = match mode.map(|mode| mode & KIND) {
            _ if encrypted => What::Other("encrypted"),
            Some(0 | PLAIN) | None if !is_folder => What::File,
            Some(0 | FOLDER) | None if is_folder => What::Folder,
            Some(0o120_000) => What::Other("a symbolic link"),
            Some(0o020_000 | 0o060_000) => What::Other("a device"),
            _ => What::Other("no plain file"),
        };
        let plain = matches!(compression, CompressionMethod::Stored | CompressionMethod::Deflated);
        let what = if plain { what } else { What::Other("compressed in a way that is not read") };
        if what == What::File {
            let mut file = archive.by_index(index).map_err(damaged)?;
            taken.take(&name, what, &mut file)?;
        } else {
            taken.take(&name, what, &mut std::io::empty())?;
        }
    }
    Ok(taken.finish())
}

fn damaged(error: zip::result::ZipError) -> ArchiveError {
    ArchiveError::Damaged(super::visible(error.to_string().as_bytes()))
}
