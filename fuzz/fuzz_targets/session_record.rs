//! A record of a session folder that anybody bent is read or refused; what was written comes back.
#![no_main]
#![allow(dead_code, unreachable_pub)]

#[path = "../../host/src/session/record.rs"]
mod record;

use bouncer_core::provenance::Source;
use libfuzzer_sys::fuzz_target;
use output::OutputKind;

mod output {
    /// As the session has it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum OutputKind {
        Text,
        ToolAnswer,
        Answer,
        Told,
        Odd,
    }
}

fuzz_target!(|input: (&[u8], &str, u64)| {
    let (data, text, number) = input;
    let read = |bytes: &[u8]| record::read(bytes, |from| from);
    let _ = read(data);
    let source = Source { server: text.to_owned(), tool: "t".to_owned() };
    let mut written = Vec::new();
    record::heard(&mut written, number, &source, OutputKind::Told, &[]);
    written.extend_from_slice(data);
    match read(&written) {
        Some((_, record::Event::Heard { number: n, source: s, kind, kept, .. })) => {
            assert_eq!((n, kind), (number, OutputKind::Told));
            assert_eq!(s.server, text);
            assert_eq!(written.get(kept..), Some(data));
        }
        other => panic!("{other:?}"),
    }
    // Cut or bent anywhere, it is refused or read, never a panic.
    for at in 0..written.len().min(64) {
        let _ = written.get(..at).map(read);
        let mut bent = written.clone();
        if let Some(byte) = bent.get_mut(at) {
            *byte ^= data.first().copied().unwrap_or(0xff);
        }
        let _ = read(&bent);
    }
});
