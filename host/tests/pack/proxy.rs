//! What a proxy makes of installed packs: their contracts, their grants in the log, and those that are broken.

use crate::common::{Session, Start};
use crate::desk::{component, manifest};
use serde_json::json;
use std::path::Path;
use std::process::Command;

/// Bouncer's folder with the pack `post` in it; the server of these tests is started as `srv-post`.
fn installed(home: &Path) {
    std::fs::create_dir(home.join("src")).unwrap();
    std::fs::write(home.join("src/pack.toml"), manifest("post", "1.0.0", component("gmail"))).unwrap();
    std::fs::write(home.join("src/post.wasm"), component("gmail")).unwrap();
    pack(home, &["install", "src"]);
}

fn granted(home: &Path) {
    installed(home);
    pack(home, &["grant", "post", "harmless", "--yes"]);
}

fn broken(home: &Path) {
    granted(home);
    std::fs::write(home.join("packs/post/post.wasm"), "nonsense").unwrap();
}

fn unreadable(home: &Path) {
    installed(home);
    std::fs::write(home.join("packs/post/pack.toml"), "nonsense").unwrap();
}

fn pack(home: &Path, args: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bouncer"));
    command.arg("pack").args(args).current_dir(home).env("BOUNCER_HOME", home);
    let out = command.output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
}

fn started(prepare: fn(&Path), program: Option<&'static str>) -> Session {
    Start { prepare, program, capabilities: json!({}), ..Start::default() }.go()
}

/// Sends a mail whose subject the pack objects to, and returns what the log says of it.
fn sent(session: &mut Session) -> serde_json::Value {
    session.call(
        1,
        "send_email",
        &json!({"to": ["a@x.example"], "subject": "s", "body": "b", "attachments": ["/etc/passwd"]}),
    );
    session.read();
    session.audit().pop().unwrap()
}

#[test]
fn an_installed_pack_tightens_and_the_log_names_the_grants_that_take_part() {
    let mut without = started(installed, Some("srv-post"));
    let line = sent(&mut without);
    assert!(line["grants"].is_null(), "{line}");
    let mut with = started(granted, Some("srv-post"));
    let line = sent(&mut with);
    let hash = bouncer::pack::sha256_hex(component("gmail"));
    assert_eq!(
        line["grants"],
        json!([{"pack": "post", "sha256": &hash[..12], "kinds": ["harmless"]}]),
        "{line}"
    );
    let mut tail = Command::new(env!("CARGO_BIN_EXE_bouncer"));
    let said = tail.args(["audit", "tail"]).env("BOUNCER_HOME", with.folder.path()).output().unwrap();
    let said = String::from_utf8(said.stdout).unwrap();
    assert!(said.contains(&format!("[granted: post@{} harmless]", &hash[..12])), "{said}");
    // What the pack says nothing of.
    with.call(2, "add", &json!({"a": 1, "b": 2}));
    with.read();
    assert!(with.audit().pop().unwrap()["grants"].is_null());
    // A server that it is not for.
    let mut other = started(granted, None);
    let line = sent(&mut other);
    assert!(line["grants"].is_null(), "{line}");
}

#[test]
fn a_broken_pack_denies_the_calls_of_its_servers_and_of_no_others() {
    for prepare in [broken, unreadable] {
        let mut session = started(prepare, Some("srv-post"));
        session.call(1, "add", &json!({"a": 1, "b": 2}));
        let answer = session.read().to_string();
        assert!(answer.contains("[bouncer blocked]") && answer.contains("post"), "{answer}");
        assert!(answer.contains("bouncer pack remove post"), "{answer}");
        let line = session.audit().pop().unwrap();
        assert_eq!((&line["verdict"], &line["contract"]), (&json!("deny"), &json!("policy")), "{line}");

        let mut other = started(prepare, None);
        other.call(1, "add", &json!({"a": 1, "b": 2}));
        assert!(!other.read().to_string().contains("blocked"));
    }
}
