//! The records on disk: `$BOUNCER_HOME/pins/`, one file a server, for the user's eyes only.
//!
//! A file is replaced as a whole (written beside, then renamed), so that a reader needs no lock; who changes one holds
//! the folder's lock from reading to renaming, for that moment only. A digest inside tells a damaged file. What cannot
//! be read is an error and never an empty record: a server would be trusted anew.

use super::key::ServerKey;
use super::record::Recorded;
use crate::home::Home;
use crate::os;
use bouncer_core::pin::Hash;
use bouncer_core::value::{MAX_DEPTH, Value};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// How long the lock is waited for.
const PATIENCE: Duration = Duration::from_secs(5);
/// Beyond this a record is neither written nor read, in bytes.
const MOST: u64 = 64 << 20;

/// Why records cannot be read or kept. Calls are refused then.
#[derive(Debug, Clone, thiserror::Error)]
pub enum PinsError {
    /// The file is damaged, or not one of Bouncer's.
    #[error("the record of a server's tools `{}` is damaged ({what}); no tool of that server can be called\nhint: `bouncer pins reset {id}` forgets it, and the server's next start is trusted anew", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// Its name without extension, as `bouncer pins` takes it.
        id: String,
        /// What is wrong with it.
        what: String,
    },
    /// A later version of Bouncer wrote it.
    #[error("the record of a server's tools `{}` was written by a later version of Bouncer\nhint: update Bouncer", path.display())]
    Later {
        /// The file.
        path: PathBuf,
    },
    /// The server lists more than is kept.
    #[error("the server's definitions are too large to be recorded: {bytes} bytes, at most {MOST}")]
    TooLarge {
        /// How many bytes.
        bytes: u64,
    },
    /// The disk refuses.
    #[error("cannot {what} `{}`: {why}", path.display())]
    System {
        /// What was tried.
        what: &'static str,
        /// On which file.
        path: PathBuf,
        /// What the system said.
        why: String,
    },
}

/// A file in the folder.
#[derive(Debug)]
pub struct Entry {
    /// Its name without extension.
    pub id: String,
    /// What stands in it.
    pub record: Result<Recorded, PinsError>,
}

/// What tells whether a file was replaced since.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    modified: Option<SystemTime>,
    bytes: u64,
    file: Option<(u64, u64)>,
}

fn failed<'a>(what: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> PinsError + use<'a> {
    move |error| PinsError::System { what, path: path.to_owned(), why: error.to_string() }
}

/// What is recorded of the server that the user calls `server`. Where several were launched under this name, the one
/// that was used last; [`load`] takes the whole key.
///
/// # Errors
/// Where the folder cannot be read, and where the only record that can be of this server is damaged.
pub fn recorded(home: &Home, server: &str) -> Result<Option<Recorded>, PinsError> {
    let mut found: Option<Recorded> = None;
    let mut broken = None;
    for entry in all(home)? {
        match entry.record {
            Ok(record) if record.key.name() == server => {
                if found.as_ref().is_none_or(|f| f.last_seen <= record.last_seen) {
                    found = Some(record);
                }
            }
            Ok(_) => {}
            Err(error) if ServerKey::may_be(server, &entry.id) => broken = Some(error),
            Err(_) => {}
        }
    }
    match (found, broken) {
        (None, Some(error)) => Err(error),
        (found, _) => Ok(found),
    }
}

/// The names of the recorded servers, sorted, each once. Damaged records are left out; [`all`] has them.
///
/// # Errors
/// Where the folder cannot be read.
pub fn servers(home: &Home) -> Result<Vec<String>, PinsError> {
    let mut names: Vec<String> =
        all(home)?.into_iter().filter_map(|e| Some(e.record.ok()?.key.name().to_owned())).collect();
    names.sort();
    names.dedup();
    Ok(names)
}

/// Every record, damaged ones too, in the order of their file names.
///
/// # Errors
/// Where the folder cannot be read.
pub fn all(home: &Home) -> Result<Vec<Entry>, PinsError> {
    let folder = home.pins();
    let listed = match fs::read_dir(&folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(failed("read", &folder))?,
    };
    let mut paths = Vec::new();
    for entry in listed {
        let path = entry.map_err(failed("read", &folder))?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            paths.push(path);
        }
    }
    paths.sort();
    let entries = paths.into_iter().filter_map(|path| {
        let record = read(&path).transpose()?;
        Some(Entry { id: id_of(&path), record })
    });
    Ok(entries.collect())
}

/// What is recorded of exactly this server; `None` where nothing is.
///
/// # Errors
/// Where there is a record that cannot be read.
pub fn load(home: &Home, key: &ServerKey) -> Result<Option<Recorded>, PinsError> {
    let path = path_of(home, &key.id());
    let record = read(&path)?;
    if let Some(record) = &record
        && record.key != *key
    {
        return Err(corrupt(&path, "it is of another server".to_owned()));
    }
    Ok(record)
}

/// Changes what is recorded of a server, and keeps it where `change` says that it changed anything. Nobody else changes
/// it meanwhile.
///
/// # Errors
/// Where the record cannot be read or written.
pub fn update(
    home: &Home,
    key: &ServerKey,
    change: impl FnOnce(&mut Recorded) -> bool,
) -> Result<Recorded, PinsError> {
    update_with(home, key, false, change)
}

/// The same; when this returns, it is on the disk even if the power fails. A proxy that starts does not wait for that:
/// what a power failure tears is read as damaged, never as something else.
///
/// # Errors
/// As [`update`].
pub fn update_and_sync(
    home: &Home,
    key: &ServerKey,
    change: impl FnOnce(&mut Recorded) -> bool,
) -> Result<Recorded, PinsError> {
    update_with(home, key, true, change)
}

fn update_with(
    home: &Home,
    key: &ServerKey,
    sync: bool,
    change: impl FnOnce(&mut Recorded) -> bool,
) -> Result<Recorded, PinsError> {
    let _changing = lock(home)?;
    let now = crate::audit::timestamp(SystemTime::now());
    let mut record = load(home, key)?.unwrap_or_else(|| Recorded::new(key.clone(), now));
    if change(&mut record) {
        write(home, &record, sync)?;
    }
    Ok(record)
}

/// Forgets a record, readable or not. Whether there was one.
///
/// # Errors
/// Where it cannot be removed.
pub fn forget(home: &Home, id: &str) -> Result<bool, PinsError> {
    let _changing = lock(home)?;
    let path = path_of(home, id);
    match fs::remove_file(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        other => other.map(|()| true).map_err(failed("remove", &path)),
    }
}

/// What tells whether the record was replaced; `None` where there is none.
#[must_use]
pub fn stamp(home: &Home, key: &ServerKey) -> Option<Stamp> {
    let path = path_of(home, &key.id());
    let metadata = fs::metadata(&path).ok()?;
    let file = os::identity_by(&metadata, &path);
    Some(Stamp { modified: metadata.modified().ok(), bytes: metadata.len(), file })
}

fn path_of(home: &Home, id: &str) -> PathBuf {
    home.pins().join(format!("{id}.json"))
}

fn id_of(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn corrupt(path: &Path, what: String) -> PinsError {
    PinsError::Corrupt { path: path.to_owned(), id: id_of(path), what }
}

fn read(path: &Path) -> Result<Option<Recorded>, PinsError> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other.map_err(failed("open", path))?,
    };
    let mut bytes = Vec::new();
    file.take(MOST + 1).read_to_end(&mut bytes).map_err(failed("read", path))?;
    if bytes.len() as u64 > MOST {
        return Err(corrupt(path, "it is too large".to_owned()));
    }
    let whole = Value::parse(bytes.trim_ascii(), MAX_DEPTH).map_err(|e| corrupt(path, e.to_string()))?;
    match whole.get("format") {
        Some(Value::Number(format)) if &**format == FORMAT => {}
        Some(Value::Number(_)) => return Err(PinsError::Later { path: path.to_owned() }),
        _ => return Err(corrupt(path, "it has no format number".to_owned())),
    }
    let record = whole.get("record").ok_or_else(|| corrupt(path, "it has no record".to_owned()))?;
    let digest = whole.get("digest").and_then(Value::as_str).and_then(Hash::from_hex);
    if digest != Some(Hash::of(record)) {
        return Err(corrupt(path, "its digest does not match".to_owned()));
    }
    let record = Recorded::from_value(record).ok_or_else(|| corrupt(path, "it is incomplete".to_owned()))?;
    if record.key.id() != id_of(path) {
        return Err(corrupt(path, "it is of another server".to_owned()));
    }
    Ok(Some(record))
}

/// The layout of a file.
const FORMAT: &str = "1";

/// For whoever holds the lock.
fn write(home: &Home, record: &Recorded, sync: bool) -> Result<(), PinsError> {
    let value = record.to_value();
    let text = format!(
        "{{\"format\":{FORMAT},\"digest\":\"{}\",\"record\":{}}}\n",
        Hash::of(&value),
        value.to_json()
    );
    let bytes = text.len() as u64;
    if bytes > MOST {
        return Err(PinsError::TooLarge { bytes });
    }
    let id = record.key.id();
    let (path, beside) = (path_of(home, &id), home.pins().join(format!("{id}.new")));
    let written = private(&beside, true)
        .and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            if sync { file.sync_all() } else { Ok(()) }
        })
        .and_then(|()| os::replace(&beside, &path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written.map_err(failed("write", &path))
}

/// Held while a record is changed; the system releases it when the process dies.
fn lock(home: &Home) -> Result<File, PinsError> {
    let folder = home.pins();
    os::private_folder(&folder).map_err(failed("prepare", &folder))?;
    let path = folder.join("lock");
    let file = private(&path, false).map_err(failed("open", &path))?;
    let began = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            // Nobody holds it for longer than a moment, unless it was stopped there: then nobody may hang with it.
            Err(TryLockError::WouldBlock) if began.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(2));
            }
            Err(TryLockError::WouldBlock) => {
                let error = io::Error::new(io::ErrorKind::TimedOut, "another process holds it");
                return Err(failed("lock", &path)(error));
            }
            Err(TryLockError::Error(error)) => return Err(failed("lock", &path)(error)),
        }
    }
}

fn private(path: &Path, empty: bool) -> io::Result<File> {
    os::private(OpenOptions::new().write(true).create(true).truncate(empty)).open(path)
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
