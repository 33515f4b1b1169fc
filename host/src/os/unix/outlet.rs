//! This process's own ends, and whether anybody reads what is written to a file: by `poll`.

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::fs::File;
use std::io;
use std::os::fd::AsFd;

/// A pipe that reports room takes at least this many bytes without blocking (POSIX: `PIPE_BUF` is at least 512; 4096 on
/// Linux).
const AT_ONCE: usize = if cfg!(target_os = "linux") { 4096 } else { 512 };

/// Standard input and output as files.
pub(crate) fn standard_ends() -> io::Result<(File, File)> {
    let input = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let output = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    Ok((input, output))
}

/// Whether somebody can still read what is written.
pub(crate) fn has_reader(out: &File) -> bool {
    let mut fds = [PollFd::new(out.as_fd(), PollFlags::POLLOUT)];
    match poll(&mut fds, PollTimeout::ZERO) {
        Ok(_) => !is_gone(&fds),
        Err(_) => true,
    }
}

/// Whether the other end was closed: an error on a pipe, a hang-up on a socket (Node's pipes are sockets).
fn is_gone(fds: &[PollFd<'_>]) -> bool {
    let gone = PollFlags::POLLERR | PollFlags::POLLHUP | PollFlags::POLLNVAL;
    fds.iter().any(|fd| fd.revents().is_some_and(|r| r.intersects(gone)))
}

/// Waits until nobody can read any more what is written to `out`: a killed client is noticed so even while the server is
/// silent and reads nothing.
pub(crate) fn wait_until_gone(out: &File) {
    loop {
        let mut fds = [PollFd::new(out.as_fd(), PollFlags::empty())];
        match poll(&mut fds, PollTimeout::NONE) {
            Ok(_) if is_gone(&fds) => return,
            // Reported without a reason: look again, but do not spin.
            Ok(_) => std::thread::sleep(std::time::Duration::from_secs(1)),
            Err(nix::errno::Errno::EINTR) => {}
            Err(_) => std::thread::park(),
        }
    }
}

/// Whether `bytes` bytes can be written now without waiting.
pub(crate) fn has_room(out: &File, bytes: usize) -> bool {
    if bytes > AT_ONCE {
        return false;
    }
    let mut fds = [PollFd::new(out.as_fd(), PollFlags::POLLOUT)];
    let room = poll(&mut fds, PollTimeout::ZERO);
    room.is_ok() && fds.iter().any(|fd| fd.revents().is_some_and(|r| r.contains(PollFlags::POLLOUT)))
}

/// Waits after a write that found no room, on a descriptor that somebody else made non-blocking.
pub(crate) fn wait_for_room(out: &File) {
    let mut fds = [PollFd::new(out.as_fd(), PollFlags::POLLOUT)];
    let _ = poll(&mut fds, PollTimeout::NONE);
}
