//! What the session knows of a destination: who vouched for it, and where it was seen.

use crate::verdict::Trust;

/// Whether a value was a whole field of a structured answer or stood inside a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// A whole field of a directory: what only the user or their organisation can write.
    Directory,
    /// A whole field of another structured answer.
    Field,
    /// Inside a text that somebody wrote.
    Text,
}

/// One place where a value was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    /// The server that sent it, by the user's name for it.
    pub server: String,
    /// The tool (or `resources/read` and so on) whose answer held it.
    pub tool: String,
    /// Which of the client's calls it answered, from 1; 0 where the server sent it unasked (a greeting, a list).
    pub call: u64,
    /// Field or text.
    pub place: Place,
    /// JSON pointer into the answer; empty where it was one text.
    pub pointer: String,
    /// The words around it, control and bidi characters shown, at most 160 characters, the value between `**`.
    pub excerpt: String,
}

/// Who vouched for a destination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Vouch {
    /// An entry of `trusted_destinations`; holds the entry and where it is written.
    Allowlist(String),
    /// A human said yes in this session.
    Approval,
    /// The user typed it in a prompt of their own.
    Prompt,
}

/// All that is known of one destination. Filled by the provenance index and the approvals.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Who vouched for it, if anyone.
    pub vouch: Option<Vouch>,
    /// A sighting as a whole field of a directory.
    pub directory: Option<Sighting>,
    /// A sighting as a whole field of another structured answer.
    pub field: Option<Sighting>,
    /// A sighting inside a text.
    pub text: Option<Sighting>,
    /// It was not seen itself, but something close to it was (assembled from parts of one text, one edit away, a
    /// host under a tainted domain): what, in words, and where.
    pub near: Option<(String, Sighting)>,
    /// A URL whose host stood in a text but whose other parts did not: a channel out, in words.
    pub composed: Option<(String, Sighting)>,
    /// `text` holds this URL word for word: following it carries nothing out, it is only a visit, to be asked about
    /// where the call reads or fetches.
    pub visit: bool,
    /// It cannot be looked up reliably (too short, or older than the index reaches): why.
    pub unreliable: Option<String>,
}

impl Evidence {
    /// The trust that the table of the design gives, without the user's own loosening.
    #[must_use]
    pub fn trust(&self) -> Trust {
        if self.vouch.is_some() {
            Trust::Trusted
        } else if self.composed.is_some()
            || (self.text.is_some() && self.field.is_none() && self.directory.is_none())
        {
            Trust::Tainted
        } else if self.directory.is_some()
            && self.text.is_none()
            && self.near.is_none()
            && self.unreliable.is_none()
        {
            Trust::Trusted
        } else {
            Trust::Unproven
        }
    }
}
