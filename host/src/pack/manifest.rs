//! `pack.toml`: what a pack says of itself. It is read, checked and held against the module's bytes here; nothing in
//! it takes effect by being written down, and what it would like to loosen waits for a grant.

use super::identity::{Matched, ServerMatch};
use super::{GrantKind, Grants, is_hash, sha256_hex};
use bouncer_core::shown::invisible;
use bouncer_core::tool::ServerIdentity;
use serde::Deserialize;

/// The largest manifest that is read, in bytes.
pub const MAX_MANIFEST: usize = 64 * 1024;

/// A pack's manifest.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Its name: `[a-z0-9][a-z0-9-]*`, at most 64 characters.
    pub name: String,
    /// Its version: `1.2.3`.
    pub version: String,
    /// One sentence for a person.
    pub summary: String,
    /// The component's file name, in the manifest's own folder.
    pub module: String,
    /// SHA-256 of the component's bytes, in lower-case hexadecimal.
    pub sha256: String,
    /// The servers it is for; one match is enough.
    pub servers: Vec<ServerMatch>,
    /// The servers and versions whose tool lists its names were checked against: `pkg 1.2.3 (19 tools)`.
    #[serde(default)]
    pub checked: Vec<String>,
    /// The tools it has a word on, by name: for people; the module says what it knows of those that a server lists.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Tool names it knows from elsewhere (older versions, documentation), in no list of `checked`.
    #[serde(default)]
    pub unlisted: Vec<String>,
    /// What it would like to loosen.
    #[serde(default)]
    pub grants: WantedGrants,
}

/// What a pack would loosen if the user granted it, each with one sentence that says why. What is not asked for here
/// is never granted: [`super::stated`] drops it even from a pack that has its grants.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WantedGrants {
    /// To call arguments no destinations.
    pub harmless: Option<String>,
    /// To call tools not sending that schema heuristics think are.
    pub not_sending: Option<String>,
    /// To name places in answers that only the user or their organisation can write.
    pub directories: Option<String>,
    /// To vouch for destinations.
    pub vouch: Option<String>,
}

/// Why a manifest cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// It is larger than [`MAX_MANIFEST`].
    #[error("the manifest has {0} bytes, more than {MAX_MANIFEST}")]
    TooLarge(usize),
    /// It is not TOML of the right shape.
    #[error("{}", drawn(.0))]
    Toml(#[from] toml::de::Error),
    /// A field has a value that it cannot have.
    #[error("`{field}` is `{value}`: expected {expected}")]
    Field {
        /// The key in `pack.toml`.
        field: &'static str,
        /// What stands there.
        value: String,
        /// What could stand there.
        expected: &'static str,
    },
    /// The module is not the one that the manifest was written for.
    #[error("the module's sha256 is `{found}`, the manifest says `{stated}`")]
    Hash {
        /// The hash of the bytes.
        found: String,
        /// The hash in the manifest.
        stated: String,
    },
}

impl Manifest {
    /// Reads a manifest.
    ///
    /// # Errors
    /// Where it is too large, not TOML, has unknown or missing keys, or a value that it cannot have.
    pub fn parse(text: &str) -> Result<Self, ManifestError> {
        let (manifest, problems) = Self::parse_all(text)?;
        problems.into_iter().next().map_or(Ok(manifest), Err)
    }

    /// The same for whoever wants to know everything that is wrong with it: the manifest as far as it can be read, and each
    /// value that it cannot have.
    ///
    /// # Errors
    /// Where it is too large, not TOML, or has unknown or missing keys.
    pub fn parse_all(text: &str) -> Result<(Self, Vec<ManifestError>), ManifestError> {
        if text.len() > MAX_MANIFEST {
            return Err(ManifestError::TooLarge(text.len()));
        }
        let manifest: Self = toml::from_str(text)?;
        let problems = manifest.problems();
        Ok((manifest, problems))
    }

    /// Holds the component's bytes against `sha256`; returns the hash.
    ///
    /// # Errors
    /// Where they differ.
    pub fn verify(&self, component: &[u8]) -> Result<String, ManifestError> {
        let found = sha256_hex(component);
        if found == self.sha256 {
            Ok(found)
        } else {
            Err(ManifestError::Hash { found, stated: self.sha256.clone() })
        }
    }

    /// Whether the pack is for this server: by who it is, never by what its tools are called.
    #[must_use]
    pub fn is_for(&self, server: &ServerIdentity) -> bool {
        self.matched(server).is_some()
    }

    /// The strongest way in which the pack is for this server.
    #[must_use]
    pub fn matched(&self, server: &ServerIdentity) -> Option<Matched> {
        self.servers.iter().filter_map(|matcher| matcher.matches(server)).max()
    }

    fn problems(&self) -> Vec<ManifestError> {
        let mut problems = Vec::new();
        let mut require = |holds: bool, field: &'static str, value: &str, expected: &'static str| {
            if !holds {
                let value = value.chars().take(80).flat_map(char::escape_default).collect();
                problems.push(ManifestError::Field { field, value, expected });
            }
        };
        require(
            is_name(&self.name),
            "name",
            &self.name,
            "`a-z`, `0-9` and, not at the beginning, `-`; at most 64 characters",
        );
        require(is_version(&self.version), "version", &self.version, "a version such as `1.2.3`");
        require(is_line(&self.summary, 200), "summary", &self.summary, "one line of at most 200 bytes");
        let stem = self.module.strip_suffix(".wasm").unwrap_or_default();
        require(is_name(stem), "module", &self.module, "a file name such as `gmail.wasm`, without a folder");
        require(is_hash(&self.sha256), "sha256", &self.sha256, "64 lower-case hexadecimal digits");
        let usable = !self.servers.is_empty() && self.servers.iter().all(ServerMatch::is_usable);
        require(
            usable,
            "servers",
            "",
            "at least one server, each with a name, package or command, and each of these one line of at most 214 bytes",
        );
        for line in
            self.checked.iter().chain(&self.tools).chain(&self.unlisted).chain(self.grants.sentences())
        {
            require(
                is_line(line, 300),
                "checked, tools, unlisted or grants",
                line,
                "one line of at most 300 bytes",
            );
        }
        problems
    }
}

impl WantedGrants {
    /// The sentences of those that are wanted.
    pub fn sentences(&self) -> impl Iterator<Item = &String> {
        GrantKind::ALL.into_iter().filter_map(|kind| self.why(kind))
    }

    /// Why this kind is wanted; `None` where it is not.
    #[must_use]
    pub fn why(&self, kind: GrantKind) -> Option<&String> {
        match kind {
            GrantKind::Harmless => self.harmless.as_ref(),
            GrantKind::NotSending => self.not_sending.as_ref(),
            GrantKind::Directories => self.directories.as_ref(),
            GrantKind::Vouch => self.vouch.as_ref(),
        }
    }

    /// The kinds that are wanted.
    #[must_use]
    pub fn kinds(&self) -> Grants {
        GrantKind::ALL.into_iter().filter(|kind| self.why(*kind).is_some()).collect()
    }
}

/// What is wrong and where, without line breaks that somebody wrote into a key: they would pass for lines of ours.
fn drawn(error: &toml::de::Error) -> String {
    let (text, message) = (error.to_string(), error.message().trim());
    let drawing = text.trim_end().strip_suffix(message).unwrap_or_default();
    format!("{drawing}{}", message.lines().collect::<Vec<_>>().join("; "))
}

/// Whether a pack may be called so. One that begins with `-` would pass for an option.
pub(super) fn is_name(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    !text.is_empty() && text.len() <= 64 && !text.starts_with('-') && text.bytes().all(plain)
}

/// One line that shows what it holds.
pub(super) fn is_line(text: &str, max: usize) -> bool {
    !text.trim().is_empty() && text.len() <= max && !text.chars().any(invisible)
}

fn is_version(text: &str) -> bool {
    let number = text.split(['-', '+']).next().unwrap_or_default();
    let digits = |part: &str| !part.is_empty() && part.len() <= 9 && part.bytes().all(|b| b.is_ascii_digit());
    text.len() <= 64
        && number.split('.').count() == 3
        && number.split('.').all(digits)
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'+'))
}

#[cfg(test)]
#[path = "manifest_tests.rs"]
mod tests;
