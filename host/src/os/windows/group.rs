//! A server and what it starts: one job, which ends with Bouncer, however that ends.
//!
//! What a program starts with `CREATE_BREAKAWAY_FROM_JOB` is to live on, like a Unix process that leaves its group.
#![allow(unsafe_code, reason = "jobs and threads are reached by calls of the system's")]

use super::{checked, owned};
use std::io;
use std::os::windows::io::{AsHandle as _, AsRawHandle as _, OwnedHandle};
use std::os::windows::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus};
use std::ptr::{null, null_mut};
use windows_sys::Win32::System::Console::{CTRL_BREAK_EVENT, GenerateConsoleCtrlEvent, GetConsoleCP};
use windows_sys::Win32::System::Diagnostics::ToolHelp::{
    CreateToolhelp32Snapshot, TH32CS_SNAPTHREAD, THREADENTRY32, Thread32First, Thread32Next,
};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_BREAKAWAY_OK,
    JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE, JOBOBJECT_BASIC_ACCOUNTING_INFORMATION,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectBasicAccountingInformation,
    JobObjectExtendedLimitInformation, QueryInformationJobObject, SetInformationJobObject,
    TerminateJobObject,
};
use windows_sys::Win32::System::Threading::{
    CREATE_NEW_PROCESS_GROUP, CREATE_NO_WINDOW, CREATE_SUSPENDED, INFINITE, OpenThread, ResumeThread,
    THREAD_SUSPEND_RESUME, WaitForSingleObject,
};

/// The job of a server.
#[derive(Debug)]
pub(crate) struct Group {
    job: OwnedHandle,
    /// The number of its console group, which is that of the program.
    console: u32,
}

impl Group {
    /// Starts a program in a job of its own. It runs nothing before it is in it, so that nothing it starts is outside.
    pub(crate) fn start(command: &mut Command) -> io::Result<(Child, Self)> {
        let job = job()?;
        // A console group of its own: Ctrl-C is Bouncer's, and Ctrl-Break can be sent to the server alone.
        let mut flags = CREATE_SUSPENDED | CREATE_NEW_PROCESS_GROUP;
        if !has_console() {
            // Otherwise the system would open a window for it.
            flags |= CREATE_NO_WINDOW;
        }
        let mut child = command.creation_flags(flags).spawn()?;
        // SAFETY: both handles are open.
        let taken = checked(unsafe { AssignProcessToJobObject(job.as_raw_handle(), child.as_raw_handle()) });
        if let Err(error) = taken.and_then(|()| resume(child.id())) {
            let _ = child.kill();
            let _ = child.wait();
            return Err(error);
        }
        let console = child.id();
        Ok((child, Self { job, console }))
    }

    /// What waits for the program's end, on a thread of the caller's.
    pub(crate) fn leader(&self, child: &Child) -> io::Result<impl FnOnce() + Send + 'static> {
        let process = child.as_handle().try_clone_to_owned()?;
        Ok(move || {
            // SAFETY: the handle is open, and closed after this.
            unsafe { WaitForSingleObject(process.as_raw_handle(), INFINITE) };
        })
    }

    /// Hands on that an end was asked for: whatever it was, as Ctrl-Break.
    pub(crate) fn tell(&self, _number: i32) {
        self.ask_to_end();
    }

    /// Asks all of it to end. False where it cannot be reached.
    pub(crate) fn ask_to_end(&self) -> bool {
        // The console group of one that has ended may be somebody else's by now.
        // SAFETY: takes numbers only.
        self.has_helpers() && unsafe { GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, self.console) != 0 }
    }

    /// Ends all of it.
    pub(crate) fn end(&self) {
        // SAFETY: the job is open.
        unsafe { TerminateJobObject(self.job.as_raw_handle(), 1) };
    }

    /// Whether it has members, of which an ended program is none. Unknown counts as yes.
    pub(crate) fn has_helpers(&self) -> bool {
        let mut found = JOBOBJECT_BASIC_ACCOUNTING_INFORMATION::default();
        // SAFETY: the job is open, and there is room for what is asked for, whose size is told.
        let told = unsafe {
            QueryInformationJobObject(
                self.job.as_raw_handle(),
                JobObjectBasicAccountingInformation,
                (&raw mut found).cast(),
                size_of_u32(&found),
                null_mut(),
            )
        };
        told == 0 || found.ActiveProcesses > 0
    }
}

/// A job whose members end when nobody holds it any more.
fn job() -> io::Result<OwnedHandle> {
    // SAFETY: without name and attributes.
    let job = owned(unsafe { CreateJobObjectW(null(), null()) })?;
    let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
    limits.BasicLimitInformation.LimitFlags =
        JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_BREAKAWAY_OK;
    // SAFETY: the job is open; the limits outlive the call, and their size is told.
    checked(unsafe {
        SetInformationJobObject(
            job.as_raw_handle(),
            JobObjectExtendedLimitInformation,
            (&raw const limits).cast(),
            size_of_u32(&limits),
        )
    })?;
    Ok(job)
}

fn has_console() -> bool {
    // SAFETY: asks without arguments; zero is no code page.
    unsafe { GetConsoleCP() != 0 }
}

/// Lets the threads of a process run that was started suspended: it has one.
fn resume(process: u32) -> io::Result<()> {
    // SAFETY: takes numbers only; the handle is taken over.
    let threads = owned(unsafe { CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0) })?;
    let mut entry = THREADENTRY32::default();
    entry.dwSize = size_of_u32(&entry);
    let mut resumed = false;
    // SAFETY: the snapshot is open, and the entry's size is told.
    let mut more = unsafe { Thread32First(threads.as_raw_handle(), &raw mut entry) };
    while more != 0 {
        if entry.th32OwnerProcessID == process {
            // SAFETY: takes numbers only; the handle is taken over.
            let thread = owned(unsafe { OpenThread(THREAD_SUSPEND_RESUME, 0, entry.th32ThreadID) })?;
            // SAFETY: the thread is open for this.
            if unsafe { ResumeThread(thread.as_raw_handle()) } == u32::MAX {
                return Err(io::Error::last_os_error());
            }
            resumed = true;
        }
        // SAFETY: as for the first.
        more = unsafe { Thread32Next(threads.as_raw_handle(), &raw mut entry) };
    }
    if resumed { Ok(()) } else { Err(io::Error::other("the process has no thread")) }
}

/// The size of a value, as calls want it told.
pub(super) fn size_of_u32<T>(value: &T) -> u32 {
    u32::try_from(size_of_val(value)).unwrap_or_default()
}

/// The exit code that tells of a program's end: its own, where that is one byte, or 1. Codes here have four bytes (a
/// crash has one that begins with `C0`), of which a Rust program can hand on one only.
pub(crate) fn exit_code(status: ExitStatus) -> u8 {
    status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}
