//! What becomes of a verdict: its line in the audit log, what is sent to the server, what the client is told instead.

use super::Relay;
use super::upstream::{Allowed, Unrecorded, append};
use super::wire;
use crate::audit::{Entry, write_line};
use bouncer_core::call::Id;
use bouncer_core::permit::Permit;
use bouncer_core::ruling::Ruling;
use bouncer_core::value::Value;
use std::time::Duration;

/// The code of a refusal where there is no result of a tool to say it in.
pub(super) const INVALID_PARAMS: i32 = -32602;
const UNRECORDED: &str = "the audit log cannot be written, so nothing is forwarded";

/// How a call was decided.
#[derive(Debug, Clone, Copy)]
pub(crate) struct How<'a> {
    pub(crate) modern: bool,
    pub(crate) reason: &'a str,
    pub(crate) contract: &'a str,
    pub(crate) ruling: Option<&'a Ruling>,
    pub(crate) took: Duration,
}

impl Relay {
    /// Passes on what is not judged.
    pub(crate) fn pass(&self, permit: Permit) {
        self.forward(permit, None);
    }

    pub(super) fn forward(&self, permit: Permit, allowed: Option<Allowed>) {
        match self.up.forward(permit, allowed, &self.audit) {
            Ok(false) => {}
            Ok(true) => {
                if let Err(e) = self.send() {
                    tracing::debug!("the server does not read any more: {e}");
                }
            }
            Err(unrecorded) => self.take_back([unrecorded]),
        }
    }

    /// Sends the server what was passed on and forwarded since the last time.
    pub(crate) fn send(&self) -> std::io::Result<()> {
        // Told before the server is waited for, which may not read.
        self.record_gathered();
        let (sent, unrecorded) = self.up.flush(&self.audit);
        self.take_back(unrecorded);
        sent
    }

    /// Records the calls that are gathered for the server, and refuses those that cannot be.
    pub(crate) fn record_gathered(&self) {
        let unrecorded = self.up.record(&self.audit);
        self.take_back(unrecorded);
    }

    fn take_back(&self, unrecorded: impl IntoIterator<Item = Unrecorded>) {
        for Unrecorded { id, modern } in unrecorded {
            let how =
                How { modern, reason: UNRECORDED, contract: "default", ruling: None, took: Duration::ZERO };
            self.block_unrecorded(&id, &how);
        }
    }

    /// Refuses a call: a line in the log, and a result that tells the agent why.
    pub(crate) fn block(&self, id: &Id, tool: &str, args: Option<&Value>, how: &How<'_>) {
        let _ = self.record(id, tool, args, "deny", how);
        self.block_unrecorded(id, how);
    }

    pub(crate) fn block_unrecorded(&self, id: &Id, how: &How<'_>) {
        let flight = self.state().flights.remove(id);
        // Whoever wants a task, or calls no tool, would not understand the result of a tool.
        let result = flight.is_none_or(|f| f.tool.is_some() && (!f.task || how.modern));
        self.down.send(if result {
            wire::blocked(id, how.reason, how.modern)
        } else {
            wire::error(Some(id), INVALID_PARAMS, &format!("[bouncer blocked] {}", how.reason))
        });
    }

    /// Writes an audit line. `Err` says why nothing may be forwarded.
    pub(crate) fn record(
        &self,
        id: &Id,
        tool: &str,
        args: Option<&Value>,
        verdict: &str,
        how: &How<'_>,
    ) -> Result<(), String> {
        let written = self.append(&self.line(id, tool, args, verdict, how));
        if written { Ok(()) } else { Err(UNRECORDED.to_owned()) }
    }

    /// The audit line of a verdict.
    pub(super) fn line(
        &self,
        id: &Id,
        tool: &str,
        args: Option<&Value>,
        verdict: &str,
        how: &How<'_>,
    ) -> String {
        let grants = how.ruling.map(|_| self.judge.grants(tool)).unwrap_or_default();
        self.line_of(&Entry {
            tool,
            args,
            verdict,
            reason: how.reason,
            contract: how.contract,
            duration: how.took,
            id: Some(id.json()),
            ruling: how.ruling,
            grants: &grants,
            ..Entry::default()
        })
    }

    fn line_of(&self, entry: &Entry<'_>) -> String {
        let mut line = String::with_capacity(512);
        let (session, server) = (self.judge.session().id(), self.judge.server());
        write_line(&Entry { session, server, ..entry.clone() }, &mut line);
        line
    }

    /// Writes the audit line of what was refused without being judged.
    pub(super) fn note(&self, entry: &Entry<'_>) {
        self.append(&self.line_of(entry));
    }

    fn append(&self, line: &str) -> bool {
        self.record_gathered();
        append(&self.audit, line) == line.len()
    }
}
