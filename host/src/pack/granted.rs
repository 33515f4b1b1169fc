//! `grants.toml`: the one place that says what installed packs may loosen. A grant names the manifest and the module by
//! their hashes, so that it falls away with either.

use super::disk;
use super::tables::{self, TableError, is_hash};
use super::{Bundle, GrantKind, Grants};
use crate::home::Home;
use crate::policy::Problem;
use serde::Deserialize;
use std::fmt::Write as _;
use toml::Spanned;

const HEADER: &str = "\
# What installed packs may loosen. `bouncer pack grant` and `bouncer pack revoke` write this file; it can be edited too.
# A grant holds for exactly this module and this manifest (pack.toml), by SHA-256. Kinds:
";

/// One pack's grants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Granted {
    /// The pack's name.
    pub pack: String,
    /// Of the component.
    pub sha256: String,
    /// Of `pack.toml`.
    pub manifest: String,
    /// What is granted.
    pub kinds: Grants,
    /// The day on which it was granted.
    pub date: String,
}

/// The file.
#[derive(Debug, Clone, Default)]
pub struct GrantsFile {
    entries: Vec<Granted>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    #[serde(default)]
    grant: Vec<RawGrant>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawGrant {
    pack: Spanned<String>,
    sha256: Spanned<String>,
    manifest: Spanned<String>,
    kinds: Vec<GrantKind>,
    date: String,
}

impl GrantsFile {
    /// Reads the file; there are no grants where there is none.
    ///
    /// # Errors
    /// Where it is malformed: nothing may be guessed then.
    pub fn load(home: &Home) -> Result<Self, TableError> {
        let path = home.grants();
        let hint = "a grant is [[grant]] with pack, sha256, manifest, kinds and date; deleting the file takes all grants back";
        let Some((raw, text)) = tables::read::<Raw>(&path, hint)? else { return Ok(Self::default()) };
        let mut entries: Vec<Granted> = Vec::new();
        for grant in raw.grant {
            for hash in [&grant.sha256, &grant.manifest] {
                if !is_hash(hash.get_ref()) {
                    let problem = Problem::new(hash.span(), "this is no SHA-256");
                    let problem = problem.label("expected 64 lower-case hexadecimal digits");
                    return Err(tables::malformed(&path, &text, problem));
                }
            }
            if entries.iter().any(|entry| entry.pack == *grant.pack.get_ref()) {
                let problem = Problem::new(grant.pack.span(), "this pack has grants twice");
                let problem = problem.label("it stands above already").hint("put both into one [[grant]]");
                return Err(tables::malformed(&path, &text, problem));
            }
            entries.push(Granted {
                pack: grant.pack.into_inner(),
                sha256: grant.sha256.into_inner(),
                manifest: grant.manifest.into_inner(),
                kinds: grant.kinds.into_iter().collect(),
                date: grant.date,
            });
        }
        Ok(Self { entries })
    }

    /// What is granted to exactly this content.
    #[must_use]
    pub fn of(&self, bundle: &Bundle) -> Grants {
        let same = |entry: &&Granted| {
            entry.pack == bundle.manifest.name
                && entry.sha256 == bundle.sha256
                && entry.manifest == bundle.manifest_sha256
        };
        self.entries.iter().find(same).map(|entry| entry.kinds.clone()).unwrap_or_default()
    }

    /// What stands under this name, whatever content it is for.
    #[must_use]
    pub fn named(&self, pack: &str) -> Option<&Granted> {
        self.entries.iter().find(|entry| entry.pack == pack)
    }

    /// Grants exactly `kinds` to this content; what stood under the name is replaced.
    pub(super) fn set(&mut self, bundle: &Bundle, kinds: Grants) {
        self.forget(&bundle.manifest.name);
        if !kinds.is_empty() {
            self.entries.push(Granted {
                pack: bundle.manifest.name.clone(),
                sha256: bundle.sha256.clone(),
                manifest: bundle.manifest_sha256.clone(),
                kinds,
                date: tables::today(),
            });
        }
    }

    /// Takes back what stands under this name.
    pub(super) fn forget(&mut self, pack: &str) {
        self.entries.retain(|entry| entry.pack != pack);
    }

    /// For whoever holds the lock.
    pub(super) fn write(&self, home: &Home) -> Result<(), TableError> {
        let mut text = HEADER.to_owned();
        for kind in GrantKind::ALL {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "#   {:12} {}", kind.as_str(), kind.meaning());
        }
        let mut entries: Vec<&Granted> = self.entries.iter().collect();
        entries.sort_by(|a, b| a.pack.cmp(&b.pack));
        for entry in entries {
            let kinds: Vec<String> =
                entry.kinds.iter().map(|kind| format!("\"{}\"", kind.as_str())).collect();
            let value = |text: &str| toml::Value::String(text.to_owned());
            let _ = write!(
                text,
                "\n[[grant]]\npack = {}\nsha256 = {}\nmanifest = {}\nkinds = [{}]\ndate = {}\n",
                value(&entry.pack),
                value(&entry.sha256),
                value(&entry.manifest),
                kinds.join(", "),
                value(&entry.date)
            );
        }
        Ok(disk::replace(&home.grants(), text.as_bytes())?)
    }
}
