//! How a session ends: whichever side goes first, the server's whole group of processes is gone afterwards, and its exit
//! code is Bouncer's.

use super::Relay;
use crate::os::{self, Group};
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
    /// A signal came; what the number means is the system's matter.
    Signal(i32),
}

/// Waits for the process without reaping it, so that its group stays its own, and tells.
pub(crate) fn watch(group: &Group, child: &Child, events: Sender<Event>) -> std::io::Result<()> {
    let wait_for_exit = group.leader(child)?;
    std::thread::spawn(move || {
        wait_for_exit();
        let _ = events.send(Event::ServerExit);
    });
    Ok(())
}

/// Lives through a session to its end, and returns how the server ended.
pub(crate) fn see_through(
    relay: &Relay,
    mut child: Child,
    group: &Group,
    events: &Receiver<Event>,
) -> std::io::Result<ExitStatus> {
    let mut end = End::default();
    loop {
        let event = match end.wait() {
            None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(time) => events.recv_timeout(time),
        };
        match event {
            Ok(Event::ServerExit) => break,
            Ok(Event::Signal(number)) => {
                group.tell(number);
                end.begin(GRACE, true);
            }
            Ok(Event::ClientEnd) => {
                let patient = relay.down.has_reader() && relay.is_busy();
                end.begin(if patient { BUSY_GRACE } else { GRACE }, false);
            }
            Ok(Event::ClientGone) => {
                relay.up.drop_now(&relay.audit);
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
    if group.ask_to_end() && group.has_helpers() {
        std::thread::sleep(SILENCE);
        group.end();
    }
    child.wait()
}

/// The same for a remote server, which has no process here. The exit code is 0, or what tells of a signal.
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
                code = os::exit_code_after(number);
                relay.up.drop_now(&relay.audit);
                end.begin(GRACE, true);
            }
            Ok(Event::ClientGone) => {
                relay.up.drop_now(&relay.audit);
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
                relay.up.drop_now(&relay.audit);
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

    fn look(&mut self, relay: &Relay, group: &Group) {
        let now = Instant::now();
        let needless = self.short.is_some_and(|s| s <= now) && !(relay.is_busy() && relay.down.has_reader());
        let is_early = self.deadline.is_some_and(|d| d > now);
        if is_early && (self.terminated || !needless) {
            return;
        }
        if self.terminated || !group.ask_to_end() {
            group.end();
        }
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
