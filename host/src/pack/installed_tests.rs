use super::*;
use crate::pack::{Change, EMBEDDED, GrantKind, sha256_hex};

/// A pack of this name and version, with the component of a built-in one.
fn bundle(name: &str, version: &str) -> Bundle {
    let component = EMBEDDED[0].component;
    let text = format!(
        "name = \"{name}\"\nversion = \"{version}\"\nsummary = \"s\"\nmodule = \"m.wasm\"\nsha256 = \"{}\"\n[[servers]]\npackages = [\"srv-{name}\"]\n",
        sha256_hex(component)
    );
    let files = [("pack.toml".to_owned(), text.into_bytes()), ("m.wasm".to_owned(), component.to_vec())];
    Bundle::new(files.into(), "test").unwrap()
}

fn home() -> (tempfile::TempDir, Home) {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    (folder, home)
}

fn put(home: &Home, bundle: &Bundle) {
    Change::begin(home).unwrap().put(bundle, Locked::of(bundle, "test", None)).unwrap();
}

fn version(home: &Home, name: &str) -> Result<String, String> {
    let shelf = Shelf::load(home).unwrap();
    shelf.named(name).unwrap().bundle.as_ref().map(|b| b.manifest.version.clone()).map_err(Clone::clone)
}

fn server(package: &str) -> ServerIdentity {
    let command = vec!["npx".to_owned(), "-y".to_owned(), package.to_owned()];
    ServerIdentity { command, ..ServerIdentity::default() }
}

#[test]
fn nothing_is_made_where_nothing_was_installed() {
    let (_folder, home) = home();
    assert!(Shelf::load(&home).unwrap().packs.is_empty());
    assert!(!home.packs().exists());
}

#[test]
fn put_replace_grant_remove() {
    let (_folder, home) = home();
    put(&home, &bundle("a", "1.0.0"));
    assert_eq!(version(&home, "a").unwrap(), "1.0.0");
    let kinds: Grants = [GrantKind::Vouch].into_iter().collect();
    Change::begin(&home).unwrap().grant(&bundle("a", "1.0.0"), kinds.clone()).unwrap();
    assert_eq!(Shelf::load(&home).unwrap().named("a").unwrap().granted, kinds);
    // The same again keeps the grants, another manifest has none.
    put(&home, &bundle("a", "1.0.0"));
    assert_eq!(Shelf::load(&home).unwrap().named("a").unwrap().granted, kinds);
    put(&home, &bundle("a", "1.0.1"));
    let shelf = Shelf::load(&home).unwrap();
    assert!(shelf.named("a").unwrap().granted.is_empty() && shelf.grants.named("a").is_none());
    assert_eq!(version(&home, "a").unwrap(), "1.0.1");
    Change::begin(&home).unwrap().remove("a").unwrap();
    let shelf = Shelf::load(&home).unwrap();
    assert!(shelf.packs.is_empty() && shelf.lock.pack.is_empty());
    let left: Vec<_> = fs::read_dir(home.packs()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, [".lock"]);
}

#[test]
fn a_kill_leaves_the_old_or_the_new() {
    let (_folder, home) = home();
    let packs = home.packs();
    put(&home, &bundle("a", "1.0.0"));
    // Killed while the new one was written: half a folder beside.
    fs::create_dir(packs.join(".new-a")).unwrap();
    fs::write(packs.join(".new-a/pack.toml"), "half").unwrap();
    assert_eq!(version(&home, "a").unwrap(), "1.0.0");
    // Killed when the old one had been moved away.
    fs::rename(packs.join("a"), packs.join(".old-a")).unwrap();
    assert_eq!(version(&home, "a").unwrap(), "1.0.0");
    // Killed when the new one was there, and the lock file did not name it yet.
    fs::remove_dir_all(packs.join(".new-a")).unwrap();
    fs::create_dir(packs.join("a")).unwrap();
    for (name, bytes) in bundle("a", "2.0.0").files() {
        fs::write(packs.join("a").join(name), bytes).unwrap();
    }
    assert_eq!(version(&home, "a").unwrap(), "1.0.0");
    // Whoever changes something next puts that right first.
    drop(Change::begin(&home).unwrap());
    assert!(!packs.join(".old-a").exists());
    assert_eq!(version(&home, "a").unwrap(), "1.0.0");
    put(&home, &bundle("a", "2.0.0"));
    // Killed before the old one was cleared away.
    fs::create_dir(packs.join(".old-a")).unwrap();
    for (name, bytes) in bundle("a", "1.0.0").files() {
        fs::write(packs.join(".old-a").join(name), bytes).unwrap();
    }
    assert_eq!(version(&home, "a").unwrap(), "2.0.0");
}

#[test]
fn what_is_broken_is_told_and_only_for_its_servers() {
    let (_folder, home) = home();
    put(&home, &bundle("a", "1.0.0"));
    let manifest = home.packs().join("a/pack.toml");
    let whole = fs::read(&manifest).unwrap();
    let broken = |wanted: &str| {
        let shelf = Shelf::load(&home).unwrap();
        let pack = shelf.named("a").unwrap();
        let why = pack.bundle.as_ref().unwrap_err();
        assert!(why.contains(wanted) && why.contains("bouncer pack remove a"), "{why}");
        assert!(pack.may_be_for(&server("srv-a")) && !pack.may_be_for(&server("other")));
    };
    fs::write(&manifest, "nonsense").unwrap();
    broken("TOML");
    // Widened to another server by hand: not what was installed.
    let widened = String::from_utf8(whole.clone()).unwrap().replace("srv-a", "other");
    fs::write(&manifest, widened).unwrap();
    broken("not what was installed");
    fs::write(&manifest, &whole).unwrap();
    fs::write(home.packs().join("a/m.wasm"), "other").unwrap();
    broken("sha256");
    fs::remove_dir_all(home.packs().join("a")).unwrap();
    broken("its folder is gone");
    // Nothing says for which servers it was: it may be for any.
    fs::create_dir(home.packs().join("b")).unwrap();
    let shelf = Shelf::load(&home).unwrap();
    assert!(shelf.named("b").unwrap().bundle.is_err() && shelf.named("b").unwrap().may_be_for(&server("x")));
}

#[test]
fn names_of_others_are_refused() {
    let (_folder, home) = home();
    for (folder, name, why) in [("gmail", "gmail", "built in"), ("x", "y", "calls itself `y`")] {
        let place = home.packs().join(folder);
        fs::create_dir_all(&place).unwrap();
        for (file, bytes) in bundle(name, "1.0.0").files() {
            fs::write(place.join(file), bytes).unwrap();
        }
        let shelf = Shelf::load(&home).unwrap();
        let said = shelf.named(folder).unwrap().bundle.as_ref().unwrap_err();
        assert!(said.contains(why), "{said}");
    }
}

#[test]
fn files_that_are_not_understood_are_errors_with_their_place() {
    let (_folder, home) = home();
    let error = |text: &str| {
        fs::write(home.grants(), text).unwrap();
        Shelf::load(&home).unwrap_err().to_string()
    };
    assert!(error("[[grant]]\npack = 1\n").contains("grants.toml:2:8"), "{}", error("[[grant]]\npack = 1\n"));
    let grant = |kinds: &str, hash: &str| {
        format!(
            "[[grant]]\npack = 'a'\nsha256 = '{hash}'\nmanifest = '{hash}'\nkinds = [{kinds}]\ndate = ''\n"
        )
    };
    let good = "0".repeat(64);
    assert!(error(&grant("'all'", &good)).contains("5:10"));
    assert!(error(&grant("", "0")).contains("expected 64"));
    assert!(error(&(grant("", &good) + &grant("", &good))).contains("twice"));
    assert!(error("grants = []").contains("unknown field"));
    fs::write(home.grants(), grant("'vouch'", &good)).unwrap();
    assert!(Shelf::load(&home).is_ok());
    fs::write(home.packs_lock(), "pack = 3").unwrap();
    assert!(Shelf::load(&home).unwrap_err().to_string().contains("packs.lock:1:8"));
}
