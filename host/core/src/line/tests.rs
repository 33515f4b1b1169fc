use super::*;
use proptest::prelude::*;

fn ok(line: &str) -> ClientLine {
    scan(line.as_bytes().to_vec(), &Limits::default()).unwrap_or_else(|e| panic!("{line}: {e:?}"))
}

fn refused(line: impl AsRef<[u8]>) -> Refusal {
    let line = line.as_ref();
    match scan(line.to_vec(), &Limits::default()) {
        Err(refusal) => refusal,
        Ok(passed) => panic!("{}: passed as {passed:?}", String::from_utf8_lossy(line)),
    }
}

fn rule(line: impl AsRef<[u8]>) -> &'static str {
    refused(line).rule
}

fn call(line: &str) -> Call {
    match ok(line) {
        ClientLine::Call(call) => call,
        other => panic!("{line}: {other:?}"),
    }
}

const CALL: &str =
    r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"danger","arguments":{"a":1}}}"#;

#[test]
fn a_call_is_read_whole() {
    let call = call(
        r#"{"params":{"_meta":{"progressToken":1e400},"arguments":{"to":"a\u0040b","n":18446744073709551616},"name":"send","task":{}},"jsonrpc":"2.0","method":"tools/call","id":"x"}"#,
    );
    assert_eq!((call.id().json(), call.tool()), (r#""x""#, "send"));
    assert_eq!(call.arguments().to_json(), r#"{"to":"a@b","n":18446744073709551616}"#);
    assert_eq!(call.params().to_json(), r#"{"_meta":{"progressToken":1e400},"task":{}}"#);
}

#[test]
fn a_call_without_arguments_has_an_empty_object() {
    let line = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x"}}"#;
    assert_eq!(call(line).arguments(), &Value::empty_object());
}

#[test]
fn escapes_do_not_hide_a_call() {
    let line = r#"{"jsonrpc":"2.0","id":1,"m\u0065thod":"tools\/call","params":{"n\u0061me":"danger"}}"#;
    assert_eq!(call(line).tool(), "danger");
    assert_eq!(call(line).bytes, line.as_bytes(), "what was judged is what goes out");
}

#[test]
fn the_table_of_parser_differentials() {
    for (line, expected) in [
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"danger"}}"#,
            "duplicate_key",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","meth\u006fd":"tools/call","params":{"name":"danger"}}"#,
            "duplicate_key",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"safe","name":"danger"}}"#,
            "duplicate_key",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":1,"a":2}}}"#,
            "duplicate_key",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"b":[{"a":1,"\u0061":2}]}}}"#,
            "duplicate_key",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","_meta":{"b":[{"a":1,"a":2}]}}}"#,
            "duplicate_key",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","x":{"a":1,"a":2},"params":{"name":"x"}}"#,
            "duplicate_key",
        ),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"danger"},"result":{}}"#, "shape"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","error":{}}"#, "shape"),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"danger"}}]"#, "batch"),
        (r#"["2.0",1,"tools/call",{"name":"danger"}]"#, "batch"),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"danger"}}"#,
            "trailing",
        ),
        (r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"danger"}}"#, "call_notification"),
        (r#"{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"danger"}}"#, "id"),
        (r#"{"jsonrpc":"2.0","id":1.0,"method":"ping"}"#, "id"),
        (r#"{"jsonrpc":"2.0","id":1e2,"method":"ping"}"#, "id"),
        (r#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#, "id"),
        (r#"{"id":1,"method":"tools/call","params":{"name":"danger"}}"#, "jsonrpc"),
        (r#"{"jsonrpc":2.0,"id":1,"method":"ping"}"#, "jsonrpc"),
        (r#"{"jsonrpc":"2.00","id":1,"method":"ping"}"#, "jsonrpc"),
        (r#"{"jsonrpc":"2.0","id":1,"Method":"tools/call","params":{"name":"danger"}}"#, "folded_key"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","METHOD":"tools/call"}"#, "folded_key"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","param\u017f":{}}"#, "folded_key"),
        (r#"{"j\u017fonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"ping"}"#, "folded_key"),
        (r#"{"jsonrpc":"2.0","id":1,"\u0131d":2,"method":"ping"}"#, "folded_key"),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","Name":"danger"}}"#,
            "folded_key",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","argument\u017f":{}}}"#,
            "folded_key",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","tas\u212a":{}}}"#,
            "folded_key",
        ),
        (r#"{"jsonrpc":"2.0","id":1,"method":"x/y","params":{"RequestState":""}}"#, "folded_key"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"Tools/Call","params":{"name":"danger"}}"#, "lookalike_method"),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tool\u017f/call","params":{"name":"danger"}}"#,
            "lookalike_method",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call\u0000","params":{"name":"danger"}}"#,
            "lookalike_method",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":" tools//call","params":{"name":"danger"}}"#,
            "lookalike_method",
        ),
        (r#"{"jsonrpc":"2.0","method":"TOOLS/CALL"}"#, "lookalike_method"),
        (r#"{"jsonrpc":"2.0","id":1,"method":["tools/call"],"params":{"name":"danger"}}"#, "method"),
        (r#"{"jsonrpc":"2.0","id":1,"method":null}"#, "method"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"\ud800"}"#, "lone_surrogate"),
        (r#"{"jsonrpc":"2.0","id":1,"\udc00":1,"method":"ping"}"#, "lone_surrogate"),
        (r#"{"jsonrpc":"2.0","id":"\ud800","method":"ping"}"#, "id"),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":"\ud83d"}}}"#,
            "lone_surrogate",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"\ud83d":1}}}"#,
            "lone_surrogate",
        ),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["danger",{}]}"#, "params"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}"#, "params"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#, "params"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{}}}"#, "tool_name"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":1}}"#, "tool_name"),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":null}}"#,
            "arguments",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":"{}"}}"#,
            "arguments",
        ),
        (r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#, "shape"),
        (r#"{"jsonrpc":"2.0","id":1}"#, "shape"),
        (r#"{"jsonrpc":"2.0","id":null,"error":{}}"#, "id"),
        (r#"{"jsonrpc":"2.0","result":{}}"#, "shape"),
        (r#"{"jsonrpc":"2.0"}"#, "shape"),
        ("{}", "jsonrpc"),
        ("", "empty"),
        ("\u{feff}{}", "bom"),
        (" {}", "not_object"),
        ("null", "not_object"),
        ("\u{2028}{}", "not_object"),
        ("{} \u{2028}", "trailing"),
        (r#"{"a":1,}"#, "syntax"),
        (r#"{"a":01}"#, "syntax"),
        (r#"{"a":NaN}"#, "syntax"),
        (r"{'a':1}", "syntax"),
        (r#"{"a":1 /* c */}"#, "syntax"),
        ("{\"a\":\"\t\"}", "syntax"),
        ("{\"a\":\"\r\"}", "syntax"),
        ("{\"a\":1}\0", "trailing"),
        ("{\"a\":\u{a0}1}", "syntax"),
    ] {
        assert_eq!(rule(line), expected, "{line}");
    }
}

#[test]
fn a_raw_carriage_return_cannot_split_a_line() {
    let line = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"x\":\r{\"jsonrpc\":\"2.0\",\"id\":2,\
                \"method\":\"tools/call\",\"params\":{\"name\":\"danger\"}}\r}}\r";
    let ClientLine::Request(request) = ok(line) else { panic!("not a request") };
    assert_eq!(request.method(), "ping");
    let bytes = request.permit().into_bytes();
    assert_eq!(String::from_utf8(bytes).unwrap(), line.replace('\r', " "));
}

#[test]
fn bytes_that_are_not_utf8_are_refused() {
    let mut line = CALL.as_bytes().to_vec();
    line[80] = 0xff;
    assert_eq!(rule(&line), "not_utf8");
    assert_eq!(rule(b"{\"a\":\"\xed\xa0\x80\"}"), "not_utf8", "a surrogate in UTF-8");
    assert_eq!(rule(b"{\"a\":\"\xc0\xaf\"}"), "not_utf8", "an overlong slash");
}

#[test]
fn what_is_no_call_passes_byte_for_byte() {
    let deep =
        format!(r#"{{"jsonrpc":"2.0","id":1,"result":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    for line in [
        r#"{"jsonrpc":"2.0","id":9223372036854775808,"method":"x/y","params":{"a":{"b":1e400,"b":-0,"c":"\ud800"}}, "unknown":[1 ,2]}"#,
        r#"{"jsonrpc":"2.0","id":"1","method":"ping","params":null}"#,
        r#"{"jsonrpc":"2.0","id":-1,"method":"ping","params":[1]}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3,"reason":"é 😀"}}"#,
        r#"{"id":5,"result":{"action":"accept","content":{}},"jsonrpc":"2.0"}"#,
        r#"{"id":"srv-1","error":{"code":-1099511627776},"jsonrpc":"2.0"}"#,
        deep.as_str(),
    ] {
        let bytes = match ok(line) {
            ClientLine::Call(call) => panic!("{call:?}"),
            ClientLine::Request(r) => r.permit(),
            ClientLine::Notification(n) => n.permit(),
            ClientLine::Response(r) => r.permit(),
        };
        assert!(bytes.into_bytes() == line.as_bytes(), "{line:.80}");
    }
}

#[test]
fn an_unreadable_key_of_params_is_told_after_what_is_wrong_with_the_line() {
    let with = |before: &str, inside: &str, after: &str| {
        format!(
            r#"{{"jsonrpc":"2.0",{before}"id":1,"method":"x/y","params":{{"a":1,"\ud800":2{inside}}}{after}}}"#
        )
    };
    let refusal = refused(with("", r#","\udc00":3,"Name":4"#, ""));
    assert_eq!((refusal.rule, refusal.code), ("lone_surrogate", -32600));
    assert_eq!(
        refusal.text, "lone surrogate in a string at byte 56",
        "the first, counted from the line's beginning"
    );
    assert_eq!(refused(with("", ",]", "")).code, -32700);
    assert_eq!(rule(with("", "", ",")), "syntax");
    assert_eq!(rule(with("", "", "} {")), "trailing");
    assert_eq!(rule(with("", "", r#","params":{}"#)), "duplicate_key");
    assert_eq!(rule(with(r#""params":{},"#, "", "")), "duplicate_key");
    assert_eq!(rule(with("", "", r#","ID":1"#)), "folded_key");
    assert_eq!(rule(with(r#""jsonrpc ":1,"result":1,"#, "", "")), "lone_surrogate");
}

#[test]
fn depth_counts_from_the_envelope() {
    let nested = |n: usize| {
        let (open, close) = ("[".repeat(n), "]".repeat(n));
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"x","arguments":{{"a":{open}{close}}}}}}}"#
        )
    };
    call(&nested(125));
    let refusal = refused(nested(126));
    assert_eq!((refusal.rule, refusal.code), ("too_deep", -32602));
    assert_eq!(refusal.id.unwrap().json(), "1");
    assert_eq!(rule(nested(1_000_000)), "too_deep");
}

#[test]
fn a_long_line_is_refused_with_its_id() {
    let limits = Limits { max_bytes: 40, ..Limits::default() };
    let refusal = scan(CALL.as_bytes().to_vec(), &limits).unwrap_err();
    assert_eq!((refusal.rule, refusal.id.unwrap().json()), ("too_long", "7"));
    let twice = CALL.replace("}}}", r#"}},"id":8}"#);
    assert_eq!(scan(twice.into_bytes(), &limits).unwrap_err().id, None);
}

#[test]
fn an_id_in_a_prefix_must_stand_there_whole() {
    let id = |prefix: &str| id_in_prefix(prefix.as_bytes()).map(|id| id.json().to_owned());
    assert_eq!(id(CALL.get(..60).unwrap()).as_deref(), Some("7"));
    assert_eq!(id(r#"{"method":"tools/call","id":12"#), None, "the number may go on");
    assert_eq!(id(r#"{"method":"tools/call","id":12,"#).as_deref(), Some("12"));
    assert_eq!(id(r#"{"id":1,"id":2,"method":"x","params":"#), None);
    assert_eq!(id(r#"{"id":1,"result":{},"params":"#), None);
    assert_eq!(id(r#"{"params":{"id":3,"#), None);
    assert_eq!(id(r#"[{"id":3,"method":"x","#), None);
}

#[test]
fn the_id_of_a_refused_line_is_given_only_where_certain() {
    let id = |line: &str| refused(line).id.map(|id| id.json().to_owned());
    assert_eq!(id(&CALL.replace("\"a\":1", "\"a\":1,\"a\":2")).as_deref(), Some("7"));
    assert_eq!(id(r#"{"jsonrpc":"2.0","id":1,"id":1,"method":"ping"}"#), None);
    assert_eq!(id(r#"{"jsonrpc":"2.0","id":1,"ID":2,"method":"ping"}"#), None);
    assert_eq!(id(r#"{"jsonrpc":"2.0","id":1,"result":1,"error":2}"#), None, "a response");
    assert_eq!(id(r#"{"jsonrpc":"2.0","id":1,"method":"ping""#), None, "not JSON");
    assert_eq!(id(r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#), None);
}

#[test]
fn members_read_on_demand_are_read_strictly() {
    let ClientLine::Response(answer) =
        ok(r#"{"jsonrpc":"2.0","id":1,"result":{"action":"decline","action":"accept"}}"#)
    else {
        panic!("not a response")
    };
    assert_eq!(answer.result(), None, "an ambiguous answer is no answer");
    let ClientLine::Notification(cancel) =
        ok(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"\u0061"}}"#)
    else {
        panic!("not a notification")
    };
    let id = Id::from_value(cancel.params().unwrap().get("requestId").unwrap()).unwrap();
    assert_eq!(id, Id::from_json(r#""a""#));
    assert_ne!(Id::from_json("1"), Id::from_json(r#""1""#));
}

#[test]
fn own_requests_are_few_and_cannot_be_bent() {
    let id = Id::from_json(r#""b-1""#);
    let permit = own_request(&id, "tools/list", r#"{ "cursor": "a\u2028" }"#).unwrap();
    assert_eq!(
        String::from_utf8(permit.into_bytes()).unwrap(),
        r#"{"jsonrpc":"2.0","id":"b-1","method":"tools/list","params":{"cursor":"a\u2028"}}"#
    );
    for method in
        ["tools/call", "Tools/call", "tools\\/call", "completion/complete", "resources/read", "prompts/get"]
    {
        assert!(own_request(&id, method, "{}").is_none(), "{method}");
        assert!(own_notification(method, "{}").is_none(), "{method}");
    }
    let bent = Id::from_json(r#"1,"method":"tools/call""#);
    assert!(own_request(&bent, "ping", "{}").is_none());
    assert!(own_request(&Id::from_json("1.5"), "ping", "{}").is_none());
    for params in ["", "[]", "{", "{}}", r#"{"a":1,"a":2}"#, r#"{},"method":"tools/call""#, r#"{"Name":1}"#] {
        assert!(own_request(&id, "ping", params).is_none(), "{params}");
    }
    assert!(own_notification("notifications/cancelled", r#"{"requestId":"b-1"}"#).is_some());
}

#[test]
fn server_lines_are_looked_at_and_never_refused() {
    use server::{Kind, look};
    let kind = |line: &str| look(line.as_bytes()).kind;
    assert_eq!(kind(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#), Kind::Response);
    assert_eq!(kind(r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#), Kind::Request);
    assert_eq!(kind(r#"{"jsonrpc":"2.0","method":"x"}"#), Kind::Notification);
    for odd in
        ["", "log line", "[]", "{", r#"{"id":1,"result":1,"result":2}"#, r#"{"id":1,"result":1,"Result":2}"#]
    {
        let line = look(odd.as_bytes());
        assert!(line.is_odd() && line.kind == Kind::Other, "{odd}");
    }
    assert_eq!(kind(r#"{"id":null,"error":{}}"#), Kind::Other);
    assert!(look(b"{\"id\":1,\"result\":\r{}}").is_odd());
    assert!(!look(b"{\"id\":1,\"result\":{}}\r").is_odd());

    let line = look(br#"{"id":"\u0061","result":{"a":1,"a":"\ud800"}}"#);
    assert_eq!(line.id, Some(Id::from_json("\"a\"")));
    let result = line.result().unwrap();
    assert_eq!(result.as_object().unwrap().len(), 2, "both readings are kept");
    assert!(line.result_strict().unwrap().is_err());
    let not_utf8 = look(b"{\"id\":1,\"result\":\"\xff evil.com\"}");
    assert_eq!(not_utf8.kind, Kind::Response);
    assert_eq!(not_utf8.result().unwrap().as_str().unwrap(), "\u{fffd} evil.com");
}

/// Lines made of the parts that matter, in any order and number.
fn near_messages() -> impl Strategy<Value = String> {
    let member = prop::sample::select(vec![
        r#""jsonrpc":"2.0""#,
        r#""id":1"#,
        r#""id":null"#,
        r#""method":"ping""#,
        r#""method":"tools/call""#,
        r#""method":"tools\/call""#,
        r#""params":{"name":"a"}"#,
        r#""params":{"name":"a","name":"b"}"#,
        r#""params":{"name":"a","arguments":{"x":[]}}"#,
        r#""params":[]"#,
        r#""result":1"#,
        r#""error":{}"#,
        r#""Method":"tools/call""#,
        "\"x\":\r1",
        "\"y\":\"\\ud800\"",
    ]);
    let begun = r#""jsonrpc":"2.0","id":1,"params":{"name":"a"},"z":0"#;
    (any::<bool>(), prop::collection::vec(member, 0..6)).prop_map(move |(begin, mut members)| {
        if begin {
            members.truncate(2);
            members.push(begun);
        }
        format!("{{{}}}", members.join(","))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = scan(bytes.clone(), &Limits::default());
        let line = server::look(&bytes);
        let _ = (line.result(), line.whole(), id_in_prefix(&bytes));
    }

    #[test]
    fn no_cut_or_bent_call_panics(at in 0..CALL.len(), byte in any::<u8>()) {
        let mut bytes = CALL.as_bytes().to_vec();
        let _ = scan(bytes[..at].to_vec(), &Limits::default());
        bytes[at] = byte;
        let _ = scan(bytes, &Limits::default());
    }

    /// Whatever another parser (the last of two keys wins) takes for a call is judged as that call, or refused.
    #[test]
    fn what_serde_takes_for_a_call_is_that_call(line in near_messages()) {
        let theirs: serde_json::Value = serde_json::from_str(&line.replace("\\ud800", "")).unwrap();
        let scanned = scan(line.clone().into_bytes(), &Limits::default());
        match (&scanned, theirs["method"] == "tools/call") {
            (Ok(ClientLine::Call(call)), true) => {
                prop_assert_eq!(theirs["params"]["name"].as_str(), Some(call.tool()));
                prop_assert!(!call.bytes.contains(&b'\r'));
            }
            (Ok(ClientLine::Response(_)), false) => prop_assert!(theirs.get("method").is_none()),
            (Ok(ClientLine::Call(_)), false) | (Ok(_), true) => prop_assert!(false, "{} as {:?}", line, scanned),
            _ => {}
        }
    }
}

#[test]
fn the_items_of_a_servers_list_are_found_in_the_line() {
    let line = br#" {"id":1 ,"result": {"x":["no"],"tools" : [ {"name":"\u0061"},{ "name":"b"} , 3 ],"i":"t"}, "jsonrpc":"2.0"}"#;
    let looked = server::look(line);
    let places = looked.places_of_items("tools").unwrap().unwrap();
    let texts: Vec<&str> = places.into_iter().map(|p| std::str::from_utf8(&line[p]).unwrap()).collect();
    assert_eq!(texts, [r#"{"name":"\u0061"}"#, r#"{ "name":"b"}"#, "3"]);
    assert_eq!(&line[looked.place_in_result("i").unwrap().unwrap()], br#""t""#);
    assert_eq!(looked.places_of_items("y"), Ok(None));
    assert!(looked.places_of_items("i").is_err());
    let empty = server::look(br#"{"id":1,"result":{"tools":[ ]}}"#);
    assert_eq!(empty.places_of_items("tools"), Ok(Some(Vec::new())));
    for twice in ["tools", "Tools", "tool\\u017f"] {
        let line = format!(r#"{{"id":1,"result":{{"tools":[1],"{twice}":[2]}}}}"#);
        assert!(server::look(line.as_bytes()).places_of_items("tools").is_err(), "{twice}");
    }
}
