//! Files for their owner's eyes only, which file a name leads to, and locks.

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

/// What these options create, only its owner can read or write.
pub(crate) fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options.mode(0o600)
}

/// Makes a folder that only its owner can enter; one that is there is closed to others.
pub(crate) fn private_folder(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    let mode = fs::metadata(path)?.permissions().mode();
    if mode & 0o077 != 0 {
        fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o700))?;
    }
    Ok(())
}

/// The same for a folder that is not there yet; an error where it is.
pub(crate) fn new_private_folder(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new().mode(0o700).create(path)
}

/// Refuses a folder that others may enter, or that is another user's. `probe` is a file that this process made in it.
pub(crate) fn is_own_folder(folder: &Path, probe: &File) -> io::Result<()> {
    let found = fs::symlink_metadata(folder)?;
    if found.mode() & 0o077 != 0 {
        return Err(io::Error::other("others may read or write it\nhint: chmod 700"));
    }
    // A file made in it shows who this process is, without asking the system through unsafe code.
    if probe.metadata()?.uid() != found.uid() {
        return Err(io::Error::other("belongs to another user"));
    }
    Ok(())
}

/// Refuses a file that others can write, or that is not its folder's owner's.
pub(crate) fn is_own_file(path: &Path, found: &Metadata) -> io::Result<()> {
    let parent = path.parent().map(fs::symlink_metadata).transpose()?;
    if found.mode() & 0o022 != 0 || parent.is_none_or(|dir| dir.uid() != found.uid()) {
        return Err(io::Error::other("not a file of this user alone"));
    }
    Ok(())
}

/// Which file an open one is.
pub(crate) fn identity_of(file: &File) -> Option<(u64, u64)> {
    file.metadata().ok().map(|found| (found.dev(), found.ino()))
}

/// Which file is there now.
pub(crate) fn identity(path: &Path) -> Option<(u64, u64)> {
    identity_by(&fs::metadata(path).ok()?, path)
}

/// The same, where the system has told of the file already.
pub(crate) fn identity_by(found: &Metadata, _path: &Path) -> Option<(u64, u64)> {
    Some((found.dev(), found.ino()))
}

/// Puts `from` in the place of `to`, in one step.
pub(crate) fn replace(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)
}

/// Marks a file as held by this process until it ends; others can read it all the same.
pub(crate) fn hold(file: &File) -> io::Result<()> {
    file.lock()
}

/// The same where nobody holds it.
pub(crate) fn try_hold(file: &File) -> Result<(), TryLockError> {
    file.try_lock()
}

/// Takes the mark away.
pub(crate) fn release(file: &File) -> io::Result<()> {
    file.unlock()
}
