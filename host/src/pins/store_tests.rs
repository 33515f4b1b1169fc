use super::*;
use crate::pins::record::{Definitions, Part};
use std::collections::BTreeMap;

fn key(name: &str, word: &str) -> ServerKey {
    ServerKey::command(name, &[word.to_owned()], Path::new("/"))
}

fn fill(record: &mut Recorded) -> bool {
    let tool = Value::parse(br#"{"name":"t","inputSchema":{"maximum":1e400,"x":[null]}}"#, 9).unwrap();
    let listed = Value::parse(br#"{"name":"t","description":"\u202e"}"#, 9).unwrap();
    record.pinned.insert(Part::Tools, Definitions::from([("t".to_owned(), tool)]));
    record.pinned.insert(Part::Prompts, Definitions::new());
    let hello = Value::String("hello".to_owned());
    record.pinned.insert(Part::Instructions, Definitions::from([(String::new(), hello)]));
    let pending = BTreeMap::from([("t".to_owned(), Some(listed)), ("gone".to_owned(), None)]);
    record.pending.insert(Part::Tools, pending);
    true
}

fn home() -> (tempfile::TempDir, Home) {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    (folder, home)
}

#[test]
fn a_record_survives_and_is_found_by_name() {
    let (_folder, home) = home();
    assert!(recorded(&home, "mail").unwrap().is_none());
    assert!(servers(&home).unwrap().is_empty());
    let written = update(&home, &key("mail", "a"), fill).unwrap();
    assert_eq!(load(&home, &key("mail", "a")).unwrap().as_ref(), Some(&written));
    assert_eq!(load(&home, &key("mail", "b")).unwrap(), None, "another command is another server");
    assert_eq!(recorded(&home, "mail").unwrap().unwrap(), written);
    assert_eq!(
        written.tools()[0].definition.to_json(),
        r#"{"name":"t","inputSchema":{"maximum":1e400,"x":[null]}}"#
    );
    assert_eq!(written.instructions(), Some("hello"));
    assert!(written.knows(Part::Prompts) && !written.knows(Part::Templates));
    update(&home, &key("chat", "a"), |_| true).unwrap();
    assert_eq!(servers(&home).unwrap(), ["chat", "mail"]);
    assert!(forget(&home, &key("mail", "a").id()).unwrap());
    assert!(recorded(&home, "mail").unwrap().is_none());
}

#[test]
fn the_one_used_last_answers_for_a_name() {
    let (_folder, home) = home();
    for (word, seen) in [("a", "2026-01-02T"), ("b", "2026-01-03T"), ("c", "2026-01-01T")] {
        update(&home, &key("mail", word), |record| {
            seen.clone_into(&mut record.last_seen);
            true
        })
        .unwrap();
    }
    assert_eq!(recorded(&home, "mail").unwrap().unwrap().key, key("mail", "b"));
}

/// Any byte of a file may be lost or changed: it is never read as something else.
#[test]
fn a_damaged_file_is_an_error_and_never_a_fresh_start() {
    let (_folder, home) = home();
    let key = key("mail", "a");
    let record = update(&home, &key, fill).unwrap();
    let path = path_of(&home, &key.id());
    let whole = fs::read(&path).unwrap();
    for at in (0..whole.len() - 1).step_by(2) {
        let (mut cut, mut flipped) = (whole.clone(), whole.clone());
        cut.truncate(at);
        flipped[at] ^= 1;
        for bytes in [cut, flipped] {
            fs::write(&path, &bytes).unwrap();
            match load(&home, &key) {
                Err(PinsError::Corrupt { .. } | PinsError::Later { .. }) => {}
                other => panic!("{other:?}: {}", String::from_utf8_lossy(&bytes)),
            }
        }
    }
    assert!(recorded(&home, "mail").is_err());
    assert!(update(&home, &key, |_| true).is_err(), "it is not overwritten either");
    let said = load(&home, &key).unwrap_err().to_string();
    assert!(said.contains(&format!("bouncer pins reset {}", key.id())), "{said}");
    fs::write(&path, &whole).unwrap();
    assert_eq!(load(&home, &key).unwrap(), Some(record));
    assert!(all(&home).unwrap()[0].record.is_ok());
    // The record of one server under the name of another's.
    let other = super::super::key::ServerKey::url("mail", "https://x");
    fs::write(path_of(&home, &other.id()), &whole).unwrap();
    assert!(matches!(load(&home, &other), Err(PinsError::Corrupt { .. })));
}

#[test]
fn many_writers_lose_nothing() {
    let (_folder, home) = home();
    let threads: Vec<_> = (0..8)
        .map(|i| {
            let home = home.clone();
            std::thread::spawn(move || {
                for j in 0..10 {
                    update(&home, &key("mail", "a"), |record| {
                        let tool = Value::parse(format!(r#"{{"name":"{i}.{j}"}}"#).as_bytes(), 9).unwrap();
                        record.pinned.entry(Part::Tools).or_default().insert(format!("{i}.{j}"), tool);
                        true
                    })
                    .unwrap();
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(recorded(&home, "mail").unwrap().unwrap().tools().len(), 80);
}

#[cfg(unix)]
#[test]
fn nobody_else_can_look_in_and_a_replacement_is_noticed() {
    use std::os::unix::fs::PermissionsExt as _;
    let (_folder, home) = home();
    let key = key("mail", "a");
    update(&home, &key, fill).unwrap();
    let before = stamp(&home, &key);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&home.pins()), 0o700);
    for entry in fs::read_dir(home.pins()).unwrap() {
        assert_eq!(mode(&entry.unwrap().path()), 0o600);
    }
    assert_eq!(stamp(&home, &key), before);
    update(&home, &key, fill).unwrap();
    assert_ne!(stamp(&home, &key), before);
}

#[test]
fn a_process_that_holds_the_lock_for_ever_hangs_nobody() {
    let (_folder, home) = home();
    let held = lock(&home).unwrap();
    let refused = update(&home, &key("mail", "a"), fill).unwrap_err().to_string();
    assert!(refused.contains("another process holds it"), "{refused}");
    drop(held);
    update(&home, &key("mail", "a"), fill).unwrap();
}
