//! What the core needs to know of the world to judge one call: one snapshot, gathered by the host.

use crate::destination::Destination;
use crate::evidence::Evidence;
use crate::pin::Pin;
use std::collections::BTreeMap;

/// Looks a destination up in what the session has seen, heard from the user, and approved.
pub trait Provenance {
    /// All that is known of `destination` for a call of `tool` on `server`. Approvals need not be in it: the core looks
    /// them up by key, see [`Provenance::approved_finding`].
    fn evidence(&self, server: &str, tool: &str, destination: &Destination) -> Evidence;

    /// Whether a human said yes, for the session, to the question with exactly this `key` about this tool.
    fn approved_finding(&self, server: &str, tool: &str, key: &str) -> bool;
}

/// One snapshot of the world for one judgement.
pub struct Facts<'a> {
    /// The user's name for the server.
    pub server: &'a str,
    /// How the tool stands to what was recorded.
    pub pin: &'a Pin,
    /// How many calls of this tool the session has attempted, this one included.
    pub attempts: u64,
    /// For each path value that [`crate::decide::paths_of`] names: where it leads, absolute, `..` and the
    /// symlinks of its longest existing ancestor resolved. A value that is missing here could not be resolved.
    pub resolved_paths: &'a BTreeMap<String, String>,
    /// Provenance and approvals.
    pub provenance: &'a dyn Provenance,
    /// Approvals for this one call only (`allow once`), by question key.
    pub once: &'a [String],
}
