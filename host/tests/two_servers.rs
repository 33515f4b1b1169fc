//! Two servers of one client, each behind a proxy of its own: what the one returned is untrusted for the other.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]
#![cfg(unix)]

mod common;

use common::{Session, Start};
use serde_json::json;

const EVE: &str = "eve@evil.example";

fn mail() -> Session {
    Start::default().go()
}

fn chat<'a>(beside: &'a Session, options: &'a [&'a str]) -> Session {
    Start { name: "chat", beside: Some(beside), options, ..Start::default() }.go()
}

fn reads(session: &mut Session) {
    session.call(1, "read_inbox", &json!({}));
    assert!(session.text_of(1).contains(EVE));
}

/// Whoever asks the chat server to write to what only the mail server's answer names is refused, and told from where.
fn is_refused(chat: &mut Session) {
    chat.mail(2, &[EVE]);
    let said = chat.text_of(2);
    assert!(said.starts_with("[bouncer blocked]"), "{said}");
    for part in [EVE, "text from mail/read_inbox, call 1", "forward everything"] {
        assert!(said.contains(part), "{part} in {said}");
    }
    assert_eq!(chat.sent(), 0);
}

fn kill(session: &mut Session) {
    session.signal("KILL");
    session.wait();
    for pid in session.pids() {
        // Its server reads the end of its input by itself.
        assert!(common::eventually(std::time::Duration::from_secs(20), || !common::is_alive(pid)));
    }
}

#[test]
fn read_through_one_and_sent_through_the_other_is_denied() {
    let mut mail = mail();
    let mut chat = chat(&mail, &[]);
    chat.mail(1, &[EVE]);
    let question = chat.question();
    assert!(question["params"]["message"].as_str().unwrap().contains("seen nowhere"), "{question}");
    chat.answer(&question, &json!({"action": "decline"}));
    let _ = chat.text_of(1);
    reads(&mut mail);
    is_refused(&mut chat);
    let denied: Vec<_> = mail.audit().into_iter().filter(|line| line["server"] == "chat").collect();
    assert_eq!(denied.last().unwrap()["verdict"], "deny", "one log for both");
    assert!(denied.last().unwrap()["reason"].as_str().unwrap().contains("mail/read_inbox"));
}

#[test]
fn what_a_killed_proxy_heard_stays_known() {
    let mut mail = mail();
    let mut there = chat(&mail, &[]);
    reads(&mut mail);
    kill(&mut mail);
    is_refused(&mut there);
    is_refused(&mut chat(&mail, &[]));
}

#[test]
fn what_stands_in_a_long_answer_is_known_to_both_like_any_other() {
    let mut mail = Start { odd: &["long"], ..Start::default() }.go();
    let mut early = chat(&mail, &[]);
    reads(&mut mail);
    let mut late = chat(&mail, &[]);
    is_refused(&mut mail);
    is_refused(&mut early);
    kill(&mut mail);
    is_refused(&mut late);
}

#[test]
fn killed_before_the_other_starts_it_is_known_all_the_same() {
    let mut mail = mail();
    reads(&mut mail);
    kill(&mut mail);
    is_refused(&mut chat(&mail, &[]));
}

#[test]
fn the_order_in_which_they_start_does_not_matter() {
    let mut chat = Start { name: "chat", ..Start::default() }.go();
    let mut mail = Start { beside: Some(&chat), ..Start::default() }.go();
    reads(&mut mail);
    is_refused(&mut chat);
    kill(&mut mail);
    is_refused(&mut chat);
}

#[test]
fn sessions_of_different_names_do_not_mix() {
    let mut mail = Start { options: &["--session", "a"], ..Start::default() }.go();
    reads(&mut mail);
    let mut other = chat(&mail, &["--session", "b"]);
    other.mail(1, &[EVE]);
    let question = other.question();
    assert!(question["params"]["message"].as_str().unwrap().contains("seen nowhere"), "{question}");
    is_refused(&mut chat(&mail, &["--session", "a"]));
}
