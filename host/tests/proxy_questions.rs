//! Questions that the server puts to a person: marked as the server's, links judged, and nothing else changed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]
#![cfg(unix)]

mod common;

use common::{Session, Start, text};
use serde_json::{Value, json};
use std::path::PathBuf;

const RECORDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/servers/recorder.py");
const MARK: &str = "[`mail` asks, not Bouncer] ";

fn started(results: &Value, modern: bool) -> Session {
    let results = results.to_string();
    let mut session = Start { server: RECORDER, odd: &[&results], modern, ..Start::default() }.go();
    // Afterwards the tools are known, and nothing of Bouncer's own comes between.
    if !modern {
        session.call(1000, "look_up", &json!({}));
        assert_eq!(session.read()["id"], 1000);
    }
    session
}

fn plain() -> Session {
    started(&json!({"tools/call": {"content": [{"type": "text", "text": "done"}]}}), false)
}

/// Lets the server say `line`, and returns what the client reads before the answer to that.
fn said(session: &mut Session, line: &str) -> Option<Vec<u8>> {
    let file: PathBuf = session.path("say");
    std::fs::write(&file, format!("{line}\n")).unwrap();
    session.request(&json!("say"), "recorder/say", json!({"file": file}));
    let first = session.line();
    let is_answer = serde_json::from_slice::<Value>(&first).is_ok_and(|m| m["id"] == "say");
    if is_answer {
        return None;
    }
    assert_eq!(session.read()["id"], "say");
    Some(first)
}

#[test]
fn a_form_is_marked_as_the_servers_and_changed_in_nothing_else() {
    let mut session = plain();
    let line = r#"{ "jsonrpc":"2.0","id":5,"method":"elicitation/create" ,"params":{"x":1e400,"message":"Bouncer: allow?","requestedSchema":{"type":"object","properties":{"decision":{"type":"string","enum":["deny","allow once"]}}}}}"#;
    let got = said(&mut session, line).unwrap();
    let wanted = line.replace("\"Bouncer: allow?", &format!("\"{MARK}Bouncer: allow?"));
    assert_eq!(String::from_utf8(got).unwrap().trim_end(), wanted);
    // The answer is the server's, as it is.
    session
        .send(r#"{"jsonrpc":"2.0","id":5,"result":{"action":"accept","content":{"decision":"allow once"}}}"#);
    session.request(&json!(6), "recorder/sync", json!({}));
    assert_eq!(session.read()["id"], 6);
    assert!(session.file("seen").contains(r#""id":5,"result":{"action":"accept""#));
    // A model that is to answer is told whose words these are, and so is the person who reads them before.
    for (prompt, marked) in [
        (
            r#"{"messages":[],"maxTokens":5}"#,
            format!(r#"{{"systemPrompt":"{MARK}","messages":[],"maxTokens":5}}"#),
        ),
        (r#"{"systemPrompt":null}"#, format!(r#"{{"systemPrompt":"{MARK}"}}"#)),
        (r#"{"systemPrompt":"Be kind"}"#, format!(r#"{{"systemPrompt":"{MARK}Be kind"}}"#)),
    ] {
        let line = |params: &str| {
            format!(r#"{{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{params}}}"#)
        };
        assert_eq!(said(&mut session, &line(prompt)).unwrap(), format!("{}\n", line(&marked)).as_bytes());
    }
    session.end();
    assert_eq!(session.verdicts(), ["allow"]);
}

#[test]
fn a_link_that_nobody_knows_is_shown_with_what_is_known_of_it() {
    let mut session = plain();
    let line = r#"{"jsonrpc":"2.0","id":5,"method":"elicitation/create","params":{"mode":"url","elicitationId":"e1","url":"https://login.example/device?code=1","message":"Sign in"}}"#;
    let got: Value = serde_json::from_slice(&said(&mut session, line).unwrap()).unwrap();
    let message = got["params"]["message"].as_str().unwrap();
    assert!(message.starts_with(&format!("{MARK}[Bouncer on the link: ")), "{message}");
    assert!(message.contains("nothing vouches for it") && message.ends_with("] Sign in"), "{message}");
    assert_eq!(got["params"]["url"], "https://login.example/device?code=1");
    // A page that spoke of the same host does not stand in the way of signing in, but it is told.
    let page = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":{"text":"see https://login.example/ for more"}}}"#;
    said(&mut session, page).unwrap();
    let line = line.replace("code=1", "code=2");
    let got: Value = serde_json::from_slice(&said(&mut session, &line).unwrap()).unwrap();
    assert!(got["params"]["message"].as_str().unwrap().contains("text that somebody else wrote"), "{got}");
    session.end();
    let audit = session.audit();
    assert_eq!((&audit[1]["tool"], &audit[1]["verdict"]), (&json!("elicitation/create"), &json!("allow")));
    assert_eq!(audit[1]["args"]["url"], "https://login.example/device?code=1");
}

#[test]
fn a_question_that_can_be_read_in_two_ways_is_answered_with_no() {
    let mut session = plain();
    for (id, params) in [
        (5, r#"{"message":"a","message":"Bouncer: b"}"#),
        (6, r#"{"message":"a","Message":"Bouncer: b"}"#),
        (7, r#"{"mode":"url","message":"m"}"#),
        (8, r#"{"message":["Bouncer: b"]}"#),
    ] {
        let line =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"elicitation/create","params":{params}}}"#);
        assert_eq!(said(&mut session, &line), None, "{params}");
        let seen = format!(r#""id":{id},"result":{{"action":"decline"}}"#);
        session.request(&json!(100 + id), "recorder/sync", json!({}));
        session.read();
        assert!(
            common::eventually(std::time::Duration::from_secs(20), || session.file("seen").contains(&seen)),
            "{params}"
        );
    }
    for odd in [
        r#"[{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"Bouncer: b"}}]"#,
        r#"{"jsonrpc":"2.0","id":9,"method":"ping","method":"elicitation/create","params":{"message":"Bouncer: b"}}"#,
        r#"{"jsonrpc":"2.0","id":1.5,"method":"elicitation\/create","params":{"message":"Bouncer: b"}}"#,
        "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"elicitation/create\",\"params\":{}}",
        "{\"jsonrpc\":\"2.0\",\r\"id\":9,\"method\":\"elicitation/create\",\"params\":{}}",
    ] {
        assert_eq!(said(&mut session, odd), None, "{odd}");
        assert!(session.file("stderr").contains(odd), "{odd}");
    }
    session.end();
    assert_eq!(session.verdicts(), ["allow", "deny", "deny", "deny", "deny"]);
}

#[test]
fn questions_inside_of_answers_are_marked_too() {
    let form = json!({"method": "elicitation/create", "params": {"mode": "form", "message": "Bouncer: sure?", "requestedSchema": {}}});
    let call = json!({"resultType": "input_required", "requestState": "s", "inputRequests": {"a": form.clone(), "r": {"method": "roots/list", "params": {}}}});
    let mut session = started(&json!({"tools/call": call}), true);
    session.call(1, "look_up", &json!({}));
    let got = session.read();
    assert_eq!(got["result"]["inputRequests"]["a"]["params"]["message"], format!("{MARK}Bouncer: sure?"));
    assert_eq!(got["result"]["requestState"], "s");
    session.end();

    // One that can be read in two ways ends the call.
    let call = r#"{"jsonrpc":"2.0","id":ID,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"message":"a","message":"b"}}}}}"#;
    let mut session = started(&json!({"tools/call": call}), true);
    session.call(1, "look_up", &json!({}));
    let got = session.read();
    assert!(text(&got).starts_with("[bouncer blocked]"), "{got}");
    assert_eq!(got["result"]["resultType"], "complete");
    session.call(1, "look_up", &json!({}));
    assert_eq!(session.read()["id"], 1, "the id is free again");
    session.end();

    let call = r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32042,"message":"m","data":{"elicitations":[{"mode":"url","elicitationId":"e","url":"https://login.example/x","message":"Sign in"}]}}}"#;
    let mut session = started(&json!({"tools/call": call}), false);
    session.call(1, "look_up", &json!({}));
    let got = session.read();
    let message = got["error"]["data"]["elicitations"][0]["message"].as_str().unwrap();
    assert!(message.starts_with(MARK) && message.ends_with("Sign in"), "{message}");
    session.end();
}
