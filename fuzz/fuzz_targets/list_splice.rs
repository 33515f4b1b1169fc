//! The places of a list's items are those of its items: what is put there is read there, and nothing else changes.
#![no_main]
#![allow(dead_code)]

#[path = "../../host/src/proxy/splice.rs"]
mod splice;

use bouncer_core::line::server::look;
use bouncer_core::value::Value;
use libfuzzer_sys::fuzz_target;
use splice::spliced;

const NEW: &str = r#"{"name":"\u00e9","n":1e400}"#;

fn tools(line: &[u8]) -> Option<Vec<Value>> {
    let result = look(line).result_strict()?.ok()?;
    result.get("tools").and_then(Value::as_array).map(<[Value]>::to_vec)
}

fuzz_target!(|input: (u64, &[u8])| {
    let (which, data) = input;
    let line = look(data);
    let _ = line.place_in_result("instructions");
    let Ok(Some(places)) = line.places_of_items("tools") else { return };
    let Some(before) = tools(data) else { return };
    assert_eq!(before.len(), places.len());
    for (item, place) in before.iter().zip(&places) {
        assert_eq!(Value::parse(&data[place.clone()], 128).as_ref(), Ok(item));
    }
    let chosen = |i: usize| which >> (i % 64) & 1 == 1;
    let instead = (0..places.len()).map(|i| chosen(i).then(|| NEW.to_owned()));
    let out = spliced(data, places.iter().cloned().zip(instead));
    let after = tools(&out).expect("still a list");
    let new = Value::parse(NEW.as_bytes(), 8).expect("JSON");
    for (i, (was, is)) in before.iter().zip(&after).enumerate() {
        assert_eq!(is, if chosen(i) { &new } else { was });
    }
    let left: usize = places.iter().enumerate().filter(|(i, _)| chosen(*i)).map(|(_, p)| p.len()).sum();
    let count = (0..places.len()).filter(|i| chosen(*i)).count();
    assert_eq!(out.len(), data.len() - left + count * NEW.len());
});
