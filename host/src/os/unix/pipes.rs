//! Pipes between the asynchronous edges and the relay's threads.

use bytes::BytesMut;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use tokio::net::unix::pipe;

/// The end that an edge writes to.
pub(crate) type ToRelay = pipe::Sender;
/// The end that an edge reads from.
pub(crate) type FromRelay = pipe::Receiver;

/// A pipe towards the relay, which reads the file. To be called inside of the runtime.
pub(crate) fn to_relay() -> io::Result<(ToRelay, File)> {
    let (reader, writer) = io::pipe()?;
    Ok((pipe::Sender::from_owned_fd(OwnedFd::from(writer))?, File::from(OwnedFd::from(reader))))
}

/// A pipe from the relay, which writes to the file. Likewise.
pub(crate) fn from_relay() -> io::Result<(FromRelay, File)> {
    let (reader, writer) = io::pipe()?;
    Ok((pipe::Receiver::from_owned_fd(OwnedFd::from(reader))?, File::from(OwnedFd::from(writer))))
}

/// What is left in the pipe once the relay is over; others may hold its other end open.
pub(crate) async fn rest(pipe: &mut FromRelay, buffer: &mut BytesMut) -> io::Result<usize> {
    pipe.try_read_buf(buffer)
}
