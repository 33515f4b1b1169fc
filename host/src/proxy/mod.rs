//! The proxy: between one client and one upstream server over standard input and output.
//!
//! Two threads relay raw lines, one in each direction; a third, the clerk, does what nobody may wait for: time-outs,
//! messages to a client that is slow to read, calls that waited for the tool list. State lies behind one mutex that is
//! never held while anything is read, written, judged or run.

mod ask;
mod catalog;
mod clerk;
mod client;
mod downstream;
mod ending;
mod from_server;
mod listing;
mod outcome;
mod reading;
mod relist;
mod retry;
mod rounds;
mod run;
mod server;
mod splice;
mod state;
mod upstream;
mod wire;

pub(crate) use ask::MOST_QUESTIONS;
pub(crate) use ending::Event;
pub(crate) use run::{Ends, session};
pub use run::{RunOptions, run};
pub(crate) use wire::{cancelled_call as cancelled_message, error as error_message};

use crate::audit::Audit;
use crate::judge::Judge;
use bouncer_core::line::Limits;
use clerk::Job;
use downstream::Downstream;
use state::State;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::Sender;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use upstream::Upstream;

/// Everything that the threads of one proxy share.
#[derive(Debug)]
pub(crate) struct Relay {
    pub(crate) judge: Judge,
    pub(crate) audit: Audit,
    pub(crate) up: Upstream,
    pub(crate) down: Downstream,
    pub(crate) clerk: Sender<Job>,
    pub(crate) state: Mutex<State>,
    pub(crate) limits: Limits,
    pub(crate) ask_timeout: Duration,
    pub(crate) list_timeout: Duration,
    /// What Bouncer's own ids begin with: random, so that neither side can collide with one or guess it.
    pub(crate) prefix: String,
    /// The clerk knows that something waits to be indexed.
    pub(crate) indexing: AtomicBool,
}

impl Relay {
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A fresh id for a request of Bouncer's own.
    pub(crate) fn own_id(&self, state: &mut State) -> String {
        state.own_ids += 1;
        format!("{}{}", self.prefix, state.own_ids)
    }

    /// Wakes the clerk, because the time of his next duty may have changed.
    pub(crate) fn wake_clerk(&self) {
        let _ = self.clerk.send(Job::Look);
    }
}

/// 128 random bits in hexadecimal.
pub(crate) fn random() -> Result<String, getrandom::Error> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|b| format!("{b:02x}")).collect())
}
