//! Servers that go wrong, clients that die: the session goes on where it can, and ends where it cannot.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]
#![cfg(unix)]

mod common;

use common::{Session, Start, eventually, is_alive, signal};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const FAULTY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/servers/faulty.py");

fn started() -> Session {
    Start { server: FAULTY, ..Start::default() }.go()
}

fn ok(session: &mut Session, id: i64) {
    session.call(id, "ok", &json!({}));
    assert_eq!(session.text_of(id), "ok");
}

#[test]
fn a_crash_in_the_middle_of_a_call_ends_the_session_with_the_servers_code() {
    let mut session = started();
    ok(&mut session, 1);
    session.call(2, "never", &json!({}));
    session.call(3, "crash", &json!({}));
    let start = Instant::now();
    assert_eq!(session.wait().code(), Some(9));
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    // What the server began to say is no message: the client's end is clean, and half a line goes aside.
    assert!(session.file("stderr").contains(r#"{"jsonrpc":"2.0","id":3,"resu"#));
    assert_eq!(session.verdicts(), ["allow"; 3]);
}

#[test]
fn a_second_answer_passes_and_the_id_is_free_after_the_first() {
    let mut session = started();
    session.call(1, "twice", &json!({}));
    assert_eq!(session.text_of(1), "first");
    assert_eq!(session.text_of(1), "second");
    ok(&mut session, 1);
    session.call(2, "other_id", &json!({}));
    assert_eq!(session.read()["id"], "nobody's");
    assert_eq!(session.text_of(2), "found");
    assert!(session.end().success());
}

#[test]
fn a_call_that_is_never_answered_holds_nothing_up() {
    let mut session = started();
    session.call(1, "never", &json!({}));
    ok(&mut session, 2);
    // Its id stays taken until it is cancelled, which the server hears.
    session.call(1, "ok", &json!({}));
    assert_eq!(session.read()["error"]["code"], -32600);
    session.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
    assert_eq!(session.read()["method"], "notifications/vendor/heard");
    ok(&mut session, 1);
    session.call(3, "never", &json!({}));
    let start = Instant::now();
    assert!(session.end().success());
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn an_answer_in_two_pieces_is_one_line() {
    let mut session = started();
    session.call(1, "half_a_line", &json!({}));
    assert_eq!(session.text_of(1), "whole");
    session.end();
}

#[test]
fn a_server_that_closes_its_output_first_is_ended() {
    let mut session = started();
    session.call(1, "close_stdout", &json!({}));
    let start = Instant::now();
    assert_eq!(session.wait().code(), Some(143));
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}

#[test]
fn a_hundred_thousand_notifications_arrive_in_order() {
    let mut session = started();
    session.call(1, "flood", &json!({}));
    for n in 0..100_000 {
        let line = session.line();
        let wanted = format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/vendor/n\",\"params\":{{\"n\":{n}}}}}\n"
        );
        assert!(line == wanted.as_bytes(), "{n}: {}", String::from_utf8_lossy(&line));
    }
    assert_eq!(session.text_of(1), "flooded");
    ok(&mut session, 2);
    session.end();
}

#[test]
fn a_client_with_a_token_is_told_that_a_human_still_thinks() {
    let mut session = Start::default().go();
    let params = json!({"name": "send_email", "arguments": {"to": ["bob@corp.example"], "subject": "s", "body": "b"}, "_meta": {"progressToken": 41}});
    session.request(&json!(1), "tools/call", params);
    let question = session.question();
    let mut last = -1.0;
    for _ in 0..2 {
        let told = session.read();
        assert_eq!(told["method"], "notifications/progress", "{told}");
        assert_eq!(told["params"]["progressToken"], 41);
        let progress = told["params"]["progress"].as_f64().unwrap();
        assert!(progress > last, "{progress} after {last}");
        last = progress;
    }
    session.answer(&question, &common::accept(&question, &["allow once"]));
    assert_eq!(session.text_of(1), "sent");
    session.end();
}

const CLIENT: &str = r#"
import json, subprocess, sys, time
count = int(sys.argv[1])
lines = sys.argv[2].encode() + b"\n"
wanted = int(sys.argv[3])
all = [subprocess.Popen(sys.argv[4:], stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(count)]
for p in all:
    p.stdin.write(lines)
    p.stdin.flush()
for p in all:
    for _ in range(wanted):
        p.stdout.readline()
print(" ".join(str(p.pid) for p in all), flush=True)
time.sleep(600)
"#;

/// Starts a client of `count` proxies that says `lines` to each and reads `wanted` lines; it is killed then. The pids of
/// the proxies.
fn killed(home: &Path, bouncer: &Command, count: usize, lines: &str, wanted: usize) -> Vec<i32> {
    let mut command = Command::new("python3");
    command.args(["-c", CLIENT, &count.to_string(), lines, &wanted.to_string()]);
    command.arg(bouncer.get_program()).args(bouncer.get_args());
    command.envs(bouncer.get_envs().filter_map(|(k, v)| Some((k, v?)))).current_dir(home);
    let mut client = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut pids = String::new();
    BufReader::new(client.stdout.take().unwrap()).read_line(&mut pids).unwrap();
    signal("KILL", i32::try_from(client.id()).unwrap());
    client.wait().unwrap();
    let pids: Vec<i32> = pids.split_whitespace().map(|p| p.parse().unwrap()).collect();
    assert_eq!(pids.len(), count);
    pids
}

fn nobody_left(pids: &[i32]) -> bool {
    eventually(Duration::from_secs(30), || !pids.iter().any(|pid| is_alive(*pid)))
}

fn numbers(file: &Path) -> Vec<i32> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.lines().map(|l| l.parse().unwrap()).collect()
}

#[test]
fn two_hundred_killed_clients_leave_nobody_behind() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path();
    // A wrapper with a helper, as `npx` is; it does not mind that its input ends.
    let server = "sleep 600 & echo $! >> pids; echo $$ >> pids; echo '{}'; cat > /dev/null; sleep 600";
    let mut bouncer = Command::new(env!("CARGO_BIN_EXE_bouncer"));
    bouncer.args(["run", "--", "sh", "-c", server]).env("BOUNCER_HOME", home);
    for _ in 0..10 {
        let pids = killed(home, &bouncer, 20, r#"{"jsonrpc":"2.0","id":0,"method":"initialize"}"#, 1);
        assert!(nobody_left(&pids), "proxies: {pids:?}");
    }
    let servers = numbers(&home.join("pids"));
    assert_eq!(servers.len(), 400);
    assert!(nobody_left(&servers));
}

#[test]
fn a_client_that_is_killed_while_a_human_is_asked_has_allowed_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path();
    let bouncer = Start { odd: &["helper"], ..Start::default() }.command(home);
    let lines = [
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "send_email", "arguments": {"to": ["bob@corp.example"]}}}),
    ];
    let lines = lines.map(|l| l.to_string()).join("\n");
    let mut pids = killed(home, &bouncer, 1, &lines, 2);
    pids.extend(numbers(&home.join("pids")));
    assert_eq!(pids.len(), 3);
    assert!(nobody_left(&pids), "{pids:?}");
    let audit = std::fs::read_to_string(home.join("audit.jsonl")).unwrap();
    let verdicts: Vec<Value> =
        audit.lines().map(|l| serde_json::from_str::<Value>(l).unwrap()["verdict"].clone()).collect();
    assert_eq!(verdicts, ["ask", "deny"]);
    assert!(!home.join("outbox").exists());
}
