//! A record of a session folder that anybody bent is read or refused; what was written comes back.
#![no_main]
#![allow(dead_code, unreachable_pub)]

#[path = "../../host/src/session/record.rs"]
mod record;

use bouncer_core::provenance::Source;
use bouncer_core::value::Value;
use libfuzzer_sys::fuzz_target;

/// As the session has it.
#[derive(Debug)]
pub enum Piece {
    Text(String),
    Value(Value),
}

fuzz_target!(|input: (&[u8], &str, u64)| {
    let (data, text, number) = input;
    let _ = record::read(data);
    let source = Source { server: text.to_owned(), tool: "t".to_owned() };
    let mut written = Vec::new();
    record::heard(&mut written, number, &source, &[Piece::Text(text.to_owned())], &[]);
    match record::read(&written) {
        Some((_, record::Event::Heard(n, s, pieces, _))) => {
            assert_eq!(n, number);
            assert_eq!(s.server, text);
            assert!(matches!(pieces.as_slice(), [Piece::Text(t)] if t == text));
        }
        other => panic!("{other:?}"),
    }
    // Cut or bent anywhere, it is refused or read, never a panic.
    for at in 0..written.len().min(64) {
        let _ = written.get(..at).map(record::read);
        let mut bent = written.clone();
        if let Some(byte) = bent.get_mut(at) {
            *byte ^= data.first().copied().unwrap_or(0xff);
        }
        let _ = record::read(&bent);
    }
});
