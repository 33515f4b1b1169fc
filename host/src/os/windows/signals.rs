//! What ends a session from outside: Ctrl-C, Ctrl-Break, a closed console, the end of the user's session or the system.

use std::io;
use std::sync::mpsc::{Receiver, sync_channel};
use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close, ctrl_logoff, ctrl_shutdown};
use windows_sys::Win32::System::Console::{
    CTRL_BREAK_EVENT, CTRL_C_EVENT, CTRL_CLOSE_EVENT, CTRL_LOGOFF_EVENT, CTRL_SHUTDOWN_EVENT,
};

/// What stands for "end" where no event came.
pub(crate) const TERMINATE: i32 = CTRL_BREAK_EVENT.cast_signed();

/// Events as they come, by number.
pub(crate) struct Signals(Receiver<u32>);

impl Signals {
    /// From now on they are for the caller. Ctrl-C and Ctrl-Break end the process no more; after the others the system
    /// leaves it some seconds, and its servers end with it.
    pub(crate) fn catch() -> io::Result<Self> {
        let (send, events) = sync_channel(16);
        let (ready, begun) = sync_channel(1);
        std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
            let runtime = match tokio::runtime::Builder::new_current_thread().build() {
                Ok(runtime) => runtime,
                Err(error) => return drop(ready.send(Err(error))),
            };
            runtime.block_on(async {
                let caught = || {
                    io::Result::Ok((
                        ctrl_c()?,
                        ctrl_break()?,
                        ctrl_close()?,
                        ctrl_logoff()?,
                        ctrl_shutdown()?,
                    ))
                };
                let (mut stop, mut end, mut close, mut logoff, mut shutdown) = match caught() {
                    Ok(caught) => caught,
                    Err(error) => return drop(ready.send(Err(error))),
                };
                let _ = ready.send(Ok(()));
                loop {
                    let event = tokio::select! {
                        _ = stop.recv() => CTRL_C_EVENT,
                        _ = end.recv() => CTRL_BREAK_EVENT,
                        _ = close.recv() => CTRL_CLOSE_EVENT,
                        _ = logoff.recv() => CTRL_LOGOFF_EVENT,
                        _ = shutdown.recv() => CTRL_SHUTDOWN_EVENT,
                    };
                    if send.send(event).is_err() {
                        return;
                    }
                }
            });
        })?;
        begun.recv().map_err(io::Error::other)??;
        Ok(Self(events))
    }
}

impl Iterator for Signals {
    type Item = i32;

    /// Waits for the next one.
    fn next(&mut self) -> Option<i32> {
        self.0.recv().ok().map(u32::cast_signed)
    }
}

/// The exit code of a session that an event ended: there is no number for each here.
pub(crate) fn exit_code_after(_number: i32) -> u8 {
    1
}
