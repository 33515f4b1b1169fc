use super::*;

fn value(text: &str) -> Value {
    Value::parse_lenient(text.as_bytes(), 99).unwrap()
}

fn hash(text: &str) -> Hash {
    Hash::of(&value(text))
}

const TOOL: &str =
    r#"{"name":"t","inputSchema":{"type":"object","required":["a","b"],"maximum":10},"x-unknown":[null]}"#;

#[test]
fn order_of_members_and_spelling_do_not_matter() {
    let other = r#"{ "x-unknown":[null], "inputSchema":{"maximum":1.0e1,"required":["\u0061","b"],"type":"object"},"name":"t"}"#;
    assert_eq!(hash(TOOL), hash(other));
    assert_eq!(differences(&value(TOOL), &value(other)), Vec::<String>::new());
}

#[test]
fn everything_else_does() {
    let changes = [
        TOOL.replace("\"t\"", "\"u\""),
        TOOL.replace(r#"["a","b"]"#, r#"["b","a"]"#),
        TOOL.replace(r#"["a","b"]"#, r#"["ab"]"#),
        TOOL.replace(":10", ":11"),
        TOOL.replace(":10", ":\"10\""),
        TOOL.replace("[null]", "[]"),
        TOOL.replace("[null]", "{}"),
        TOOL.replace("[null]", "[false]"),
        TOOL.replace("x-unknown", "x-unknowm"),
        TOOL.replace("\"name\":\"t\"", "\"name\":\"t\",\"name\":\"t\""),
        TOOL.replace("\"t\"", "\"t\u{200b}\""),
    ];
    let mut hashes: Vec<Hash> = changes.iter().map(|text| hash(text)).collect();
    hashes.push(hash(TOOL));
    let count = hashes.len();
    hashes.sort();
    hashes.dedup();
    assert_eq!(hashes.len(), count);
    for change in changes {
        assert!(!differences(&value(TOOL), &value(&change)).is_empty(), "{change}");
    }
}

#[test]
fn differences_name_members() {
    let new = r#"{"annotations":{},"inputSchema":{"type":"object"},"name":"t"}"#;
    assert_eq!(differences(&value(TOOL), &value(new)), ["annotations", "inputSchema", "x-unknown"]);
}

#[test]
fn numbers_are_compared_exactly() {
    for same in [["1", "1.0"], ["100", "1E2"], ["0", "-0.0e9"], ["0.5", "5e-1"], ["-12.50", "-125e-1"]] {
        assert_eq!(hash(same[0]), hash(same[1]), "{same:?}");
    }
    for differ in [
        ["1", "-1"],
        ["9007199254740993", "9007199254740992"],
        ["1e400", "1e401"],
        ["1e99999999999999999999", "1e99999999999999999998"],
        ["1", "\"1\""],
        ["1e9223372036854775807", "10e9223372036854775807"],
    ] {
        assert_ne!(hash(differ[0]), hash(differ[1]), "{differ:?}");
    }
}

#[test]
fn a_hash_survives_being_written() {
    let hash = hash(TOOL);
    assert_eq!(Hash::from_hex(&hash.to_string()), Some(hash));
    assert_eq!(hash.to_string().len(), 64);
    for bad in ["", "00", &"g".repeat(64), &"+f".repeat(32), &"é".repeat(32)] {
        assert_eq!(Hash::from_hex(bad), None, "{bad}");
    }
}
