//! Which server a pack is for. A server's name for itself is the server's word, so a match by it brings only what
//! tightens; the command line is the user's own, so a match by it lets granted loosening take effect.
//!
//! A package counts only in the place where a launcher looks for it (`npx -y PKG@1`, `uvx PKG`, `docker run IMAGE`,
//! `node .../node_modules/PKG/...`), not anywhere in the command: `npx other --like PKG` is `other`.

use super::launch;
use super::manifest::is_line;
use bouncer_core::tool::ServerIdentity;
use serde::{Deserialize, Serialize};

/// How a pack came to be for a server. `ReportedName < Command`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Matched {
    /// The server calls itself so.
    ReportedName,
    /// The user launches this package or program.
    Command,
}

impl Matched {
    /// Whether what loosens may take effect where it was granted.
    #[must_use]
    pub fn may_loosen(self) -> bool {
        self == Self::Command
    }
}

/// One entry of `[[servers]]`: it matches where any of its names does.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerMatch {
    /// `serverInfo.name`, compared exactly; one or a list.
    #[serde(default)]
    pub reported_name: Names,
    /// Packages (npm, PyPI) and container images, without version or tag.
    #[serde(default)]
    pub packages: Vec<String>,
    /// Stems of the program's file name: `github-mcp-server` for `/usr/bin/github-mcp-server.exe`.
    #[serde(default)]
    pub commands: Vec<String>,
}

/// A name or a list of names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Names {
    /// One.
    One(String),
    /// Any of them.
    Many(Vec<String>),
}

impl Default for Names {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}

impl Names {
    /// The names.
    #[must_use]
    pub fn as_slice(&self) -> &[String] {
        match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::Many(names) => names,
        }
    }
}

impl ServerMatch {
    /// How this entry matches the server, if it does.
    #[must_use]
    pub fn matches(&self, server: &ServerIdentity) -> Option<Matched> {
        let launched = launch::read(&server.command);
        let by_package = launched.package.as_ref().is_some_and(|package| self.packages.contains(package));
        let by_program = launched.stem.as_ref().is_some_and(|stem| self.commands.contains(stem));
        if by_package || by_program {
            return Some(Matched::Command);
        }
        let reported = &server.reported_name;
        (!reported.is_empty() && self.reported_name.as_slice().contains(reported))
            .then_some(Matched::ReportedName)
    }

    /// Whether it can match anything, and each of its names is one that a person sees as it is.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        let mut names =
            self.reported_name.as_slice().iter().chain(&self.packages).chain(&self.commands).peekable();
        names.peek().is_some() && names.all(|name| is_line(name, 214))
    }
}

#[cfg(test)]
#[path = "identity_tests.rs"]
mod tests;
