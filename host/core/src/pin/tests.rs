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
fn order_of_members_white_space_and_escapes_do_not_matter() {
    let other = r#"{ "x-unknown":[null], "inputSchema":{"maximum":10,"required":["\u0061","b"],"type":"object"},"name":"t"}"#;
    assert_eq!(hash(TOOL), hash(other));
}

#[test]
fn everything_else_does() {
    let changes = [
        TOOL.replace("\"t\"", "\"u\""),
        TOOL.replace(r#"["a","b"]"#, r#"["b","a"]"#),
        TOOL.replace(r#"["a","b"]"#, r#"["ab"]"#),
        TOOL.replace(":10", ":11"),
        TOOL.replace(":10", ":10.0"),
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
        assert!(!change::changes(&value(TOOL), &value(&change)).is_empty(), "{change}");
    }
}

#[test]
fn spellings_of_one_number_are_told_from_other_numbers() {
    for same in [["1", "1.0"], ["100", "1E2"], ["0", "-0.0e9"], ["0.5", "5e-1"], ["-12.50", "-125e-1"]] {
        assert!(same_number(same[0], same[1]), "{same:?}");
        assert_ne!(hash(same[0]), hash(same[1]), "{same:?}");
    }
    for differ in [
        ["1", "-1"],
        ["9007199254740993", "9007199254740992"],
        ["1e400", "1e401"],
        ["1e99999999999999999999", "1e99999999999999999998"],
        ["1e9223372036854775807", "10e9223372036854775807"],
    ] {
        assert!(!same_number(differ[0], differ[1]), "{differ:?}");
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

mod properties {
    use super::*;
    use proptest::prelude::*;

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            "-?(0|[1-9][0-9]{0,3})(\\.[0-9]{1,2})?(e[0-9])?".prop_map(|n| Value::Number(n.into())),
            any::<String>().prop_map(Value::String),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
                prop::collection::btree_map(any::<String>(), inner, 0..5)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    /// The same value with the members of every object turned around, by `seed`.
    fn shuffled(value: &Value, seed: usize) -> Value {
        match value {
            Value::Array(items) => Value::Array(items.iter().map(|item| shuffled(item, seed)).collect()),
            Value::Object(members) => {
                let mut members: Vec<_> =
                    members.iter().map(|(key, item)| (key.clone(), shuffled(item, seed))).collect();
                let by = seed % members.len().max(1);
                members.rotate_left(by);
                if seed.is_multiple_of(2) {
                    members.reverse();
                }
                Value::Object(members)
            }
            other => other.clone(),
        }
    }

    /// JSON with white space wherever it may stand and every character escaped.
    fn spaced(value: &Value, out: &mut String) {
        let text = |text: &str, out: &mut String| {
            out.push('"');
            text.encode_utf16().for_each(|unit| out.push_str(&format!("\\u{unit:04X}")));
            out.push('"');
        };
        match value {
            Value::String(words) => text(words, out),
            Value::Array(items) => {
                out.push_str("[ ");
                for (i, item) in items.iter().enumerate() {
                    out.push_str(if i > 0 { " ,\t" } else { "" });
                    spaced(item, out);
                }
                out.push_str(" ]");
            }
            Value::Object(members) => {
                out.push_str("{\n");
                for (i, (key, item)) in members.iter().enumerate() {
                    out.push_str(if i > 0 { "\r\n, " } else { "" });
                    text(key, out);
                    out.push_str(" : ");
                    spaced(item, out);
                }
                out.push_str(" }");
            }
            plain => out.push_str(&plain.to_json()),
        }
    }

    proptest! {
        #[test]
        fn order_space_and_escapes_never_matter(value in any_value(), seed in any::<usize>()) {
            let mut text = String::new();
            spaced(&shuffled(&value, seed), &mut text);
            let back = Value::parse(text.as_bytes(), 99).unwrap();
            prop_assert_eq!(Hash::of(&back), Hash::of(&value));
            prop_assert!(change::changes(&value, &back).is_empty());
        }

        #[test]
        fn two_values_of_one_hash_are_one_value(a in any_value(), b in any_value()) {
            prop_assert_eq!(Hash::of(&a) == Hash::of(&b), shuffled(&a, 0).to_sorted() == shuffled(&b, 0).to_sorted());
            prop_assert_eq!(change::changes(&a, &b).is_empty(), Hash::of(&a) == Hash::of(&b));
        }

        #[test]
        fn no_text_makes_the_findings_fail(value in any_value()) {
            for found in finding::findings(&value) {
                prop_assert!(found.excerpt.chars().all(|c| !finding::is_hidden(c)));
            }
        }
    }

    trait Sorted {
        fn to_sorted(&self) -> Value;
    }

    impl Sorted for Value {
        fn to_sorted(&self) -> Value {
            match self {
                Value::Array(items) => Value::Array(items.iter().map(Sorted::to_sorted).collect()),
                Value::Object(members) => {
                    let sorted: std::collections::BTreeMap<_, _> =
                        members.iter().map(|(key, item)| (key.clone(), item.to_sorted())).collect();
                    Value::Object(sorted.into_iter().collect())
                }
                other => other.clone(),
            }
        }
    }
}
