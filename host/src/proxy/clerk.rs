//! The clerk: one thread for what nobody else may wait for. It sleeps until it is told something or a time comes.

use super::Relay;
use super::ask::PROGRESS;
use super::outcome::How;
use super::state::{Asked, Listing, Parked};
use super::wire;
use crate::session::Backlog;
use bouncer_core::permit::Permit;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// What the clerk is told.
#[derive(Debug)]
pub(crate) enum Job {
    /// A line for the client, newline included.
    Write(Vec<u8>),
    /// A request of Bouncer's own for the server.
    Own(Permit),
    /// The tool list is there: judge the calls that waited for it.
    Release,
    /// Make ready what the next call needs.
    Prepare,
    /// Something was recorded and waits to be indexed.
    Index,
    /// Look at the time again.
    Look,
    /// The session is over.
    End,
}

/// How long nothing may have come before the clerk takes the time to index.
const QUIET: Duration = Duration::from_millis(3);
/// What indexing a byte takes, about. Nothing is begun that takes longer than it has been quiet: the next answer would wait
/// for it.
const BYTE: Duration = Duration::from_nanos(16);

/// How long after its beginning a session is taken to have started.
const STARTED: Duration = Duration::from_secs(1);

/// When to index, and how much had come at the last look.
struct Indexing {
    at: Instant,
    seen: usize,
}

impl Indexing {
    fn soon(backlog: Backlog) -> Self {
        let takes = BYTE.saturating_mul(u32::try_from(backlog.next).unwrap_or(u32::MAX));
        Self { at: Instant::now() + QUIET.max(takes), seen: backlog.came }
    }
}

impl Relay {
    /// Works until the session is over.
    pub(crate) fn clerk(&self, jobs: &Receiver<Job>) {
        let mut indexing: Option<Indexing> = None;
        let mut started = Some(Instant::now() + STARTED);
        loop {
            let mut next = self.next_duty();
            let mut not_after = |at: Instant| next = next.min(at.saturating_duration_since(Instant::now()));
            indexing.iter().for_each(|indexing| not_after(indexing.at));
            started.iter().for_each(|at| not_after(*at));
            match jobs.recv_timeout(next) {
                Ok(Job::Write(line)) => self.down.write_left(&line),
                Ok(Job::Own(permit)) => {
                    self.pass(permit);
                    let _ = self.send();
                }
                Ok(Job::Release) => self.release(),
                Ok(Job::Prepare) => self.judge.prepare(),
                Ok(Job::Index) => indexing = Some(Indexing { at: Instant::now() + QUIET, seen: 0 }),
                Ok(Job::Look) | Err(RecvTimeoutError::Timeout) => {}
                Ok(Job::End) | Err(RecvTimeoutError::Disconnected) => return,
            }
            self.keep_time();
            if started.take_if(|at| *at <= Instant::now()).is_some() {
                crate::os::give_back_start();
            }
            if indexing.as_ref().is_some_and(|i| i.at <= Instant::now()) {
                indexing = self.index(indexing.map_or(0, |i| i.seen));
            }
        }
    }

    /// Indexes one answer, unless more came since the last look: then the relay has better things to do.
    fn index(&self, seen: usize) -> Option<Indexing> {
        let session = self.judge.session();
        match session.backlog() {
            Some(backlog) if backlog.came != seen => Some(Indexing::soon(backlog)),
            Some(_) => session.index_one().map(|left| Indexing { at: Instant::now(), seen: left.came }),
            None => None,
        }
        .or_else(|| {
            self.indexing.store(false, Ordering::Release);
            // What came in between was not told.
            session.backlog().map(Indexing::soon)
        })
    }

    fn next_duty(&self) -> Duration {
        let state = self.state();
        let mut next: Option<Instant> = None;
        let mut consider = |at: Instant| next = Some(next.map_or(at, |n| n.min(at)));
        for asked in state.asked.values() {
            consider(asked.until);
            if let Some((_, step)) = &asked.progress {
                consider(asked.since + PROGRESS * step.saturating_add(1));
            }
        }
        state.parked.values().for_each(|parked| consider(parked.until));
        if let (Listing::Running(pages), false) = (&state.listing, state.waiting.is_empty()) {
            consider(pages.since + self.list_timeout);
        }
        if let Some(since) = state.catalog.since() {
            consider(since + self.list_timeout);
        }
        next.map_or(Duration::from_secs(3600), |at| at.saturating_duration_since(Instant::now()))
    }

    fn keep_time(&self) {
        let now = Instant::now();
        let (late, forgotten, progress, stuck) = {
            let mut state = self.state();
            let late: Vec<String> =
                state.asked.iter().filter(|(_, a)| a.until <= now).map(|(k, _)| k.clone()).collect();
            let late: Vec<(String, Asked)> = late
                .into_iter()
                .filter_map(|key| state.asked.remove(&key).map(|asked| (key, asked)))
                .collect();
            let old: Vec<String> =
                state.parked.iter().filter(|(_, p)| p.until <= now).map(|(k, _)| k.clone()).collect();
            let forgotten: Vec<Parked> =
                old.into_iter().filter_map(|key| state.parked.remove(&key)).collect();
            let mut progress = Vec::new();
            for asked in state.asked.values_mut() {
                if let Some((token, step)) = &mut asked.progress
                    && asked.since + PROGRESS * step.saturating_add(1) <= now
                {
                    *step += 1;
                    progress.push(wire::progress(token, *step));
                }
            }
            let stuck = matches!(&state.listing, Listing::Running(p) if p.since + self.list_timeout <= now)
                && !state.waiting.is_empty();
            (late, forgotten, progress, stuck)
        };
        for (own, asked) in late {
            self.down.send(wire::cancelled(&own, "not answered in time"));
            self.give_up(
                &asked.call,
                &asked.ruling,
                "a human was asked and did not answer in time",
                asked.since.elapsed(),
            );
        }
        for parked in forgotten {
            self.record_forgotten(&parked);
        }
        for message in progress {
            self.down.send(message);
        }
        if self.state().catalog.since().is_some_and(|since| since + self.list_timeout <= now) {
            self.state().catalog.stop();
            self.release();
        }
        if stuck {
            self.no_tools("the server did not list them in time");
        }
    }

    /// A question of the 2026 revision that nobody came back to: there is no request to answer, only the record.
    fn record_forgotten(&self, parked: &Parked) {
        let reason = format!("{}; a human was asked and did not answer in time", parked.ruling.reason);
        let how = How {
            modern: true,
            reason: &reason,
            contract: parked.ruling.contract.as_str(),
            ruling: Some(&parked.ruling),
            took: self.ask_timeout,
        };
        let null = bouncer_core::call::Id::from_json("null");
        let _ = self.record(&null, &parked.tool, Some(&parked.arguments), "deny", &how);
    }

    /// The client is gone: what waits for it is denied, in the log.
    pub(crate) fn close_questions(&self) {
        let (asked, parked) = {
            let mut state = self.state();
            (std::mem::take(&mut state.asked), std::mem::take(&mut state.parked))
        };
        for asked in asked.into_values() {
            self.give_up(
                &asked.call,
                &asked.ruling,
                "the client left before a human decided",
                asked.since.elapsed(),
            );
        }
        parked.values().for_each(|p| self.record_forgotten(p));
    }
}
