//! The way to the upstream server. The only thing that can be sent is a [`Permit`], which only the core makes, and a call only
//! once its line is in the audit log.
//!
//! What comes together is sent together: the lines of its calls are written to the log with one `write`, then the calls to the
//! server with another.

use crate::audit::Audit;
use crate::http::upstream::Outbox;
use bouncer_core::call::Id;
use bouncer_core::permit::Permit;
use std::io::{self, Write};
use std::ops::Range;
use std::process::ChildStdin;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// Lines are gathered up to this many bytes before they are written.
const BATCH: usize = 64 << 10;

/// A call that was allowed.
#[derive(Debug)]
pub(crate) struct Allowed {
    pub(crate) id: Id,
    /// Whether it names a revision from 2026-07-28 on.
    pub(crate) modern: bool,
    /// Its line for the audit log.
    pub(crate) line: String,
}

/// A call that is not sent after all, because its line could not be written. It is to be refused.
#[derive(Debug)]
pub(crate) struct Unrecorded {
    pub(crate) id: Id,
    pub(crate) modern: bool,
}

/// The server: a program's standard input, or a remote server.
#[derive(Debug)]
pub(crate) enum Upstream {
    Program(Program),
    Remote(Outbox),
}

/// A program's standard input.
#[derive(Debug)]
pub(crate) struct Program(Mutex<Pipe>);

#[derive(Debug, Default)]
struct Pipe {
    stdin: Option<ChildStdin>,
    gathered: Vec<u8>,
    /// Audit lines that are not written yet, and the calls that they tell of.
    lines: String,
    held: Vec<Held>,
}

/// A call that is gathered and not recorded.
#[derive(Debug)]
struct Held {
    call: Unrecorded,
    /// Where it stands in `gathered`.
    bytes: Range<usize>,
    /// Where its line ends in `lines`.
    line_end: usize,
}

impl Upstream {
    pub(crate) fn program(stdin: Option<ChildStdin>) -> Self {
        Self::Program(Program(Mutex::new(Pipe { stdin, ..Pipe::default() })))
    }

    /// Takes what a permit permits: of a call that was judged with what is to be recorded of it. `true` when it is time for
    /// [`Self::flush`], which sends it.
    ///
    /// # Errors
    /// The call, where it cannot be recorded.
    pub(crate) fn forward(
        &self,
        permit: Permit,
        allowed: Option<Allowed>,
        audit: &Audit,
    ) -> Result<bool, Unrecorded> {
        match self {
            Self::Program(program) => Ok(program.forward(permit, allowed)),
            Self::Remote(outbox) => {
                if let Some(Allowed { id, modern, line }) = allowed
                    && append(audit, &line) < line.len()
                {
                    return Err(Unrecorded { id, modern });
                }
                if let Err(e) = outbox.forward(permit) {
                    tracing::debug!("the server cannot be reached any more: {e}");
                }
                Ok(false)
            }
        }
    }

    /// Records what was gathered, and sends nothing: before something else goes into the log, so that it tells what came
    /// first first, and before the server is waited for. Does not wait for a thread that does.
    pub(crate) fn record(&self, audit: &Audit) -> Vec<Unrecorded> {
        match self {
            Self::Program(program) => {
                program.free_pipe().map(|mut pipe| pipe.record(audit)).unwrap_or_default()
            }
            Self::Remote(_) => Vec::new(),
        }
    }

    /// Sends what was gathered, once it is recorded. An error says that the server does not read any more.
    pub(crate) fn flush(&self, audit: &Audit) -> (io::Result<()>, Vec<Unrecorded>) {
        match self {
            Self::Program(program) => {
                let mut pipe = program.pipe();
                let unrecorded = pipe.record(audit);
                (pipe.write(), unrecorded)
            }
            Self::Remote(_) => (Ok(()), Vec::new()),
        }
    }

    /// Closes the way: the server learns that its input has ended.
    pub(crate) fn close(&self, audit: &Audit) {
        match self {
            Self::Program(program) => {
                let mut pipe = program.pipe();
                pipe.record(audit);
                let _ = pipe.write();
                pipe.stdin = None;
            }
            Self::Remote(outbox) => outbox.close(),
        }
    }

    /// Closes the way without waiting for the server to read what is left: nobody wants an answer any more. Where a
    /// thread is writing to a program, the pipe stays open.
    pub(crate) fn drop_now(&self, audit: &Audit) {
        match self {
            Self::Program(program) => {
                if let Some(mut pipe) = program.free_pipe() {
                    pipe.record(audit);
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

    /// The pipe, unless another thread has it, and perhaps waits for the server.
    fn free_pipe(&self) -> Option<MutexGuard<'_, Pipe>> {
        match self.0.try_lock() {
            Ok(pipe) => Some(pipe),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    fn forward(&self, permit: Permit, allowed: Option<Allowed>) -> bool {
        let mut pipe = self.pipe();
        let bytes = permit.into_bytes();
        let start = pipe.gathered.len();
        // First, so that nothing is gathered of which there is no line.
        if let Some(Allowed { id, modern, line }) = allowed {
            pipe.lines.push_str(&line);
            let (bytes, line_end) = (start..start + bytes.len() + 1, pipe.lines.len());
            pipe.held.push(Held { call: Unrecorded { id, modern }, bytes, line_end });
        }
        if bytes.len() >= BATCH && pipe.gathered.is_empty() {
            pipe.gathered = bytes;
        } else {
            pipe.gathered.extend_from_slice(&bytes);
        }
        pipe.gathered.push(b'\n');
        pipe.gathered.len() >= BATCH || pipe.lines.len() >= BATCH
    }
}

impl Pipe {
    /// Writes the audit lines of the calls that are gathered. A call whose line cannot be written is taken back.
    fn record(&mut self, audit: &Audit) -> Vec<Unrecorded> {
        if self.held.is_empty() {
            return Vec::new();
        }
        let whole = append(audit, &self.lines);
        let mut unrecorded = Vec::new();
        // From the end, so that what stands before stays where it is.
        while let Some(held) = self.held.pop_if(|held| held.line_end > whole) {
            self.gathered.drain(held.bytes);
            unrecorded.push(held.call);
        }
        self.held.clear();
        self.lines.clear();
        self.lines.shrink_to(BATCH * 2);
        unrecorded.reverse();
        unrecorded
    }

    /// Writes what was gathered, once it is recorded.
    fn write(&mut self) -> io::Result<()> {
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

/// Appends to the audit log; how many bytes of it are whole lines there.
pub(super) fn append(audit: &Audit, lines: &str) -> usize {
    match audit.append_lines(lines) {
        Ok(()) => lines.len(),
        Err(unwritten) => {
            tracing::error!("{}", unwritten.error);
            unwritten.whole
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use bouncer_core::permit::{own_notification, own_request};
    use std::io::Read as _;
    use std::process::{Command, Stdio};

    /// What a server reads that is sent two calls with a notification between them.
    fn sent(log: &std::path::Path) -> (String, Vec<Unrecorded>) {
        let mut cat = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let up = Upstream::program(cat.stdin.take());
        let audit = Audit::open(log).unwrap();
        for id in ["1", "2"] {
            let id = Id::from_json(id);
            let permit = own_request(&id, "ping", "{}").unwrap();
            let line = format!("{} may be called\n", id.json());
            assert!(!up.forward(permit, Some(Allowed { id, modern: true, line }), &audit).unwrap());
            let between = own_notification("notifications/initialized", "{}").unwrap();
            assert!(!up.forward(between, None, &audit).unwrap());
        }
        let (written, unrecorded) = up.flush(&audit);
        written.unwrap();
        up.close(&audit);
        let mut read = String::new();
        cat.stdout.take().unwrap().read_to_string(&mut read).unwrap();
        cat.wait().unwrap();
        (read, unrecorded)
    }

    #[test]
    fn calls_are_recorded_together_before_they_are_sent_and_in_order() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("audit.jsonl");
        let (read, unrecorded) = sent(&log);
        assert!(unrecorded.is_empty());
        assert_eq!(std::fs::read_to_string(&log).unwrap(), "1 may be called\n2 may be called\n");
        let methods: Vec<bool> = read.lines().map(|line| line.contains("ping")).collect();
        assert_eq!(methods, [true, false, true, false]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_call_that_cannot_be_recorded_is_taken_back_and_nothing_else_is() {
        let (read, unrecorded) = sent(std::path::Path::new("/dev/full"));
        let ids: Vec<&str> = unrecorded.iter().map(|call| call.id.json()).collect();
        assert_eq!(ids, ["1", "2"]);
        assert_eq!(read.lines().count(), 2);
        assert!(!read.contains("ping"), "{read}");
    }
}
