//! Files for their owner's eyes only, which file a name leads to, and locks.
#![allow(unsafe_code, reason = "byte ranges are locked by calls of the system's")]

use super::{checked, owner};
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io;
use std::os::windows::io::AsRawHandle as _;
use std::path::Path;
use std::time::{Duration, Instant};
use windows_sys::Win32::Foundation::{ERROR_ACCESS_DENIED, ERROR_LOCK_VIOLATION, ERROR_SHARING_VIOLATION};
use windows_sys::Win32::Storage::FileSystem::{
    LOCKFILE_EXCLUSIVE_LOCK, LOCKFILE_FAIL_IMMEDIATELY, LockFileEx, UnlockFileEx,
};
use windows_sys::Win32::System::IO::OVERLAPPED;

/// Nothing to be set: what is made in a private folder inherits its access list.
pub(crate) fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Makes a folder that only its owner, the administrators and the system can enter; one that is there is closed to
/// others.
pub(crate) fn private_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)?;
    if owner::is_private(path)? { Ok(()) } else { owner::close(path) }
}

/// The same for a folder that is not there yet; an error where it is.
pub(crate) fn new_private_folder(path: &Path) -> io::Result<()> {
    fs::create_dir(path)?;
    private_folder(path)
}

/// Refuses a folder that others may enter. `_probe` is a file that this process made in it.
pub(crate) fn is_own_folder(folder: &Path, _probe: &File) -> io::Result<()> {
    if owner::is_private(folder)? {
        return Ok(());
    }
    Err(io::Error::other("others may read or write it"))
}

/// In a folder of its owner's alone, nobody else makes files or changes their access lists.
pub(crate) fn is_own_file(_path: &Path, _found: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Which file an open one is.
pub(crate) fn identity_of(file: &File) -> Option<(u64, u64)> {
    let found = winapi_util::file::information(file).ok()?;
    Some((found.volume_serial_number(), found.file_index()))
}

/// Which file is there now.
pub(crate) fn identity(path: &Path) -> Option<(u64, u64)> {
    identity_of(&File::open(path).ok()?)
}

/// The same: what the system tells of a file by name says nothing of this.
pub(crate) fn identity_by(_found: &Metadata, path: &Path) -> Option<(u64, u64)> {
    identity(path)
}

/// Puts `from` in the place of `to`, in one step. A virus scanner or an indexer that has just opened one of the two is
/// waited for.
pub(crate) fn replace(from: &Path, to: &Path) -> io::Result<()> {
    const PATIENCE: Duration = Duration::from_secs(1);
    let began = Instant::now();
    loop {
        match fs::rename(from, to) {
            Err(error) if is_busy(&error) && began.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(10));
            }
            other => return other,
        }
    }
}

fn is_busy(error: &io::Error) -> bool {
    let busy = [ERROR_ACCESS_DENIED, ERROR_SHARING_VIOLATION];
    error.raw_os_error().and_then(|code| u32::try_from(code).ok()).is_some_and(|code| busy.contains(&code))
}

/// The byte that is locked in the place of a file: a lock keeps others from reading what it covers, so it covers what
/// no file has.
fn far() -> OVERLAPPED {
    let mut place = OVERLAPPED::default();
    place.Anonymous.Anonymous.OffsetHigh = 0x4000_0000;
    place
}

/// Marks a file as held by this process until it ends; others can read it all the same. It must be open for more than
/// appending.
pub(crate) fn hold(file: &File) -> io::Result<()> {
    let mut place = far();
    // SAFETY: an open file, and a place that outlives the call: the file is not overlapped, so nothing is left pending.
    checked(unsafe { LockFileEx(file.as_raw_handle(), LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &raw mut place) })
}

/// The same where nobody holds it.
pub(crate) fn try_hold(file: &File) -> Result<(), TryLockError> {
    let mut place = far();
    let flags = LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY;
    // SAFETY: as in `hold`.
    let held = checked(unsafe { LockFileEx(file.as_raw_handle(), flags, 0, 1, 0, &raw mut place) });
    held.map_err(|error| {
        if error.raw_os_error() == i32::try_from(ERROR_LOCK_VIOLATION).ok() {
            TryLockError::WouldBlock
        } else {
            TryLockError::Error(error)
        }
    })
}

/// Takes the mark away.
pub(crate) fn release(file: &File) -> io::Result<()> {
    let mut place = far();
    // SAFETY: as in `hold`.
    checked(unsafe { UnlockFileEx(file.as_raw_handle(), 0, 1, 0, &raw mut place) })
}
