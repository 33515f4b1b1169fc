//! The user's policy file: what it may say, how it is read, and what it states of a tool.
//!
//! Two syntaxes, one meaning: TOML, and the older system's YAML. Every problem of a file is reported with its place,
//! and a file with a problem is no policy: nothing of it takes effect. This module does not merge layers and does not
//! judge; it yields [`bouncer_core::contract::Stated`] for those who do.

mod error;
mod file;
mod keys;
mod node;
mod older;
mod read;
mod source;
mod stated;
mod stray;
#[cfg(test)]
mod tests;
mod value;
mod warning;

pub(crate) use error::nearest;
pub use error::{Malformed, PolicyError, Problem};
pub(crate) use keys::{KeySpec, TOOL_KEYS, TOP_KEYS};
pub(crate) use stated::Rule;
pub use stated::{Origin, Policy};
pub(crate) use warning::{Warning, warnings};

use std::path::{Path, PathBuf};

/// A commented policy file to start from.
pub const EXAMPLE: &str = include_str!("example.toml");

/// The JSON Schema of the policy file, for editors.
pub const SCHEMA: &str = include_str!("schema.json");

/// Bytes that a policy file may have.
pub(crate) const MAX_BYTES: u64 = 1 << 20;

/// How a policy file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// TOML, the policy file's own syntax.
    Toml,
    /// YAML: the older system's mapping of tool name to policy.
    OlderYaml,
}

impl Format {
    /// By the file's extension, otherwise by its shape: what opens with `name:` is YAML.
    #[must_use]
    pub fn of(path: &Path, text: &str) -> Self {
        let extension = path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
        match extension.as_deref() {
            Some("yaml" | "yml") => Self::OlderYaml,
            Some("toml") => Self::Toml,
            _ => Self::by_shape(text),
        }
    }

    /// By its shape: what opens with `name:` is YAML.
    pub(crate) fn by_shape(text: &str) -> Self {
        let first = text
            .lines()
            .map(|line| line.trim_start_matches('\u{feff}').trim())
            .find(|line| !line.is_empty() && !line.starts_with('#'));
        match first {
            Some("---") => Self::OlderYaml,
            Some(line) if !line.starts_with('[') => match (line.find(':'), line.find('=')) {
                (Some(colon), Some(equals)) if colon < equals => Self::OlderYaml,
                (Some(_), None) => Self::OlderYaml,
                _ => Self::Toml,
            },
            _ => Self::Toml,
        }
    }
}

impl Policy {
    /// Loads the user's own policy file.
    pub fn load(path: &Path) -> Result<Self, PolicyError> {
        Self::load_as(path, Origin::User)
    }

    /// The named policy file, otherwise the usual one where it exists, otherwise one that says nothing.
    pub fn in_force(named: Option<&Path>, usual: &Path) -> Result<Self, PolicyError> {
        match named {
            Some(path) => Self::load(path),
            // A link that leads nowhere is there: it fails below instead of being taken for no policy.
            None if usual.symlink_metadata().is_ok() => Self::load(usual),
            None => Ok(Self::empty()),
        }
    }

    /// Loads a policy file that came with a repository: it can only tighten.
    pub fn load_project(path: &Path) -> Result<Self, PolicyError> {
        Self::load_as(path, Origin::Project)
    }

    fn load_as(path: &Path, origin: Origin) -> Result<Self, PolicyError> {
        let read = |source: std::io::Error| {
            let hint = match source.kind() {
                std::io::ErrorKind::NotFound => "`bouncer policy example` prints a policy file to start from",
                std::io::ErrorKind::InvalidData => "a policy file is text in UTF-8",
                _ => "check that the file is readable for you",
            };
            PolicyError::Read { path: path.to_owned(), source, hint }
        };
        let size = std::fs::metadata(path).map_err(read)?.len();
        if size > MAX_BYTES {
            return Err(PolicyError::TooLarge { path: path.to_owned(), size, limit: MAX_BYTES });
        }
        let text = std::fs::read_to_string(path).map_err(read)?;
        let absolute = std::path::absolute(path).map_err(read)?;
        let base = absolute.parent().map_or_else(PathBuf::new, Path::to_owned);
        let (policy, problems) = read::read(&text, Format::of(path, &text), &base, path, origin);
        Self::unless(policy, problems, path, &text)
    }

    /// Reads policy text. Relative path prefixes are resolved against `base_dir`; `name` stands for the file in messages.
    pub fn parse(text: &str, format: Format, base_dir: &Path, name: &Path) -> Result<Self, PolicyError> {
        if text.len() as u64 > MAX_BYTES {
            let (path, size) = (name.to_owned(), text.len() as u64);
            return Err(PolicyError::TooLarge { path, size, limit: MAX_BYTES });
        }
        let (policy, problems) = read::read(text, format, base_dir, name, Origin::User);
        Self::unless(policy, problems, name, text)
    }

    fn unless(policy: Self, problems: Vec<Problem>, path: &Path, text: &str) -> Result<Self, PolicyError> {
        if problems.is_empty() {
            Ok(policy)
        } else {
            Err(PolicyError::Malformed(Box::new(Malformed::new(path, text, problems))))
        }
    }
}
