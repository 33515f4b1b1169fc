//! A session's folder: joining, reading what others wrote, leaving, and clearing away what nobody uses.
//!
//! A live process holds an advisory lock on its *own* segment, which the system releases however it ends. Joining
//! and clearing are serialised by a lock on one file beside the folders, held for the moment only.

use super::client_process::ClientProcess;
use super::key::SessionKey;
use super::segment::{Place, Reader, Record, add, write};
use crate::os;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Why the session folder cannot be used. Calls are refused then: what others have seen would be unknown.
#[derive(Debug, thiserror::Error)]
#[error("cannot {what} `{}`: {source}", path.display())]
pub struct StoreError {
    what: &'static str,
    path: PathBuf,
    source: io::Error,
}

fn failed<'a>(what: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> StoreError + use<'a> {
    move |source| StoreError { what, path: path.to_owned(), source }
}

/// One process's place in a session folder.
#[derive(Debug)]
pub struct Store {
    sessions: PathBuf,
    folder: PathBuf,
    own_name: OsString,
    own: Arc<File>,
    /// Bytes of it that are whole records.
    written: u64,
    /// A record could not be written whole: nothing may stand behind it.
    torn: bool,
    /// Records that are not written yet.
    queued: Vec<u8>,
    others: BTreeMap<OsString, Reader>,
    /// When the folder was last changed as it tells, and when this process first saw that.
    seen: Option<(SystemTime, Instant)>,
    /// The same, once no file can be made any more that would leave that time as it is: the folder is known.
    listed: Option<SystemTime>,
}

/// The steps in which a file system counts time: changes further apart are told by different times. One that tells
/// parts of a second follows the system's clock; others may count by twos.
fn step(changed: SystemTime) -> Duration {
    let fine = changed.duration_since(UNIX_EPOCH).is_ok_and(|time| time.subsec_nanos() != 0);
    if fine { Duration::from_millis(50) } else { Duration::from_secs(2) }
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
            sessions: sessions.to_owned(),
            folder,
            own_name,
            own: Arc::new(own),
            written: 0,
            torn: false,
            queued: Vec::new(),
            others: BTreeMap::new(),
            seen: None,
            listed: None,
        })
    }

    /// Takes one record, whose bytes `fill` appends, to be written by the next [`Self::flush`].
    ///
    /// # Errors
    /// Where it is too long.
    pub fn queue(&mut self, fill: impl FnOnce(&mut Vec<u8>)) -> Result<(), StoreError> {
        add(&mut self.queued, fill).map_err(failed("write", &self.folder.join(&self.own_name)))
    }

    /// Writes what was queued, in one go. When this returns, every other process of the session can read it.
    ///
    /// # Errors
    /// Where it cannot be written; the caller must not let through what the records were to tell of.
    pub fn flush(&mut self) -> Result<(), StoreError> {
        /// More room than this is given back.
        const ROOM: usize = 256 << 10;
        if self.queued.is_empty() {
            return Ok(());
        }
        let written = self.is_whole().and_then(|()| self.own.as_ref().write_all(&self.queued));
        let length = self.queued.len() as u64;
        self.queued.clear();
        self.queued.shrink_to(ROOM);
        self.wrote(written.map(|()| ((), self.written + length)))
    }

    fn is_whole(&self) -> io::Result<()> {
        if self.torn { Err(io::Error::other("an earlier record could not be written whole")) } else { Ok(()) }
    }

    /// Notes how far the segment reaches now. Of a record that was written in part the others must not wait for the rest.
    fn wrote<T>(&mut self, written: io::Result<(T, u64)>) -> Result<T, StoreError> {
        match written {
            Ok((done, end)) => {
                self.written = end;
                Ok(done)
            }
            Err(error) => {
                self.torn = true;
                let _ = self.own.set_len(self.written);
                Err(failed("write", &self.folder.join(&self.own_name))(error))
            }
        }
    }

    /// Writes one record at once, whose bytes are those that `fill` appends and then `rest`, which is not copied. Returns where
    /// it lies, and where in it `rest` begins.
    ///
    /// # Errors
    /// As [`Self::queue`] and [`Self::flush`].
    pub fn write(
        &mut self,
        fill: impl FnOnce(&mut Vec<u8>),
        rest: &[u8],
    ) -> Result<(Place, usize), StoreError> {
        self.flush()?;
        let mut first = Vec::new();
        fill(&mut first);
        let from = first.len();
        let place = self.is_whole().and_then(|()| write(&self.own, self.written, &first, rest));
        self.wrote(place.map(|place| {
            let end = place.end();
            ((place, from), end)
        }))
    }

    /// Hands every record that others have written since the last call to `each`, segment by segment.
    ///
    /// # Errors
    /// Where a segment cannot be read or is damaged.
    pub fn read_new(&mut self, mut each: impl FnMut(Record<'_>)) -> Result<(), StoreError> {
        self.find_new()?;
        for (name, reader) in &mut self.others {
            reader.read_new(&mut each).map_err(failed("read", &self.folder.join(name)))?;
        }
        Ok(())
    }

    /// Opens the segments that were made since the last look. The folder is listed only where its time tells of a
    /// change, or is seen for so short a time that it could hide one.
    fn find_new(&mut self) -> Result<(), StoreError> {
        // Taken before the listing: what is made during it is found by the next one.
        let changed = fs::metadata(&self.folder).and_then(|m| m.modified());
        let changed = changed.map_err(failed("read", &self.folder))?;
        if self.listed == Some(changed) {
            return Ok(());
        }
        let now = Instant::now();
        let since = match self.seen {
            Some((time, since)) if time == changed => since,
            _ => now,
        };
        self.seen = Some((changed, since));
        // By this process's own clock: the file system's may be another machine's.
        let is_settled = now.duration_since(since) > step(changed);
        let entries = fs::read_dir(&self.folder).map_err(failed("read", &self.folder))?;
        for entry in entries {
            let name = entry.map_err(failed("read", &self.folder))?.file_name();
            if is_segment(&name) && name != self.own_name && !self.others.contains_key(&name) {
                let path = self.folder.join(&name);
                self.others.insert(name, Reader::open(&path).map_err(failed("open", &path))?);
            }
        }
        // Not every file system of Windows tells when a folder changed: exFAT does not.
        self.listed = (is_settled && cfg!(unix)).then_some(changed);
        Ok(())
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

    /// What is written from now on cannot be, as if the disk were full. Returns what `own` was.
    #[cfg(test)]
    pub fn fill_disk(&mut self) -> Arc<File> {
        let path = self.folder.join(&self.own_name);
        std::mem::replace(&mut self.own, Arc::new(File::open(path).expect("the segment is there")))
    }

    /// The folder, for messages.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Store {
    /// Leaves the session; the last one out, with the client gone, takes the folder away. A failure leaves it to
    /// the next process that joins any session.
    fn drop(&mut self) {
        let _ = self.flush();
        let Ok(_leaving) = lock(&self.sessions) else { return };
        let _ = os::release(&self.own);
        clear(&self.sessions, "");
    }
}

fn is_segment(name: &std::ffi::OsStr) -> bool {
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
fn clear(sessions: &Path, keep: &str) {
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
fn lock(sessions: &Path) -> Result<File, StoreError> {
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
        store.queue(|out| out.extend_from_slice(record)).unwrap();
        store.flush().unwrap();
    }

    fn all(store: &mut Store) -> Vec<String> {
        let mut seen = Vec::new();
        store.read_new(|record| seen.push(String::from_utf8(record.bytes.to_vec()).unwrap())).unwrap();
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
    fn nothing_is_written_behind_a_torn_record_and_nobody_waits_for_its_rest() {
        let dir = tempfile::tempdir().unwrap();
        let (mut a, mut b) =
            (Store::join(dir.path(), &key("s")).unwrap(), Store::join(dir.path(), &key("s")).unwrap());
        write(&mut a, b"whole");
        let own = a.fill_disk();
        assert!(a.write(|_| (), &[7; 1000]).is_err());
        // There is room again, and half a record was written before there was none.
        a.own = own;
        a.own.as_ref().write_all(&[7; 500]).unwrap();
        assert!(a.wrote::<()>(Err(io::ErrorKind::StorageFull.into())).is_err());
        assert_eq!(a.own.metadata().unwrap().len(), a.written);
        a.queue(|out| out.extend_from_slice(b"behind it")).unwrap();
        assert!(a.flush().is_err() && a.write(|_| (), &[7; 1000]).is_err());
        assert_eq!(all(&mut b), ["whole"]);
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
        let folder = a.folder().to_owned();
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
        let store = Store::join(&sessions, &key("s")).unwrap();
        for path in [sessions.clone(), store.folder().to_owned()] {
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        }
        for entry in fs::read_dir(store.folder()).unwrap() {
            assert_eq!(entry.unwrap().metadata().unwrap().permissions().mode() & 0o077, 0);
        }
    }
}
