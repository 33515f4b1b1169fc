//! Pipes between the asynchronous edges and the relay's threads: named ones, since others cannot be waited for by the
//! runtime. Each has a name that nobody can guess, one end, and is connected before anybody hears of it.

use bytes::BytesMut;
use std::fs::{File, OpenOptions};
use std::future::Future as _;
use std::io;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::io::AsyncReadExt as _;
use tokio::net::windows::named_pipe::{NamedPipeServer, ServerOptions};

/// The end that an edge writes to.
pub(crate) type ToRelay = NamedPipeServer;
/// The end that an edge reads from.
pub(crate) type FromRelay = NamedPipeServer;

/// Bytes that fit into a pipe.
const ROOM: u32 = 64 << 10;
/// How long the rest of what was written may take to come out of a pipe whose relay is over.
const REST: Duration = Duration::from_millis(200);

/// A pipe towards the relay, which reads the file. To be called inside of the runtime.
pub(crate) fn to_relay() -> io::Result<(ToRelay, File)> {
    connected(ServerOptions::new().access_inbound(false), OpenOptions::new().read(true))
}

/// A pipe from the relay, which writes to the file. Likewise.
pub(crate) fn from_relay() -> io::Result<(FromRelay, File)> {
    connected(ServerOptions::new().access_outbound(false), OpenOptions::new().write(true))
}

fn connected(edge: &mut ServerOptions, relay: &OpenOptions) -> io::Result<(NamedPipeServer, File)> {
    let name = format!(r"\\.\pipe\bouncer-{}", crate::proxy::random().map_err(io::Error::other)?);
    let edge = edge
        .first_pipe_instance(true)
        .max_instances(1)
        .reject_remote_clients(true)
        .in_buffer_size(ROOM)
        .out_buffer_size(ROOM)
        .create(&name)?;
    let relay = relay.open(&name)?;
    // The other end is there, so there is nothing to wait for.
    match pin!(edge.connect()).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(connected) => connected?,
        Poll::Pending => return Err(io::ErrorKind::NotConnected.into()),
    }
    Ok((edge, relay))
}

/// What is left in the pipe once the relay is over; others may hold its other end open.
pub(crate) async fn rest(pipe: &mut FromRelay, buffer: &mut BytesMut) -> io::Result<usize> {
    // Reading goes on beside us and is told of a moment later.
    tokio::time::timeout(REST, pipe.read_buf(buffer)).await?
}
