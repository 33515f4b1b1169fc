//! How a session ends: whichever side goes first, the server's whole process group is gone afterwards, and its exit code
//! is Bouncer's.

use super::Relay;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

/// How long a server may take to go after the end of its input, and again after a TERM.
const GRACE: Duration = Duration::from_secs(4);
/// How long it may take with answers outstanding that somebody still reads.
const BUSY_GRACE: Duration = Duration::from_secs(30);
/// A server that is gone may have left helpers that hold its output open: after this much silence they are ended.
const SILENCE: Duration = Duration::from_millis(300);

/// What happens to a session.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Event {
    /// The client's input ended.
    ClientEnd,
    /// The client does not read any more.
    ClientGone,
    /// The server's output ended.
    ServerEnd,
    /// The server's process ended (it is not reaped yet).
    ServerExit,
    /// A signal came.
    Signal(i32),
}

/// Waits for the process without reaping it, so that its group's number stays its own, and tells.
pub(crate) fn watch(child: &Child, events: Sender<Event>) {
    let pid = pid_of(child);
    std::thread::spawn(move || {
        wait_for_exit(pid);
        let _ = events.send(Event::ServerExit);
    });
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

/// Lives through a session to its end, and returns how the server ended.
pub(crate) fn see_through(
    relay: &Relay,
    mut child: Child,
    events: &Receiver<Event>,
) -> std::io::Result<ExitStatus> {
    let group = pid_of(&child);
    let mut end = End::default();
    loop {
        let event = match end.wait() {
            None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(time) => events.recv_timeout(time),
        };
        match event {
            Ok(Event::ServerExit) => break,
            Ok(Event::Signal(number)) => {
                if let Ok(signal) = Signal::try_from(number) {
                    let _ = killpg(group, signal);
                }
                end.begin(GRACE, true);
            }
            Ok(Event::ClientEnd) => {
                let patient = relay.down.has_reader() && relay.is_busy();
                end.begin(if patient { BUSY_GRACE } else { GRACE }, false);
            }
            Ok(Event::ClientGone) => {
                relay.up.drop_now();
                end.begin(GRACE, false);
            }
            Ok(Event::ServerEnd) => {
                end.output_ended = true;
                end.begin(GRACE, false);
            }
            Err(RecvTimeoutError::Timeout) => end.look(relay, group),
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    drain(relay, events, end.output_ended);
    // Helpers of the server's that are still there. Its own entry keeps the group's number from being used anew.
    if killpg(group, Signal::SIGTERM).is_ok() && has_helpers(group) {
        std::thread::sleep(SILENCE);
        let _ = killpg(group, Signal::SIGKILL);
    }
    child.wait()
}

/// The same for a remote server, which has no process here. The exit code is 0, or 128 + n after signal n.
pub(crate) fn see_through_remote(relay: &Relay, events: &Receiver<Event>) -> u8 {
    let mut end = End::default();
    let mut code = 0;
    loop {
        let event = match end.wait() {
            None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(time) => events.recv_timeout(time),
        };
        match event {
            Ok(Event::ServerEnd | Event::ServerExit) | Err(RecvTimeoutError::Disconnected) => return code,
            Ok(Event::ClientEnd) => {
                let patient = relay.down.has_reader() && relay.is_busy();
                end.begin(if patient { BUSY_GRACE } else { GRACE }, false);
            }
            Ok(Event::Signal(number)) => {
                code = u8::try_from(128 + number).unwrap_or(1);
                relay.up.drop_now();
                end.begin(GRACE, true);
            }
            Ok(Event::ClientGone) => {
                relay.up.drop_now();
                end.begin(GRACE, true);
            }
            Err(RecvTimeoutError::Timeout) => {
                let now = Instant::now();
                let needless = end.short.is_some_and(|s| s <= now) && !relay.is_busy();
                if end.deadline.is_some_and(|d| d > now) && (end.terminated || !needless) {
                    continue;
                }
                if end.terminated {
                    return code;
                }
                // Its farewell to the server takes a moment.
                relay.up.drop_now();
                end.terminated = true;
                end.deadline = Some(now + GRACE);
            }
        }
    }
}

#[derive(Debug, Default)]
struct End {
    output_ended: bool,
    deadline: Option<Instant>,
    short: Option<Instant>,
    terminated: bool,
}

impl End {
    /// A reason to end: the earlier deadline stays.
    fn begin(&mut self, grace: Duration, already_told: bool) {
        let at = Instant::now() + grace;
        self.deadline = Some(self.deadline.map_or(at, |d| d.min(at)));
        self.short.get_or_insert(Instant::now() + GRACE);
        self.terminated |= already_told;
    }

    fn wait(&self) -> Option<Duration> {
        let left = self.deadline?.saturating_duration_since(Instant::now());
        // Within a long grace, look now and then whether it is still needed.
        Some(left.min(Duration::from_millis(250)))
    }

    fn look(&mut self, relay: &Relay, group: Pid) {
        let now = Instant::now();
        let needless = self.short.is_some_and(|s| s <= now) && !(relay.is_busy() && relay.down.has_reader());
        let is_early = self.deadline.is_some_and(|d| d > now);
        if is_early && (self.terminated || !needless) {
            return;
        }
        let signal = if self.terminated { Signal::SIGKILL } else { Signal::SIGTERM };
        let _ = killpg(group, signal);
        self.terminated = true;
        self.deadline = Some(now + GRACE);
    }
}

impl Relay {
    /// Whether requests of the client's are not answered yet.
    pub(crate) fn is_busy(&self) -> bool {
        let state = self.state();
        !state.flights.is_empty() || state.calls_wait()
    }
}

/// Lets the relay pass on what the server wrote before it ended.
fn drain(relay: &Relay, events: &Receiver<Event>, mut ended: bool) {
    let mut before = relay.down.written();
    while !ended {
        match events.recv_timeout(SILENCE) {
            Ok(Event::ServerEnd) | Err(RecvTimeoutError::Disconnected) => ended = true,
            Ok(Event::ClientGone | Event::Signal(_)) => return,
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) => {
                let now = relay.down.written();
                let writing = relay.down.is_writing();
                if now == before && !(writing && relay.down.has_reader()) {
                    return;
                }
                before = now;
            }
        }
    }
}

/// Whether the group has members beside the ended leader. Unknown counts as yes.
fn has_helpers(group: Pid) -> bool {
    #[cfg(target_os = "linux")]
    {
        let Ok(all) = std::fs::read_dir("/proc") else { return true };
        let of_group = |stat: &str| {
            // pid (name) state ppid pgrp ...; the name may hold anything, so from its last parenthesis on.
            let mut fields = stat.rsplit(')').next().unwrap_or_default().split_ascii_whitespace();
            let state = fields.next().unwrap_or_default();
            state != "Z" && fields.nth(1).and_then(|f| f.parse().ok()) == Some(group.as_raw())
        };
        all.flatten()
            .any(|entry| std::fs::read_to_string(entry.path().join("stat")).is_ok_and(|stat| of_group(&stat)))
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = group;
        true
    }
}

fn pid_of(child: &Child) -> Pid {
    Pid::from_raw(i32::try_from(child.id()).unwrap_or(i32::MAX))
}
