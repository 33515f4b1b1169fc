//! Windows. What Unix has and Windows has not:
//!
//! - Modes of files. [`files::private_folder`] closes folders by their access lists; what is made inside inherits those. A file
//!   that is replaced (a client's configuration) gets its folder's rights, which within a user's profile are the user's,
//!   the administrators' and the system's.
//! - TERM. A server is asked to end by the end of its input and by Ctrl-Break, which reaches it where it shares Bouncer's
//!   console, and is then ended by its job.
//! - A way to wait for a pipe's reader to go: it is looked after twice a second.
//! - Exit codes of signals, and of more than a byte: see [`group::exit_code`].
//! - UTF-8 on consoles: lines are for pipes; letters beyond ASCII that somebody types by hand come in the console's own
//!   code page.

pub(super) mod files;
pub(super) mod group;
pub(super) mod outlet;
mod owner;
pub(super) mod pages;
pub(super) mod pipes;
pub(super) mod process;
pub(super) mod signals;

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::windows::io::{FromRawHandle as _, OwnedHandle};
use std::path::Path;
use windows_sys::Win32::Foundation::{HANDLE, INVALID_HANDLE_VALUE};

/// The variable that names the home folder to programs.
pub(crate) const HOME: &str = "USERPROFILE";

/// Whether two names mean the same variable.
pub(crate) fn is_variable(name: &OsStr, other: &str) -> bool {
    name.eq_ignore_ascii_case(other)
}

/// What to hand to the system to start `command` in `folder` with `path` as its PATH: the file that it means, so that
/// `npx` starts `npx.cmd`. The command itself where none is found; the system then says so.
pub(crate) fn startable(command: &OsStr, path: Option<&OsStr>, folder: Option<&Path>) -> OsString {
    let named = command.as_encoded_bytes().iter().any(|byte| matches!(byte, b'/' | b'\\'));
    let command = match folder.filter(|_| named) {
        // As on other systems, a relative program is the working directory's.
        Some(folder) => folder.join(command).into_os_string(),
        None => command.to_owned(),
    };
    let own = std::env::var_os("PATH");
    let path = path.map(OsStr::to_owned).or(own).unwrap_or_default();
    let pathext = std::env::var("PATHEXT").ok();
    let found =
        super::program::find(&command, std::env::split_paths(&path), pathext.as_deref(), Path::is_file);
    found.map_or(command, std::path::PathBuf::into_os_string)
}

/// Here the system is not asked to take back pages that only the start has used.
pub(crate) fn give_back_start() {}

/// Takes over a handle that a call gave, or tells why it gave none.
fn owned(handle: HANDLE) -> io::Result<OwnedHandle> {
    if handle.is_null() || handle == INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a valid handle that the call before opened for its caller alone, who closes it.
    #[allow(unsafe_code)]
    let handle = unsafe { OwnedHandle::from_raw_handle(handle) };
    Ok(handle)
}

/// Tells why a call failed that says so with a zero.
fn checked(done: i32) -> io::Result<()> {
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
