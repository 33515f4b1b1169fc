//! The demo's own folder: Bouncer's home for this one run, in the system's temporary folder, for the user's eyes only.
//!
//! It is not removed: the audit log in it is there to be read.

use super::DemoError;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The policy that the proxy is started with.
pub(super) const POLICY: &str = "[tools.send_email]\ntrusted_destinations = [\"boss@corp.example\"]\n";

/// What stays when all went well.
const KEPT: [&str; 3] = ["audit.jsonl", "bouncer.toml", "outbox.jsonl"];

/// A new folder with the policy file in it.
#[derive(Debug)]
pub(super) struct Folder {
    root: PathBuf,
}

impl Folder {
    /// Makes the folder under a name that nobody can have prepared, and writes the policy.
    pub(super) fn create() -> Result<Self, DemoError> {
        Self::create_in(&std::env::temp_dir())
    }

    pub(super) fn create_in(parent: &Path) -> Result<Self, DemoError> {
        let mut random = [0; 8];
        getrandom::fill(&mut random)
            .map_err(|e| failed("name the demo's folder", io::Error::other(e.to_string())))?;
        let name = format!("bouncer-demo-{:016x}", u64::from_be_bytes(random));
        let root = std::path::absolute(parent).unwrap_or_else(|_| parent.to_owned()).join(name);
        let made = |source| failed(&format!("make the folder `{}`", root.display()), source);
        crate::os::new_private_folder(&root).map_err(made)?;
        fs::write(root.join("bouncer.toml"), POLICY).map_err(made)?;
        Ok(Self { root })
    }

    /// The folder itself, Bouncer's home.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// The policy file.
    pub(super) fn policy(&self) -> PathBuf {
        self.root.join("bouncer.toml")
    }

    /// The log of every verdict.
    pub(super) fn audit(&self) -> PathBuf {
        self.root.join("audit.jsonl")
    }

    /// What the mail server sent.
    pub(super) fn outbox(&self) -> PathBuf {
        self.root.join("outbox.jsonl")
    }

    /// What the proxy and the server wrote to stderr.
    pub(super) fn messages(&self) -> PathBuf {
        self.root.join("stderr.txt")
    }

    /// Text of a file in the folder; empty where it does not exist yet.
    pub(super) fn read(path: &Path) -> Result<String, DemoError> {
        match fs::read_to_string(path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(String::new()),
            other => other.map_err(|source| failed(&format!("read `{}`", path.display()), source)),
        }
    }

    /// Removes what nobody will read. What cannot be removed stays: the system empties its temporary folder.
    pub(super) fn tidy(&self) {
        for entry in fs::read_dir(&self.root).into_iter().flatten().flatten() {
            if KEPT.iter().any(|kept| entry.file_name() == *kept) {
                continue;
            }
            let path = entry.path();
            let _ = match entry.file_type() {
                Ok(kind) if kind.is_dir() => fs::remove_dir_all(path),
                _ => fs::remove_file(path),
            };
        }
    }
}

pub(super) fn failed(what: &str, source: io::Error) -> DemoError {
    DemoError::System { what: what.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_new_private_and_keeps_only_what_is_read() {
        let parent = tempfile::tempdir().unwrap();
        let folder = Folder::create_in(parent.path()).unwrap();
        assert_ne!(folder.root(), Folder::create_in(parent.path()).unwrap().root());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(folder.root()).unwrap().permissions().mode() & 0o777, 0o700);
        }
        assert_eq!(Folder::read(&folder.audit()).unwrap(), "");
        fs::write(folder.audit(), "{}\n").unwrap();
        fs::create_dir_all(folder.root().join("sessions/x")).unwrap();
        fs::write(folder.messages(), "noise").unwrap();
        folder.tidy();
        let mut left: Vec<_> = fs::read_dir(folder.root()).unwrap().map(|e| e.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["audit.jsonl", "bouncer.toml"]);
    }

    #[test]
    fn the_policy_is_one_that_bouncer_accepts() {
        let parent = tempfile::tempdir().unwrap();
        let folder = Folder::create_in(parent.path()).unwrap();
        assert!(crate::policy::Policy::load(&folder.policy()).is_ok());
    }
}
