//! The way to the upstream server. The only thing that can be sent is a [`Permit`], which only the core makes.

use bouncer_core::permit::Permit;
use std::io::{self, Write};
use std::process::ChildStdin;
use std::sync::{Mutex, PoisonError};

/// Lines are gathered up to this many bytes before they are written.
const BATCH: usize = 64 << 10;

/// The server's standard input.
#[derive(Debug)]
pub(crate) struct Upstream {
    pipe: Mutex<Pipe>,
}

#[derive(Debug)]
struct Pipe {
    stdin: Option<ChildStdin>,
    gathered: Vec<u8>,
}

impl Upstream {
    pub(crate) fn new(stdin: Option<ChildStdin>) -> Self {
        Self { pipe: Mutex::new(Pipe { stdin, gathered: Vec::new() }) }
    }

    /// Takes what a permit permits. It is written by the next [`Self::flush`], or now if much has gathered.
    pub(crate) fn forward(&self, permit: Permit) -> io::Result<()> {
        let mut pipe = self.pipe.lock().unwrap_or_else(PoisonError::into_inner);
        let line = permit.into_bytes();
        if line.len() >= BATCH && pipe.gathered.is_empty() {
            pipe.gathered = line;
        } else {
            pipe.gathered.extend_from_slice(&line);
        }
        pipe.gathered.push(b'\n');
        if pipe.gathered.len() >= BATCH { pipe.flush() } else { Ok(()) }
    }

    /// Writes what was gathered.
    pub(crate) fn flush(&self) -> io::Result<()> {
        self.pipe.lock().unwrap_or_else(PoisonError::into_inner).flush()
    }

    /// Closes the pipe: the server reads the end of its input.
    pub(crate) fn close(&self) {
        let mut pipe = self.pipe.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = pipe.flush();
        pipe.stdin = None;
    }
}

impl Upstream {
    /// Closes the pipe without waiting for the server to read what is left: nobody wants an answer any more. Where a
    /// thread is writing, the pipe stays open.
    pub(crate) fn drop_now(&self) {
        if let Ok(mut pipe) = self.pipe.try_lock() {
            pipe.gathered.clear();
            pipe.stdin = None;
        }
    }
}

impl Pipe {
    fn flush(&mut self) -> io::Result<()> {
        if self.gathered.is_empty() {
            return Ok(());
        }
        let Some(stdin) = self.stdin.as_mut() else {
            self.gathered.clear();
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let written = stdin.write_all(&self.gathered);
        self.gathered.clear();
        if self.gathered.capacity() > BATCH * 4 {
            self.gathered = Vec::new();
        }
        written
    }
}
