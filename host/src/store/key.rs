//! Which session a process belongs to: what the client says, else what the user says, else the client process.

use super::client_process::ClientProcess;
use sha2::{Digest as _, Sha256};

/// The name of a session's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionKey {
    pub(super) folder: String,
    /// The process whose end ends the session; `None` where the system does not tell.
    pub client: Option<ClientProcess>,
}

impl SessionKey {
    /// The session of this process. `claude` is `CLAUDE_CODE_SESSION_ID`, the id that Claude Code hands to its
    /// servers and its hooks; `given` is `--session` or `BOUNCER_SESSION`.
    #[must_use]
    pub fn find(claude: Option<&str>, given: Option<&str>) -> Self {
        let client = ClientProcess::find();
        let filled = |s: Option<&str>| s.map(str::trim).filter(|s| !s.is_empty()).map(str::to_owned);
        let text = if let Some(id) = filled(claude) {
            format!("claude {id}")
        } else if let Some(name) = filled(given) {
            format!("given {name}")
        } else if let Some(process) = &client {
            format!("process {} {}", process.pid, process.started)
        } else {
            format!("alone {} {:?}", std::process::id(), std::time::SystemTime::now())
        };
        let hash = Sha256::digest(text.as_bytes());
        Self { folder: hash.iter().take(16).map(|byte| format!("{byte:02x}")).collect(), client }
    }

    /// The session of a folder that is there already.
    pub(super) fn of_folder(folder: &str, client: Option<ClientProcess>) -> Self {
        Self { folder: folder.to_owned(), client }
    }

    /// The folder's name: a hash, so that an id may hold anything (`../..` among it) and is not shown to others.
    #[must_use]
    pub fn folder(&self) -> String {
        self.folder.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clients_word_comes_first_and_no_name_leaves_the_folder() {
        let by_claude = SessionKey::find(Some("a"), Some("b"));
        assert_eq!(by_claude.folder(), SessionKey::find(Some("a"), None).folder());
        assert_ne!(by_claude.folder(), SessionKey::find(None, Some("a")).folder());
        assert_eq!(
            SessionKey::find(Some(" "), Some("b")).folder(),
            SessionKey::find(None, Some("b")).folder()
        );
        let hostile = SessionKey::find(None, Some("../../etc\0/x")).folder();
        assert!(hostile.len() == 32 && hostile.bytes().all(|b| b.is_ascii_hexdigit()));
    }
}
