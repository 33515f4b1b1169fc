//! Linux, macOS and other Unix systems.

pub(super) mod files;
pub(super) mod group;
pub(super) mod outlet;
pub(super) mod pages;
pub(super) mod pipes;
pub(super) mod process;
pub(super) mod signals;
#[cfg(target_os = "linux")]
mod start_pages;

#[cfg(target_os = "linux")]
pub(crate) use start_pages::give_back_start;

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// The variable that names the home folder to programs.
pub(crate) const HOME: &str = "HOME";

/// Whether two names mean the same variable.
pub(crate) fn is_variable(name: &OsStr, other: &str) -> bool {
    name == other
}

/// What to hand to the system to start `command`: here it searches the PATH itself.
pub(crate) fn startable(command: &OsStr, _path: Option<&OsStr>, _folder: Option<&Path>) -> OsString {
    command.to_owned()
}

/// Here the system is not asked to take back pages that only the start has used.
#[cfg(not(target_os = "linux"))]
pub(crate) fn give_back_start() {}
