//! The signals that end a session: TERM, INT, HUP.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::io;

/// What stands for "end" where no signal came.
pub(crate) const TERMINATE: i32 = SIGTERM;

/// Signals as they come, by number.
pub(crate) struct Signals(signal_hook::iterator::Signals);

impl Signals {
    /// From now on they are for the caller, and end the process no more.
    pub(crate) fn catch() -> io::Result<Self> {
        signal_hook::iterator::Signals::new([SIGTERM, SIGINT, SIGHUP]).map(Self)
    }
}

impl Iterator for Signals {
    type Item = i32;

    /// Waits for the next one.
    fn next(&mut self) -> Option<i32> {
        self.0.forever().next()
    }
}

/// The exit code of a session that a signal ended.
pub(crate) fn exit_code_after(number: i32) -> u8 {
    u8::try_from(128 + number).unwrap_or(1)
}
