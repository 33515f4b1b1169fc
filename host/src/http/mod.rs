//! MCP over HTTP, on both sides of the relay: towards a remote server ([`upstream`]) and from clients ([`serve`]).
//!
//! Both are edges. Between them stands the same relay as over stdio, which reads and writes lines: what a client sends
//! over HTTP becomes a line and is judged as one; what goes to a remote server is a [`Permit`] and nothing else. Nothing
//! in here judges, and nothing in here rewrites a message: the bytes of a body or an event are the bytes of the line.
//!
//! The asynchronous runtime is one thread, started when the first of the two edges is used and never over stdio.
//!
//! [`Permit`]: bouncer_core::permit::Permit

pub(crate) mod line;
pub(crate) mod lines;
pub(crate) mod meta;
pub(crate) mod mirror;
pub(crate) mod serve;
pub(crate) mod side;
pub(crate) mod sse;
pub mod target;
pub(crate) mod tls;
pub(crate) mod upstream;

use std::io;
use std::sync::mpsc::sync_channel;
use std::sync::{Mutex, PoisonError};
use tokio::runtime::Handle;

/// A message from an HTTP peer beyond this is not kept and not passed on.
pub(crate) const MOST_MESSAGE: usize = 256 << 20;

/// The one runtime of this process, on a thread of its own.
pub(crate) fn runtime() -> io::Result<Handle> {
    static RUNTIME: Mutex<Option<Handle>> = Mutex::new(None);
    let mut slot = RUNTIME.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(handle) = slot.as_ref() {
        return Ok(handle.clone());
    }
    // Name look-ups are the only blocking work there is.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .max_blocking_threads(4)
        .build()?;
    let handle = runtime.handle().clone();
    let (started, wait) = sync_channel(1);
    std::thread::Builder::new().name("http".to_owned()).spawn(move || {
        runtime.block_on(async {
            let _ = started.send(());
            std::future::pending::<()>().await;
        });
    })?;
    let _ = wait.recv();
    *slot = Some(handle.clone());
    Ok(handle)
}
