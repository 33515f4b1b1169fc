//! A session's folder: joining, reading what others wrote, leaving, and clearing away what nobody uses.
//!
//! A live process holds an advisory lock on its *own* segment, which the system releases however it ends. Joining
//! and clearing are serialised by a lock on one file beside the folders, held for the moment only.

use super::client_process::ClientProcess;
use super::key::SessionKey;
use super::others::Others;
use super::own::OwnSegment;
use crate::os;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Why the session folder cannot be used. Calls are refused then: what others have seen would be unknown.
#[derive(Debug, thiserror::Error)]
#[error("cannot {what} `{}`: {source}", path.display())]
pub struct StoreError {
    what: &'static str,
    path: PathBuf,
    source: io::Error,
}

pub(super) fn failed<'a>(
    what: &'static str,
    path: &'a Path,
) -> impl FnOnce(io::Error) -> StoreError + use<'a> {
    move |source| StoreError { what, path: path.to_owned(), source }
}

/// One process's place in a session folder. Its two sides know nothing of each other, so that one can be used while the
/// other waits for the disk.
#[derive(Debug)]
pub struct Store {
    /// What this process writes.
    pub own: OwnSegment,
    /// What it reads.
    pub others: Others,
}

/// Tells apart several stores of one process (tests, `demo`).
static NEXT: AtomicU64 = AtomicU64::new(0);

impl Store {
    /// Joins the session `key` below `sessions`, and clears away sessions that nobody uses any more.
    ///
    /// # Errors
    /// Where a folder or file cannot be made, locked or opened.
    pub fn join(sessions: &Path, key: &SessionKey) -> Result<Self, StoreError> {
        private_dir(sessions)?;
        let _joining = lock(sessions)?;
        clear(sessions, &key.folder());
        let folder = sessions.join(key.folder());
        private_dir(&folder)?;
        if let Some(client) = &key.client {
            let path = folder.join(format!("client.{}", client.pid));
            fs::write(&path, &client.started).map_err(failed("write", &path))?;
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let own_name = OsString::from(format!(
            "{}-{}-{}.segment",
            std::process::id(),
            now.as_nanos(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        ));
        let path = folder.join(&own_name);
        let own = private_file(&path).map_err(failed("make", &path))?;
        os::hold(&own).map_err(failed("lock", &path))?;
        Ok(Self {
            own: OwnSegment::new(sessions.to_owned(), path, own),
            others: Others::new(folder, own_name),
        })
    }

    /// The sessions of the same client process in which a proxy takes part, where none takes part in `key`'s own: a client
    /// may begin another session (`/clear`) and keep the servers of the last one, or not tell them its session's name.
    #[must_use]
    pub fn stranded(sessions: &Path, key: &SessionKey) -> Vec<SessionKey> {
        let Some(client) = &key.client else { return Vec::new() };
        if has_member(&sessions.join(key.folder())) {
            return Vec::new();
        }
        let Ok(entries) = fs::read_dir(sessions) else { return Vec::new() };
        let of_client = |folder: &Path| {
            let started = fs::read_to_string(folder.join(format!("client.{}", client.pid)));
            started.is_ok_and(|started| started == client.started)
        };
        let found = entries.flatten().filter(|entry| of_client(&entry.path()) && has_member(&entry.path()));
        found
            .filter_map(|entry| {
                Some(SessionKey::of_folder(entry.file_name().to_str()?, Some(client.clone())))
            })
            .collect()
    }
}

pub(super) fn is_segment(name: &std::ffi::OsStr) -> bool {
    Path::new(name).extension().is_some_and(|ext| ext == "segment")
}

/// Whether some process holds a segment of the folder.
fn has_member(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    let mut segments = entries.flatten().filter(|entry| is_segment(&entry.file_name()));
    segments.any(|entry| {
        File::open(entry.path())
            .is_ok_and(|file| matches!(os::try_hold(&file), Err(TryLockError::WouldBlock)))
    })
}

/// Takes away every session but `keep` that has neither a live member nor a live client.
pub(super) fn clear(sessions: &Path, keep: &str) {
    let Ok(entries) = fs::read_dir(sessions) else { return };
    for entry in entries.flatten() {
        let folder = entry.path();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && entry.file_name() != keep && !in_use(&folder) {
            let _ = fs::remove_dir_all(&folder);
        }
    }
}

/// How long a session is kept whose client the system does not tell: a hook may have come and gone before the first
/// proxy joins, and what it recorded must not be lost.
const KEPT: Duration = Duration::from_secs(12 * 60 * 60);

/// What cannot be told counts as in use: a folder too many does no harm.
fn in_use(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return true };
    let (mut client_known, mut recent) = (false, false);
    for entry in entries.flatten() {
        let (name, path) = (entry.file_name(), entry.path());
        if is_segment(&name) {
            match File::open(&path).map(|file| os::try_hold(&file)) {
                Ok(Ok(())) => {}
                Ok(Err(TryLockError::WouldBlock | TryLockError::Error(_))) | Err(_) => return true,
            }
            let age = entry.metadata().and_then(|m| m.modified()).ok().and_then(|at| at.elapsed().ok());
            recent |= age.is_none_or(|age| age < KEPT);
        } else if let Some(pid) =
            name.to_str().and_then(|n| n.strip_prefix("client.")).and_then(|n| n.parse().ok())
        {
            client_known = true;
            let started = fs::read_to_string(&path).unwrap_or_default();
            if (ClientProcess { pid, started }).is_alive() {
                return true;
            }
        }
    }
    recent && !client_known
}

/// Held while joining or leaving, and released by the system when the process dies.
pub(super) fn lock(sessions: &Path) -> Result<File, StoreError> {
    let path = sessions.join("lock");
    let file = match OpenOptions::new().write(true).open(&path) {
        Ok(file) => file,
        Err(_) => private_file(&path)
            .or_else(|_| OpenOptions::new().write(true).open(&path))
            .map_err(failed("make", &path))?,
    };
    file.lock().map_err(failed("lock", &path))?;
    Ok(file)
}

fn private_dir(path: &Path) -> Result<(), StoreError> {
    os::private_folder(path).map_err(failed("make", path))
}

fn private_file(path: &Path) -> io::Result<File> {
    // What is open for appending alone cannot be locked everywhere.
    os::private(OpenOptions::new().read(true).append(true).create_new(true)).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> SessionKey {
        SessionKey { client: None, ..SessionKey::find(None, Some(name)) }
    }

    fn write(store: &mut Store, record: &[u8]) {
        store.own.queue(|out| out.extend_from_slice(record)).unwrap();
        store.own.flush().unwrap();
    }

    fn all(store: &mut Store) -> Vec<String> {
        let mut seen = Vec::new();
        store.others.read_new(|record| seen.push(String::from_utf8(record.bytes.to_vec()).unwrap())).unwrap();
        seen
    }

    #[test]
    fn what_one_writes_the_others_read_once_and_a_latecomer_reads_all() {
        let dir = tempfile::tempdir().unwrap();
        let (mut a, mut b) =
            (Store::join(dir.path(), &key("s")).unwrap(), Store::join(dir.path(), &key("s")).unwrap());
        write(&mut a, b"1");
        write(&mut a, b"2");
        assert_eq!(all(&mut b), ["1", "2"]);
        assert_eq!(all(&mut b), Vec::<String>::new());
        assert_eq!(all(&mut a), Vec::<String>::new(), "its own records are not read back");
        drop(a);
        let mut late = Store::join(dir.path(), &key("s")).unwrap();
        assert_eq!(all(&mut late), ["1", "2"], "what a process that has gone had seen stays known");
        let mut other = Store::join(dir.path(), &key("t")).unwrap();
        assert_eq!(all(&mut other), Vec::<String>::new(), "another session sees nothing");
    }

    #[test]
    fn a_session_without_a_proxy_finds_those_of_its_client() {
        let dir = tempfile::tempdir().unwrap();
        let client = |pid| Some(ClientProcess { pid, started: "7".to_owned() });
        let of = |name: &str, pid| SessionKey { client: client(pid), ..key(name) };
        let old = Store::join(dir.path(), &of("old", 5)).unwrap();
        let _foreign = Store::join(dir.path(), &of("foreign", 6)).unwrap();
        let stranded = |name: &str| Store::stranded(dir.path(), &of(name, 5));
        assert_eq!(stranded("new"), [of("old", 5)]);
        assert_eq!(stranded("old"), [], "its own proxy listens");
        let later =
            SessionKey { client: Some(ClientProcess { pid: 5, started: "8".to_owned() }), ..key("new") };
        assert_eq!(Store::stranded(dir.path(), &later), [], "another process with the same number");
        drop(old);
        assert_eq!(stranded("new"), []);
    }

    #[test]
    fn the_last_one_out_clears_the_folder_unless_the_client_still_runs() {
        let dir = tempfile::tempdir().unwrap();
        let gone = ClientProcess { pid: u32::MAX, started: "0".to_owned() };
        let orphan = SessionKey { client: Some(gone), ..key("s") };
        let (a, b) = (Store::join(dir.path(), &orphan).unwrap(), Store::join(dir.path(), &orphan).unwrap());
        let folder = dir.path().join(orphan.folder());
        drop(a);
        assert!(folder.exists());
        drop(b);
        assert!(!folder.exists());

        let mut hook = Store::join(dir.path(), &key("hook")).unwrap();
        write(&mut hook, b"the prompt");
        drop(hook);
        drop(Store::join(dir.path(), &orphan).unwrap());
        let mut proxy = Store::join(dir.path(), &key("hook")).unwrap();
        assert_eq!(all(&mut proxy), ["the prompt"], "nobody knows its client, so it is kept");

        let mut client = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let started = fs::read_to_string(format!("/proc/{}/stat", client.id())).unwrap();
        let started =
            started.rsplit_once(')').unwrap().1.split_ascii_whitespace().nth(19).unwrap().to_owned();
        let process = ClientProcess { pid: client.id(), started };
        let with_client = SessionKey { client: Some(process), ..key("s") };
        drop(Store::join(dir.path(), &with_client).unwrap());
        assert!(folder.exists(), "a restarted proxy finds what the first had seen");
        client.kill().unwrap();
        client.wait().unwrap();
        drop(Store::join(dir.path(), &key("t")).unwrap());
        assert!(!folder.exists());
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_can_look_in() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let sessions = dir.path().join("sessions");
        let _store = Store::join(&sessions, &key("s")).unwrap();
        let folder = sessions.join(key("s").folder());
        for path in [sessions.clone(), folder.clone()] {
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        }
        for entry in fs::read_dir(&folder).unwrap() {
            assert_eq!(entry.unwrap().metadata().unwrap().permissions().mode() & 0o077, 0);
        }
    }
}
