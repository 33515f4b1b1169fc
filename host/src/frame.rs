//! Line framing over raw bytes: one line is one message, whatever its length and encoding.
//!
//! Nothing is decoded here, so a character that two reads share stays whole. A line beyond the limit is cut: the
//! reader learns of it and the rest is thrown away without being kept, so that a peer cannot fill the memory.

use std::io::{self, Read};

const CHUNK: usize = 64 << 10;
/// A buffer that grew beyond this for one long line is given back afterwards.
const KEEP: usize = 4 << 20;

/// Reads lines from a descriptor.
#[derive(Debug)]
pub struct Frames<R> {
    source: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    scanned: usize,
    limit: usize,
    skipping: bool,
    eof: bool,
}

/// One line, without its newline.
#[derive(Debug, PartialEq, Eq)]
pub enum Frame<'a> {
    /// A whole line. The last one of a stream may lack the newline.
    Line(&'a [u8]),
    /// The beginning of a line that is longer than the limit: one byte more than the limit allows.
    TooLong(&'a [u8]),
}

impl<R: Read> Frames<R> {
    /// Lines of at most `limit` bytes from `source`.
    pub fn new(source: R, limit: usize) -> Self {
        Self { source, buffer: Vec::new(), start: 0, end: 0, scanned: 0, limit, skipping: false, eof: false }
    }

    /// Whether a whole line is at hand, so that `next_line` will not wait.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        let rest = self.buffer.get(self.start..self.end).unwrap_or_default();
        !self.skipping && memchr::memchr(b'\n', rest).is_some()
    }

    /// The next line; `None` at the end of the stream.
    ///
    /// # Errors
    /// What the descriptor reports, interruptions excepted.
    pub fn next_line(&mut self) -> io::Result<Option<Frame<'_>>> {
        let (from, to, cut) = loop {
            let unseen = self.buffer.get(self.scanned..self.end).unwrap_or_default();
            match memchr::memchr(b'\n', unseen) {
                Some(at) => {
                    let (from, to) = (self.start, self.scanned + at);
                    self.start = to + 1;
                    self.scanned = self.start;
                    if self.skipping {
                        self.skipping = false;
                        continue;
                    }
                    break (from, to, to - from > self.limit);
                }
                None => self.scanned = self.end,
            }
            if self.skipping {
                self.start = self.end;
            } else if self.end - self.start > self.limit {
                self.skipping = true;
                let (from, to) = (self.start, self.end);
                self.start = self.end;
                break (from, to, true);
            }
            if self.eof {
                if self.start == self.end {
                    return Ok(None);
                }
                let (from, to) = (self.start, self.end);
                self.start = self.end;
                break (from, to, false);
            }
            self.fill()?;
        };
        let to = if cut { from + self.limit + 1 } else { to };
        let line = self.buffer.get(from..to).unwrap_or_default();
        Ok(Some(if cut { Frame::TooLong(line) } else { Frame::Line(line) }))
    }

    fn fill(&mut self) -> io::Result<()> {
        if self.start == self.end {
            self.start = 0;
            self.end = 0;
            if self.buffer.len() > KEEP {
                self.buffer = Vec::new();
            }
        } else if self.start > 0 && self.buffer.len() - self.end < CHUNK / 2 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        self.scanned = self.end;
        if self.buffer.len() - self.end < CHUNK / 2 {
            // New zeros cost nothing until they are used, which those of a longer vector would.
            let most = self.limit.saturating_add(2 * CHUNK);
            let mut grown = vec![0; (self.buffer.len() * 4).min(most).max(self.buffer.len() + CHUNK)];
            if let (Some(to), Some(from)) = (grown.get_mut(..self.end), self.buffer.get(..self.end)) {
                to.copy_from_slice(from);
            }
            self.buffer = grown;
        }
        let room = self.buffer.get_mut(self.end..).unwrap_or_default();
        match self.source.read(room) {
            Ok(0) => self.eof = true,
            Ok(n) => self.end += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                std::thread::sleep(std::time::Duration::from_millis(1))
            }
            Err(e) => return Err(e),
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "frame_tests.rs"]
mod tests;
