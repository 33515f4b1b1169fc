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
use unix as system;
#[cfg(windows)]
use windows as system;

pub(crate) use system::files::{
    hold, identity, identity_by, identity_of, is_own_file, is_own_folder, new_private_folder, private,
    private_folder, release, replace, try_hold,
};
pub(crate) use system::group::{Group, exit_code};
pub(crate) use system::outlet::{has_reader, has_room, standard_ends, wait_for_room, wait_until_gone};
pub(crate) use system::pages::{give, take};
pub(crate) use system::pipes::{FromRelay, ToRelay, from_relay, rest, to_relay};
pub(crate) use system::process::{look, parent_id};
pub(crate) use system::signals::{Signals, TERMINATE, exit_code_after};
pub(crate) use system::{HOME, give_back_start, is_variable, startable};

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
