use super::*;
use proptest::prelude::*;

fn parse(text: &str) -> Result<Value, JsonError> {
    Value::parse(text.as_bytes(), 128)
}

fn fault(text: impl AsRef<[u8]>) -> JsonErrorKind {
    Value::parse(text.as_ref(), 128).unwrap_err().kind
}

#[test]
fn nothing_is_lost() {
    for text in [
        r#"{"z":1,"a":[true,false,null,{}],"n":[-0,1e400,1E+2,0.10,18446744073709551616,9007199254740993.0]}"#,
        r#""""#,
        r#"{"":""}"#,
        r#""é 😀 \"\\ \n\u0000""#,
        "12",
    ] {
        assert_eq!(parse(text).unwrap().to_json(), text);
    }
    let escapes = parse(r#""\u00e9\ud83d\uDE00\/\b\f\r\t""#).unwrap();
    assert_eq!(escapes.as_str().unwrap(), "é😀/\u{8}\u{c}\r\t");
}

#[test]
fn only_json_is_json() {
    for text in [
        "",
        " ",
        "{",
        "[",
        "\"",
        "[1,]",
        "[,1]",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{a:1}",
        "{1:1}",
        "01",
        "-",
        "+1",
        ".5",
        "1.",
        "1e",
        "1e+",
        "-a",
        "0x1",
        "NaN",
        "Infinity",
        "tru",
        "nulll",
        "True",
        "'a'",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"\\u12",
        "\"\\",
        "\"\u{1}\"",
        "\"\n\"",
        "[1 2]",
        "[1}",
        "{\"a\":1]",
        "//c\n1",
        "\u{a0}1",
        "\u{c}1",
    ] {
        assert!(matches!(fault(text), JsonErrorKind::Syntax | JsonErrorKind::Trailing), "{text:?}");
        assert!(Value::parse_lenient(text.as_bytes(), 128).is_err(), "{text:?}");
        assert!(serde_json::from_str::<serde_json::Value>(text).is_err(), "{text:?}");
    }
    assert_eq!(fault("1 2"), JsonErrorKind::Trailing);
    assert_eq!(parse("\r\n\t 1 \r").unwrap(), Value::Number("1".into()));
    assert_eq!(parse("[1,\n x]").unwrap_err().offset, 5);
}

#[test]
fn keys_stand_once() {
    assert_eq!(fault(r#"[{"a":1,"b":2,"\u0061":3}]"#), JsonErrorKind::DuplicateKey);
    assert!(parse(r#"{"a":1,"A":2,"":3}"#).is_ok());
    let many: Vec<String> = (0..5000).map(|i| format!("\"k{}\":1", i % 4999)).collect();
    assert_eq!(fault(format!("{{{}}}", many.join(","))), JsonErrorKind::DuplicateKey);
    let both = Value::parse_lenient(br#"{"a":1,"a":2}"#, 9).unwrap();
    assert_eq!(both.as_object().unwrap().len(), 2);
    assert!(Value::Array(vec![both]).has_duplicate_keys());
}

#[test]
fn surrogates_come_in_pairs() {
    for text in [
        r#""\ud800""#,
        r#""\udc00""#,
        r#""\ud800\ud800""#,
        r#""\udc00\ud800""#,
        r#""\ud800x""#,
        r#""\ud800\n""#,
    ] {
        assert_eq!(fault(text), JsonErrorKind::LoneSurrogate, "{text}");
        assert!(Value::parse_lenient(text.as_bytes(), 1).unwrap().as_str().unwrap().contains('\u{fffd}'));
    }
    assert_eq!(Value::parse_lenient(br#""\ud800\ud83d\ude00""#, 1).unwrap().as_str(), Some("\u{fffd}😀"));
    assert_eq!(fault(b"\"\xff\""), JsonErrorKind::NotUtf8);
}

#[test]
fn depth_is_bounded_whatever_is_asked_for() {
    let nested = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
    assert!(parse(&nested(128)).is_ok());
    assert_eq!(fault(nested(129)), JsonErrorKind::TooDeep);
    assert!(Value::parse(b"1", 0).is_ok() && Value::parse(b"[]", 0).is_err());
    assert!(Value::parse(nested(MAX_DEPTH).as_bytes(), usize::MAX).is_ok());
    let deep = nested(1_000_000);
    assert!(Value::parse(deep.as_bytes(), usize::MAX).is_err());
    assert!(Value::parse_lenient(deep.as_bytes(), usize::MAX).is_ok());
}

#[test]
fn what_is_too_deep_stays_searchable() {
    let value = Value::parse_lenient(br#"{"a":[["x", {"b":"evil\u0040c.com"}], 1]}"#, 2).unwrap();
    assert_eq!(value.pointer("/a/0").unwrap().as_str().unwrap(), r#"["x", {"b":"evil@c.com"}]"#);
    assert_eq!(value.pointer("/a/1").unwrap(), &Value::Number("1".into()));
}

#[test]
fn pointers_follow_rfc_6901() {
    let value = parse(r#"{"a/b":{"m~n":[10,20]},"":1,"~1":2}"#).unwrap();
    assert_eq!(value.pointer(""), Some(&value));
    assert_eq!(value.pointer("/a~1b/m~0n/1").unwrap().to_json(), "20");
    assert_eq!(value.pointer("/").unwrap().to_json(), "1");
    assert_eq!(value.pointer("/~01").unwrap().to_json(), "2");
    for nowhere in ["a", "/x", "/a~1b/m~0n/01", "/a~1b/m~0n/2", "/a~1b/m~0n/-", "//x"] {
        assert_eq!(value.pointer(nowhere), None, "{nowhere}");
    }
}

/// The same tree in the other parser's terms, numbers left out where they lose digits there.
fn same(ours: &Value, theirs: &serde_json::Value) -> bool {
    use serde_json::Value as J;
    match (ours, theirs) {
        (Value::Null, J::Null) => true,
        (Value::Bool(a), J::Bool(b)) => a == b,
        (Value::Number(a), J::Number(b)) => {
            serde_json::from_str::<serde_json::Number>(a).is_ok_and(|a| a == *b)
        }
        (Value::String(a), J::String(b)) => a == b,
        (Value::Array(a), J::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), J::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(k, v)| b.get(k).is_some_and(|b| same(v, b)))
        }
        _ => false,
    }
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(|n| Value::Number(n.to_string().into())),
        any::<String>().prop_map(Value::String),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
            prop::collection::btree_map(any::<String>(), inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Text of JSON's own signs: often nearly JSON.
fn nearly_json() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"a\"",
        "\"b\"",
        "\"\\u0061\"",
        "1",
        "-0",
        "1e5",
        "0.5",
        "true",
        "null",
        " ",
        "\r",
        "\"",
        "\\",
        "\\ud800",
        "\"\\ud83d\\ude00\"",
        "é",
        "01",
        ".",
    ]);
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn agrees(bytes: &[u8]) -> bool {
    let theirs = serde_json::from_slice::<serde_json::Value>(bytes);
    match (Value::parse(bytes, 100), theirs) {
        (Ok(ours), Ok(theirs)) => same(&ours, &theirs),
        (Err(e), Ok(_)) => matches!(e.kind, JsonErrorKind::DuplicateKey | JsonErrorKind::TooDeep),
        (Ok(_), Err(e)) => e.to_string().contains("out of range"),
        (Err(_), Err(_)) => true,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn trees_survive_being_written(value in json()) {
        let text = value.to_json();
        let breaks = text.contains(['\n', '\r', '\u{2028}']);
        prop_assert!(!breaks);
        prop_assert_eq!(&Value::parse(text.as_bytes(), 128).unwrap(), &value);
        prop_assert_eq!(&Value::parse_lenient(text.as_bytes(), 128).unwrap(), &value);
        prop_assert!(agrees(text.as_bytes()));
    }

    #[test]
    fn both_parsers_agree_on_near_json(text in nearly_json()) {
        prop_assert!(agrees(text.as_bytes()), "{}", text);
        if let Ok(strict) = Value::parse(text.as_bytes(), 100) {
            prop_assert_eq!(Value::parse_lenient(text.as_bytes(), 100).unwrap(), strict);
        }
    }

    #[test]
    fn both_parsers_agree_on_bytes(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        prop_assert!(agrees(&bytes));
    }
}
