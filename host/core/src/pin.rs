//! Pinning: a canonical hash of a tool's whole definition, and what a pin's state means for a call.

/// How the called tool stands to what was recorded of its server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pin {
    /// Listed by the server, with the definition that was recorded.
    Known,
    /// Never listed: there is no definition to judge by.
    Unknown,
    /// Listed with another definition than the recorded one, not yet accepted by a person.
    Changed {
        /// What changed, in words: `description, inputSchema`.
        what: String,
    },
}
