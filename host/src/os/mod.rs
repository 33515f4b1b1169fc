//! What differs between operating systems, in one place: starting a server in a group of its own and ending it, signals,
//! pipes, processes, files for one user's eyes only, memory. `unix` and `windows` offer the same names.
//!
//! Nothing here decides anything about calls. How Windows reads a path is in [`crate::paths`] and in the core, because
//! verdicts depend on it.

#[cfg(any(windows, test))]
mod access;
#[cfg(any(windows, test))]
mod program;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(crate) use unix::*;
#[cfg(windows)]
pub(crate) use windows::*;

/// A running process as the system's table shows it.
#[derive(Debug)]
pub(crate) struct Process {
    /// The process that started it.
    pub(crate) parent: u32,
    /// What it calls itself, or its program's file name.
    pub(crate) name: String,
    /// When it started, as the system tells it; only ever compared.
    pub(crate) started: String,
}
