//! What several commands need, resolved once: Bouncer's folder and the policy in force.

use super::Failure;
use crate::home::Home;
use crate::policy::Policy;
use crate::session::Session;
use crate::store::SessionKey;
use std::path::{Path, PathBuf};

/// Bouncer's folder, ready to be written to.
pub(crate) fn home() -> Result<Home, Failure> {
    let home = Home::locate().map_err(Failure::new)?;
    home.prepare().map_err(Failure::new)?;
    Ok(home)
}

/// The named policy file, otherwise the one in Bouncer's folder if it exists, otherwise one that says nothing.
pub(crate) fn policy(named: Option<&Path>, home: &Home) -> Result<Policy, Failure> {
    Policy::in_force(named, &home.policy()).map_err(|error| Failure::policy(&error))
}

/// An absolute path as text, for a client configuration.
pub(crate) fn absolute(path: &Path) -> Result<String, Failure> {
    let absolute: PathBuf = std::path::absolute(path)?;
    absolute.into_os_string().into_string().map_err(|path| {
        Failure::new(format!("the path `{}` is not UTF-8 and cannot stand in JSON", path.to_string_lossy()))
    })
}

/// The session of this process's client: named by Claude Code, else by the user, else by the client process itself.
pub(crate) fn session(named: Option<&str>, home: &Home) -> Result<Session, Failure> {
    session_of(None, named, home)
}

/// The same for a process that Claude Code told its session's id in another way than by the environment.
pub(crate) fn session_of(claude: Option<&str>, named: Option<&str>, home: &Home) -> Result<Session, Failure> {
    Session::shared(&home.sessions(), &key_of(claude, named)).map_err(Failure::new)
}

/// Which session that is.
pub(crate) fn key_of(claude: Option<&str>, named: Option<&str>) -> SessionKey {
    let env = |key| std::env::var(key).ok();
    let claude = claude.map(str::to_owned).or_else(|| env("CLAUDE_CODE_SESSION_ID"));
    let given = env("BOUNCER_SESSION");
    SessionKey::find(claude.as_deref(), named.or(given.as_deref()))
}
