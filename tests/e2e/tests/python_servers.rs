//! Servers on both Python SDKs behind `bouncer run`: the same send allowed, asked about and denied, and what
//! really left the outbox.

#![allow(clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use bouncer_e2e::{Client, bouncer, python, repository_root};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

const POLICY: &str =
    "[tools.send_email]\nsink_params = [\"to\", \"cc\"]\ntrusted_destinations = [\"boss@corp.example\"]\n";

fn proxied(environment: &str, dir: &Path) -> Command {
    let policy = dir.join("bouncer.toml");
    std::fs::write(&policy, POLICY).expect("a policy");
    let mut command = Command::new(bouncer());
    command.arg("run").arg("--policy").arg(policy).arg("--").arg(python(environment));
    command.arg(repository_root().join("tests/e2e/servers/mail.py"));
    command.env("OUTBOX", dir.join("outbox")).env("BOUNCER_HOME", dir.join("home"));
    command
}

fn sent(dir: &Path) -> Vec<Value> {
    let outbox = std::fs::read_to_string(dir.join("outbox")).unwrap_or_default();
    outbox.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON")["to"].clone()).collect()
}

fn send(client: &mut Client, to: &[&str]) -> Value {
    client.call("send_email", json!({"to": to, "subject": "s", "body": "b"}))
}

/// Says yes to every question of a form, for the session.
fn yes(params: &Value) -> Option<Value> {
    let form = params["requestedSchema"]["properties"].as_object().expect("a form");
    assert!(!form.is_empty(), "never an empty form");
    let content: serde_json::Map<_, _> =
        form.keys().map(|key| (key.clone(), json!("allow for this session"))).collect();
    Some(json!({"action": "accept", "content": content}))
}

fn same_send_three_ways(environment: &str) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let mut client = Client::spawn(&mut proxied(environment, dir.path())).with_human(yes);
    client.initialize("2025-11-25");

    let allowed = send(&mut client, &["boss@corp.example"]);
    assert_ne!(allowed["isError"], json!(true), "{allowed}");
    assert!(client.asked.is_empty(), "who is allowlisted is not asked about");

    let asked = send(&mut client, &["new@partner.example"]);
    assert_ne!(asked["isError"], json!(true), "{asked}");
    assert_eq!(client.asked.len(), 1);
    assert!(client.asked[0]["message"].as_str().unwrap_or("").contains("new@partner.example"));
    send(&mut client, &["new@partner.example"]);
    assert_eq!(client.asked.len(), 1, "one ask for each destination and session");

    client.call("read_inbox", json!({}));
    let denied = send(&mut client, &["boss@corp.example", "collector@evil.example"]);
    assert_eq!(denied["isError"], json!(true), "one tainted element denies the whole call: {denied}");
    assert!(denied["content"][0]["text"].as_str().unwrap_or("").contains("collector@evil.example"));
    assert_eq!(client.asked.len(), 1, "a deny asks nobody");

    let (status, _) = client.close();
    assert!(status.success(), "{status}");
    let expected =
        [json!(["boss@corp.example"]), json!(["new@partner.example"]), json!(["new@partner.example"])];
    assert_eq!(sent(dir.path()), expected);
}

#[test]
fn on_mcp_1() {
    same_send_three_ways("mcp1");
}

#[test]
fn on_fastmcp_4() {
    same_send_three_ways("mcp2");
}

#[test]
fn nobody_to_ask_is_a_deny() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let mut client = Client::spawn(&mut proxied("mcp1", dir.path()));
    client.initialize("2025-11-25");
    let denied = send(&mut client, &["new@partner.example"]);
    assert_eq!(denied["isError"], json!(true), "{denied}");
    client.close();
    assert_eq!(sent(dir.path()), Vec::<Value>::new());
}

#[test]
fn a_decline_and_an_accept_without_a_choice_are_denies() {
    for answer in [
        json!({"action": "decline"}),
        json!({"action": "cancel"}),
        json!({"action": "accept"}),
        json!({"action": "accept", "content": {}}),
        json!({"action": "accept", "content": {"decision": "deny"}}),
        json!({"action": "accept", "content": {"decision": true}}),
    ] {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let shown = answer.to_string();
        let mut client =
            Client::spawn(&mut proxied("mcp1", dir.path())).with_human(move |_| Some(answer.clone()));
        client.initialize("2025-11-25");
        let denied = send(&mut client, &["new@partner.example"]);
        assert_eq!(denied["isError"], json!(true), "{shown} let it through: {denied}");
        client.close();
        assert_eq!(sent(dir.path()), Vec::<Value>::new(), "{shown}");
    }
}
