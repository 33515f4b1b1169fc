//! However the bytes of a stream are cut, the events are the same, and no more is held than the limit allows.
#![no_main]
#![allow(dead_code)]

#[path = "../../host/src/http/sse.rs"]
mod sse;

use libfuzzer_sys::fuzz_target;
use sse::Parser;

fuzz_target!(|input: (u8, u16, &[u8])| {
    let (size, limit, data) = (usize::from(input.0) + 1, usize::from(input.1) + 1, input.2);
    let (mut whole, mut at_once) = (Parser::new(limit), Vec::new());
    let fed = whole.feed(data, &mut at_once);
    let (mut cut, mut pieces) = (Parser::new(limit), Vec::new());
    for piece in data.chunks(size) {
        let fed = cut.feed(piece, &mut pieces);
        if fed.is_err() {
            return;
        }
        assert!(cut.held() <= limit);
    }
    assert!(fed.is_ok(), "too large only at once");
    assert_eq!(at_once, pieces);
    assert_eq!((whole.last_id(), whole.retry()), (cut.last_id(), cut.retry()));
    for event in &pieces {
        assert!(event.data.len() <= limit);
        assert!(!event.data.contains(&b'\r') && !event.id.as_ref().is_some_and(|id| id.contains(['\0', '\n', '\r'])));
    }
    cut.begin_again();
    assert_eq!(cut.held(), 0);
});
