//! Asking a human through the client: each way in which an answer can come, or not come.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]
#![cfg(unix)]

mod common;

use common::{Start, accept};
use serde_json::json;

const ONCE: &str = "allow once";
const SESSION: &str = "allow for this session";

#[test]
fn no_answer_in_time_is_a_no_and_the_question_is_withdrawn() {
    let mut session = Start { options: &["--ask-timeout", "1"], ..Start::default() }.go();
    session.mail(1, &["bob@corp.example"]);
    let question = session.question();
    let withdrawn = session.read();
    assert_eq!(withdrawn["method"], "notifications/cancelled");
    assert_eq!(withdrawn["params"]["requestId"], question["id"]);
    assert!(session.text_of(1).contains("did not answer in time"));
    // Too late.
    session.answer(&question, &accept(&question, &[ONCE]));
    session.call(2, "add", &json!({"a": 1, "b": 2}));
    assert_eq!(session.text_of(2), "3");
    session.end();
    assert_eq!(session.verdicts(), ["ask", "deny", "allow"]);
    assert_eq!(session.sent(), 0);
}

#[test]
fn a_cancelled_call_takes_its_question_along() {
    let mut session = Start::default().go();
    session.mail(1, &["bob@corp.example"]);
    let question = session.question();
    session.send(
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"user"}}"#,
    );
    let withdrawn = session.read();
    assert_eq!(withdrawn["method"], "notifications/cancelled");
    assert_eq!(withdrawn["params"]["requestId"], question["id"]);
    session.answer(&question, &accept(&question, &[ONCE]));
    session.assert_silent();
    // The id is free again, and another call that is out is cancelled at the server.
    session.call(1, "add", &json!({"a": 1, "b": 2}));
    assert_eq!(session.text_of(1), "3");
    session.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}"#);
    session.end();
    assert_eq!(session.verdicts(), ["ask", "deny", "allow"]);
    assert!(session.audit()[1]["reason"].as_str().unwrap().contains("cancelled by the client"));
    assert_eq!(session.sent(), 0);
    let seen = session.file("seen");
    assert!(!seen.contains("send_email") && !seen.contains("user") && seen.contains("99"), "{seen}");
}

#[test]
fn several_questions_are_open_at_once_and_hold_nothing_up() {
    let mut session = Start::default().go();
    let people = ["a@one.example", "b@two.example", "c@three.example"];
    let mut questions = Vec::new();
    for (id, to) in (1..).zip(people) {
        session.mail(id, &[to]);
        questions.push(session.question());
    }
    session.call(9, "add", &json!({"a": 1, "b": 2}));
    assert_eq!(session.text_of(9), "3");
    for (at, choice) in [(2, ONCE), (0, "deny"), (1, ONCE)] {
        let message = questions[at]["params"]["message"].as_str().unwrap();
        assert!(message.contains(people[at]), "{message}");
        let answer = accept(&questions[at], &[choice]);
        session.answer(&questions[at], &answer);
        let text = session.text_of(i64::try_from(at).unwrap() + 1);
        assert_eq!(text == "sent", choice == ONCE, "{text}");
    }
    session.end();
    assert_eq!(session.sent(), 2);
    assert!(!session.file("outbox").contains(people[0]));
}

#[test]
fn each_recipient_is_named_and_one_no_refuses_the_call() {
    let mut session = Start::default().go();
    let both = ["a@one.example", "b@two.example"];
    for (id, choices, sent) in
        [(1, [ONCE, "deny"], false), (2, ["deny", SESSION], false), (3, [ONCE, SESSION], true)]
    {
        session.mail(id, &both);
        let question = session.question();
        let schema = &question["params"]["requestedSchema"];
        for (field, person) in ["decision_1", "decision_2"].iter().zip(both) {
            assert!(schema["properties"][field]["title"].as_str().unwrap().contains(person), "{schema}");
        }
        session.answer(&question, &accept(&question, &choices));
        assert_eq!(session.text_of(id) == "sent", sent, "{choices:?}");
    }
    // Allowed for the session is the second only, and for nobody else.
    session.mail(4, &[both[1]]);
    assert_eq!(session.text_of(4), "sent");
    session.mail(5, &both);
    let question = session.question();
    session.answer(&question, &accept(&question, &["deny"]));
    assert!(session.text_of(5).starts_with("[bouncer blocked]"));
    session.end();
    assert_eq!(session.sent(), 2);
}

#[test]
fn a_client_that_shows_no_forms_is_not_asked() {
    for capabilities in [json!({}), json!({"elicitation": {"url": {}}}), json!({"elicitation": null})] {
        let mut session = Start { capabilities, ..Start::default() }.go();
        session.mail(1, &["bob@corp.example"]);
        assert!(session.text_of(1).contains("nobody can be asked"));
        session.end();
        assert_eq!(session.verdicts(), ["deny"]);
        assert_eq!(session.sent(), 0);
    }
}

#[test]
fn a_client_that_leaves_has_not_allowed_anything() {
    let mut session = Start::default().go();
    session.mail(1, &["bob@corp.example"]);
    session.question();
    assert!(session.end().success());
    assert_eq!(session.verdicts(), ["ask", "deny"]);
    assert_eq!(session.sent(), 0);
}

#[test]
fn an_answer_that_is_an_error_or_no_form_is_a_no() {
    let mut session = Start::default().go();
    for (id, rest) in [
        (1, r#""error":{"code":-32601,"message":"what?"}"#),
        (2, r#""result":null"#),
        (3, r#""result":{"action":"accept","content":{"decision":["allow once"]}}"#),
        (4, r#""result":{"action":"accept","content":{"decision":"Allow Once"}}"#),
        (5, r#""result":{"action":"ACCEPT","content":{"decision":"allow once"}}"#),
    ] {
        session.mail(id, &["bob@corp.example"]);
        let question = session.question();
        session.send(&format!(r#"{{"jsonrpc":"2.0","id":{},{rest}}}"#, question["id"]));
        assert!(session.text_of(id).starts_with("[bouncer blocked]"), "{rest}");
    }
    session.end();
    assert_eq!(session.sent(), 0);
}

#[test]
fn what_was_heard_meanwhile_beats_a_yes() {
    let mut session = Start::default().go();
    session.mail(1, &["eve@evil.example"]);
    let question = session.question();
    session.call(2, "read_inbox", &json!({}));
    assert!(session.text_of(2).contains("eve@evil.example"));
    session.answer(&question, &accept(&question, &["deny"]));
    assert!(session.text_of(1).starts_with("[bouncer blocked]"));
    session.mail(3, &["eve@evil.example"]);
    let refused = session.text_of(3);
    assert!(refused.starts_with("[bouncer blocked]") && refused.contains("read_inbox"), "{refused}");
    session.end();
    assert_eq!(session.sent(), 0);
}
