//! Lines on their way into a pipe of the relay's: whole ones, one after the other.
//!
//! A task that serves a connection may be stopped at any time; so it hands over whole messages and never writes itself.

use crate::os::ToRelay;
use std::sync::{Mutex, PoisonError};
use tokio::io::AsyncWriteExt as _;
use tokio::sync::mpsc;

/// Messages that wait to be written; who reads a stream waits beyond.
const MOST_WAITING: usize = 4;

#[derive(Debug)]
pub(crate) struct Lines {
    sender: Mutex<Option<mpsc::Sender<Vec<u8>>>>,
}

impl Lines {
    /// Writes to `pipe` from now on. To be called inside of the runtime.
    pub(crate) fn start(mut pipe: ToRelay) -> Self {
        let (sender, mut lines) = mpsc::channel::<Vec<u8>>(MOST_WAITING);
        tokio::spawn(async move {
            while let Some(line) = lines.recv().await {
                if pipe.write_all(&line).await.is_err() {
                    return;
                }
            }
        });
        Self { sender: Mutex::new(Some(sender)) }
    }

    /// Hands over one message, without its line break. False where nobody takes it any more.
    pub(crate) async fn say(&self, mut line: Vec<u8>) -> bool {
        line.push(b'\n');
        let sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match sender {
            Some(sender) => sender.send(line).await.is_ok(),
            None => false,
        }
    }

    /// Nothing more will be said; what was handed over is still written.
    pub(crate) fn close(&self) {
        self.sender.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}
