//! The relay against a real process: what passes, what is refused, how it ends.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]
#![cfg(unix)]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};

struct Session {
    child: Child,
    out: BufReader<ChildStdout>,
    folder: tempfile::TempDir,
}

impl Session {
    fn start(odd: &[&str], elicits: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let server = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/servers/plain.py");
        let mut child = Command::new(env!("CARGO_BIN_EXE_bouncer"))
            .args(["run", "--upstream-name", "mail", "--", "python3", server])
            .args(odd)
            .env("BOUNCER_HOME", folder.path())
            .env_remove("BOUNCER_SESSION")
            .env("SEEN", folder.path().join("seen"))
            .env("OUTBOX", folder.path().join("outbox"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let mut session = Self { child, out, folder };
        let capabilities = if elicits { json!({"elicitation": {}}) } else { json!({}) };
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": {"name": "t", "version": "1"}});
        session
            .send(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}).to_string());
        session.read();
        session.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        session
    }

    fn send(&mut self, line: &str) {
        let stdin = self.child.stdin.as_mut().unwrap();
        stdin.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn line(&mut self) -> Vec<u8> {
        let mut line = Vec::new();
        self.out.read_until(b'\n', &mut line).unwrap();
        line
    }

    fn read(&mut self) -> Value {
        let line = self.line();
        serde_json::from_slice(&line).unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&line)))
    }

    fn call(&mut self, tool: &str, arguments: &Value) {
        let params = json!({"name": tool, "arguments": arguments});
        self.send(&json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}).to_string());
    }

    fn mail(&mut self, to: &str) {
        self.call("send_email", &json!({"to": [to], "subject": "s", "body": "b"}));
    }

    fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).unwrap_or_default()
    }

    fn verdicts(&self) -> Vec<String> {
        let lines = self.file("audit.jsonl");
        lines
            .lines()
            .map(|l| serde_json::from_str::<Value>(l).unwrap()["verdict"].as_str().unwrap().to_owned())
            .collect()
    }

    fn end(&mut self) -> ExitStatus {
        drop(self.child.stdin.take());
        self.child.wait().unwrap()
    }
}

fn text(message: &Value) -> &str {
    message["result"]["content"][0]["text"].as_str().unwrap()
}

#[test]
fn odd_bytes_arrive_as_they_are_in_both_directions() {
    let mut session = Session::start(&["noise"], false);
    let line = r#"{"jsonrpc":"2.0", "id":"é","method":"raw","params":{"hex":"7b226964223a22c3a9222c20226a736f6e727063223a22322e30222c22726573756c74223a7b2278223a31653430302c2279223a225c7564383030227d7d"}}"#;
    session.send(line);
    assert_eq!(
        session.line(),
        "{\"id\":\"é\", \"jsonrpc\":\"2.0\",\"result\":{\"x\":1e400,\"y\":\"\\ud800\"}}\n".as_bytes()
    );
    assert!(session.end().success());
    assert!(session.file("seen").lines().any(|seen| seen == line));
}

#[test]
fn an_allowed_call_of_the_second_page_passes_and_an_unknown_tool_does_not() {
    let mut session = Session::start(&["slow-list"], true);
    session.call("big", &json!({"size": 17 << 20}));
    assert_eq!(text(&session.read()).len(), 17 << 20);
    session.call("nope", &json!({}));
    assert!(text(&session.read()).starts_with("[bouncer blocked]"));
    session.end();
    assert_eq!(session.verdicts(), ["allow", "deny"]);
    assert!(!session.file("seen").contains("nope"));
}

#[test]
fn only_an_explicit_yes_sends() {
    let answers = [
        (json!({"action": "accept", "content": {"decision": "allow once"}}), true),
        (json!({"action": "accept", "content": {"decision": "deny"}}), false),
        (json!({"action": "accept", "content": {}}), false),
        (json!({"action": "accept"}), false),
        (json!({"action": "decline", "content": {"decision": "allow once"}}), false),
    ];
    for (answer, sent) in answers {
        let mut session = Session::start(&[], true);
        session.mail("bob@corp.example");
        let question = session.read();
        assert_eq!(question["method"], "elicitation/create");
        session.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": answer}).to_string());
        assert_eq!(text(&session.read()) == "sent", sent, "{answer}");
        session.end();
        assert_eq!(session.file("outbox").lines().count(), usize::from(sent), "{answer}");
        assert_eq!(session.verdicts(), ["ask", if sent { "allow" } else { "deny" }], "{answer}");
    }
}

#[test]
fn a_changed_tool_and_a_line_read_in_two_ways_are_refused() {
    let mut session = Session::start(&[], false);
    session.send(r#"{"jsonrpc":"2.0","id":3,"method":"ping","method":"tools/call","params":{"name":"add"}}"#);
    assert_eq!(session.read()["error"]["code"], -32600);
    session.call("add", &json!({"a": 1, "b": 2}));
    assert_eq!(text(&session.read()), "3");
    session.send(r#"{"jsonrpc":"2.0","id":4,"method":"change"}"#);
    assert_eq!(session.read()["method"], "notifications/tools/list_changed");
    session.read();
    session.call("add", &json!({"a": 1, "b": 2}));
    assert!(text(&session.read()).starts_with("[bouncer blocked]"));
    session.end();
}

#[test]
fn the_exit_code_is_the_servers() {
    for (code, expected) in [(3, 3), (-9, 137)] {
        let mut session = Session::start(&[], false);
        session.call("crash", &json!({"code": code}));
        assert_eq!(session.child.wait().unwrap().code(), Some(expected));
    }
}
