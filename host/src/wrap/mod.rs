//! Client configurations: finding the servers in one, changing an entry in place, and changing it back.
//!
//! Text is edited by ranges, so that order, spacing, comments and unknown keys of all else stay as they are. Nothing here
//! asks the user or prints; `cli::init` does.

pub mod config;
pub mod diff;
pub mod edit;
mod remote;
pub mod store;
#[cfg(test)]
mod tests;
pub mod undo;

use std::path::PathBuf;

/// The member of an entry that keeps what Bouncer replaced.
pub const ORIGINAL: &str = "x-bouncer-upstream";

/// Why a client configuration could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum WrapError {
    /// The file could not be read.
    #[error("cannot read the client configuration `{}`: {source}{}", path.display(), hint(source))]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file could not be written; it is as it was.
    #[error("cannot write `{}`: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The text is not JSON with comments.
    #[error("`{}` is not valid JSON: {reason}\nhint: nothing was changed; mend the file first", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// What is wrong, with line and column.
        reason: String,
    },
    /// There are no servers in it.
    #[error("`{}` has no `mcpServers` or `servers` object\nhint: name the file in which your client keeps its MCP servers", path.display())]
    NoServers {
        /// The file.
        path: PathBuf,
    },
    /// The named server is not in it.
    #[error("`{}` has no server `{name}`{}", path.display(), known(names))]
    NoSuchServer {
        /// The file.
        path: PathBuf,
        /// The name asked for.
        name: String,
        /// The names there are.
        names: Vec<String>,
    },
    /// The entry cannot be used.
    #[error("server `{name}` in `{}`: {reason}", path.display())]
    Entry {
        /// The file.
        path: PathBuf,
        /// The server.
        name: String,
        /// What is wrong with its entry.
        reason: String,
    },
    /// The file was changed by somebody else between reading and writing.
    #[error("`{}` was changed by another program meanwhile\nhint: nothing was written; run the command again", path.display())]
    Raced {
        /// The file.
        path: PathBuf,
    },
}

fn hint(source: &std::io::Error) -> &'static str {
    match source.kind() {
        std::io::ErrorKind::NotFound => {
            "\nhint: check the path; where a wrapped file was moved, wrap its servers where it is now: `bouncer init --config FILE`"
        }
        _ => "",
    }
}

fn known(names: &[String]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    format!("\nhint: its servers are {}", names.join(", "))
}
