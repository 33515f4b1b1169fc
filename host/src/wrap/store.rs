//! Writing a client configuration: never half a file, never another's change lost, a backup first.

use super::WrapError;
use crate::os;
use sha2::{Digest, Sha256};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Replaces the text of `path`, which must still be `old`: written beside it, then renamed over it. A symlink stays one
/// (its target is replaced), and the mode stays.
pub fn replace(path: &Path, old: &str, new: &str) -> Result<(), WrapError> {
    let failed = |source| WrapError::Write { path: path.to_owned(), source };
    let target = fs::canonicalize(path).map_err(failed)?;
    let permissions = fs::metadata(&target).map_err(failed)?.permissions();
    if permissions.readonly() {
        return Err(failed(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only")));
    }
    let folder = target.parent().unwrap_or(Path::new("/"));
    let (beside, mut file) = beside(folder, &target).map_err(failed)?;
    let written = file
        .write_all(new.as_bytes())
        .and_then(|()| file.set_permissions(permissions))
        .and_then(|()| file.sync_all())
        .map_err(failed)
        .and_then(|()| match fs::read(&target) {
            Ok(now) if now == old.as_bytes() => os::replace(&beside, &target).map_err(failed),
            Ok(_) => Err(WrapError::Raced { path: path.to_owned() }),
            Err(source) => Err(failed(source)),
        });
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

/// A new file in the same folder, for its owner only until the rename.
fn beside(folder: &Path, target: &Path) -> io::Result<(PathBuf, File)> {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let mut attempt = 0u32;
    loop {
        let path = folder.join(format!(".{name}.bouncer-{}-{attempt}", std::process::id()));
        match os::private(OpenOptions::new().write(true).create_new(true)).open(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < 100 => attempt += 1,
            Err(error) => return Err(error),
        }
    }
}

/// Where the backup of a client configuration lies: named by the file's real path.
#[must_use]
pub fn backup_of(backups: &Path, config: &Path) -> PathBuf {
    let real = fs::canonicalize(config).unwrap_or_else(|_| config.to_owned());
    let digest = Sha256::digest(real.as_os_str().as_encoded_bytes());
    let digest: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let name = real.file_name().unwrap_or_default().to_string_lossy().into_owned();
    backups.join(format!("{digest}-{name}"))
}

/// What the backup holds: the text before the first change, and the hash of what Bouncer wrote last.
#[derive(Debug)]
pub struct Backup {
    /// The original, byte for byte.
    pub original: String,
    /// SHA-256 (hex) of the text that Bouncer wrote.
    pub written: String,
}

/// SHA-256 of a text, in hex.
#[must_use]
pub fn hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Keeps `original`, unless the backup there belongs to the same wrapping (`before` is what Bouncer wrote last).
pub fn keep(backup: &Path, before: &str, written: &str) -> Result<(), WrapError> {
    let failed = |source| WrapError::Write { path: backup.to_owned(), source };
    let same_wrapping = load(backup).is_some_and(|kept| kept.written == hash(before));
    let folder = backup.parent().unwrap_or(Path::new("/"));
    os::private_folder(folder).map_err(failed)?;
    if !same_wrapping {
        private_write(backup, before.as_bytes()).map_err(failed)?;
    }
    private_write(&sum_of(backup), hash(written).as_bytes()).map_err(failed)
}

/// The backup, if there is one.
#[must_use]
pub fn load(backup: &Path) -> Option<Backup> {
    let original = fs::read_to_string(backup).ok()?;
    let written = fs::read_to_string(sum_of(backup)).ok()?;
    Some(Backup { original, written })
}

/// Removes a backup that has served.
pub fn drop_backup(backup: &Path) {
    let _ = fs::remove_file(sum_of(backup));
    let _ = fs::remove_file(backup);
}

fn sum_of(backup: &Path) -> PathBuf {
    let mut name = backup.as_os_str().to_owned();
    name.push(".written");
    PathBuf::from(name)
}

fn private_write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = os::private(OpenOptions::new().write(true).create(true).truncate(true)).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}
