//! What goes into the audit log is one line of JSON, whatever the arguments are.
#![no_main]
#![allow(dead_code)]

#[path = "../../host/src/json.rs"]
mod json;

use bouncer_core::value::Value;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, &str, &[u8])| {
    let (cut, text, data) = input;
    let quoted = json::quoted(text);
    assert_eq!(serde_json::from_str::<String>(&quoted).as_deref().ok(), Some(text));
    let Ok(value) = Value::parse(data, 64) else { return };
    let mut line = String::new();
    json::write(&value, usize::from(cut), &mut line);
    assert!(!line.contains(['\n', '\r', '\u{2028}', '\u{2029}', '\u{85}']));
    // A number beyond a double's range is JSON all the same.
    if let Err(e) = serde_json::from_str::<serde_json::Value>(&line) {
        assert!(e.to_string().contains("out of range"), "{e}: {line}");
    }
});
