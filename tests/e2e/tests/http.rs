//! Real servers over streamable HTTP and SSE behind `bouncer run`, and real clients before `bouncer run --listen`: the
//! same send allowed, asked about and denied, and what really left the outbox.

#![allow(clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use bouncer_e2e::{Client, Listening, bouncer, npm_server, python, repository_root};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const POLICY: &str =
    "[tools.send_email]\nsink_params = [\"to\", \"cc\"]\ntrusted_destinations = [\"boss@corp.example\"]\n";

fn script(name: &str) -> PathBuf {
    repository_root().join("tests/e2e/servers").join(name)
}

/// The mail server of an environment, listening.
fn mail(environment: &str, transport: &str, dir: &Path) -> Listening {
    Listening::start(|port| {
        let mut command = Command::new(python(environment));
        command.arg(script("mail.py")).args([transport, &port.to_string()]).stderr(Stdio::null());
        command.env("OUTBOX", dir.join("outbox"));
        command
    })
}

/// `bouncer run` with a policy and a folder of its own.
fn proxied(dir: &Path) -> Command {
    let policy = dir.join("bouncer.toml");
    std::fs::write(&policy, POLICY).expect("a policy");
    let mut command = Command::new(bouncer());
    command.arg("run").arg("--policy").arg(policy);
    command.env("OUTBOX", dir.join("outbox")).env("BOUNCER_HOME", dir.join("home"));
    command.env_remove("BOUNCER_SESSION").env_remove("BOUNCER_LISTEN_TOKEN");
    command
}

fn sent(dir: &Path) -> Vec<Value> {
    let outbox = std::fs::read_to_string(dir.join("outbox")).unwrap_or_default();
    outbox.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON")["to"].clone()).collect()
}

fn once(params: &Value) -> Option<Value> {
    let form = params["requestedSchema"]["properties"].as_object().expect("a form");
    let content: serde_json::Map<_, _> = form.keys().map(|key| (key.clone(), json!("allow once"))).collect();
    Some(json!({"action": "accept", "content": content}))
}

fn a_remote_server(environment: &str, transport: &str) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let server = mail(environment, transport, dir.path());
    let url = server.url(if transport == "sse" { "/sse" } else { "/mcp" });
    let mut client = Client::spawn(proxied(dir.path()).args(["--url", &url])).with_human(once);
    let greeted = client.initialize("2025-11-25");
    assert_eq!(greeted["serverInfo"]["name"], "mail");
    let listed = client.request("tools/list", json!({}));
    assert_eq!(listed["result"]["tools"].as_array().map(Vec::len), Some(3), "{listed}");

    let send = |client: &mut Client, to: &str| {
        client.call("send_email", json!({"to": [to], "subject": "s", "body": "b"}))
    };
    let allowed = send(&mut client, "boss@corp.example");
    assert_ne!(allowed["isError"], json!(true), "{allowed}");
    let asked = send(&mut client, "new@partner.example");
    assert_ne!(asked["isError"], json!(true), "{asked}");
    assert_eq!(client.asked.len(), 1);
    let inbox = client.call("read_inbox", json!({}));
    assert!(inbox["content"][0]["text"].as_str().unwrap_or("").contains("collector@evil.example"));
    let denied = send(&mut client, "collector@evil.example");
    assert_eq!(denied["isError"], json!(true), "{denied}");
    assert!(denied["content"][0]["text"].as_str().unwrap_or("").contains("[bouncer blocked]"));
    let (status, rest) = client.close();
    assert!(status.success() && rest.is_empty(), "{status} {rest:?}");
    assert_eq!(sent(dir.path()), [json!(["boss@corp.example"]), json!(["new@partner.example"])]);
}

#[test]
fn mcp_1_over_streamable_http() {
    a_remote_server("mcp1", "http");
}

#[test]
fn mcp_1_over_sse() {
    a_remote_server("mcp1", "sse");
}

#[test]
fn fastmcp_4_over_streamable_http() {
    a_remote_server("mcp2", "http");
}

#[test]
fn fastmcp_4_over_sse() {
    a_remote_server("mcp2", "sse");
}

/// Four calls of a real client's, through the listener that `options` make.
fn a_real_client(environment: &str, driver: &str, options: &[&str], dir: &Path) {
    let listener = Listening::start(|port| {
        let mut command = proxied(dir);
        command.args(["--listen", &format!("127.0.0.1:{port}")]).args(options).stderr(Stdio::null());
        command
    });
    let out = Command::new(python(environment)).arg(script(driver)).arg(listener.url("/mcp")).output();
    let out = out.expect("the client runs");
    let errors = String::from_utf8_lossy(&out.stderr);
    let told: Value =
        serde_json::from_slice(&out.stdout).unwrap_or_else(|e| panic!("{driver} {options:?}: {e}: {errors}"));
    assert_eq!(told["tools"].as_array().map(Vec::len), Some(3), "{told}");
    assert!(told["inbox"].as_str().unwrap_or("").contains("collector@evil.example"));
    assert_eq!(told["denied"]["error"], json!(true), "{told}");
    assert!(told["denied"]["text"].as_str().unwrap_or("").contains("[bouncer blocked]"), "{told}");
    assert_eq!(told["allowed"]["error"], json!(false), "{told}");
    assert_eq!(told["asked"]["error"], json!(false), "{told}");
    assert_eq!(told["questions"].as_array().map(Vec::len), Some(1), "{told}");
    assert_eq!(sent(dir), [json!(["boss@corp.example"]), json!(["new@partner.example"])]);
}

const CLIENTS: [(&str, &str); 2] = [("mcp1", "drive_mcp1.py"), ("mcp2", "drive_fastmcp.py")];

#[test]
fn real_clients_before_a_program() {
    for (client, driver) in CLIENTS {
        for server in ["mcp1", "mcp2"] {
            let dir = tempfile::tempdir().expect("a temporary folder");
            let (program, mail) = (python(server), script("mail.py"));
            let options = ["--", &program.to_string_lossy(), &mail.to_string_lossy()];
            a_real_client(client, driver, &options, dir.path());
        }
    }
}

#[test]
fn real_clients_before_a_remote_server() {
    for (client, driver) in CLIENTS {
        for (server, transport, path) in [("mcp1", "sse", "/sse"), ("mcp2", "http", "/mcp")] {
            let dir = tempfile::tempdir().expect("a temporary folder");
            let mail = mail(server, transport, dir.path());
            a_real_client(client, driver, &["--url", &mail.url(path)], dir.path());
        }
    }
}

#[test]
fn the_reference_server_over_streamable_http_and_sse() {
    for (mode, path) in [("streamableHttp", "/mcp"), ("sse", "/sse")] {
        let server = Listening::start(|port| {
            let mut command = Command::new("node");
            command.arg(npm_server("@modelcontextprotocol/server-everything")).arg(mode);
            command.env("PORT", port.to_string()).stderr(Stdio::null());
            command
        });
        let dir = tempfile::tempdir().expect("a temporary folder");
        let mut client =
            Client::spawn(proxied(dir.path()).args(["--url", &server.url(path)])).with_human(once);
        client.initialize("2025-11-25");
        let echoed = client.call("echo", json!({"message": "hello \u{1f600}"}));
        assert_eq!(echoed["content"][0]["text"], "Echo: hello \u{1f600}", "{mode}");
        // A call that tells its progress on the way.
        let params = json!({"name": "trigger-long-running-operation", "arguments": {"duration": 1, "steps": 3}, "_meta": {"progressToken": 7}});
        let long = client.request("tools/call", params);
        assert!(long.get("result").is_some(), "{mode}: {long}");
        let told = client.notifications.iter().filter(|n| n["method"] == "notifications/progress");
        assert_eq!(
            told.filter(|n| n["params"]["progressToken"] == 7).count(),
            3,
            "{mode}: {:?}",
            client.notifications
        );
        let (status, _) = client.close();
        assert!(status.success(), "{mode}: {status}");
    }
}
