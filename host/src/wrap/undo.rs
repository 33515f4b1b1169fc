//! Back to what a client configuration was before Bouncer.

use super::config::Config;
use super::store::{hash, load};
use super::{WrapError, edit};
use std::path::Path;

/// How a file goes back.
#[derive(Debug, PartialEq, Eq)]
pub enum Undo {
    /// Nothing in it is launched through Bouncer.
    Nothing,
    /// Nobody changed it since: the original, byte for byte.
    Restored(String),
    /// It was changed since, or there is no backup: each wrapped entry is given its own launch back, from what it keeps
    /// in itself; the rest stays.
    Unwrapped {
        /// The text.
        text: String,
        /// The entries.
        names: Vec<String>,
    },
}

/// What undoing does to `config`; with names, only to those entries.
pub fn undo(config: &Config, backup: &Path, names: &[String]) -> Result<Undo, WrapError> {
    for name in names {
        config.entry(name)?;
    }
    if names.is_empty()
        && let Some(kept) = load(backup)
        && kept.written == hash(&config.text)
        // A backup that was taken of a file which was wrapped in part already is no way back to the original.
        && Config::parse(&config.path, kept.original.clone())
            .is_ok_and(|original| edit::wrapped_names(&original).is_empty())
    {
        return Ok(Undo::Restored(kept.original));
    }
    let mut wrapped = edit::wrapped_names(config);
    wrapped.retain(|name| names.is_empty() || names.contains(name));
    if wrapped.is_empty() {
        return Ok(Undo::Nothing);
    }
    Ok(Undo::Unwrapped { text: edit::unwrap(config, &wrapped)?, names: wrapped })
}
