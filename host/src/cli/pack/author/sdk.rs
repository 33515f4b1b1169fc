//! The guest SDK that this Bouncer brings along, so that a new project builds without a network and fits this host.

use crate::cli::Failure;
use std::fs;
use std::path::Path;

/// The folder in a project that holds it.
pub(in crate::cli::pack) const FOLDER: &str = ".bouncer-sdk";

const MANIFEST: &str = include_str!("template/sdk.toml");

macro_rules! files {
    ($($path:literal)*) => {
        [$(($path, include_str!(concat!("../../../../../guest-sdk/src/", $path)))),*]
    };
}

/// All but the SDK's own tests.
const FILES: [(&str, &str); 24] = files!(
    "bindings.rs" "call.rs" "contract.rs" "error.rs" "glue.rs" "heap.rs" "judgement.rs" "lib.rs" "pointer.rs" "rt.rs"
    "server.rs" "settings.rs" "json/de.rs" "json/from.rs" "json/literal.rs" "json/map.rs" "json/mod.rs"
    "json/number.rs" "json/parse.rs" "json/to_value.rs" "json/write.rs" "testing/cases.rs" "testing/mod.rs"
    "../../LICENSE"
);

/// Writes it into a project.
pub(in crate::cli::pack) fn write(project: &Path) -> Result<(), Failure> {
    let folder = project.join(FOLDER);
    let put = |path: &str, text: &str| -> Result<(), Failure> {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&path, text)?;
        Ok(())
    };
    put("Cargo.toml", &MANIFEST.replace("{version}", env!("CARGO_PKG_VERSION")))?;
    for (path, text) in FILES {
        match path.strip_prefix("../../") {
            Some(beside) => put(beside, text)?,
            None => put(&format!("src/{path}"), text)?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn listed(folder: &Path, under: &str, found: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = format!("{under}{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                listed(&entry.path(), &format!("{name}/"), found);
            } else if !name.ends_with("tests.rs") {
                found.insert(name);
            }
        }
    }

    #[test]
    fn every_file_of_the_sdk_is_brought_along() {
        let mut there = BTreeSet::new();
        listed(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../guest-sdk/src"), "", &mut there);
        let brought: BTreeSet<String> =
            FILES.iter().map(|(path, _)| (*path).to_owned()).filter(|path| !path.starts_with("..")).collect();
        assert_eq!(there, brought);
    }
}
