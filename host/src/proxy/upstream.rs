//! The way to the upstream server. The only thing that can be sent is a [`Permit`], which only the core makes.

use crate::http::upstream::Outbox;
use bouncer_core::permit::Permit;
use std::io::{self, Write};
use std::process::ChildStdin;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Lines are gathered up to this many bytes before they are written.
const BATCH: usize = 64 << 10;

/// The server: a program's standard input, or a remote server.
#[derive(Debug)]
pub(crate) enum Upstream {
    Program(Program),
    Remote(Outbox),
}

/// A program's standard input.
#[derive(Debug)]
pub(crate) struct Program(Mutex<Pipe>);

#[derive(Debug)]
struct Pipe {
    stdin: Option<ChildStdin>,
    gathered: Vec<u8>,
}

impl Upstream {
    pub(crate) fn program(stdin: Option<ChildStdin>) -> Self {
        Self::Program(Program(Mutex::new(Pipe { stdin, gathered: Vec::new() })))
    }

    /// Takes what a permit permits. It is sent by the next [`Self::flush`], or before.
    pub(crate) fn forward(&self, permit: Permit) -> io::Result<()> {
        match self {
            Self::Program(program) => program.forward(permit),
            Self::Remote(outbox) => outbox.forward(permit),
        }
    }

    /// Writes what was gathered.
    pub(crate) fn flush(&self) -> io::Result<()> {
        match self {
            Self::Program(program) => program.pipe().flush(),
            Self::Remote(_) => Ok(()),
        }
    }

    /// Closes the way: the server learns that its input has ended.
    pub(crate) fn close(&self) {
        match self {
            Self::Program(program) => {
                let mut pipe = program.pipe();
                let _ = pipe.flush();
                pipe.stdin = None;
            }
            Self::Remote(outbox) => outbox.close(),
        }
    }

    /// Closes the way without waiting for the server to read what is left: nobody wants an answer any more. Where a
    /// thread is writing to a program, the pipe stays open.
    pub(crate) fn drop_now(&self) {
        match self {
            Self::Program(Program(pipe)) => {
                if let Ok(mut pipe) = pipe.try_lock() {
                    pipe.gathered.clear();
                    pipe.stdin = None;
                }
            }
            Self::Remote(outbox) => outbox.drop_now(),
        }
    }
}

impl Program {
    fn pipe(&self) -> MutexGuard<'_, Pipe> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn forward(&self, permit: Permit) -> io::Result<()> {
        let mut pipe = self.pipe();
        let line = permit.into_bytes();
        if line.len() >= BATCH && pipe.gathered.is_empty() {
            pipe.gathered = line;
        } else {
            pipe.gathered.extend_from_slice(&line);
        }
        pipe.gathered.push(b'\n');
        if pipe.gathered.len() >= BATCH { pipe.flush() } else { Ok(()) }
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
