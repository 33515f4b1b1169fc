//! `bouncer run --listen`: who is let in, what is judged, which answer goes where, and what it withstands.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]
#![cfg(unix)]

mod common;
mod listener;
mod remote;

use common::{eventually, is_alive, text};
use listener::{ACCEPT, JSON, Listener, call, modern, read, read_until};
use remote::Remote;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::process::Command;
use std::time::{Duration, Instant};

fn mail(id: i64, to: &str) -> Value {
    call(id, "send_email", &json!({"to": [to], "subject": "s", "body": "b"}))
}

#[test]
fn a_session_is_judged_as_over_stdio() {
    let listener = Listener::start(&[], &[]);
    let id = listener.greet(&[], &json!({}));
    let answer = listener.call(&id, 1, "add", &json!({"a": 2, "b": 3}));
    assert_eq!((answer.status, text(&answer.answer())), (200, "5"));
    assert_eq!(answer.headers["content-type"], "application/json");
    assert!(
        answer.body.contains(r#""extra": [100.0, {"x": null}]"#),
        "as the server wrote it: {}",
        answer.body
    );
    listener.call(&id, 2, "read_inbox", &json!({}));
    let denied = listener.post(&[("Mcp-Session-Id", &id)], &mail(3, "eve@evil.example"));
    assert!(text(&denied.answer()).contains("[bouncer blocked]"), "{}", denied.body);
    assert_eq!(listener.sent(), 0);

    // What one client has seen taints the others of the same listener.
    let other = listener.greet(&[], &json!({}));
    assert_ne!(other, id);
    let denied = listener.post(&[("Mcp-Session-Id", &other)], &mail(3, "eve@evil.example"));
    assert!(text(&denied.answer()).contains("seen only inside text"), "{}", denied.body);
    assert_eq!(listener.pids().len(), 2, "a server for each");

    let ended = listener.exchange("DELETE", &[("Mcp-Session-Id", &id)], "");
    assert_eq!(ended.status, 204);
    assert_eq!(listener.call(&id, 4, "add", &json!({"a": 1, "b": 1})).status, 404);
    let pids = listener.pids();
    assert!(eventually(Duration::from_secs(20), || !is_alive(pids[0])), "its server goes with it");
    assert!(is_alive(pids[1]));
    assert_eq!(text(&listener.call(&other, 5, "add", &json!({"a": 1, "b": 1})).answer()), "2");
}

#[test]
fn a_question_comes_on_the_calls_stream_and_its_answer_as_a_post() {
    let listener = Listener::start(&[], &[]);
    let id = listener.greet(&[], &json!({"elicitation": {}}));
    let session = ("Mcp-Session-Id", id.as_str());
    let mut stream =
        listener.open("POST", &[ACCEPT, JSON, session], &mail(1, "new@partner.example").to_string());
    let head = read_until(&mut stream, "elicitation/create");
    assert!(head.contains("text/event-stream"), "{head}");
    let data = head.lines().find_map(|l| l.strip_prefix("data: ")).unwrap();
    let question: Value = serde_json::from_str(data).unwrap();
    let answer =
        json!({"jsonrpc": "2.0", "id": question["id"], "result": common::accept(&question, &["allow once"])});
    assert_eq!(listener.post(&[session], &answer).status, 202);
    let mut rest = String::new();
    stream.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("sent"), "{rest}");
    assert_eq!(listener.sent(), 1);
}

#[test]
fn web_pages_and_other_names_are_turned_away() {
    let listener =
        Listener::start(&["--allow-origin", "http://app.example", "--allow-host", "box.local"], &[]);
    let own = format!("http://localhost:{}", listener.port);
    let host = format!("localhost:{}", listener.port);
    let greeting = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}}});
    for (headers, status) in [
        (vec![("Host", "evil.example")], 403),
        (vec![("Host", "127.0.0.1.evil.example")], 403),
        (vec![("Host", "")], 403),
        (vec![("Host", host.as_str()), ("Host", "evil.example")], 400),
        (vec![("Origin", "http://evil.example")], 403),
        (vec![("Origin", "null")], 403),
        (vec![("Host", host.as_str()), ("Origin", "http://localhost:1")], 403),
        (vec![("Host", host.as_str()), ("Origin", own.as_str())], 200),
        (vec![("Origin", "http://app.example")], 200),
        (vec![("Host", "box.local")], 200),
        (vec![], 200),
    ] {
        for verb in ["POST", "GET", "DELETE", "OPTIONS"] {
            if status == 200 && verb != "POST" {
                continue;
            }
            let mut all = vec![ACCEPT, JSON];
            all.extend_from_slice(&headers);
            let answer = listener.exchange(verb, &all, &greeting.to_string());
            assert_eq!(answer.status, status, "{verb} {headers:?}: {}", answer.body);
        }
    }
    assert_eq!(listener.pids().len(), 4, "only the four that were let in started a server");
    assert!(listener.file("audit.jsonl").contains("`Origin` is not allowed"));
    let preflight = listener.exchange("OPTIONS", &[("Origin", "http://app.example")], "");
    assert_eq!(preflight.headers["access-control-allow-origin"], "http://app.example");
    assert!(preflight.headers["access-control-allow-headers"].contains("mcp-session-id"));
    assert_eq!(listener.exchange("OPTIONS", &[], "").status, 405);
}

#[test]
fn a_token_is_asked_for_and_goes_no_further() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    std::fs::write(&file, "0123456789abcdef0123456789abcdef\n").unwrap();
    let remote = Remote::start(&[]);
    let url = remote.url("/mcp");
    let listener = Listener::with(&["--token-file", file.to_str().unwrap(), "--url", &url], &[]);
    for wrong in [
        None,
        Some("Bearer x"),
        Some("Bearer 0123456789abcdef0123456789abcdeg"),
        Some("Basic 0123456789abcdef0123456789abcdef"),
    ] {
        let headers: Vec<(&str, &str)> = wrong.iter().map(|value| ("Authorization", *value)).collect();
        let answer = listener
            .post(&headers, &json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}}));
        assert_eq!(answer.status, 401, "{wrong:?}");
        assert!(answer.headers["www-authenticate"].starts_with("Bearer"));
    }
    assert!(remote.log().is_empty());
    let right = ("Authorization", "Bearer 0123456789abcdef0123456789abcdef");
    let id = listener.greet(&[right], &json!({}));
    let answer = listener.post(&[right, ("Mcp-Session-Id", &id)], &call(1, "add", &json!({"a": 1, "b": 1})));
    assert_eq!(text(&answer.answer()), "2");
    assert!(remote.log().iter().all(|r| r["headers"].get("authorization").is_none()));
    assert_eq!(
        listener.call(&id, 2, "add", &json!({"a": 1, "b": 1})).status,
        401,
        "a session's id is no token"
    );
}

#[test]
fn it_does_not_start_open_to_others_without_a_token() {
    let folder = tempfile::tempdir().unwrap();
    let short = folder.path().join("short");
    std::fs::write(&short, "hunter2").unwrap();
    let short = short.to_str().unwrap();
    for (options, env, part) in [
        (vec!["--listen", "0.0.0.0:0"], vec![], "no token is set"),
        (vec!["--listen", "[::]:0"], vec![], "no token is set"),
        (vec!["--listen", "192.0.2.1:80"], vec![], "no token is set"),
        (vec!["--listen", "0.0.0.0:0", "--token-file", short], vec![], "is no token"),
        (vec!["--listen", "0.0.0.0:0"], vec![("BOUNCER_LISTEN_TOKEN", "")], "is no token"),
        (vec!["--listen", "127.0.0.1:0", "--token-file", "/nowhere/at/all"], vec![], "cannot read"),
        (vec!["--listen", "8080"], vec![], "is not an address"),
        (vec!["--listen", "127.0.0.1:0", "--allow-origin", "*"], vec![], "is not the origin"),
    ] {
        let options: Vec<&str> = options.iter().chain(&["--", "python3"]).copied().collect();
        let out = Listener::command(folder.path(), &options, &env).output().unwrap();
        assert_eq!(out.status.code(), Some(2), "{options:?}");
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(said.contains(part) && !said.contains("hunter2"), "{options:?}: {said}");
    }
}

#[test]
fn what_is_no_message_is_refused_and_never_forwarded() {
    let listener = Listener::start(&[], &[]);
    let id = listener.greet(&[], &json!({}));
    let session = ("Mcp-Session-Id", id.as_str());
    let danger = mail(7, "boss@corp.example").to_string();
    for (body, code) in [
        (format!("[{danger}]"), -32600),
        (format!("{danger}\n{danger}"), -32700),
        (danger.replace("\"method\"", "\"method\":\"ping\",\"method\""), -32600),
        (danger.replace("\"s\"", "\"s\n\""), -32700),
        (danger.replace(r#""id":7,"#, ""), -32600),
        ("{".to_owned(), -32700),
        ("\u{feff}{}".to_owned(), -32700),
    ] {
        let answer = listener.exchange("POST", &[ACCEPT, JSON, session], &body);
        assert_eq!(answer.status, 400, "{body}: {}", answer.body);
        assert_eq!(answer.answer()["error"]["code"], code, "{body}: {}", answer.body);
    }
    for (headers, status) in [
        (vec![ACCEPT, ("Content-Type", "text/plain"), session], 415),
        (vec![ACCEPT, session], 415),
        (vec![("Accept", "application/json"), JSON, session], 406),
        (vec![ACCEPT, JSON], 400),
        (vec![ACCEPT, JSON, ("Mcp-Session-Id", "nobody")], 404),
        (vec![ACCEPT, JSON, session, ("MCP-Protocol-Version", "2019-01-01")], 400),
        (vec![ACCEPT, JSON, session, ("Mcp-Name", "add")], 400),
        (vec![ACCEPT, JSON, session, ("Mcp-Method", "ping")], 400),
    ] {
        let answer = listener.exchange("POST", &headers, &danger);
        assert_eq!(answer.status, status, "{headers:?}: {}", answer.body);
    }
    assert!(!listener.file("seen").contains("tools/call"), "{}", listener.file("seen"));
    assert_eq!(listener.sent(), 0);
    // A body of many lines is one message all the same.
    let pretty = serde_json::to_string_pretty(&call(8, "add", &json!({"a": 1, "b": 1}))).unwrap();
    assert_eq!(text(&listener.exchange("POST", &[ACCEPT, JSON, session], &pretty).answer()), "2");
}

#[test]
fn the_body_is_judged_and_headers_that_differ_are_refused() {
    let listener = Listener::start(&[], &[]);
    let version = ("MCP-Protocol-Version", "2026-07-28");
    let send = |headers: &[(&str, &str)], id: i64, to: &str| {
        let params = json!({"name": "send_email", "arguments": {"to": [to], "subject": "s", "body": "b"}});
        listener.post(headers, &modern(id, "tools/call", params))
    };
    let right = [version, ("Mcp-Method", "tools/call"), ("Mcp-Name", "send_email")];
    for at in 0..3 {
        let mut without = right.to_vec();
        let (key, _) = without.remove(at);
        let answer = send(&without, 1, "a@b.example");
        assert_eq!(
            (answer.status, answer.answer()["error"]["code"].as_i64()),
            (400, Some(-32020)),
            "no {key}"
        );
        let mut wrong = right.to_vec();
        wrong[at] = (key, ["2025-11-25", "tools/list", "add"][at]);
        let answer = send(&wrong, 1, "a@b.example");
        assert_eq!(
            (answer.status, answer.answer()["error"]["code"].as_i64()),
            (400, Some(-32020)),
            "wrong {key}"
        );
    }
    assert!(!listener.file("seen").contains("tools/call"));
    let inbox = modern(1, "tools/call", json!({"name": "read_inbox", "arguments": {}}));
    let answer = listener.post(&[version, ("Mcp-Method", "tools/call"), ("Mcp-Name", "read_inbox")], &inbox);
    assert!(text(&answer.answer()).contains("Mallory"), "{}", answer.body);
    assert!(text(&send(&right, 2, "eve@evil.example").answer()).contains("[bouncer blocked]"));
    // A question, and the retry that answers it.
    let asked = send(&right, 3, "new@partner.example").answer();
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let form = &asked["result"]["inputRequests"]["bouncer"];
    let params = json!({"name": "send_email", "arguments": {"to": ["new@partner.example"], "subject": "s", "body": "b"},
        "requestState": asked["result"]["requestState"], "inputResponses": {"bouncer": common::accept(form, &["allow once"])}});
    let answer = listener.post(&right, &modern(4, "tools/call", params));
    assert_eq!(text(&answer.answer()), "sent", "{}", answer.body);
    assert_eq!(listener.sent(), 1);
    assert_eq!(listener.pids().len(), 1, "no session, one server");
}

#[test]
fn ids_that_are_under_way_do_not_meet() {
    let listener = Listener::start(&[], &["slow-list"]);
    let headers = [
        ACCEPT,
        JSON,
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "add"),
    ];
    let one =
        |a: i64| modern(1, "tools/call", json!({"name": "add", "arguments": {"a": a, "b": 0}})).to_string();
    let mut streams: Vec<_> = (0..3).map(|a| listener.open("POST", &headers, &one(a * 10))).collect();
    let answers: Vec<String> =
        streams.iter_mut().map(|stream| text(&read(stream).answer()).to_owned()).collect();
    assert_eq!(answers, ["0", "10", "20"]);
    let id = listener.greet(&[], &json!({}));
    let session = ("Mcp-Session-Id", id.as_str());
    let body = call(1, "add", &json!({"a": 1, "b": 1})).to_string();
    let mut first = listener.open("POST", &[ACCEPT, JSON, session], &body);
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(listener.exchange("POST", &[ACCEPT, JSON, session], &body).status, 400);
    assert_eq!(text(&read(&mut first).answer()), "2");
}

#[test]
fn what_the_server_says_unasked_waits_for_a_listener() {
    let listener = Listener::start(&[], &["chatty"]);
    let id = listener.greet(&[], &json!({}));
    let session = ("Mcp-Session-Id", id.as_str());
    let mut stream = listener.open("GET", &[("Accept", "text/event-stream"), session], "");
    let said = read_until(&mut stream, "notifications/message");
    assert!(said.starts_with("HTTP/1.1 200") && said.contains("text/event-stream"), "{said}");
    assert_eq!(listener.exchange("GET", &[("Accept", "text/event-stream"), session], "").status, 409);
    drop(stream);
    let again = || {
        let mut stream = listener.open("GET", &[("Accept", "text/event-stream"), session], "");
        let mut head = [0_u8; 12];
        stream.read_exact(&mut head).is_ok() && head.ends_with(b"200")
    };
    assert!(eventually(Duration::from_secs(20), again), "the place of a client that left is free");
    for (headers, status) in
        [(vec![("Accept", "text/event-stream")], 405), (vec![("Accept", "text/html"), session], 406)]
    {
        assert_eq!(listener.exchange("GET", &headers, "").status, status);
    }
}

#[test]
fn challenges_and_authorization_pass_through_to_a_remote_server() {
    let remote = Remote::start(&["needs-token", "sessions"]);
    let url = remote.url("/mcp");
    let listener = Listener::with(&["--url", &url], &[]);
    let greeting = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}}});
    let refused = listener.post(&[], &greeting);
    assert_eq!(refused.status, 401, "{}", refused.body);
    assert_eq!(
        refused.headers["www-authenticate"],
        r#"Bearer resource_metadata="https://as.example/meta", scope="mail""#
    );
    assert!(!refused.headers.contains_key("mcp-session-id"));
    let token = ("Authorization", "Bearer t0ken");
    let id = listener.greet(&[token], &json!({}));
    let answer = listener.post(&[token, ("Mcp-Session-Id", &id)], &call(1, "add", &json!({"a": 1, "b": 1})));
    assert_eq!(text(&answer.answer()), "2");
    // Who says nothing is nobody, whatever was said before.
    assert_eq!(listener.call(&id, 3, "add", &json!({"a": 1, "b": 1})).status, 401);
    // The token ran out.
    let stale = listener.post(
        &[("Authorization", "Bearer old"), ("Mcp-Session-Id", &id)],
        &call(2, "add", &json!({"a": 1, "b": 1})),
    );
    assert_eq!(stale.status, 401);
    assert!(stale.headers.contains_key("www-authenticate"));
}

#[test]
fn without_a_session_nobody_borrows_anothers_authorization() {
    let remote = Remote::start(&["modern"]);
    let url = remote.url("/mcp");
    let listener = Listener::with(&["--url", &url], &[]);
    let headers =
        [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", "read_inbox")];
    let inbox = |id: i64, whose: Option<&str>| {
        let mut all = headers.to_vec();
        all.extend(whose.map(|value| ("Authorization", value)));
        let answer =
            listener.post(&all, &modern(id, "tools/call", json!({"name": "read_inbox", "arguments": {}})));
        assert!(text(&answer.answer()).contains("Mallory"), "{}", answer.body);
    };
    for (id, whose) in [(1, Some("Bearer ann")), (2, None), (3, Some("Bearer bob")), (4, Some("Bearer ann"))]
    {
        inbox(id, whose);
    }
    let log = remote.log();
    let of = |id: i64| {
        let found = log
            .iter()
            .find(|r| r["body"].as_str().unwrap().contains(&format!("\"id\":{id},\"method\":\"tools/call")));
        found.unwrap_or_else(|| panic!("{log:?}"))["headers"].get("authorization").cloned()
    };
    let said: Vec<Option<Value>> = (1..5).map(of).collect();
    assert_eq!(said, [Some(json!("Bearer ann")), None, Some(json!("Bearer bob")), Some(json!("Bearer ann"))]);
}

#[test]
fn the_slow_and_the_many_are_bounded() {
    let listener = Listener::start(&[], &[]);
    let start = Instant::now();
    // Half a head, and half a body, from each of many.
    let mut held = Vec::new();
    for i in 0..100 {
        let mut stream = listener.connect();
        let half = if i % 2 == 0 {
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-".to_owned()
        } else {
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{".to_owned()
        };
        stream.write_all(half.as_bytes()).unwrap();
        held.push(stream);
    }
    let id = listener.greet(&[], &json!({}));
    assert_eq!(text(&listener.call(&id, 1, "add", &json!({"a": 1, "b": 1})).answer()), "2");
    for mut stream in held {
        let mut rest = String::new();
        let _ = stream.read_to_string(&mut rest);
        assert!(rest.is_empty() || rest.starts_with("HTTP/1.1 408"), "{rest}");
    }
    assert!(start.elapsed() < Duration::from_secs(50), "{:?}", start.elapsed());

    let huge = format!("POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-A: {}\r\n\r\n", "a".repeat(200 << 10));
    let mut stream = listener.connect();
    let _ = stream.write_all(huge.as_bytes());
    let mut rest = String::new();
    let _ = stream.read_to_string(&mut rest);
    assert!(rest.is_empty() || rest.starts_with("HTTP/1.1 431"), "{rest}");
}

#[test]
fn big_bodies_pass_and_bigger_ones_do_not() {
    let listener = Listener::start(&[], &[]);
    let id = listener.greet(&[], &json!({}));
    let session = ("Mcp-Session-Id", id.as_str());
    let answer = listener.call(&id, 1, "big", &json!({"size": 8 << 20}));
    assert_eq!(text(&answer.answer()).len(), 8 << 20);
    let echoed = listener.post(
        &[session],
        &json!({"jsonrpc": "2.0", "id": 2, "method": "echo", "params": {"x": "y".repeat(8 << 20)}}),
    );
    assert_eq!(echoed.answer()["result"]["x"].as_str().unwrap().len(), 8 << 20);
    let mut stream = listener.connect();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAccept: */*\r\nContent-Type: application/json\r\nMcp-Session-Id: {id}\r\nTransfer-Encoding: chunked\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let chunk = format!("{:x}\r\n{}\r\n", 1 << 20, "z".repeat(1 << 20));
    let mut sent = 0;
    while sent < 100 && stream.write_all(chunk.as_bytes()).is_ok() {
        sent += 1;
    }
    assert!(sent < 100, "all of 100 MiB was taken");
}

#[test]
fn sessions_come_and_go_without_a_trace() {
    let listener = Listener::start(&[], &[]);
    let about = |what: &str| {
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", listener.child.id())).unwrap_or_default();
        status.lines().find_map(|l| l.strip_prefix(what)).map(|v| v.trim().to_owned()).unwrap_or_default()
    };
    let files = || std::fs::read_dir(format!("/proc/{}/fd", listener.child.id())).map_or(0, Iterator::count);
    let threads = || about("Threads:").parse::<usize>().unwrap();
    // The thread that reads the built-in packs may still be there at first.
    let (most, open) = (threads(), files());
    for _ in 0..15 {
        let id = listener.greet(&[], &json!({}));
        assert_eq!(text(&listener.call(&id, 1, "add", &json!({"a": 1, "b": 1})).answer()), "2");
        assert_eq!(listener.exchange("DELETE", &[("Mcp-Session-Id", &id)], "").status, 204);
    }
    let clean = eventually(Duration::from_secs(20), || threads() <= most && files() <= open);
    assert!(clean, "threads {most} then {}, files {open} then {}", threads(), files());
    assert!(!listener.pids().into_iter().any(is_alive));
}

#[test]
fn a_server_that_ends_or_cannot_be_started_is_told() {
    let listener = Listener::start(&[], &[]);
    let id = listener.greet(&[], &json!({}));
    let answer = listener.call(&id, 1, "crash", &json!({"code": 3}));
    assert!(answer.status == 502, "{} {}", answer.status, answer.body);
    assert!(eventually(Duration::from_secs(10), || listener
        .call(&id, 2, "add", &json!({"a": 1, "b": 1}))
        .status
        == 404));
    assert!(!listener.greet(&[], &json!({})).is_empty(), "the next session has a server of its own");

    let broken = Listener::with(&["--", "no-such-program-here"], &[]);
    let greeting = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}});
    assert_eq!(broken.post(&[], &greeting).status, 502);
}

#[test]
fn a_client_that_hangs_up_cancels_where_that_is_the_rule() {
    let listener = Listener::start(&["--ask-timeout", "600"], &[]);
    let headers = [ACCEPT, JSON, ("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "raw")];
    // A request that is never answered.
    let body = modern(5, "raw", json!({"hex": "7b7d"})).to_string();
    let stream = listener.open("POST", &headers, &body);
    assert!(eventually(Duration::from_secs(20), || listener.file("seen").contains("\"raw\"")));
    drop(stream);
    assert!(eventually(Duration::from_secs(20), || listener
        .file("seen")
        .contains("notifications/cancelled")));
    assert!(listener.file("seen").contains(r#""requestId":5"#));
}

#[test]
fn the_end_of_the_listener_is_the_end_of_its_servers() {
    for name in ["TERM", "INT"] {
        let mut listener = Listener::start(&[], &["helper"]);
        listener.greet(&[], &json!({}));
        listener.greet(&[], &json!({}));
        let pids = listener.pids();
        assert_eq!(pids.len(), 4);
        let start = Instant::now();
        let killed = Command::new("kill")
            .args([&format!("-{name}"), &listener.child.id().to_string()])
            .status()
            .unwrap();
        assert!(killed.success());
        assert!(listener.child.wait().unwrap().success(), "{name}");
        assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
        assert!(eventually(Duration::from_secs(5), || !pids.iter().any(|pid| is_alive(*pid))), "{name}");
    }
}
