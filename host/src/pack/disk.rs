//! Files of packs on disk: read within bounds and never through a link, replaced as a whole, and one lock for those who
//! change what is installed.

use crate::home::Home;
use crate::os;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long the lock is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// Something on disk that cannot be read or changed.
#[derive(Debug, Clone, thiserror::Error)]
#[error("cannot {what} `{}`: {why}", path.display())]
pub struct DiskError {
    /// What was tried.
    pub what: &'static str,
    /// On which file or folder.
    pub path: PathBuf,
    /// Why it failed.
    pub why: String,
}

pub(super) fn failed<'a>(
    what: &'static str,
    path: &'a Path,
) -> impl FnOnce(io::Error) -> DiskError + use<'a> {
    move |error| DiskError { what, path: path.to_owned(), why: error.to_string() }
}

/// The bytes of a plain file of at most `limit` bytes. A link is refused: it may lead anywhere.
pub(super) fn read(path: &Path, limit: u64) -> Result<Vec<u8>, DiskError> {
    let refused = |why: String| DiskError { what: "read", path: path.to_owned(), why };
    let kind = fs::symlink_metadata(path).map_err(failed("read", path))?.file_type();
    if !kind.is_file() {
        return Err(refused("it is no plain file".to_owned()));
    }
    let file = File::open(path).map_err(failed("read", path))?;
    let mut bytes = Vec::new();
    // It may grow while it is read.
    file.take(limit + 1).read_to_end(&mut bytes).map_err(failed("read", path))?;
    if bytes.len() as u64 > limit {
        return Err(refused(format!("it has more than {limit} bytes")));
    }
    Ok(bytes)
}

/// The same; `None` where there is nothing of that name.
pub(super) fn read_if_there(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, DiskError> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        _ => read(path, limit).map(Some),
    }
}

/// Writes a new file that only its owner can read, down to the disk.
pub(super) fn write_new(path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
    let mut file = os::private(OpenOptions::new().write(true).create_new(true))
        .open(path)
        .map_err(failed("create", path))?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(failed("write", path))
}

/// Replaces a file as a whole: whoever reads it, also after a kill, sees the old or the new one. For whoever holds the
/// lock.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
    let beside = path.with_extension("new");
    // Left over by one that was killed.
    let _ = fs::remove_file(&beside);
    let written =
        write_new(&beside, bytes).and_then(|()| os::replace(&beside, path).map_err(failed("write", path)));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

/// What makes up what is installed does not change while this is held; the system releases it when the process dies.
#[derive(Debug)]
pub(super) struct Held {
    _file: File,
}

/// For those who change anything.
pub(super) fn hold(home: &Home) -> Result<Held, DiskError> {
    lock(home, File::try_lock)
}

/// For those who read: several at once.
pub(super) fn hold_shared(home: &Home) -> Result<Held, DiskError> {
    lock(home, File::try_lock_shared)
}

fn lock(home: &Home, take: fn(&File) -> Result<(), TryLockError>) -> Result<Held, DiskError> {
    let folder = home.packs();
    os::private_folder(&folder).map_err(failed("prepare", &folder))?;
    let path = folder.join(".lock");
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    let file = os::private(&mut options).open(&path).map_err(failed("open", &path))?;
    let began = Instant::now();
    loop {
        match take(&file) {
            Ok(()) => return Ok(Held { _file: file }),
            // Held for a moment only, unless its holder was stopped: then nobody may hang with it.
            Err(TryLockError::WouldBlock) if began.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(2));
            }
            Err(TryLockError::WouldBlock) => {
                let busy = io::Error::new(io::ErrorKind::TimedOut, "another process changes the packs");
                return Err(failed("lock", &path)(busy));
            }
            Err(TryLockError::Error(error)) => return Err(failed("lock", &path)(error)),
        }
    }
}
