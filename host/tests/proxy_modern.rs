//! Revision 2026-07-28: no session, questions by `input_required`, answers by a retry.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]
#![cfg(unix)]

mod common;

use common::{Session, Start, eventually, text};
use serde_json::{Value, json};
use std::time::Duration;

fn start(odd: &[&str]) -> Session {
    let capabilities = json!({"elicitation": {"form": {}}});
    Start { odd, modern: true, capabilities, options: &["--ask-timeout", "20"], ..Start::default() }.go()
}

fn letter(to: &str) -> Value {
    json!({"to": [to], "subject": "s", "body": "b"})
}

/// Calls `send_email`, and returns the state of the question that comes back.
fn asked(session: &mut Session, id: i64, to: &str) -> String {
    session.call(id, "send_email", &letter(to));
    let message = session.read();
    assert_eq!(message["id"], id);
    assert_eq!(message["result"]["resultType"], "input_required", "{message}");
    let question = &message["result"]["inputRequests"]["bouncer"];
    assert_eq!(question["method"], "elicitation/create");
    assert!(question["params"]["message"].as_str().unwrap().contains(to), "{question}");
    message["result"]["requestState"].as_str().unwrap().to_owned()
}

fn retry(session: &mut Session, id: i64, arguments: &Value, state: &str, decision: &str) -> Value {
    let answer = json!({"action": "accept", "content": {"decision": decision}});
    session.request(
        &json!(id),
        "tools/call",
        json!({"name": "send_email", "arguments": arguments, "requestState": state, "inputResponses": {"bouncer": answer}}),
    );
    session.read()
}

#[test]
fn a_yes_comes_with_the_retry_and_counts_once() {
    let mut session = start(&[]);
    let state = asked(&mut session, 1, "bob@corp.example");
    let done = retry(&mut session, 2, &letter("bob@corp.example"), &state, "allow once");
    assert_eq!((text(&done), &done["id"]), ("sent", &json!(2)));
    // The same state again is no yes.
    let again = retry(&mut session, 3, &letter("bob@corp.example"), &state, "allow once");
    assert_eq!(again["result"]["resultType"], "input_required", "{again}");
    session.end();
    assert_eq!(session.sent(), 1);
    let seen = session.file("seen");
    assert!(!seen.contains("bouncer-ask") && !seen.contains("inputResponses"), "{seen}");
    assert_eq!(session.verdicts()[..2], ["ask", "allow"]);
}

#[test]
fn a_yes_for_one_call_is_none_for_another() {
    let mut session = start(&[]);
    let state = asked(&mut session, 1, "bob@corp.example");
    let other = retry(&mut session, 2, &letter("eve@evil.example"), &state, "allow once");
    assert_ne!(other["result"]["content"][0]["text"], "sent", "{other}");
    let state = asked(&mut session, 3, "bob@corp.example");
    let denied = retry(&mut session, 4, &letter("bob@corp.example"), &state, "deny");
    assert!(text(&denied).starts_with("[bouncer blocked]"));
    assert_eq!(denied["result"]["resultType"], "complete");
    let guessed = retry(&mut session, 5, &letter("bob@corp.example"), "bouncer-ask-00", "allow once");
    assert_ne!(guessed["result"]["content"][0]["text"], "sent", "{guessed}");
    session.end();
    assert_eq!(session.sent(), 0);
}

#[test]
fn a_question_of_the_servers_own_passes_and_its_answer_too() {
    let mut session = start(&["confirm"]);
    let state = asked(&mut session, 1, "bob@corp.example");
    let theirs = retry(&mut session, 2, &letter("bob@corp.example"), &state, "allow for this session");
    assert_eq!(theirs["result"]["requestState"], "srv-1", "{theirs}");
    let ask = json!({"sure": {"action": "accept", "content": {"yes": true}}});
    session.request(
        &json!(3),
        "tools/call",
        json!({"name": "send_email", "arguments": letter("bob@corp.example"), "requestState": "srv-1", "inputResponses": ask}),
    );
    assert_eq!(session.text_of(3), "sent");
    session.end();
    assert_eq!(session.sent(), 1);
}

#[test]
fn a_question_within_a_round_of_the_servers_gives_the_server_its_own_back() {
    let mut session = start(&["confirm"]);
    let ask = json!({"sure": {"action": "accept", "content": {"yes": true}}});
    session.request(
        &json!(1),
        "tools/call",
        json!({"name": "send_email", "arguments": letter("bob@corp.example"), "requestState": "srv-1", "inputResponses": ask}),
    );
    let ours = session.read();
    let state = ours["result"]["requestState"].as_str().unwrap().to_owned();
    assert!(state.starts_with("bouncer-ask-"), "{ours}");
    let done = retry(&mut session, 2, &letter("bob@corp.example"), &state, "allow once");
    assert_eq!(text(&done), "sent");
    session.end();
    let last = session.file("seen").lines().last().unwrap().to_owned();
    let last: Value = serde_json::from_str(&last).unwrap();
    assert_eq!(last["params"]["requestState"], "srv-1");
    assert_eq!(last["params"]["inputResponses"], ask);
}

#[test]
fn a_round_of_the_servers_is_no_further_attempt_and_no_further_question() {
    let policy = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(policy.path(), "[tools.send_email]\nmax_calls = 2\n").unwrap();
    let options = &["--policy", policy.path().to_str().unwrap()][..];
    let capabilities = json!({"elicitation": {"form": {}}});
    let start = Start { odd: &["confirm"], modern: true, capabilities, options, ..Start::default() };
    let mut session = start.go();
    let sure = json!({"sure": {"action": "accept", "content": {"yes": true}}});
    let back = |session: &mut Session, id: i64, to: &str| {
        session.request(
            &json!(id),
            "tools/call",
            json!({"name": "send_email", "arguments": letter(to), "requestState": "srv-1", "inputResponses": sure}),
        );
        session.read()
    };
    // Allowed once by the human, then the server asks something of its own: the same call goes on.
    for id in [1, 11] {
        let state = asked(&mut session, id, "bob@corp.example");
        let theirs = retry(&mut session, id + 1, &letter("bob@corp.example"), &state, "allow once");
        assert_eq!(theirs["result"]["requestState"], "srv-1", "{theirs}");
        let done = back(&mut session, id + 2, "bob@corp.example");
        assert_eq!(text(&done), "sent");
    }
    assert_eq!(session.sent(), 2);
    // The round is over: whoever comes back to it again makes a new call, and two there were.
    let again = back(&mut session, 21, "bob@corp.example");
    assert!(text(&again).contains("attempt 3"), "{again}");
    // A round is none for another receiver.
    let other = back(&mut session, 22, "eve@evil.example");
    assert!(text(&other).starts_with("[bouncer blocked]"), "{other}");
    session.end();
    assert_eq!(session.sent(), 2);
    assert_eq!(session.verdicts(), ["ask", "allow", "allow", "ask", "allow", "allow", "deny", "deny"]);
}

#[test]
fn who_shows_no_forms_is_refused_and_who_never_comes_back_is_denied_in_the_log() {
    let mut session = Start { modern: true, capabilities: json!({}), ..Start::default() }.go();
    session.call(1, "send_email", &letter("bob@corp.example"));
    let refused = session.read();
    assert!(text(&refused).contains("nobody can be asked"));
    assert_eq!(refused["result"]["resultType"], "complete");
    session.end();

    let options = &["--ask-timeout", "1"][..];
    let mut session = Start { modern: true, options, ..Start::default() }.go();
    let state = asked(&mut session, 1, "bob@corp.example");
    assert!(eventually(Duration::from_secs(10), || session.verdicts() == ["ask", "deny"]));
    let late = retry(&mut session, 2, &letter("bob@corp.example"), &state, "allow once");
    assert_ne!(late["result"]["content"][0]["text"], "sent", "{late}");
    session.end();
    assert_eq!(session.sent(), 0);
}

#[test]
fn discovery_passes_and_the_tools_of_all_pages_are_known() {
    let mut session = start(&[]);
    session.request(&json!(1), "server/discover", json!({}));
    assert_eq!(session.read()["result"]["supportedVersions"][0], "2026-07-28");
    session.call(2, "big", &json!({"size": 3}));
    assert_eq!(session.text_of(2), "xxx");
    session.call(3, "nope", &json!({}));
    assert!(session.text_of(3).starts_with("[bouncer blocked]"));
    session.end();
    assert!(!session.file("seen").contains("nope"));
}
