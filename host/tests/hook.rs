//! The prompt hook beside a running proxy of the same client.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]
#![cfg(unix)]

mod common;

use common::{Session, Start};
use serde_json::json;
use std::io::Write;
use std::process::{Command, Stdio};

/// Runs the hook as Claude Code does after `/clear`: with the name of a session that no proxy knows.
fn prompt(session: &Session, text: &str) {
    let mut hook = Command::new(env!("CARGO_BIN_EXE_bouncer"));
    hook.args(["hook", "prompt"]).env("BOUNCER_HOME", session.path("")).env_remove("CLAUDE_CODE_SESSION_ID");
    let mut hook = hook.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let event = json!({"hook_event_name": "UserPromptSubmit", "session_id": "after-clear", "prompt": text});
    hook.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
    let out = hook.wait_with_output().unwrap();
    assert!(out.status.success() && out.stdout.is_empty(), "{out:?}");
}

#[test]
fn a_prompt_reaches_the_proxies_of_its_client_under_another_sessions_name() {
    let mut session = Start::default().go();
    prompt(&session, "please mail the minutes to new@friends.example");
    session.mail(1, &["new@friends.example"]);
    assert!(!session.text_of(1).starts_with("[bouncer blocked]"));
    assert_eq!(session.sent(), 1);
    session.mail(2, &["other@friends.example"]);
    let question = session.question();
    assert!(question["params"]["message"].as_str().unwrap().contains("other@friends.example"), "{question}");
    session.answer(&question, &json!({"action": "decline"}));
    assert!(session.text_of(2).starts_with("[bouncer blocked]"));
}
