//! What the parser takes, serde_json takes too, and what it took survives being written.
#![no_main]

use bouncer_core::value::Value;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let lenient = Value::parse_lenient(data, 64);
    let Ok(value) = Value::parse(data, 64) else { return };
    assert_eq!(lenient.as_ref(), Ok(&value));
    if let Err(e) = serde_json::from_slice::<serde_json::Value>(data) {
        assert!(e.to_string().contains("out of range"), "{e}");
    }
    assert_eq!(Value::parse(value.to_json().as_bytes(), 64).as_ref(), Ok(&value));
});
