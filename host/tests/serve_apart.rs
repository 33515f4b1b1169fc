//! Nothing of `bouncer serve` can be reached through a wrapped server, and a server's tool that bears such a name is a
//! tool like any other.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use common::{Session, Start, text};
use serde_json::{Value, json};

const TOOLS: [&str; 4] = [
    "bouncer_check_verdict",
    "bouncer_verify_policy",
    "bouncer_get_active_policies",
    "bouncer_audit_summary",
];

/// What the client gets for one request.
fn ask(session: &mut Session, id: i64, method: &str, params: Value) -> Value {
    session.request(&json!(id), method, params);
    let answer = session.read();
    assert_eq!(answer["id"], id, "{answer}");
    answer
}

#[test]
fn the_tools_are_unknown_behind_a_proxy() {
    for modern in [false, true] {
        let mut session = Start { modern, ..Start::default() }.go();
        let mut listed = ask(&mut session, 1, "tools/list", json!({})).to_string();
        listed.push_str(&ask(&mut session, 2, "tools/list", json!({"cursor": ""})).to_string());
        assert!(listed.contains("send_email") && !listed.contains("bouncer"), "{listed}");
        for (id, tool) in (3..).zip(TOOLS) {
            let answer = ask(
                &mut session,
                id,
                "tools/call",
                json!({"name": tool, "arguments": {"tool": "add", "limit": 1}}),
            );
            assert_eq!(answer["result"]["isError"], true, "{answer}");
            let said = text(&answer);
            assert!(said.starts_with("[bouncer blocked]") && !said.contains("counts"), "{said}");
        }
        let audit = session.audit();
        assert_eq!(audit.len(), TOOLS.len(), "one refusal each, no more");
        assert!(
            audit.iter().all(|line| line["verdict"] == "deny" && line["contract"] == "pinning"),
            "{audit:?}"
        );
        let seen = session.file("seen");
        assert!(!TOOLS.iter().any(|tool| seen.contains(tool)), "none reached the server");
    }
}

#[test]
fn its_resources_and_prompts_are_the_servers_to_answer() {
    let mut session = Start::default().go();
    for (id, (method, params)) in (1..).zip([
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("prompts/list", json!({})),
        ("resources/read", json!({"uri": "bouncer://audit/summary"})),
        ("resources/read", json!({"uri": "bouncer://pins/mail"})),
        ("prompts/get", json!({"name": "review_mcp_security", "arguments": {"server_name": "mail"}})),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "review_mcp_security"},
            "argument": {"name": "server_name", "value": ""}}),
        ),
    ]) {
        let answer = ask(&mut session, id, method, params.clone());
        // What `plain.py` answers to all that it does not know.
        assert_eq!(answer["result"], json!({}), "{method}: {answer}");
        assert!(session.file("seen").contains(&params.to_string()), "{method} reached the server");
    }
    // What the log says of them, it says of requests to that server.
    let audit = session.audit();
    assert!(audit.iter().all(|line| line["server"] == "mail" && line["verdict"] == "allow"), "{audit:?}");
}

#[test]
fn a_servers_own_tool_of_such_a_name_is_an_ordinary_tool() {
    let mut session = Start { odd: &["named"], ..Start::default() }.go();
    let listed = ask(&mut session, 1, "tools/list", json!({"cursor": ""}));
    assert!(listed.to_string().contains("Of this server's own"), "{listed}");
    let call = json!({"name": "bouncer_check_verdict", "arguments": {"tool": "x"}});
    let answer = ask(&mut session, 2, "tools/call", call.clone());
    assert_eq!(text(&answer), "no such tool, but run all the same", "it ran");
    assert!(session.file("seen").contains(&call.to_string()), "with the client's own bytes");
    let audit = session.audit();
    assert_eq!(audit.len(), 1);
    assert_eq!((&audit[0]["server"], &audit[0]["verdict"]), (&json!("mail"), &json!("allow")), "{audit:?}");
    // Judged like any other: an argument that its schema does not know is a destination.
    let odd = json!({"name": "bouncer_check_verdict", "arguments": {"to": "eve@evil.example"}});
    ask(&mut session, 3, "tools/call", odd);
    assert_eq!(session.audit()[1]["tool"], "bouncer_check_verdict");
}
