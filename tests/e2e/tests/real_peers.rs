//! Real clients and real servers on either side: whatever they do directly, they do through `bouncer run` with the same
//! results. The clients are those of the Python SDK 1.x and 2.x, FastMCP, and the Inspector's command line, in both eras.

#![allow(clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::unwrap_used)]

use bouncer_e2e::{Client, bouncer, npm_server, python, repository_root};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

fn everything() -> Vec<OsString> {
    vec!["node".into(), npm_server("@modelcontextprotocol/server-everything").into()]
}

fn mail() -> Vec<OsString> {
    vec![python("mcp2").into(), repository_root().join("tests/e2e/servers/mail.py").into()]
}

/// The command line of `server` behind Bouncer. SDKs hand on an environment of their own choice: a script sets the folder.
fn behind_bouncer(home: &Path, server: Vec<OsString>) -> Vec<OsString> {
    use std::os::unix::fs::PermissionsExt;
    let script = home.join("bouncer-here");
    let text = format!(
        "#!/bin/sh\nunset BOUNCER_SESSION\nBOUNCER_HOME='{}' exec '{}' run -- \"$@\"\n",
        home.display(),
        bouncer().display()
    );
    std::fs::write(&script, text).unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::iter::once(script.into()).chain(server).collect()
}

fn printed(command: &mut Command) -> Value {
    let out = command.output().unwrap();
    let (text, errors) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    assert!(out.status.success(), "{command:?}: {text}{errors}");
    serde_json::from_slice(&out.stdout).unwrap_or_else(|e| panic!("{e}: {text}{errors}"))
}

/// Both ways, compared; returns what came back, and how many calls the log has.
fn same(run: impl Fn(&[OsString]) -> Value, server: &[OsString]) -> (Value, usize) {
    let home = tempfile::tempdir().unwrap();
    let directly = run(server);
    let proxied = run(&behind_bouncer(home.path(), server.to_vec()));
    assert_eq!(directly, proxied);
    let log = std::fs::read_to_string(home.path().join("audit.jsonl")).unwrap_or_default();
    assert!(!log.contains(r#""verdict":"deny""#) && !log.contains(r#""verdict":"ask""#), "{log}");
    (proxied, log.lines().count())
}

fn with_python(environment: &str, client: &str, version: Option<&str>) {
    let script = repository_root().join("tests/e2e/clients/use_server.py");
    for (name, server, calls) in [("everything", everything(), 9), ("mail", mail(), 2)] {
        let run = |server: &[OsString]| {
            let outbox = tempfile::tempdir().unwrap();
            let mut command = Command::new(python(environment));
            command
                .arg(&script)
                .arg(client)
                .arg(name)
                .args(server)
                .env("OUTBOX", outbox.path().join("outbox"));
            printed(&mut command)
        };
        let (out, logged) = same(run, &server);
        assert!(logged >= calls, "{client} {name}: {logged} lines in the log");
        assert!(!out["tools"].as_array().unwrap().is_empty());
        if name == "everything" {
            assert!(!out["seen"]["progress"].as_array().unwrap().is_empty(), "progress arrives: {out}");
        } else if let Some(version) = version {
            assert_eq!(out["seen"]["version"], version, "{client}");
        }
    }
}

#[test]
fn the_python_sdk_1() {
    with_python("mcp1", "sdk1", Some("2025-11-25"));
}

#[test]
fn the_python_sdk_2_of_the_legacy_era() {
    with_python("mcp2", "sdk2-legacy", Some("2025-11-25"));
}

#[test]
fn the_python_sdk_2_of_the_stateless_era() {
    with_python("mcp2", "sdk2-auto", Some("2026-07-28"));
}

#[test]
fn fastmcp() {
    with_python("mcp2", "fastmcp", None);
}

#[test]
fn the_inspector_in_both_eras() {
    let inspector = repository_root()
        .join("tests/e2e/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js");
    assert!(
        inspector.is_file(),
        "the Inspector is not installed\nhint: run `scripts/test`, or `npm ci` in `tests/e2e`"
    );
    let home = tempfile::tempdir().unwrap();
    for (era, server, tool, arguments) in [
        ("legacy", everything(), "get-sum", r#"{"a":2,"b":40}"#),
        ("auto", mail(), "list_contacts", "{}"),
        ("modern", mail(), "read_inbox", "{}"),
    ] {
        for asked in [
            &["--method", "tools/list"][..],
            &["--method", "tools/call", "--tool-name", tool, "--tool-args-json", arguments],
        ] {
            let run = |server: &[OsString]| {
                let mut command = Command::new("node");
                command
                    .arg(&inspector)
                    .args(["--cli", "--protocol-era", era, "--format", "json", "--quiet"])
                    .args(asked);
                command
                    .arg("--")
                    .args(server)
                    .env("HOME", home.path())
                    .env("OUTBOX", home.path().join("outbox"));
                printed(&mut command)
            };
            let (out, _) = same(run, &server);
            assert!(out.get("result").is_some(), "{era} {asked:?}: {out}");
        }
    }
}

#[test]
fn the_everything_server_asks_through_the_proxy() {
    let home = tempfile::tempdir().unwrap();
    let command = behind_bouncer(home.path(), everything());
    let mut client = Client::spawn(Command::new(&command[0]).args(&command[1..])).with_human(|params| {
        let properties = params["requestedSchema"]["properties"].as_object().unwrap();
        assert!(!properties.contains_key("decision"), "not Bouncer's question: {params}");
        Some(json!({"action": "accept", "content": {"name": "Ann"}}))
    });
    client.initialize("2025-11-25");
    // The server offers the tool once it knows that its client can be asked.
    let listed = client.request("tools/list", json!({}));
    let names: Vec<_> =
        listed["result"]["tools"].as_array().unwrap().iter().map(|t| t["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"trigger-elicitation-request"), "{names:?}");
    let answer = client.call("trigger-elicitation-request", json!({}));
    assert_ne!(answer["isError"], json!(true), "{answer}");
    assert!(answer.to_string().contains("Ann"), "{answer}");
    let message = client.asked[0]["message"].as_str().unwrap();
    assert!(message.starts_with("[`") && message.contains("` asks, not Bouncer] "), "{message}");
    client.close();
}
