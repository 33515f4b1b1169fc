//! Everything that a host would refuse in a pack, all at once, for whoever writes one. What installs and loads packs
//! stops at the first problem and does not go through here.

use super::bundle::{self, MANIFEST};
use super::{Manifest, PackError, archive, sha256_hex};
use crate::sandbox::imports;
use std::collections::BTreeMap;
use std::path::Path;

/// A pack as far as it can be read, and what is wrong with it.
#[derive(Debug, Default)]
pub struct Examined {
    /// What it says of itself, where that can be read.
    pub manifest: Option<Manifest>,
    /// The component, where it is there.
    pub component: Option<Vec<u8>>,
    /// What is wrong, in words.
    pub problems: Vec<String>,
}

impl Examined {
    /// Of a folder.
    #[must_use]
    pub fn folder(folder: &Path) -> Self {
        Self::of(bundle::files_of(folder))
    }

    /// Of an archive's bytes; `place` names it in messages.
    #[must_use]
    pub fn archive(bytes: &[u8], place: &str) -> Self {
        Self::of(archive::files_of(bytes, place))
    }

    fn of(files: Result<BTreeMap<String, Vec<u8>>, PackError>) -> Self {
        let mut examined = Self::default();
        match files {
            Ok(files) => examined.look(files),
            Err(error) => examined.problems.push(error.to_string()),
        }
        examined
    }

    fn look(&mut self, mut files: BTreeMap<String, Vec<u8>>) {
        let Some(text) = files.remove(MANIFEST) else {
            self.problems.push(format!("there is no `{MANIFEST}`"));
            return;
        };
        let read = String::from_utf8(text).map_err(|_| format!("`{MANIFEST}` is not UTF-8"));
        let read = read
            .and_then(|text| Manifest::parse_all(&text).map_err(|error| format!("`{MANIFEST}`: {error}")));
        match read {
            Err(problem) => {
                self.problems.push(problem);
                self.component = the_only(&mut files);
            }
            Ok((manifest, problems)) => {
                self.problems.extend(problems.iter().map(|error| format!("`{MANIFEST}`: {error}")));
                self.component = files.remove(&manifest.module);
                if self.component.is_none() {
                    self.problems.push(format!(
                        "`{MANIFEST}` names the component `{}`, which is not there",
                        manifest.module
                    ));
                    self.component = the_only(&mut files);
                } else if let Some(other) = files.keys().find(|name| name.ends_with(".wasm")) {
                    self.problems.push(format!("there is a second component, `{other}`"));
                }
                if let Some(component) = &self.component {
                    let found = sha256_hex(component);
                    if found != manifest.sha256 {
                        self.problems.push(format!(
                            "the component's sha256 is `{found}`, `{MANIFEST}` says `{}`",
                            manifest.sha256.chars().take(80).collect::<String>()
                        ));
                    }
                }
                self.manifest = Some(manifest);
            }
        }
        let refused = self.component.iter().flat_map(|component| imports::problems(component));
        self.problems.extend(refused.map(|error| format!("the component: {error}")).collect::<Vec<_>>());
    }
}

/// The component where the manifest does not say which it is.
fn the_only(files: &mut BTreeMap<String, Vec<u8>>) -> Option<Vec<u8>> {
    let mut names = files.keys().filter(|name| name.ends_with(".wasm"));
    let name = names.next().filter(|_| names.next().is_none())?.clone();
    files.remove(&name)
}
