use super::*;

fn ask(method: &str, params: Value, outbox: &Path) -> Value {
    answer(&json!({"jsonrpc": "2.0", "id": "a", "method": method, "params": params}), outbox).unwrap()
}

fn call(tool: &str, arguments: Value, outbox: &Path) -> Value {
    ask("tools/call", json!({"name": tool, "arguments": arguments}), outbox)
}

#[test]
fn the_handshake_keeps_a_known_version_and_offers_its_own_otherwise() {
    let nowhere = Path::new("");
    for (asked, given) in [("2025-06-18", "2025-06-18"), ("1999-01-01", "2025-11-25")] {
        let answer = ask("initialize", json!({"protocolVersion": asked}), nowhere);
        assert_eq!(answer["result"]["protocolVersion"], given);
        assert_eq!(answer["id"], "a");
    }
    assert_eq!(ask("ping", json!({}), nowhere)["result"], json!({}));
    assert_eq!(ask("resources/list", json!({}), nowhere)["error"]["code"], -32601);
    assert_eq!(call("rm", json!({}), nowhere)["error"]["code"], -32602);
    assert!(answer(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}), nowhere).is_none());
    assert!(answer(&json!({"jsonrpc": "2.0", "id": 1, "result": {}}), nowhere).is_none());
}

#[test]
fn the_message_is_plain_text_and_names_the_stranger() {
    let answer = call("read_inbox", json!({}), Path::new(""));
    assert!(answer["result"].get("structuredContent").is_none());
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("collector@evil.example") && text.contains("login code"), "{text}");
}

#[test]
fn a_mail_is_one_line_of_the_outbox_and_a_malformed_one_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let outbox = folder.path().join("outbox.jsonl");
    for to in [json!("a@x.example"), json!([]), json!([1]), json!(null)] {
        let answer = call("send_email", json!({"to": to, "subject": "s", "body": "b"}), &outbox);
        assert_eq!(answer["result"]["isError"], true, "{to}");
    }
    assert!(!outbox.exists());
    for to in ["a@x.example", "b@x.example"] {
        let answer = call("send_email", json!({"to": [to], "subject": "s", "body": "b\n"}), &outbox);
        assert!(answer["result"].get("isError").is_none(), "{answer}");
    }
    let lines = std::fs::read_to_string(&outbox).unwrap();
    let to: Vec<Value> =
        lines.lines().map(|l| serde_json::from_str::<Value>(l).unwrap()["to"].clone()).collect();
    assert_eq!(to, [json!(["a@x.example"]), json!(["b@x.example"])]);
    let unwritable =
        call("send_email", json!({"to": ["a@x.example"], "subject": "s", "body": "b"}), folder.path());
    assert_eq!(unwritable["result"]["isError"], true, "what was not sent must not be called sent");
}

#[test]
fn lines_are_answered_one_by_one_and_what_is_not_json_is_an_error() {
    let input = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n\nnot json\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}";
    let mut output = Vec::new();
    serve(&input[..], &mut output, Path::new("")).unwrap();
    let answers: Vec<Value> =
        String::from_utf8(output).unwrap().lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(answers.len(), 3);
    assert_eq!(answers[1]["error"]["code"], -32700);
    let names: Vec<_> =
        answers[2]["result"]["tools"].as_array().unwrap().iter().map(|t| t["name"].clone()).collect();
    assert_eq!(names, ["read_inbox", "send_email"]);
}
