//! Linux, macOS and other Unix systems.

mod files;
mod group;
mod outlet;
mod pages;
mod pipes;
mod process;
mod signals;
#[cfg(target_os = "linux")]
mod start_pages;

pub(crate) use files::{
    hold, identity, identity_by, identity_of, private, private_folder, release, replace, try_hold,
};
pub(crate) use files::{is_own_file, is_own_folder, new_private_folder};
pub(crate) use group::{Group, exit_code};
pub(crate) use outlet::{has_reader, has_room, standard_ends, wait_for_room, wait_until_gone};
pub(crate) use pages::{give, take};
pub(crate) use pipes::{FromRelay, ToRelay, from_relay, rest, to_relay};
pub(crate) use process::{look, parent_id};
pub(crate) use signals::{Signals, TERMINATE, exit_code_after};
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
pub(crate) fn program(command: &OsStr, _path: Option<&OsStr>, _folder: Option<&Path>) -> OsString {
    command.to_owned()
}

/// Here the system is not asked to take back pages that only the start has used.
#[cfg(not(target_os = "linux"))]
pub(crate) fn give_back_start() {}
