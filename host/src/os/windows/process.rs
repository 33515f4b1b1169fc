//! The table of processes: a snapshot for names and parents, the process itself for when it started.
//!
//! Here `npx` is `node.exe` like many a client, so that it cannot be told from one; a parent that has ended has no
//! successor, so that the search for a client ends there.
#![allow(unsafe_code, reason = "processes are asked by calls of the system's")]

use super::checked;
use super::group::size_of_u32;
use super::owned;
use crate::os::Process;
use std::os::windows::io::{AsRawHandle as _, OwnedHandle};
use windows_sys::Win32::Foundation::{FILETIME, WAIT_TIMEOUT};
use windows_sys::Win32::System::Diagnostics::ToolHelp::{
    CreateToolhelp32Snapshot, PROCESSENTRY32W, Process32FirstW, Process32NextW, TH32CS_SNAPPROCESS,
};
use windows_sys::Win32::System::Threading::{
    GetProcessTimes, OpenProcess, PROCESS_QUERY_LIMITED_INFORMATION, PROCESS_SYNCHRONIZE, WaitForSingleObject,
};

/// The process that started this one; 0 where the system does not tell, or it has ended.
pub(crate) fn parent_id() -> u32 {
    look(std::process::id()).map_or(0, |own| own.parent)
}

/// A running process; `None` where there is none of this number, or the system does not tell. Its name is in small
/// letters.
pub(crate) fn look(pid: u32) -> Option<Process> {
    let started = started(pid)?;
    let (parent, name) = entry(pid)?;
    // The parent may have ended, and another process have its number by now: one that is younger.
    let parent = self::started(parent).filter(|since| *since <= started).map_or(0, |_| parent);
    Some(Process { parent, name, started: started.to_string() })
}

/// When a process that still runs was started.
fn started(pid: u32) -> Option<u64> {
    let access = PROCESS_QUERY_LIMITED_INFORMATION | PROCESS_SYNCHRONIZE;
    // SAFETY: takes numbers only; the handle is taken over.
    let process: OwnedHandle = owned(unsafe { OpenProcess(access, 0, pid) }).ok()?;
    // A process stays in the system's books while somebody holds it.
    // SAFETY: the process is open for this.
    if unsafe { WaitForSingleObject(process.as_raw_handle(), 0) } != WAIT_TIMEOUT {
        return None;
    }
    let mut times = [FILETIME::default(); 4];
    let [created, exited, kernel, user] = &mut times;
    // SAFETY: the process is open for this, and there is room for each time.
    checked(unsafe { GetProcessTimes(process.as_raw_handle(), created, exited, kernel, user) }).ok()?;
    Some(u64::from(created.dwHighDateTime) << 32 | u64::from(created.dwLowDateTime))
}

/// A process's parent and name.
fn entry(pid: u32) -> Option<(u32, String)> {
    // SAFETY: takes numbers only; the handle is taken over.
    let all = owned(unsafe { CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0) }).ok()?;
    let mut entry = PROCESSENTRY32W::default();
    entry.dwSize = size_of_u32(&entry);
    // SAFETY: the snapshot is open, and the entry's size is told.
    let mut more = unsafe { Process32FirstW(all.as_raw_handle(), &raw mut entry) };
    while more != 0 {
        if entry.th32ProcessID == pid {
            let name = entry.szExeFile.split(|unit| *unit == 0).next().unwrap_or_default();
            return Some((entry.th32ParentProcessID, String::from_utf16_lossy(name).to_lowercase()));
        }
        // SAFETY: as for the first.
        more = unsafe { Process32NextW(all.as_raw_handle(), &raw mut entry) };
    }
    None
}
