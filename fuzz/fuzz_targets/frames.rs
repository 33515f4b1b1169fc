//! However the bytes are cut into reads, the lines are the same.
#![no_main]
#![allow(dead_code)]

#[path = "../../host/src/frame.rs"]
mod frame;

use frame::{Frame, Frames};
use libfuzzer_sys::fuzz_target;
use std::io::Read;

struct Pieces<'a> {
    data: &'a [u8],
    size: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = self.size.min(buffer.len()).min(self.data.len());
        let (head, rest) = self.data.split_at(n);
        buffer[..n].copy_from_slice(head);
        self.data = rest;
        Ok(n)
    }
}

fuzz_target!(|input: (u8, u8, &[u8])| {
    let (size, limit, data) = (usize::from(input.0) + 1, usize::from(input.1) + 1, input.2);
    let mut frames = Frames::new(Pieces { data, size }, limit);
    let mut expected: Vec<&[u8]> = data.split(|b| *b == b'\n').collect();
    if expected.last().is_some_and(|last| last.is_empty()) {
        expected.pop();
    }
    for wanted in expected {
        match frames.next_line() {
            Ok(Some(Frame::Line(line))) => assert_eq!(line, wanted),
            Ok(Some(Frame::TooLong(line))) => {
                assert!(wanted.len() > limit);
                assert!(wanted.starts_with(line));
            }
            other => panic!("{other:?} instead of {wanted:?}"),
        }
    }
    assert!(matches!(frames.next_line(), Ok(None)));
});
