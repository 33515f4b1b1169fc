//! What is committed is what the sources give.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail by panicking")]

use bouncer::pack::{Bundle, EMBEDDED, Grants, Pack, PackError, PackSource, builtin};
use bouncer::sandbox::Sandbox;
use bouncer_pack_tests::{component, folder, with_hash};
use std::path::Path;

/// A pack from a folder, as it is tried before it is installed.
fn load_dir(sandbox: &Sandbox, folder: &Path) -> Result<Pack, PackError> {
    Pack::of(sandbox, &Bundle::from_folder(folder)?, PackSource::Installed(None), Grants::default())
}

#[test]
fn the_committed_components_are_what_the_sources_build() {
    for pack in EMBEDDED {
        let built = component(pack.name).unwrap();
        assert!(
            built == pack.component,
            "packs/{0}/{0}.wasm is stale: run `scripts/refresh-packs`",
            pack.name
        );
        let manifest = with_hash(pack.manifest, &built);
        assert!(
            manifest == pack.manifest,
            "packs/{}/pack.toml is stale: run `scripts/refresh-packs`",
            pack.name
        );
    }
}

#[test]
fn no_path_of_the_building_machine_stands_in_a_component() {
    let home = std::env::var("HOME").unwrap_or_default();
    let root = bouncer_pack_tests::root().display().to_string();
    for pack in EMBEDDED {
        for path in [home.as_str(), root.as_str(), "/home/", "/root/", "/Users/", ".cargo/"] {
            let found =
                path.len() > 1 && pack.component.windows(path.len()).any(|bytes| bytes == path.as_bytes());
            assert!(!found, "`{path}` stands in packs/{0}/{0}.wasm", pack.name);
        }
    }
}

#[test]
fn all_packs_load_with_their_grants_and_from_a_folder_without() {
    let sandbox = Sandbox::new(None).unwrap();
    let packs = builtin(&sandbox).unwrap();
    assert_eq!(packs.len(), EMBEDDED.len());
    assert!(packs.iter().all(|pack| pack.granted == Grants::all()));
    assert!(packs.iter().zip(EMBEDDED).all(|(pack, embedded)| pack.manifest.name == embedded.name));
    let pack = load_dir(&sandbox, &folder("gmail")).unwrap();
    assert!(pack.granted.is_empty());
}

#[test]
fn a_folder_that_is_not_what_it_says_is_refused() {
    let sandbox = Sandbox::new(None).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let refused = || load_dir(&sandbox, dir.path()).unwrap_err().to_string();
    assert!(refused().contains("pack.toml"), "{}", refused());
    std::fs::copy(folder("gmail").join("pack.toml"), dir.path().join("pack.toml")).unwrap();
    assert!(refused().contains("gmail.wasm"), "{}", refused());
    std::fs::copy(folder("slack").join("slack.wasm"), dir.path().join("gmail.wasm")).unwrap();
    assert!(refused().contains("sha256"), "{}", refused());
    #[cfg(unix)]
    {
        std::fs::remove_file(dir.path().join("gmail.wasm")).unwrap();
        std::os::unix::fs::symlink(folder("gmail").join("gmail.wasm"), dir.path().join("gmail.wasm"))
            .unwrap();
        assert!(refused().contains("no plain file"), "{}", refused());
    }
}
