//! The way to the client: one writer to standard output, so that no two messages mix.
//!
//! The thread that relays the server's messages writes and may wait for the client. All others must not wait for it:
//! they use [`Downstream::send`], which writes at once only where that cannot block, and otherwise leaves the message to
//! the clerk's thread.

use super::clerk::Job;
use crate::os;
use crate::parts::write_all;
use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Mutex, PoisonError, TryLockError};

/// Beyond this many bytes left to the clerk, senders wait as well: a client that never reads must not fill the memory.
const MOST_LEFT: usize = 64 << 20;

/// The client's end.
#[derive(Debug)]
pub(crate) struct Downstream {
    out: Mutex<File>,
    left: AtomicUsize,
    written: AtomicUsize,
    writing: AtomicBool,
    clerk: Sender<Job>,
}

impl Downstream {
    pub(crate) fn new(out: File, clerk: Sender<Job>) -> Self {
        Self {
            out: Mutex::new(out),
            left: AtomicUsize::new(0),
            written: AtomicUsize::new(0),
            writing: AtomicBool::new(false),
            clerk,
        }
    }

    /// Writes whole lines, one after the other in `parts`; waits for the client where it must.
    pub(crate) fn write(&self, parts: &[&[u8]]) -> io::Result<()> {
        let out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        self.writing.store(true, Ordering::Release);
        let written = write_all(&out, parts);
        self.writing.store(false, Ordering::Release);
        self.written.fetch_add(parts.iter().map(|part| part.len()).sum(), Ordering::AcqRel);
        written
    }

    /// How many bytes were written so far, wrapping around.
    pub(crate) fn written(&self) -> usize {
        self.written.load(Ordering::Acquire)
    }

    /// Whether a thread is writing, and perhaps waiting for the client.
    pub(crate) fn is_writing(&self) -> bool {
        self.writing.load(Ordering::Acquire)
    }

    /// Sends one message (without newline) without waiting for the client.
    pub(crate) fn send(&self, message: String) {
        let mut line = message.into_bytes();
        line.push(b'\n');
        if self.left.load(Ordering::Acquire) == 0 {
            match self.out.try_lock() {
                Ok(out) if os::has_room(&out, line.len()) => {
                    let _ = write_all(&out, &[&line]);
                    return;
                }
                Err(TryLockError::Poisoned(_)) | Ok(_) | Err(TryLockError::WouldBlock) => {}
            }
        }
        if self.left.load(Ordering::Acquire) > MOST_LEFT {
            let _ = self.write(&[&line]);
            return;
        }
        self.left.fetch_add(line.len(), Ordering::AcqRel);
        let _ = self.clerk.send(Job::Write(line));
    }

    /// For the clerk: writes what was left to it.
    pub(crate) fn write_left(&self, line: &[u8]) {
        let _ = self.write(&[line]);
        self.left.fetch_sub(line.len(), Ordering::AcqRel);
    }

    /// Whether somebody can still read what is written.
    pub(crate) fn has_reader(&self) -> bool {
        // A thread that is writing right now will learn by itself.
        let Ok(out) = self.out.try_lock() else { return true };
        os::has_reader(&out)
    }
}
