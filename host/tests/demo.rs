//! `bouncer demo` as a user runs it: piped, with surroundings that could lead it astray.
#![cfg(unix)]

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn demo(temporary: &Path) -> std::io::Result<Output> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bouncer"));
    command.arg("demo").env("TMPDIR", temporary);
    command
        .env("BOUNCER_HOME", temporary.join("nobody"))
        .env("BOUNCER_SESSION", "../x")
        .env("BOUNCER_LOG", "trace");
    command.output()
}

#[test]
fn the_demo_succeeds_is_plain_when_piped_and_leaves_the_log_that_it_names() {
    let temporary = tempfile::tempdir().unwrap();
    let output = demo(temporary.path()).unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(!text.contains('\u{1b}'), "colour in a pipe");
    let log = Path::new(text.lines().last().unwrap().trim());
    assert!(log.starts_with(temporary.path()), "{}", log.display());
    let long: Vec<&str> =
        text.lines().filter(|l| l.chars().count() > 100 && !l.contains("audit.jsonl")).collect();
    assert_eq!(long, Vec::<&str>::new());

    let lines = std::fs::read_to_string(log).unwrap();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let verdicts: Vec<_> = lines
        .iter()
        .map(|line| (line["tool"].as_str().unwrap(), line["verdict"].as_str().unwrap()))
        .collect();
    let send = "send_email";
    assert_eq!(
        verdicts,
        [(send, "allow"), (send, "ask"), (send, "allow"), ("read_inbox", "allow"), (send, "deny")]
    );
    assert_eq!(lines[4]["evidence"][0]["seen"]["tool"], "read_inbox");
    let sent = std::fs::read_to_string(log.with_file_name("outbox.jsonl")).unwrap();
    assert_eq!(sent.lines().count(), 2);
    assert!(!sent.contains("evil.example"));
    assert!(!temporary.path().join("nobody").exists(), "the user's own folder is no matter of the demo's");
}

#[test]
fn where_nothing_can_be_written_it_fails_and_says_why() {
    let temporary = tempfile::tempdir().unwrap();
    let output = demo(&temporary.path().join("missing")).unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("cannot make the folder"), "{said}");
}

#[test]
fn the_mail_server_serves_nobody_without_an_outbox() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bouncer"));
    let output = command.arg("demo-upstream").env_remove("BOUNCER_DEMO_OUTBOX").output().unwrap();
    assert!(!output.status.success());
    assert!(output.stdout.is_empty());
}
