//! Remote servers behind the real binary: what is sent to them, what comes back, and what happens when they misbehave.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]
#![cfg(unix)]

mod common;
mod remote;

use common::{Session, Start, eventually, text};
use remote::Remote;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn to(remote: &Remote, more: &[&str]) -> Session {
    started(remote, more, &[])
}

fn started(remote: &Remote, more: &[&str], env: &[(&str, &str)]) -> Session {
    let url = remote.url("/mcp");
    let options: Vec<&str> = ["--url", &url].into_iter().chain(more.iter().copied()).collect();
    Start { options: &options, remote: true, env, ..Start::default() }.go()
}

/// The error message of the next answer, which must be to `id`.
fn error_of(session: &mut Session, id: i64) -> String {
    let message = session.read();
    assert_eq!(message["id"], id, "{message}");
    message["error"]["message"].as_str().unwrap_or_else(|| panic!("{message}")).to_owned()
}

#[test]
fn the_same_verdicts_as_over_stdio_and_the_same_bytes() {
    for odd in ["json", "sse"] {
        let remote = Remote::start(&[odd, "sessions"]);
        let mut session = to(&remote, &[]);
        session.call(1, "add", &json!({"a": 2, "b": 3}));
        let line = String::from_utf8(session.line()).unwrap();
        let same = r#"{"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "5"}], "x": 1e2}}"#;
        assert_eq!(line, format!("{same}\n"), "{odd}");
        session.call(2, "read_inbox", &json!({}));
        assert!(session.text_of(2).contains("Mallory"));
        session.mail(3, &["eve@evil.example"]);
        assert!(session.text_of(3).contains("[bouncer blocked]"));
        assert_eq!(remote.sent(), 0);
        assert_eq!(session.verdicts(), ["allow", "allow", "deny"]);
        assert!(session.end().success());

        let log = remote.log();
        assert!(
            !log.iter().any(|r| r["body"].as_str().unwrap().contains("send_email")),
            "the denied call went out"
        );
        let posts: Vec<&Value> = log.iter().filter(|r| r["verb"] == "POST").collect();
        for (i, post) in posts.iter().enumerate() {
            let headers = &post["headers"];
            assert_eq!(headers["accept"], "application/json, text/event-stream");
            assert_eq!(headers["content-type"], "application/json");
            let greets = i == 0;
            assert_eq!(headers["mcp-session-id"].as_str(), (!greets).then_some("s-1"), "{post}");
            assert_eq!(headers["mcp-protocol-version"].as_str(), (!greets).then_some("2025-11-25"), "{post}");
        }
        let last = log.last().unwrap();
        assert_eq!(
            (last["verb"].as_str(), last["headers"]["mcp-session-id"].as_str()),
            (Some("DELETE"), Some("s-1"))
        );
    }
}

#[test]
fn what_is_asked_and_approved_goes_out_once() {
    let remote = Remote::start(&["sse"]);
    let mut session = to(&remote, &[]);
    session.mail(1, &["new@partner.example"]);
    let question = session.question();
    assert_eq!(remote.sent(), 0);
    session.answer(&question, &common::accept(&question, &["allow once"]));
    assert_eq!(session.text_of(1), "sent");
    assert_eq!(remote.sent(), 1);
}

#[test]
fn headers_go_along_and_a_challenge_is_named() {
    let remote = Remote::start(&["needs-token", "sessions"]);
    let url = remote.url("/mcp");
    let mut session =
        Start { options: &["--url", &url], remote: true, silent: true, ..Start::default() }.go();
    session.request(&json!(0), "initialize", json!({"protocolVersion": "2025-11-25", "capabilities": {}}));
    let refused = session.read();
    let message = refused["error"]["message"].as_str().unwrap();
    let challenge = r#"Bearer resource_metadata="https://as.example/meta", scope="mail""#;
    for part in ["HTTP 401", challenge, "who are you?", "hint:"] {
        assert!(message.contains(part), "{part} in {message}");
    }
    assert_eq!(refused["error"]["data"]["wwwAuthenticate"][0], challenge);
    assert_eq!(refused["error"]["data"]["httpStatus"], 401);
    assert!(session.end().success());

    let header = "Authorization: Bearer ${MAIL_TOKEN}";
    let mut session =
        started(&remote, &["--header", header, "--header", "X-Team: a: b"], &[("MAIL_TOKEN", "t0ken")]);
    session.call(1, "add", &json!({"a": 1, "b": 1}));
    assert_eq!(session.text_of(1), "2");
    assert!(session.end().success());
    let with_token = remote.log().into_iter().filter(|r| r["headers"]["authorization"] == "Bearer t0ken");
    let all: Vec<Value> = with_token.collect();
    assert!(all.iter().all(|r| r["headers"]["x-team"] == "a: b"));
    // The farewell too.
    assert!(all.iter().any(|r| r["verb"] == "DELETE"));
    assert!(!session.file("stderr").contains("t0ken") && !session.file("audit.jsonl").contains("t0ken"));
}

#[test]
fn a_stream_that_breaks_is_resumed_where_it_can_be() {
    let remote = Remote::start(&["sessions"]);
    let mut session = to(&remote, &[]);
    session.call(1, "dies", &json!({}));
    assert_eq!(session.read()["params"]["data"], "half");
    assert_eq!(session.text_of(1), "resumed");
    let log = remote.log();
    let resumed = log.iter().find(|r| r["headers"]["last-event-id"] == "1").unwrap();
    assert_eq!(
        (resumed["verb"].as_str(), resumed["headers"]["mcp-session-id"].as_str()),
        (Some("GET"), Some("s-1"))
    );
    assert_eq!(
        log.iter().filter(|r| r["body"].as_str().unwrap().contains("\"dies\"")).count(),
        1,
        "called once"
    );

    session.call(2, "dies_for_good", &json!({}));
    assert_eq!(session.read()["params"]["data"], "half");
    assert!(error_of(&mut session, 2).contains("ended before it came"));
    session.call(3, "silent", &json!({}));
    assert!(error_of(&mut session, 3).contains("ended before it came"));
    // The connection goes on.
    session.call(4, "slow", &json!({}));
    assert_eq!(session.text_of(4), "slow");
}

#[test]
fn a_forgotten_session_is_begun_anew_and_the_call_made_once() {
    for odd in ["json", "sse"] {
        let remote = Remote::start(&["sessions", odd]);
        let mut session = to(&remote, &[]);
        // Bouncer's own list of the tools is there by then.
        session.call(9, "add", &json!({"a": 1, "b": 1}));
        assert_eq!(session.text_of(9), "2");
        session.request(&json!(1), "forget", json!({}));
        assert_eq!(session.text_of(1), "forgotten");
        session.mail(2, &["new@partner.example"]);
        let question = session.question();
        session.answer(&question, &common::accept(&question, &["allow once"]));
        // The client learns that the tools may be others now.
        assert_eq!(session.read()["method"], "notifications/tools/list_changed");
        assert_eq!(session.text_of(2), "sent");
        assert_eq!(remote.sent(), 1);
        let log = remote.log();
        let greetings = log.iter().filter(|r| r["body"].as_str().unwrap().contains("\"initialize\""));
        assert!(greetings.clone().all(|r| r["headers"].get("mcp-session-id").is_none()));
        assert_eq!(greetings.count(), 2);
        assert!(session.end().success());
        let last = remote.log().pop().unwrap();
        assert_eq!(
            (last["verb"].as_str(), last["headers"]["mcp-session-id"].as_str()),
            (Some("DELETE"), Some("s-2"))
        );
    }
}

#[test]
fn redirects_stay_with_the_server() {
    let own = Remote::start(&["to-own"]);
    let mut session = to(&own, &[]);
    session.call(1, "add", &json!({"a": 1, "b": 1}));
    assert_eq!(session.text_of(1), "2");
    assert!(own.log().iter().any(|r| r["path"] == "/mcp/" && r["verb"] == "POST"));

    let other = Remote::start(&[]);
    let remote = Remote::with(&["to-other"], &[("OTHER", &other.url("/mcp"))]);
    let url = remote.url("/mcp");
    let options = ["--url", url.as_str(), "--header", "Authorization: Bearer t0ken"];
    let mut session = Start { options: &options, remote: true, silent: true, ..Start::default() }.go();
    session.request(&json!(0), "initialize", json!({}));
    let message = error_of(&mut session, 0);
    assert!(message.contains(&other.url("/mcp")) && message.contains("another server"), "{message}");
    assert!(other.log().is_empty(), "the other server heard of it");
}

#[test]
fn the_older_transport_is_spoken_where_only_that_is() {
    let remote = Remote::start(&["older"]);
    for more in [&[][..], &["--transport", "sse"]] {
        let mut session = to(&remote, more);
        session.call(1, "read_inbox", &json!({}));
        assert!(session.text_of(1).contains("Mallory"));
        session.mail(2, &["eve@evil.example"]);
        assert!(session.text_of(2).contains("[bouncer blocked]"));
        session.call(3, "add", &json!({"a": 2, "b": 2}));
        assert_eq!(session.text_of(3), "4");
        // The stream breaks: the session with it, and the next call begins another.
        session.send(r#"{"jsonrpc":"2.0","id":4,"method":"break"}"#);
        assert!(error_of(&mut session, 4).contains("stream ended"), "{more:?}");
        session.call(5, "add", &json!({"a": 2, "b": 3}));
        assert_eq!(session.read()["method"], "notifications/tools/list_changed");
        assert_eq!(session.text_of(5), "5");
        assert!(session.end().success());
    }
    assert_eq!(remote.sent(), 0);
}

#[test]
fn the_older_transport_posts_to_no_other_server() {
    let other = Remote::start(&[]);
    let remote = Remote::with(&["older"], &[("OTHER", &other.url("/post?s=1"))]);
    let url = remote.url("/mcp");
    for transport in ["http", "sse"] {
        let options = ["--url", url.as_str(), "--transport", transport];
        let mut session = Start { options: &options, remote: true, silent: true, ..Start::default() }.go();
        session.request(&json!(0), "initialize", json!({}));
        error_of(&mut session, 0);
        assert!(other.log().is_empty());
    }
}

#[test]
fn odd_answers_end_what_they_answer() {
    let remote = Remote::start(&[]);
    let mut session = to(&remote, &[]);
    session.call(1, "torn", &json!({}));
    assert_eq!(session.text_of(1), "torn");
    session.call(2, "torn_string", &json!({}));
    assert!(error_of(&mut session, 2).contains("does not answer"));
    session.call(3, "html", &json!({}));
    assert!(error_of(&mut session, 3).contains("`text/html`"));
    session.call(4, "fails", &json!({}));
    let failed = session.read();
    assert_eq!((failed["id"].as_i64(), failed["error"]["code"].as_i64()), (Some(4), Some(-32000)));
    let message = failed["error"]["message"].as_str().unwrap();
    assert!(message.contains("HTTP 503") && message.contains("out of order"), "{message}");
    session.call(5, "events", &json!({}));
    assert_eq!(session.read()["params"]["data"], "n");
    // Of two lines, one; what is no message for the client, on no line.
    let line = session.line();
    assert_eq!(line.iter().filter(|b| **b == b'\n').count(), 1);
    let message: Value = serde_json::from_slice(&line).unwrap();
    assert_eq!((message["id"].as_i64(), text(&message)), (Some(5), "a\u{2028}b"));
    for id in 6..30 {
        session.call(id, "add", &json!({"a": id, "b": 0}));
    }
    let mut ids: Vec<i64> = (6..30).map(|_| session.read()["id"].as_i64().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, (6..30).collect::<Vec<_>>());
}

#[test]
fn a_server_that_is_not_there_or_refuses_is_named() {
    for (odd, part) in [("status-403", "HTTP 403"), ("status-500", "HTTP 500"), ("status-429", "HTTP 429")] {
        let remote = Remote::start(&[odd]);
        let url = remote.url("/mcp");
        let mut session =
            Start { options: &["--url", &url], remote: true, silent: true, ..Start::default() }.go();
        session.request(&json!(0), "initialize", json!({}));
        let message = error_of(&mut session, 0);
        assert!(message.contains(part) && message.contains("sorry"), "{message}");
        assert!(session.end().success());
    }
    let gone = Remote::start(&[]);
    let url = gone.url("/mcp");
    drop(gone);
    let mut session =
        Start { options: &["--url", &url], remote: true, silent: true, ..Start::default() }.go();
    session.request(&json!(0), "initialize", json!({}));
    let message = error_of(&mut session, 0);
    assert!(message.contains("cannot be reached"), "{message}");
    assert!(session.end().success());
}

#[test]
fn a_server_that_dies_under_a_call_is_told() {
    let mut remote = Remote::start(&["sessions"]);
    let mut session = to(&remote, &[]);
    session.call(1, "endless", &json!({}));
    assert!(eventually(Duration::from_secs(20), || remote.saw("\"endless\"")));
    remote.kill();
    assert!(error_of(&mut session, 1).contains("ended before it came"));
    session.call(2, "add", &json!({"a": 1, "b": 1}));
    assert!(error_of(&mut session, 2).contains("cannot be reached"));
    let start = Instant::now();
    assert!(session.end().success());
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
}

#[test]
fn the_end_of_input_does_not_wait_for_an_endless_answer() {
    let remote = Remote::start(&["sessions"]);
    let mut session = to(&remote, &[]);
    session.call(1, "endless", &json!({}));
    assert!(eventually(Duration::from_secs(20), || remote.saw("\"endless\"")));
    session.signal("TERM");
    let start = Instant::now();
    assert_eq!(session.wait().code(), Some(143));
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
    assert!(remote.log().iter().any(|r| r["verb"] == "DELETE"));
}

#[test]
fn what_the_server_says_unasked_is_passed_and_answered() {
    let remote = Remote::start(&["pushes", "sessions"]);
    let mut session = to(&remote, &[]);
    assert_eq!(session.read(), json!({"jsonrpc": "2.0", "id": "srv-1", "method": "ping"}));
    session.send(r#"{"jsonrpc":"2.0","id":"srv-1","result":{"x":1e2}}"#);
    assert!(eventually(Duration::from_secs(20), || remote
        .saw(r#"{\"jsonrpc\":\"2.0\",\"id\":\"srv-1\",\"result\":{\"x\":1e2}}"#)));
}

#[test]
fn revision_2026_07_28_has_its_headers_and_no_session() {
    let remote = Remote::start(&["modern"]);
    let url = remote.url("/mcp");
    let mut session =
        Start { options: &["--url", &url], remote: true, modern: true, ..Start::default() }.go();
    session.request(&json!(1), "server/discover", json!({}));
    assert_eq!(session.read()["result"]["resultType"], "complete");
    session.call(2, "add", &json!({"a": -7, "b": 8}));
    assert_eq!(session.text_of(2), "1");
    session.call(3, "read_inbox", &json!({}));
    assert!(session.text_of(3).contains("Mallory"));
    session.mail(4, &["eve@evil.example"]);
    assert!(session.text_of(4).contains("[bouncer blocked]"));
    // To cancel is to hang up.
    session.call(5, "endless", &json!({}));
    assert!(eventually(Duration::from_secs(20), || remote.saw("\"endless\"")));
    session.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#);
    assert!(eventually(Duration::from_secs(20), || remote.log().iter().any(|r| r["verb"] == "HANGUP")));
    assert!(session.end().success());
    let log = remote.log();
    let call = log.iter().find(|r| r["headers"]["mcp-name"] == "add").unwrap();
    assert_eq!(call["headers"]["mcp-param-first"], "-7");
    assert!(log.iter().all(|r| r["verb"] != "GET" && r["verb"] != "DELETE"));
    assert_eq!(remote.sent(), 0);
}

#[test]
fn proxies_of_the_environment_are_not_used() {
    let remote = Remote::start(&[]);
    let nobody = "http://127.0.0.1:9";
    let env = ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"].map(|name| (name, nobody));
    let mut session = started(&remote, &[], &env);
    session.call(1, "add", &json!({"a": 1, "b": 1}));
    assert_eq!(session.text_of(1), "2");
}

#[test]
fn tls_is_checked_against_the_roots() {
    let remote = Remote::start(&["tls"]);
    let authority = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/servers/tls/ca.pem");
    for host in ["localhost", "127.0.0.1"] {
        let url = format!("https://{host}:{}/mcp", remote.port);
        let env = [("SSL_CERT_FILE", authority)];
        let mut session =
            Start { options: &["--url", &url], remote: true, env: &env, ..Start::default() }.go();
        session.call(1, "add", &json!({"a": 1, "b": 1}));
        assert_eq!(session.text_of(1), "2");
        assert!(session.end().success());
    }
    let url = format!("https://localhost:{}/mcp", remote.port);
    let mut session =
        Start { options: &["--url", &url], remote: true, silent: true, ..Start::default() }.go();
    session.request(&json!(0), "initialize", json!({}));
    let message = error_of(&mut session, 0);
    assert!(message.contains("certificate"), "{message}");
}

#[test]
fn big_answers_come_whole() {
    for odd in ["json", "sse"] {
        let remote = Remote::start(&[odd]);
        let mut session = to(&remote, &[]);
        session.call(1, "big", &json!({"size": 8 << 20}));
        assert_eq!(session.text_of(1).len(), 8 << 20);
    }
}

#[test]
fn an_entry_with_a_url_is_reached_by_its_name() {
    let remote = Remote::start(&["needs-token"]);
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("mcp.json");
    let entry = json!({"type": "http", "url": remote.url("/mcp"), "headers": {"Authorization": "Bearer ${MAIL_TOKEN:-t0ken}"}});
    std::fs::write(&config, json!({"mcpServers": {"mail": entry}}).to_string()).unwrap();
    let options = ["--config", config.to_str().unwrap()];
    let mut session = Start { options: &options, remote: true, ..Start::default() }.go();
    session.call(1, "add", &json!({"a": 1, "b": 1}));
    assert_eq!(session.text_of(1), "2");
}
