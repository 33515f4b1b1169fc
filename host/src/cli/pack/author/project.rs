//! A project that a policy module is built from.

use super::sdk;
use crate::cli::Failure;
use crate::cli::text::shown;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder with a `Cargo.toml`, and a `pack.toml` where it is a pack and not only a rule.
pub(in crate::cli::pack) struct Project {
    pub(in crate::cli::pack) folder: PathBuf,
    /// The text of `pack.toml`.
    pub(in crate::cli::pack) manifest: Option<String>,
}

/// A pack's name that is a crate's name too.
pub(in crate::cli::pack) fn is_name(name: &str) -> bool {
    name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        // Names that cargo refuses, or that mean something else where a crate's name stands.
        && !["test", "core", "std", "alloc", "proc-macro", "bouncer-guest", "serde"].contains(&name)
}

impl Project {
    /// The project in this folder; its SDK is put back where it is missing.
    pub(in crate::cli::pack) fn open(folder: &Path) -> Result<Self, Failure> {
        let folder = std::path::absolute(folder)?;
        let cargo = folder.join("Cargo.toml");
        let text = fs::read_to_string(&cargo).map_err(|error| {
            Failure::usage(format!(
                "cannot read `{}`: {error}\nhint: `bouncer pack new NAME` makes a project",
                shown(&cargo.display().to_string())
            ))
        })?;
        if text.contains(&format!("path = \"{}\"", sdk::FOLDER)) && !folder.join(sdk::FOLDER).exists() {
            sdk::write(&folder)?;
        }
        let manifest = match fs::read_to_string(folder.join("pack.toml")) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(Failure::new(format!("cannot read `pack.toml`: {error}"))),
        };
        Ok(Self { folder, manifest })
    }

    /// The file of the component: as `pack.toml` says, otherwise named after the crate.
    pub(in crate::cli::pack) fn module(&self, package: &str) -> Result<PathBuf, Failure> {
        let Some(manifest) = &self.manifest else { return Ok(self.folder.join(format!("{package}.wasm"))) };
        let name = top_level(manifest)
            .find_map(|(_, line)| value_of(line, "module"))
            .filter(|name| Path::new(name).extension().is_some_and(|end| end == "wasm"))
            .filter(|name| !name.contains(['/', '\\']));
        match name {
            Some(name) => Ok(self.folder.join(name)),
            None => Err(Failure::usage("`pack.toml` names no file in `module = \"NAME.wasm\"`")),
        }
    }

    /// Writes this hash into `pack.toml` and nothing else.
    pub(in crate::cli::pack) fn put_hash(&self, hash: &str) -> Result<(), Failure> {
        let Some(manifest) = &self.manifest else { return Ok(()) };
        let with = with_hash(manifest, hash).ok_or_else(|| {
            Failure::usage("`pack.toml` has no line `sha256 = \"...\"`\nhint: put one below `module`")
        })?;
        if with != *manifest {
            fs::write(self.folder.join("pack.toml"), with)?;
        }
        Ok(())
    }
}

/// The lines before the first table, with the place where each begins.
fn top_level(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n')
        .map(move |line| {
            let start = at;
            at += line.len();
            (start, line)
        })
        .take_while(|(_, line)| !line.trim_start().starts_with('['))
}

/// The text between the quotes, where the line is `key = "text"`.
fn value_of<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let rest = line.trim_start().strip_prefix(key)?.trim_start().strip_prefix('=')?.trim_start();
    let quote = rest.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    rest.get(1..)?.split(quote).next()
}

/// The manifest with another hash, every other byte as it was; `None` where it has no line for one.
fn with_hash(manifest: &str, hash: &str) -> Option<String> {
    let (start, line) = top_level(manifest).find(|(_, line)| value_of(line, "sha256").is_some())?;
    let old = value_of(line, "sha256")?;
    let equals = line.find('=')?;
    let inside = line.get(equals..)?.find(['"', '\''])? + equals + 1;
    let from = start + inside;
    Some(format!("{}{hash}{}", manifest.get(..from)?, manifest.get(from + old.len()..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_hash_is_replaced() {
        let manifest = "# a\nname = \"x\"\n  sha256='old' # why \"not\"\r\nmodule = \"x.wasm\"\n[grants]\nsha256 = \"no\"\n";
        let expected = manifest.replace("old", "new");
        assert_eq!(with_hash(manifest, "new").as_deref(), Some(expected.as_str()));
        assert_eq!(with_hash("name = \"x\"\n[t]\nsha256 = \"no\"\n", "new"), None);
        assert_eq!(with_hash("sha256 = \"\"", "new").as_deref(), Some("sha256 = \"new\""));
        assert_eq!(with_hash("# sha256 = \"x\"\nsha256_of = \"y\"\n", "new"), None);
    }

    #[test]
    fn names_are_those_of_packs_and_crates() {
        for name in ["a", "no-fridays", "x9"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "9x", "-x", "Test", "a_b", "a b", "../x", "test", "core", &"a".repeat(65)] {
            assert!(!is_name(name), "{name}");
        }
    }
}
