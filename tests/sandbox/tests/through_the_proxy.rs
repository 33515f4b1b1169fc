//! Hostile modules as a rule of a real `bouncer run`: what the user sees, and that the other calls and servers go on.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]
#![cfg(unix)]

use bouncer::sandbox::component;
use bouncer_e2e::{Client, bouncer};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

/// A session with the module as a rule, with these settings, before a server with these tools.
fn session(home: &Path, settings: &str, tools: &[&str]) -> Client {
    let module = component::from_core_module(bouncer_artifacts::core_module("misbehaving").unwrap()).unwrap();
    std::fs::write(home.join("misbehaving.wasm"), module).unwrap();
    let policy = format!(
        "[[modules]]\npath = \"misbehaving.wasm\"\nsettings = {settings}\n\n[tools.calm]\nexfiltrating = false\n\n{}",
        tools
            .iter()
            .map(|tool| format!(
                "[tools.{tool}]\nsink_params = [\"to\"]\ntrusted_destinations = [\"me@corp.example\"]\n"
            ))
            .collect::<String>()
    );
    std::fs::write(home.join("policy.toml"), policy).unwrap();
    plain(home, Some("policy.toml"), tools)
}

fn plain(home: &Path, policy: Option<&str>, tools: &[&str]) -> Client {
    let server = concat!(env!("CARGO_MANIFEST_DIR"), "/../hostile/upstream.py");
    let mut command = Command::new(bouncer());
    command.args(["run", "--upstream-name", "mail"]);
    command.args(policy.iter().flat_map(|policy| ["--policy", policy]));
    command.args(["--", "python3", server, "calm"]).args(tools);
    command.current_dir(home).env("BOUNCER_HOME", home.join("home")).env_remove("BOUNCER_SESSION");
    let mut client = Client::spawn(&mut command);
    client.initialize("2025-11-25");
    client
}

/// Whether the call was refused, and what the agent was told.
fn call(client: &mut Client, tool: &str, to: &str) -> (bool, String) {
    let answer = client.call(tool, json!({"to": to, "text": "hello"}));
    let result = if answer.get("result").is_some() { &answer["result"] } else { &answer };
    let text = result["content"][0]["text"].as_str().unwrap_or_default().to_owned();
    (result["isError"] == Value::Bool(true), text)
}

#[test]
fn a_module_that_fails_denies_what_it_is_asked_about_and_the_rest_goes_on() {
    let home = tempfile::tempdir().unwrap();
    let modes = [
        ("trap", "panicked"),
        ("loop", "used up its fuel"),
        ("memory", "64 MiB"),
        ("stack", "overflowed its stack"),
        ("error", "answered with an error: xxx"),
        ("many_findings", "101 findings"),
        ("many_destinations", "1001 destinations"),
        ("huge_destination", "bytes of one destination"),
    ];
    let names: Vec<&str> = modes.iter().map(|(name, _)| *name).chain(["fine"]).collect();
    let mut client = session(home.path(), "{}", &names);
    for (mode, reason) in modes {
        let (refused, text) = call(&mut client, mode, "me@corp.example");
        assert!(refused, "{mode}: {text}");
        assert!(text.starts_with("[bouncer blocked]") && text.contains("misbehaving.wasm"), "{mode}: {text}");
        assert!(text.contains(reason), "{mode}: {text}");
        assert!(text.len() < 2000, "{mode}: {} bytes", text.len());
        // The same module's next call, and one that it has nothing against.
        assert_eq!(call(&mut client, "fine", "me@corp.example"), (false, "done fine".to_owned()), "{mode}");
    }
    // Each refusal is in the log under the module's contract.
    let log = std::fs::read_to_string(home.path().join("home/audit.jsonl")).unwrap();
    let denied = log
        .lines()
        .filter(|line| line.contains("\"contract\":\"policy\"") && line.contains("\"deny\""))
        .count();
    assert_eq!(denied, modes.len());
    client.close();
}

#[test]
fn a_module_hides_no_receiver_and_speaks_for_nobody_else() {
    let home = tempfile::tempdir().unwrap();
    let mut client = session(home.path(), "{}", &["hide", "relabel", "liar", "forge", "huge_reason"]);
    for mode in ["hide", "relabel", "liar"] {
        // Nobody is there to be asked, so that what is asked about is refused.
        let (refused, text) = call(&mut client, mode, "eve@evil.example");
        assert!(refused && text.contains("eve@evil.example"), "{mode}: {text}");
    }
    for mode in ["hide", "liar"] {
        assert_eq!(call(&mut client, mode, "me@corp.example"), (false, format!("done {mode}")));
    }
    let (refused, text) = call(&mut client, "forge", "me@corp.example");
    assert!(refused && text.contains("misbehaving.wasm") && !text.contains('\u{1b}'), "{text}");
    let (refused, text) = call(&mut client, "huge_reason", "me@corp.example");
    assert!(refused && text.len() < 3000 && !text.contains('\u{202e}'), "{} bytes", text.len());
    client.close();
}

#[test]
fn a_module_that_cannot_say_what_it_knows_denies_its_server_and_no_other() {
    let home = tempfile::tempdir().unwrap();
    let mut client = session(home.path(), "{ claim = \"delete_all\" }", &["fine"]);
    for tool in ["fine", "calm"] {
        let (refused, text) = call(&mut client, tool, "me@corp.example");
        assert!(
            refused && text.contains("delete_all") && text.contains("no tool of the server"),
            "{tool}: {text}"
        );
    }
    client.close();
    // Another server of the same user, without that rule.
    let other = tempfile::tempdir().unwrap();
    std::fs::write(other.path().join("policy.toml"), "[tools.calm]\nexfiltrating = false\n").unwrap();
    let mut client = plain(other.path(), Some("policy.toml"), &[]);
    assert_eq!(call(&mut client, "calm", "x"), (false, "done calm".to_owned()));
    client.close();
}

#[test]
fn a_module_that_cannot_be_loaded_stops_the_start_with_the_reason() {
    let home = tempfile::tempdir().unwrap();
    for (bytes, reason) in [
        (b"#!/bin/sh\n".to_vec(), "the module `"),
        (bouncer_artifacts::core_module("misbehaving").unwrap().to_vec(), "component"),
        (wat::parse_str(r#"(component (import "now" (func (result u64))))"#).unwrap(), "now"),
    ] {
        std::fs::write(home.path().join("odd.wasm"), bytes).unwrap();
        std::fs::write(home.path().join("policy.toml"), "[[modules]]\npath = \"odd.wasm\"\n").unwrap();
        let output = Command::new(bouncer())
            .args(["run", "--policy", "policy.toml", "--", "true"])
            .current_dir(home.path())
            .env("BOUNCER_HOME", home.path().join("home"))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains("odd.wasm") && said.contains(reason), "{said}");
    }
}
