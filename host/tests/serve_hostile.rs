//! Hostile and broken input to `bouncer serve`: each line has an answer that says what is wrong, no file that a caller
//! names is read, and the next question is answered as before.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use common::serve::{Asker, Era};
use serde_json::{Value, json};

const LEGACY: Era = Era::Legacy("2025-11-25");

/// It still answers.
fn assert_alive(asker: &mut Asker) {
    let answer = asker.call("bouncer_verify_policy", json!({"policy": "profile = \"strict\"\n"}));
    assert_eq!(answer["valid"], true);
}

#[test]
fn lines_that_cannot_be_read_are_answered() {
    let mut asker = Asker::open(LEGACY, |_| {});
    let deep = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
    let call = |id: &str, args: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"bouncer_check_verdict","arguments":{{"tool":"t","args":{args}}}}}}}"#
        )
    };
    for (line, id, code) in [
        (call("7", &format!(r#"{{"a":{}}}"#, deep(200))), json!(7), -32600),
        (call("\"x\"", &format!(r#"{{"a":{}}}"#, deep(100_000))), json!("x"), -32600),
        (call("8", r#"{"a":1e999}"#), json!(8), -32600),
        (call("1.5", "{}"), json!(1.5), -32600),
        (call("[1]", "{}"), Value::Null, -32600),
        (format!("[{}]", call("1", "{}")), Value::Null, -32600),
        ("{\"jsonrpc\"".to_owned(), Value::Null, -32700),
        ("hello".to_owned(), Value::Null, -32700),
        (r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":[1]}"#.to_owned(), json!(3), -32600),
        (r#"{"jsonrpc":"2.0","id":4,"method":"no/such"}"#.to_owned(), json!(4), -32601),
    ] {
        asker.send(&line);
        let answer = asker.read();
        assert_eq!(answer["id"], id, "{answer}");
        assert_eq!(answer["error"]["code"], code, "{answer}");
        assert!(!answer["error"]["message"].as_str().unwrap().is_empty());
    }
    asker.send_bytes(b"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"\xff\"}");
    assert_eq!(asker.read()["error"]["code"], -32700);
    // What expects no answer gets none.
    for silent in [
        "",
        "  ",
        r#"{"jsonrpc":"2.0","method":"notifications/whatever","params":[]}"#,
        r#"{"jsonrpc":"2.0","id":99,"result":{}}"#,
    ] {
        asker.send(silent);
    }
    assert_alive(&mut asker);
}

#[test]
fn a_line_of_any_length_is_answered() {
    let mut asker = Asker::open(LEGACY, |_| {});
    let policy = format!("# {}\n", "x".repeat(10 << 20));
    let answer = asker.call("bouncer_verify_policy", json!({"policy": policy}));
    assert_eq!(answer["valid"], false);
    assert!(answer["errors"][0]["message"].as_str().unwrap().contains("at most 1048576"), "{answer}");
    let refused = asker.refused("bouncer_check_verdict", json!({"tool": "t", "policy": policy}));
    assert!(refused.contains("at most 1048576"), "{refused}");
    let refused = asker.refused(
        "bouncer_check_verdict",
        json!({"tool": "t", "untrusted_context": ["y".repeat(9 << 20), "z".repeat(9 << 20)]}),
    );
    assert!(refused.contains("untrusted_context"), "{refused}");
    asker.send(&"a".repeat(65 << 20));
    let answer = asker.read();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(-32600)), "{answer}");
    assert_alive(&mut asker);
}

#[test]
fn a_policy_of_any_shape_is_answered() {
    let mut asker = Asker::open(LEGACY, |_| {});
    let n = 300_000;
    for (what, policy) in [
        ("deep list", format!("a = {}{}", "[".repeat(n), "]".repeat(n))),
        ("deep table", format!("a = {}1{}", "{ a = ".repeat(n / 6), " }".repeat(n / 6))),
        ("dotted", format!("{}b = 1", "a.".repeat(n))),
        ("many headers", "[[modules]]\n".repeat(n / 12)),
        ("many keys", (0..n / 10).map(|i| format!("k{i} = 1\n")).collect()),
        ("one long key", format!("{} = 1", "k".repeat(n))),
        ("no newline", "=".repeat(n)),
        ("nul", "\0".repeat(n)),
        ("bidi", "\u{202e}[tools.a]".to_owned()),
        ("regex", format!("[tools.t.arg_patterns]\na = '(?:{}){{1000}}'", "a{1000}".repeat(50))),
    ] {
        let answer = asker.call("bouncer_verify_policy", json!({"policy": policy, "format": "toml"}));
        assert_eq!(answer["valid"], false, "{what}");
        assert!(answer["errors"].as_array().unwrap().len() <= 101, "{what}");
    }
    for (what, policy) in [
        ("deep flow", format!("a: {}", "[".repeat(n))),
        ("deep map", format!("a: {}", "{a: ".repeat(n / 4))),
        ("deep dashes", "- ".repeat(n)),
        ("aliases", "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]\n".to_owned()),
        ("tag", "a: !!python/object/apply:os.system [id]\n".to_owned()),
    ] {
        let answer = asker.call("bouncer_verify_policy", json!({"policy": policy, "format": "yaml"}));
        assert_eq!(answer["valid"], false, "{what}: {answer}");
    }
    assert_alive(&mut asker);
}

#[test]
fn what_a_callers_policy_names_is_not_read() {
    let mut asker = Asker::open(LEGACY, |home| {
        std::fs::write(home.join("rule.wasm"), "SECRET that is no module").unwrap();
    });
    // A pipe that nobody writes to: whoever opened it would hang.
    let pipe = asker.path("pipe.wasm");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for path in ["rule.wasm", "./rule.wasm", "/etc/passwd", "/no/such", pipe.to_str().unwrap()] {
        let policy = format!("[[modules]]\npath = {path:?}\nsettings = {{ a = 1 }}\n");
        let call = json!({"tool": "send_email", "args": {"to": "a@x.io"}, "policy": policy});
        let answer = asker.call("bouncer_check_verdict", call);
        assert_eq!(answer["verdict"], "ask", "as without the module: {answer}");
        let notes = answer["notes"].to_string();
        assert!(notes.contains("is not loaded here") && !notes.contains("SECRET"), "{notes}");
        let checked = asker.call("bouncer_verify_policy", json!({"policy": policy}));
        assert_eq!(checked["valid"], true, "{checked}");
        assert_eq!(checked["modules"].as_array().unwrap().len(), 1);
        assert_eq!(checked["warnings"][0]["line"], 1, "{checked}");
        assert!(!checked.to_string().contains("SECRET"));
    }
    // An argument is a value, never a file, whatever it begins with.
    let refused = asker.refused("bouncer_check_verdict", json!({"tool": "t", "args": "@/etc/passwd"}));
    assert!(refused.contains("not JSON") && !refused.contains("root"), "{refused}");
}

#[test]
fn resources_stay_in_their_house() {
    let mut asker = Asker::open(LEGACY, |_| {});
    for uri in [
        "file:///etc/passwd",
        "bouncer://pins/../bouncer.toml",
        "bouncer://pins/..%2f..%2fetc%2fpasswd",
        "bouncer://pins/%00",
        "bouncer://pins/%zz",
        "bouncer://pins/",
        "bouncer://policies/",
        "bouncer://policies/..",
        "bouncer://policies/gmial",
        "",
    ] {
        let answer = asker.ask("resources/read", json!({"uri": uri}));
        assert_eq!(answer["error"]["code"], -32002, "{uri}: {answer}");
    }
    let mut modern = Asker::open(Era::Modern, |_| {});
    let answer = modern.ask("resources/read", json!({"uri": "bouncer://policies/gmial"}));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("did you mean `bouncer://policies/gmail`"));
}

#[test]
fn wrong_names_and_arguments_get_a_hint() {
    let mut asker = Asker::open(LEGACY, |_| {});
    let unknown = asker.ask("tools/call", json!({"name": "bouncer_chek_verdict"}));
    assert_eq!(unknown["error"]["code"], -32602);
    assert!(unknown["error"]["message"].as_str().unwrap().contains("did you mean `bouncer_check_verdict`"));
    let unknown = asker.ask("prompts/get", json!({"name": "review_mcp_securty"}));
    assert!(unknown["error"]["message"].as_str().unwrap().contains("did you mean `review_mcp_security`"));
    for (arguments, part) in [
        (json!({}), "missing field `tool`"),
        (json!({"tool": 7}), "expected a string"),
        (json!({"tool": "t", "polcy": ""}), "did you mean `policy`"),
        (json!({"tool": "t", "attempt": 0}), "nonzero"),
        (json!({"tool": "t", "untrusted_context": [7]}), "is a text, or"),
        (json!({"tool": "t", "untrusted_context": [{"txt": ""}]}), "is a text, or"),
        (json!({"tool": "t", "tools": [{"name": 1}, 7]}), ""),
        (json!({"tool": "t", "tools": {"toolz": []}}), "not a list of tools"),
        (json!({"tool": "t", "policy": "[tools.t]\nx = 1\n"}), "unknown key `x`"),
        (json!({"tool": "t", "policy_format": "json"}), "unknown variant"),
    ] {
        if part.is_empty() {
            // Definitions without a name are no tools: the call's tool is unknown.
            assert_eq!(asker.call("bouncer_check_verdict", arguments)["contract"], "pinning");
            continue;
        }
        let refused = asker.refused("bouncer_check_verdict", arguments.clone());
        assert!(refused.contains(part), "{arguments}: {refused}");
    }
    let level =
        json!({"name": "generate_bouncer_policy", "arguments": {"server_name": "x", "risk_level": "stict"}});
    let answer = asker.ask("prompts/get", level);
    assert!(answer["error"]["message"].as_str().unwrap().contains("did you mean `strict`"), "{answer}");
    let answer = asker.ask("prompts/get", json!({"name": "review_mcp_security", "arguments": {}}));
    assert!(
        answer["error"]["message"].as_str().unwrap().contains("needs the argument `server_name`"),
        "{answer}"
    );
    let answer = asker.ask("tools/list", json!({"cursor": "2"}));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert_alive(&mut asker);
}

#[test]
fn a_broken_policy_of_the_user_is_told_and_heals_without_a_restart() {
    let mut asker = Asker::open(LEGACY, |home| std::fs::write(home.join("bouncer.toml"), "[tools").unwrap());
    let refused = asker.refused("bouncer_check_verdict", json!({"tool": "t"}));
    assert!(refused.contains("your own policy file cannot be used"), "{refused}");
    std::fs::write(asker.path("bouncer.toml"), "").unwrap();
    asker.call("bouncer_check_verdict", json!({"tool": "t"}));
}

#[test]
fn a_client_that_reads_nothing_more_ends_it() {
    use std::io::Write as _;
    use std::process::{Command, Stdio};
    let home = tempfile::tempdir().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_bouncer"))
        .arg("serve")
        .env("BOUNCER_HOME", home.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    drop(child.stdout.take());
    // Its stdin stays open.
    stdin.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\nnot json\n").unwrap();
    let ended =
        common::eventually(std::time::Duration::from_secs(60), || child.try_wait().unwrap().is_some());
    if !ended {
        child.kill().unwrap();
    }
    child.wait().unwrap();
    assert!(ended, "it waits for a client that has gone");
}
