//! A corpus of lines through the real binary, in both directions: what passes arrives byte for byte, what is refused is
//! answered, recorded and never seen by the server, and what is no JSON does not end the session.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]
#![cfg(unix)]

mod common;

use common::{Session, Start};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const RECORDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/servers/recorder.py");
const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/corpus");

/// The lines of one folder, in the order of their names.
fn lines(folder: &str) -> Vec<(String, PathBuf, Vec<u8>)> {
    let mut all: Vec<_> = std::fs::read_dir(Path::new(CORPUS).join(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "line"))
        .map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let bytes = std::fs::read(&path).unwrap();
            assert_eq!(bytes.iter().filter(|b| **b == b'\n').count(), 1, "{name}");
            assert!(bytes.ends_with(b"\n"), "{name}");
            (name, path, bytes)
        })
        .collect();
    all.sort();
    assert!(!all.is_empty(), "{folder}");
    all
}

fn started() -> Session {
    let mut session = Start { server: RECORDER, ..Start::default() }.go();
    // Calls wait for the tool list, and other lines do not wait for calls.
    for round in 0.. {
        synced(&mut session, &format!("start-{round}"));
        if session.file("seen").contains("tools/list") {
            break;
        }
    }
    synced(&mut session, "started");
    session
}

/// Waits until the server has read everything; nothing else may come meanwhile.
fn synced(session: &mut Session, id: &str) {
    session.send(&format!(r#"{{"jsonrpc":"2.0","id":"{id}","method":"recorder/sync"}}"#));
    assert_eq!(session.read(), json!({"jsonrpc": "2.0", "id": id, "result": {}}));
}

fn seen(session: &Session) -> Vec<Vec<u8>> {
    let all = std::fs::read(session.path("seen")).unwrap();
    assert!(all.ends_with(b"\n"));
    all.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect()
}

/// What a server must read where a client wrote `bytes`: raw carriage returns, which some servers take for line ends,
/// are spaces.
fn without_returns(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().map(|b| if *b == b'\r' { b' ' } else { *b }).collect()
}

/// What came out on standard error, but for the word about the first sight of the server, which comes first.
fn aside_of(session: &Session) -> Vec<u8> {
    let all = std::fs::read(session.path("stderr")).unwrap();
    let end = all.iter().position(|b| *b == b'\n').unwrap() + 1;
    assert!(String::from_utf8_lossy(&all[..end]).contains("first sight of `mail`"));
    all[end..].to_vec()
}

fn assert_same(name: &str, got: &[u8], wanted: &[u8]) {
    let shown = |bytes: &[u8]| String::from_utf8_lossy(&bytes[..bytes.len().min(300)]).into_owned();
    assert!(got == wanted, "{name}: {} instead of {}", shown(got), shown(wanted));
}

/// Sends all lines at once and compares what the server read with them.
fn arrive(session: &mut Session, lines: &[(String, Vec<u8>)]) {
    let before = seen(session).len();
    for (_, bytes) in lines {
        session.send_bytes(bytes);
    }
    synced(session, &format!("sync-{before}"));
    let seen = seen(session);
    let seen: Vec<_> =
        seen[before..].iter().filter(|l| !l.starts_with(b"{\"jsonrpc\":\"2.0\",\"id\":\"bouncer-")).collect();
    assert_eq!(seen.len(), lines.len() + 1, "one line became two, or none");
    for ((name, bytes), got) in lines.iter().zip(seen) {
        assert_same(name, got, &without_returns(bytes));
    }
}

#[test]
fn what_a_client_may_say_arrives_byte_for_byte() {
    let mut session = started();
    let lines: Vec<_> = lines("client/passes").into_iter().map(|(name, _, bytes)| (name, bytes)).collect();
    assert!(lines.len() >= 60);
    arrive(&mut session, &lines);
    drop(session.stdin.take());
    let calls = lines.iter().filter(|(name, _)| name.starts_with("call-")).count();
    assert!(session.wait().success());
    // Not read as values: a number such as 1e400 is none for every reader.
    let audit = session.file("audit.jsonl");
    assert_eq!((audit.lines().count(), audit.matches(r#""verdict":"allow""#).count()), (calls, calls));
}

#[test]
fn big_and_deep_lines_arrive_byte_for_byte() {
    let mut session = started();
    let text = "é\\u0000\\ud83d\\ude00 ".repeat((17 << 20) / 20);
    let deep = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
    let line = |id: i64, method: &str, params: &str| {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#);
        (format!("{method} {id}"), format!("{line}\n").into_bytes())
    };
    let lines = [
        line(1, "tools/call", &format!(r#"{{"name":"look_up","arguments":{{"s":"{text}"}}}}"#)),
        line(2, "vendor/big", &format!(r#"{{"s":"{text}"}}"#)),
        line(3, "vendor/deep", &format!(r#"{{"a":{}}}"#, deep(200))),
        line(4, "vendor/deeper", &deep(100_000)),
        line(5, "tools/call", &format!(r#"{{"name":"look_up","arguments":{{"a":{}}}}}"#, deep(120))),
        line(6, "vendor/many", &format!("[{}0]", "0,".repeat(1_000_000))),
    ];
    arrive(&mut session, &lines);
    // Too deep to be judged, and longer than the limit.
    let (_, too_deep) =
        line(7, "tools/call", &format!(r#"{{"name":"look_up","arguments":{{"a":{}}}}}"#, deep(200)));
    session.send_bytes(&too_deep);
    let refused = session.read();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(7), &json!(-32602)), "{refused}");
    let (_, too_long) = line(8, "vendor/big", &format!(r#"{{"s":"{}"}}"#, "x".repeat(65 << 20)));
    session.send_bytes(&too_long);
    let refused = session.read();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(8), &json!(-32600)), "{refused}");
    arrive(&mut session, &[line(9, "vendor/after", "{}")]);
}

#[test]
fn what_a_client_may_not_say_is_answered_recorded_and_never_seen() {
    let mut session = started();
    let lines = lines("client/refused");
    assert!(lines.len() >= 50);
    let before = seen(&session).len();
    for (name, _, bytes) in &lines {
        let rule = name.split('.').next().unwrap();
        session.send_bytes(bytes);
        let answer = session.read();
        let message = answer["error"]["message"].as_str().unwrap_or_else(|| panic!("{name}: {answer}"));
        assert!(
            message.starts_with(&format!("[bouncer blocked] line refused ({rule})")),
            "{name}: {message}"
        );
        // The id of a request that could be found for certain, and nobody else's.
        let id = &answer["id"];
        assert!(id.is_null() || bytes.windows(4).any(|w| w == id.to_string().as_bytes()), "{name}: {answer}");
    }
    synced(&mut session, "end");
    assert_eq!(seen(&session).len(), before + 1, "a refused line was forwarded");
    session.end();
    let audit = session.audit();
    assert_eq!(audit.len(), lines.len());
    for ((name, ..), line) in lines.iter().zip(&audit) {
        let rule = name.split('.').next().unwrap();
        assert_eq!(
            (line["verdict"].as_str(), line["contract"].as_str()),
            (Some("deny"), Some("line")),
            "{name}"
        );
        assert!(
            line["reason"].as_str().unwrap().starts_with(&format!("line refused ({rule})")),
            "{name}: {line}"
        );
    }
}

fn say(session: &mut Session, id: &str, file: &Path) {
    session.request(&json!(id), "recorder/say", json!({"file": file}));
}

fn said(id: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": {}})
}

#[test]
fn what_a_server_says_arrives_byte_for_byte() {
    let mut session = started();
    let passes = lines("server/passes");
    assert!(passes.len() >= 50);
    for (name, path, bytes) in &passes {
        say(&mut session, name, path);
        assert_same(name, &session.line(), bytes);
        assert_eq!(session.read(), said(name));
    }
    // What a model is to answer is marked as the server's, and changed in nothing else.
    let marked = lines("server/marked");
    assert!(!marked.is_empty());
    for (name, path, bytes) in &marked {
        say(&mut session, name, path);
        let line = String::from_utf8(bytes.clone()).unwrap();
        let mark = r#""params":{"systemPrompt":"[`mail` asks, not Bouncer] ","#;
        assert_same(name, &session.line(), line.replacen(r#""params":{"#, mark, 1).as_bytes());
        assert_eq!(session.read(), said(name));
    }
    assert!(session.end().success());
    assert_eq!(aside_of(&session), b"");
}

#[test]
fn big_and_deep_lines_of_a_server_arrive_byte_for_byte() {
    let mut session = started();
    let text = "é\\u0000\\ud83d\\ude00 ".repeat((17 << 20) / 20);
    let deep = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
    for (name, result) in [
        ("text", format!(r#"{{"content":[{{"type":"text","text":"{text}"}}]}}"#)),
        (
            "structured",
            format!(r#"{{"structuredContent":{{"rows":[{}0]}}}}"#, r#"{"a":1,"b":"x"},"#.repeat(5_000)),
        ),
        ("deep", deep(100_000)),
        ("many", format!("[{}0]", "0,".repeat(100_000))),
    ] {
        let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":\"other\",\"result\":{result}}}\n");
        let file = session.path(name);
        std::fs::write(&file, &line).unwrap();
        say(&mut session, name, &file);
        assert_same(name, &session.line(), line.as_bytes());
        assert_eq!(session.read(), said(name));
    }
}

#[test]
fn what_is_no_json_comes_out_aside_and_the_session_goes_on() {
    let mut session = started();
    let lines = lines("server/aside");
    let mut aside = Vec::new();
    for (name, path, bytes) in &lines {
        say(&mut session, name, path);
        assert_eq!(session.read(), said(name), "{name}");
        aside.extend_from_slice(bytes);
    }
    // Blank lines are nothing, to either side.
    let blank = session.path("blank");
    std::fs::write(&blank, "\n \n\r\n\t\n").unwrap();
    say(&mut session, "blank", &blank);
    assert_eq!(session.read(), said("blank"));
    let before = seen(&session).len();
    session.send_bytes(b"\n  \n\r\n\t\r\n");
    synced(&mut session, "end");
    assert_eq!(seen(&session).len(), before + 1);
    assert!(session.end().success());
    assert_same("stderr", &aside_of(&session), &aside);
    assert!(session.audit().is_empty());
}
