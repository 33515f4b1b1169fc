use super::*;

fn message(method: &str, params: &str) -> Message {
    let meta = format!(r#""_meta":{{"{MEMBER}":"2026-07-28"}}"#);
    let params = if params.is_empty() { meta } else { format!("{params},{meta}") };
    Message::read(
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params}}}}}"#).as_bytes(),
    )
}

fn mirrors() -> Mirrors {
    let mut mirrors = Mirrors::default();
    let tool = r#"{"name":"sql","inputSchema":{"type":"object","properties":{
        "region":{"type":"string","x-mcp-header":"Region"},
        "deep":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"}}}}}}"#;
    mirrors.learn(&Value::parse(format!(r#"{{"tools":[{tool}]}}"#).as_bytes(), 64).unwrap());
    mirrors
}

#[test]
fn base64_is_the_usual_one() {
    for (text, code) in
        [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("Hello, 世界", "SGVsbG8sIOS4lueVjA==")]
    {
        assert_eq!(base64(text.as_bytes()), code);
    }
    assert_eq!(wrapped("=?base64?literal?="), "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=");
}

#[test]
fn headers_repeat_the_body() {
    let call = message("tools/call", r#""name":"sql","arguments":{"region":" eu ","deep":{"n":42}}"#);
    let headers = call.headers(&mirrors());
    assert_eq!(headers["mcp-protocol-version"], "2026-07-28");
    assert_eq!(headers["mcp-method"], "tools/call");
    assert_eq!(headers["mcp-name"], "sql");
    assert_eq!(headers["mcp-param-region"], "=?base64?IGV1IA==?=");
    assert_eq!(headers["mcp-param-n"], "42");
    assert!(call.check(&headers, &mirrors()).is_ok());
    let read = message("resources/read", r#""uri":"file:///ü""#);
    assert_eq!(read.headers(&mirrors())["mcp-name"], "=?base64?ZmlsZTovLy/DvA==?=");
    let legacy = Message::read(br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sql"}}"#);
    assert!(legacy.headers(&mirrors()).is_empty());
}

#[test]
fn what_differs_from_the_body_is_refused() {
    let call = message("tools/call", r#""name":"sql","arguments":{"region":"eu","deep":{"n":42}}"#);
    let good = call.headers(&mirrors());
    for (key, value) in [
        ("mcp-method", "tools/list"),
        ("mcp-name", "other"),
        ("mcp-name", "SQL"),
        ("mcp-protocol-version", "2025-11-25"),
        ("mcp-param-region", "us"),
        ("mcp-param-n", "43"),
    ] {
        let mut bad = good.clone();
        bad.insert(key, HeaderValue::from_static(value));
        assert!(call.check(&bad, &mirrors()).is_err(), "{key}: {value}");
        let mut twice = good.clone();
        twice.append(key, HeaderValue::from_static(value));
        assert!(call.check(&twice, &mirrors()).is_err(), "{key} twice");
        let mut without = good.clone();
        without.remove(key);
        assert!(call.check(&without, &mirrors()).is_err(), "no {key}");
    }
    for (key, value) in [("mcp-name", "=?base64?c3Fs?="), ("mcp-param-n", "42.0")] {
        let mut same = good.clone();
        same.insert(key, HeaderValue::from_static(value));
        assert!(call.check(&same, &mirrors()).is_ok(), "{key}: {value}");
    }
    let extra = message("tools/call", r#""name":"sql","arguments":{}"#);
    assert!(extra.check(&good, &mirrors()).is_err(), "a header for an argument that is not there");
}

#[test]
fn an_older_message_may_go_without_but_not_against() {
    let call = Message::read(br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sql"}}"#);
    let mut headers = HeaderMap::new();
    assert!(call.check(&headers, &mirrors()).is_ok());
    headers.insert(NAME, HeaderValue::from_static("other"));
    assert!(call.check(&headers, &mirrors()).is_err());
}
