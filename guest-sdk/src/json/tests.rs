#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

extern crate std;

use super::{Map, Value};
use crate::json;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

const SOUND: &[&str] = &[
    "null",
    " true ",
    "false",
    "0",
    "-0",
    "-1",
    "1.5e+3",
    "1E9",
    "0.25",
    "123456789012345678901234567890",
    r#""""#,
    r#""a\"\\\/\b\f\n\r\tz""#,
    r#""\u00e9\ud83d\ude00é😀""#,
    "[]",
    "[1, [2, {}], \"x\"]",
    r#"{"a": {"b": [null, true]}, "c/d~e": 1}"#,
    "\t[ 1 ,\n2 ]\r",
];

const UNSOUND: &[&str] = &[
    "",
    " ",
    "nul",
    "truex",
    "01",
    "+1",
    "-",
    "1.",
    ".5",
    "1e",
    "1e+",
    "0x1",
    "--1",
    "\"",
    "\"\\",
    "\"\\x\"",
    "\"\\u12\"",
    "\"\\ud800\"",
    "\"\\ud800\\u0041\"",
    "\"\\udc00\"",
    "\"a\nb\"",
    "\"\u{0}\"",
    "[",
    "[1",
    "[1,",
    "[1,]",
    "[,]",
    "{",
    "{\"a\"",
    "{\"a\":",
    "{\"a\":1",
    "{\"a\":1,}",
    "{a:1}",
    "{\"a\" 1}",
    "1 2",
    "[1]]",
    "\u{feff}1",
    "NaN",
];

/// What serde_json makes of a text: the same value, or an error as here.
#[track_caller]
fn agrees(text: &str) {
    let theirs = serde_json::from_str::<serde_json::Value>(text);
    // It refuses numbers that are too large for it; here their digits are kept.
    if theirs.as_ref().is_err_and(|error| error.to_string().contains("out of range")) {
        return;
    }
    match text.parse::<Value>() {
        Ok(value) => {
            let again: serde_json::Value = serde_json::from_str(&value.to_string()).unwrap();
            assert!(theirs.is_ok_and(|theirs| theirs == again), "{text:?}");
        }
        Err(_) => assert!(theirs.is_err(), "{text:?}"),
    }
}

#[test]
fn it_reads_what_serde_json_reads() {
    for text in SOUND {
        assert!(text.parse::<Value>().is_ok(), "{text}");
        agrees(text);
    }
    for text in UNSOUND {
        assert!(text.parse::<Value>().is_err(), "{text:?}");
        agrees(text);
    }
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(nested(128).parse::<Value>().is_ok());
    assert!(nested(129).parse::<Value>().is_err());
    assert!(nested(100_000).parse::<Value>().is_err());
}

#[test]
fn spoilt_texts_are_read_as_serde_json_reads_them() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % 1_000_003).unwrap() % below
    };
    let letters: Vec<char> = "{}[]\",:\\/u0123456789dD8eE+-. \n\u{0}éatrufalsn".chars().collect();
    for _ in 0..40_000 {
        let mut text: Vec<char> = SOUND[random(SOUND.len())].chars().collect();
        for _ in 0..=random(3) {
            let at = random(text.len() + 1);
            match random(3) {
                0 => text.insert(at, letters[random(letters.len())]),
                1 if at < text.len() => text[at] = letters[random(letters.len())],
                _ if at < text.len() => drop(text.remove(at)),
                _ => {}
            }
        }
        agrees(&text.into_iter().collect::<String>());
    }
}

#[test]
fn digits_and_order_stay_as_they_were_written() {
    let text = r#"{"z":1.50,"a":[1e400,-0,12345678901234567890123],"m":"\u0001\""}"#;
    let value: Value = text.parse().unwrap();
    assert_eq!(value.to_string(), text);
    assert_eq!(value.pointer("/a/1").and_then(Value::as_i64), Some(0));
    assert_eq!(value["a"][0].as_i64(), None);
    assert!(value["a"][0].as_f64().is_some_and(f64::is_infinite));
    assert_eq!(value["z"].as_f64(), Some(1.5));
}

#[test]
fn pointers_find_what_rfc_6901_says() {
    let value: Value = r#"{"": 0, "a/b": 1, "m~n": 2, "~1": 3, "list": [4, 5], "0": 6}"#.parse().unwrap();
    for (pointer, expected) in
        [("/", 0), ("/a~1b", 1), ("/m~0n", 2), ("/~01", 3), ("/list/0", 4), ("/list/1", 5), ("/0", 6)]
    {
        assert_eq!(value.pointer(pointer).and_then(Value::as_i64), Some(expected), "{pointer}");
    }
    for nowhere in ["a", "/list/-", "/list/01", "/list/+1", "/list/2", "/list/x", "/nothing", "/a~1b/x"] {
        assert_eq!(value.pointer(nowhere), None, "{nowhere}");
    }
    assert_eq!(value.pointer(""), Some(&value));
}

#[test]
fn a_name_that_stands_twice_is_the_last_one() {
    let value: Value = r#"{"a": 1, "a": 2}"#.parse().unwrap();
    assert_eq!(value["a"], 2);
    let mut map = Map::new();
    assert_eq!(map.insert("a", 1), None);
    assert_eq!(map.insert("a", 2), Some(json!(1)));
    assert_eq!((map.len(), map.get("a")), (1, Some(&json!(2))));
}

#[test]
fn objects_are_equal_whatever_their_order() {
    assert_eq!(json!({"a": 1, "b": [true]}), json!({"b": [true], "a": 1}));
    assert_ne!(json!({"a": 1}), json!({"a": 1, "b": 1}));
    assert_ne!(json!([1, 2]), json!([2, 1]));
}

#[test]
fn literals_take_expressions_and_nest() {
    let name = "x".to_owned();
    let none: Option<&str> = None;
    let value = json!({
        "list": [null, [1, -2], {"deep": {}}, name.len(), &name],
        (name): none,
        "big": u64::MAX,
        "half": 0.5,
        "text": format!("{}!", "hi"),
    });
    let expected = r#"{"list":[null,[1,-2],{"deep":{}},1,"x"],"x":null,"big":18446744073709551615,"half":0.5,"text":"hi!"}"#;
    assert_eq!(value.to_string(), expected);
    assert_eq!(json!([]).to_string(), "[]");
    assert_eq!(json!(f64::NAN), Value::Null);
}

#[cfg(feature = "serde")]
mod typed {
    use super::*;
    use crate::{Error, Settings};
    use alloc::collections::BTreeMap;
    use alloc::vec;
    use serde::Deserialize;

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Everything {
        flag: bool,
        count: u8,
        below: i64,
        part: f64,
        text: String,
        maybe: Option<usize>,
        list: Vec<String>,
        pair: (u8, String),
        map: BTreeMap<String, i32>,
        mode: Mode,
        any: Value,
        wrapped: Wrapped,
    }

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Mode {
        #[default]
        Plain,
        Width(u8),
        Size {
            w: u8,
        },
        Two(u8, u8),
    }

    #[derive(Debug, Default, PartialEq, Deserialize)]
    struct Wrapped(String);

    fn read(value: &Value) -> Result<Everything, Error> {
        Everything::read(value)
    }

    #[test]
    fn settings_of_every_kind_are_read() {
        let value = json!({
            "flag": true, "count": 255, "below": -3, "part": 1, "text": "é", "maybe": null, "list": ["a"],
            "pair": [1, "b"], "map": {"k": -1}, "mode": {"width": 7}, "any": {"x": [1, 0.5]}, "wrapped": "w",
        });
        let read = read(&value).unwrap();
        assert_eq!((read.flag, read.count, read.below, read.text.as_str()), (true, 255, -3, "é"));
        assert_eq!((read.maybe, read.list, read.pair), (None, vec!["a".to_owned()], (1, "b".to_owned())));
        assert_eq!((read.mode, read.any), (Mode::Width(7), json!({"x": [1, 0.5]})));
        assert_eq!((read.map.get("k"), read.wrapped), (Some(&-1), Wrapped("w".into())));
        assert!((read.part - 1.0).abs() < f64::EPSILON);
        for (text, expected) in [
            (json!({"mode": "plain"}), Mode::Plain),
            (json!({"mode": {"size": {"w": 1}}}), Mode::Size { w: 1 }),
            (json!({"mode": {"two": [1, 2]}}), Mode::Two(1, 2)),
        ] {
            assert_eq!(super::typed::read(&text).unwrap().mode, expected);
        }
    }

    #[test]
    fn what_does_not_fit_is_an_error_with_a_reason() {
        for (value, expected) in [
            (json!({"no_such": 1}), "unknown field `no_such`"),
            (json!({"flag": "yes"}), "`yes`, expected a boolean"),
            (json!({"count": 256}), "expected u8"),
            (json!({"count": 1.5}), "`1.5`, expected u8"),
            (json!({"count": -1}), "expected u8"),
            (json!({"text": [1]}), "`a list`, expected a string"),
            (json!({"list": {}}), "`an object`, expected a sequence"),
            (json!({"list": [1]}), "expected a string"),
            (json!({"mode": "fast"}), "unknown variant `fast`"),
            (json!({"mode": "width"}), "needs a value"),
            (json!({"mode": {"plain": 1}}), "has no value"),
            (json!({"pair": [1, "a", 2]}), "expected"),
            (json!([1]), "expected struct"),
            (Value::Null, "`null`, expected struct"),
        ] {
            let error = read(&value).unwrap_err().to_string();
            assert!(error.contains(expected), "{value}: {error}");
        }
    }

    #[test]
    fn a_policy_without_settings_takes_none() {
        <() as Settings>::read(&json!({})).unwrap();
        let error = <() as Settings>::read(&json!({"x": 1})).unwrap_err().to_string();
        assert!(error.contains("`x`"), "{error}");
        assert!(<() as Settings>::read(&json!([])).is_err());
    }
}
