//! A server and what it starts: one process group.

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::io;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus};

/// The process group of a server.
#[derive(Debug)]
pub(crate) struct Group(Pid);

impl Group {
    /// Starts a program in a group of its own, so that helpers of a wrapper such as `npx` can be ended with it.
    pub(crate) fn start(command: &mut Command) -> io::Result<(Child, Self)> {
        command.process_group(0);
        let child = command.spawn()?;
        let group = Self(Pid::from_raw(i32::try_from(child.id()).unwrap_or(i32::MAX)));
        Ok((child, group))
    }

    /// What waits for the program's end, on a thread of the caller's. It does not reap, so that the group's number stays
    /// its own.
    pub(crate) fn leader(&self, _child: &Child) -> io::Result<impl FnOnce() + Send + 'static> {
        let pid = self.0;
        Ok(move || wait_for_exit(pid))
    }

    /// Hands on a signal.
    pub(crate) fn tell(&self, number: i32) {
        if let Ok(signal) = Signal::try_from(number) {
            let _ = killpg(self.0, signal);
        }
    }

    /// Asks all of it to end. False where nobody is there to be asked.
    pub(crate) fn ask_to_end(&self) -> bool {
        killpg(self.0, Signal::SIGTERM).is_ok()
    }

    /// Ends all of it.
    pub(crate) fn end(&self) {
        let _ = killpg(self.0, Signal::SIGKILL);
    }

    /// Whether it has members beside the ended program. Unknown counts as yes.
    pub(crate) fn has_helpers(&self) -> bool {
        #[cfg(target_os = "linux")]
        {
            let Ok(all) = std::fs::read_dir("/proc") else { return true };
            let of_group = |stat: &str| {
                // pid (name) state ppid pgrp ...; the name may hold anything, so from its last parenthesis on.
                let mut fields = stat.rsplit(')').next().unwrap_or_default().split_ascii_whitespace();
                let state = fields.next().unwrap_or_default();
                state != "Z" && fields.nth(1).and_then(|f| f.parse().ok()) == Some(self.0.as_raw())
            };
            all.flatten().any(|entry| {
                std::fs::read_to_string(entry.path().join("stat")).is_ok_and(|stat| of_group(&stat))
            })
        }
        #[cfg(not(target_os = "linux"))]
        true
    }
}

#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
fn wait_for_exit(pid: Pid) {
    use nix::sys::wait::{Id, WaitPidFlag, waitid};
    let exited = WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT;
    while waitid(Id::Pid(pid), exited) == Err(nix::errno::Errno::EINTR) {}
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd")))]
fn wait_for_exit(pid: Pid) {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let Some(pid) = Pid::from_raw(pid.as_raw()) else { return };
    let exited = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while waitid(WaitId::Pid(pid), exited).err() == Some(rustix::io::Errno::INTR) {}
}

/// The exit code that tells of a program's end: its own, or 128 + n after signal n.
pub(crate) fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|n| 128 + n)).unwrap_or(1);
    u8::try_from(code & 0xff).unwrap_or(1)
}
