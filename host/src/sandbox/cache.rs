//! The cache of compiled modules on disk, keyed by the component, the engine's version and its settings.
//!
//! Compiled code is run as it is, so it is only taken from a folder that nobody but this user can write to, and only
//! where its own checksum holds: a torn or rotten file is compiled anew, never run.

use crate::os;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use wasmtime::Engine;
use wasmtime::component::Component;

const DIGEST_BYTES: usize = 32;
/// Larger files are not read: nothing that is loaded compiles to this.
const FILE_BYTES: u64 = 256 * 1024 * 1024;

#[derive(Debug)]
pub(crate) struct Cache {
    dir: PathBuf,
    settings: [u8; DIGEST_BYTES],
    problem: Option<String>,
}

impl Cache {
    pub(crate) fn open(dir: PathBuf, engine: &Engine) -> Self {
        let problem =
            prepare_dir(&dir).err().map(|error| format!("module cache `{}`: {error}", dir.display()));
        Self { dir, settings: settings_of(engine), problem }
    }

    pub(crate) fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// The compiled form of this component, where there is a sound one.
    pub(crate) fn get(&self, engine: &Engine, component: &[u8]) -> Option<Component> {
        if self.problem.is_some() {
            return None;
        }
        let mut bytes = Vec::new();
        let file = open_own(&self.path_of(component)).ok()?;
        file.take(FILE_BYTES).read_to_end(&mut bytes).ok()?;
        let (digest, code) = bytes.split_at_checked(DIGEST_BYTES)?;
        if Sha256::digest(code).as_slice() != digest {
            return None;
        }
        // SAFETY: `deserialize` runs what it is given. These bytes were written by `put` of this very engine version
        // and settings (both are in the file's name), into a folder that only this user can write to (`prepare_dir`),
        // as a regular file owned by this user (`open_own`), and are whole (the digest). Whoever can forge all
        // that already runs code as this user.
        #[allow(unsafe_code)]
        let compiled = unsafe { Component::deserialize(engine, code) };
        compiled.ok()
    }

    /// Remembers the compiled form. What goes wrong costs a compilation next time, no more.
    pub(crate) fn put(&self, component: &[u8], compiled: &Component) {
        if self.problem.is_some() {
            return;
        }
        let written = compiled.serialize().map_err(|error| error.to_string()).and_then(|code| {
            write_whole(&self.dir, &self.path_of(component), &code).map_err(|error| error.to_string())
        });
        if let Err(error) = written {
            tracing::debug!("a compiled module was not cached: {error}");
        }
    }

    fn path_of(&self, component: &[u8]) -> PathBuf {
        let mut key = Sha256::new();
        key.update(self.settings);
        key.update(Sha256::digest(component));
        let mut name = key.finalize().iter().fold(String::new(), |mut name, byte| {
            // Writing to a string cannot fail.
            let _ = write!(name, "{byte:02x}");
            name
        });
        name.push_str(".cwasm");
        self.dir.join(name)
    }
}

/// Feeds a `Hash` into SHA-256, whose result does not differ between runs as a default hasher's may.
struct Sha256Hasher(Sha256);

impl Hasher for Sha256Hasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    // Never asked for: the whole digest is taken.
    fn finish(&self) -> u64 {
        0
    }
}

/// What compiled code depends on besides the component: engine version, code generator, target, settings.
fn settings_of(engine: &Engine) -> [u8; DIGEST_BYTES] {
    let mut hasher = Sha256Hasher(Sha256::new());
    engine.precompile_compatibility_hash().hash(&mut hasher);
    hasher.0.update(concat!("bouncer cache 1 ", env!("CARGO_PKG_VERSION")));
    hasher.0.finalize().into()
}

fn write_whole(dir: &Path, path: &Path, code: &[u8]) -> io::Result<()> {
    static SERIAL: AtomicU64 = AtomicU64::new(0);
    let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
    let temporary = dir.join(format!(".{}-{serial}.tmp", std::process::id()));
    let write = || {
        let mut file = create_own(&temporary)?;
        file.write_all(&Sha256::digest(code))?;
        file.write_all(code)?;
        file.flush()?;
        os::replace(&temporary, path)
    };
    write().inspect_err(|_| {
        // Left over where it fails too; the name is not taken again by a living process.
        let _ = fs::remove_file(&temporary);
    })
}

fn prepare_dir(dir: &Path) -> io::Result<()> {
    if !dir.exists() {
        os::private_folder(dir)?;
    }
    if !fs::symlink_metadata(dir)?.is_dir() {
        return Err(io::Error::other("is no folder"));
    }
    let probe = dir.join(format!(".{}-probe.tmp", std::process::id()));
    let own = create_own(&probe).and_then(|file| os::is_own_folder(dir, &file));
    let _ = fs::remove_file(&probe);
    own
}

fn create_own(path: &Path) -> io::Result<fs::File> {
    // A stale one of a process that had the same id.
    let _ = fs::remove_file(path);
    os::private(fs::OpenOptions::new().write(true).create_new(true)).open(path)
}

fn open_own(path: &Path) -> io::Result<fs::File> {
    let found = fs::symlink_metadata(path)?;
    if !found.is_file() {
        return Err(io::Error::other("no plain file"));
    }
    os::is_own_file(path, &found)?;
    fs::File::open(path)
}
