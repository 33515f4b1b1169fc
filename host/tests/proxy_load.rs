//! Much at once: full pipes in both directions, a flood on stderr, a log that cannot be written.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]
#![cfg(unix)]

mod common;

use common::{Session, Start, accept};
use serde_json::json;
use std::io::Write;
use std::process::Stdio;

#[test]
fn both_directions_may_be_full_at_once() {
    let mut session = Start { odd: &["chatty"], ..Start::default() }.go();
    let mut stdin = session.stdin.take().unwrap();
    // The server tells 2 MB of its own accord while it is sent 2 MB that it also sends back: pipes hold 64 KB.
    let writer = std::thread::spawn(move || {
        let filler = "é".repeat(50 << 10);
        for id in 1..=20 {
            let line = format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"echo\",\"params\":{{\"x\":\"{filler}\"}}}}\n"
            );
            stdin.write_all(line.as_bytes()).unwrap();
        }
        stdin
    });
    let (mut told, mut answered) = (0, 0);
    while answered < 20 {
        let line = session.line();
        let message: serde_json::Value = serde_json::from_slice(&line).unwrap();
        if message.get("id").is_some() {
            answered += 1;
            assert_eq!(message["id"], answered);
            assert_eq!(message["result"]["x"].as_str().unwrap().len(), 100 << 10);
        } else {
            told += line.len();
        }
    }
    assert!(told >= 20 * (100 << 10), "{told}");
    drop(writer.join().unwrap());
    assert!(session.wait().success());
}

#[test]
fn questions_and_refusals_reach_a_client_that_reads_late() {
    let mut session = Start::default().go();
    // More refusals than a pipe holds, before anything is read: the reader thread of this client is the only one.
    for id in 1..=2000 {
        session.call(id, "nope", &json!({"x": "y".repeat(50)}));
    }
    for id in 1..=2000 {
        assert!(session.text_of(id).starts_with("[bouncer blocked]"));
    }
    session.end();
    assert_eq!(session.verdicts().len(), 2000);
}

#[test]
fn a_flood_on_stderr_passes_and_holds_nothing_up() {
    let mut session = Start { odd: &["flood"], ..Start::default() }.go();
    session.call(1, "add", &json!({"a": 1, "b": 2}));
    assert_eq!(session.text_of(1), "3");
    session.end();
    let flooded = session.file("stderr").lines().filter(|l| *l == "e".repeat(1023)).count();
    assert_eq!(flooded, 4096);
}

#[cfg(target_os = "linux")]
#[test]
fn a_proxy_that_waits_has_given_back_what_its_start_needed() {
    let mut session = Start::default().go();
    let status = format!("/proc/{}/status", session.child.id());
    let of_files = || {
        let status = std::fs::read_to_string(&status).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("RssFile:")).unwrap().to_owned();
        line.trim().strip_suffix(" kB").unwrap().parse::<u64>().unwrap()
    };
    session.call(1, "add", &json!({"a": 1, "b": 2}));
    assert_eq!(session.text_of(1), "3");
    let started = of_files();
    let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while of_files() > started / 2 {
        assert!(std::time::Instant::now() < until, "{} kB of {started} kB are left", of_files());
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    session.call(2, "add", &json!({"a": 1, "b": 2}));
    assert_eq!(session.text_of(2), "3");
    session.end();
}

/// The disk is full, as far as this process can tell: what its other servers could not know, the client is not shown.
#[test]
fn what_cannot_be_told_to_the_sessions_other_proxies_does_not_reach_the_client() {
    let home = tempfile::tempdir().unwrap();
    let start = Start { odd: &["long"], ..Start::default() };
    let run = start.command(home.path());
    let mut limited = std::process::Command::new("sh");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 200; exec \"$@\"", "sh"]);
    limited.arg(run.get_program()).args(run.get_args()).current_dir(home.path());
    run.get_envs().for_each(|(name, value)| match value {
        Some(value) => drop(limited.env(name, value)),
        None => drop(limited.env_remove(name)),
    });
    let mut child =
        limited.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for line in [
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_inbox","arguments":{}}}"#,
    ] {
        writeln!(stdin, "{line}").unwrap();
    }
    // The input stays open: the session ends by itself.
    let output = child.wait_with_output().unwrap();
    let (said, told) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(said.contains(r#""id": 0"#) || said.contains(r#""id":0"#), "{said}");
    assert!(!said.contains("Mallory") && !said.contains("evil.example"), "the answer was shown");
    assert!(told.contains("cannot write") && told.contains(".segment"), "{told}");
    drop(stdin);
}

#[test]
fn tools_that_are_not_listed_cannot_be_called() {
    let mut session = Start { odd: &["no-list"], ..Start::default() }.go();
    session.call(1, "add", &json!({"a": 1, "b": 2}));
    assert!(session.text_of(1).starts_with("[bouncer blocked]"));
    session.end();
    assert!(!session.file("seen").contains("tools/call"));
}

fn full(home: &std::path::Path) {
    std::os::unix::fs::symlink("/dev/full", home.join("audit.jsonl")).unwrap();
}

fn refused(session: &mut Session, id: i64) {
    let text = session.text_of(id);
    assert!(text.starts_with("[bouncer blocked]") && text.contains("audit log cannot be written"), "{text}");
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_recorded_is_not_forwarded() {
    let mut session = Start { prepare: full, ..Start::default() }.go();
    session.call(1, "add", &json!({"a": 1, "b": 2}));
    refused(&mut session, 1);
    session.mail(2, &["bob@corp.example"]);
    refused(&mut session, 2);
    // All else goes on.
    session.request(&json!(3), "ping", json!({}));
    assert_eq!(session.read()["id"], 3);
    // Nor is what comes with others, which do go on.
    let mut lines = together(10..30, |_| "add");
    lines.push_str("{\"jsonrpc\":\"2.0\",\"id\":30,\"method\":\"ping\"}\n");
    session.send_bytes(lines.as_bytes());
    let (mut refusals, mut pongs) = (0, 0);
    for _ in 10..=30 {
        let answer = session.read();
        if answer["id"] == 30 {
            pongs += 1;
        } else {
            assert!(common::text(&answer).contains("audit log cannot be written"), "{answer}");
            refusals += 1;
        }
    }
    assert_eq!((refusals, pongs), (20, 1));
    session.end();
    assert!(!session.file("seen").contains("tools/call"));
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_recorded_is_refused_although_the_server_does_not_read() {
    let mut session = Start { prepare: full, ..Start::default() }.go();
    session.call(1, "add", &json!({"a": 1, "b": 2}));
    refused(&mut session, 1);
    session.request(&json!(2), "sleep", json!({}));
    session.request(&json!(3), "ping", json!({"filler": "x".repeat(40_000)}));
    std::thread::sleep(std::time::Duration::from_millis(300));
    let more =
        json!({"jsonrpc": "2.0", "id": 60, "method": "ping", "params": {"filler": "x".repeat(60_000)}});
    session.send_bytes(format!("{}{more}\n", together(4..6, |_| "add")).as_bytes());
    refused(&mut session, 4);
    refused(&mut session, 5);
}

/// A full disk, with what is told on it as well.
#[cfg(target_os = "linux")]
#[test]
fn a_session_whose_log_and_stderr_cannot_be_written_refuses_and_ends() {
    let home = tempfile::tempdir().unwrap();
    full(home.path());
    let mut run = Start::default().command(home.path());
    let stderr = std::fs::File::options().write(true).open("/dev/full").unwrap();
    run.env("BOUNCER_LOG", "trace").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr);
    let mut child = run.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for line in [
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}"#,
    ] {
        writeln!(stdin, "{line}").unwrap();
    }
    drop(stdin);
    let ended =
        common::eventually(std::time::Duration::from_secs(60), || child.try_wait().unwrap().is_some());
    if !ended {
        child.kill().unwrap();
    }
    let said = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    assert!(ended, "it hangs: {said}");
    assert!(said.contains("audit log cannot be written"), "{said}");
}

fn together(ids: std::ops::Range<i64>, tool: impl Fn(i64) -> &'static str) -> String {
    let call = |id| {
        let params = json!({"name": tool(id), "arguments": {"a": id, "b": 1}});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string() + "\n"
    };
    ids.map(call).collect()
}

#[test]
fn calls_that_come_together_are_recorded_in_the_order_in_which_they_came() {
    let mut session = Start::default().go();
    session.call(0, "add", &json!({"a": 1, "b": 2}));
    assert_eq!(session.text_of(0), "3");
    let tool = |id| if id % 3 == 0 { "nope" } else { "add" };
    session.send_bytes(together(1..200, tool).as_bytes());
    for _ in 1..200 {
        let answer = session.read();
        let id = answer["id"].as_i64().unwrap();
        assert_eq!(common::text(&answer).starts_with("[bouncer blocked]"), id % 3 == 0, "{answer}");
    }
    session.end();
    let audit = session.audit();
    let recorded: Vec<(i64, &str)> =
        audit.iter().map(|line| (line["id"].as_i64().unwrap(), line["verdict"].as_str().unwrap())).collect();
    let verdict = |id| if id > 0 && id % 3 == 0 { "deny" } else { "allow" };
    assert_eq!(recorded, (0..200).map(|id| (id, verdict(id))).collect::<Vec<_>>());
}

#[cfg(target_os = "linux")]
#[test]
fn a_yes_that_cannot_be_recorded_is_none() {
    let mut session = Start::default().go();
    session.mail(1, &["bob@corp.example"]);
    let question = session.question();
    // The log is replaced while the question is open.
    std::fs::remove_file(session.path("audit.jsonl")).unwrap();
    full(session.folder.path());
    session.answer(&question, &accept(&question, &["allow once"]));
    refused(&mut session, 1);
    session.end();
    assert_eq!(session.sent(), 0);
}

#[test]
fn a_log_that_was_moved_away_is_begun_anew() {
    let mut session = Start::default().go();
    session.call(1, "add", &json!({"a": 1, "b": 2}));
    assert_eq!(session.text_of(1), "3");
    std::fs::rename(session.path("audit.jsonl"), session.path("audit.1")).unwrap();
    session.call(2, "add", &json!({"a": 2, "b": 2}));
    assert_eq!(session.text_of(2), "4");
    session.end();
    assert_eq!((session.file("audit.1").lines().count(), session.verdicts().len()), (1, 1));
}

#[test]
fn without_a_log_no_server_is_started() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("audit.jsonl")).unwrap();
    let out = Start::default().command(folder.path()).stdin(Stdio::null()).output().unwrap();
    assert_eq!(out.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&out.stderr).contains("audit.jsonl"));
    assert!(out.stdout.is_empty() && !folder.path().join("seen").exists());
}

#[test]
fn a_pack_for_the_launched_program_judges_its_calls() {
    let start = || Start { odd: &["files"], ..Start::default() };
    let write = |session: &mut Session, id, name: &str| {
        let path = session.path(name).to_str().unwrap().to_owned();
        session.call(id, "write_file", &json!({"path": path, "content": "x"}));
    };
    let mut session = Start { program: Some("mcp-server-filesystem"), ..start() }.go();
    write(&mut session, 1, "note.txt");
    assert_eq!(session.text_of(1), "written");
    write(&mut session, 2, ".git/hooks/pre-commit");
    let question = session.question();
    let message = question["params"]["message"].as_str().unwrap();
    assert!(message.contains("pre-commit"), "{message}");
    session.answer(&question, &accept(&question, &["deny"]));
    assert!(session.text_of(2).starts_with("[bouncer blocked]"));
    session.end();
    assert!(session.path("note.txt").exists() && !session.path(".git").exists());
    let audit = session.audit();
    assert!(audit[1]["reason"].as_str().unwrap().contains("policy module `filesystem`"), "{}", audit[1]);

    // Another program's tool of the same name is not the pack's.
    let mut session = start().go();
    write(&mut session, 1, "pre-commit");
    assert_eq!(session.text_of(1), "written");
    session.end();
    assert!(!session.file("audit.jsonl").contains("filesystem"));
}
