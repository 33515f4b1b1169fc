//! Typed destinations: what a kind is, its canonical form, and the trust patterns that cannot be fooled.
#![allow(clippy::todo, missing_docs)]
use std::fmt;

/// What kind of party or place a destination is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    Email,
    Url,
    Host,
    Phone,
    Channel,
    User,
    Repository,
    Account,
    Path,
    Reference,
    Unknown,
}
impl Kind {
    pub fn as_str(self) -> &'static str {
        todo!()
    }
    pub fn parse(word: &str) -> Option<Self> {
        let _ = word;
        todo!()
    }
}
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One destination of a call.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Destination {
    pub kind: Kind,
    /// As written in the call (one element of a list, one address of `A <a@x>, b@y`).
    pub raw: String,
    /// The form that look-ups, approvals and allowlists compare.
    pub canonical: String,
    /// JSON pointer of the argument it stands in.
    pub argument: String,
}

/// Takes one argument text apart into its destinations: `a@x, B <b@y>` is two. `Kind::Unknown` is recognised by form
/// (email, url, phone ... else Unknown). Never returns nothing for a text that is not blank: what cannot be read is one
/// destination of kind Unknown (fail closed).
pub fn read(kind: Kind, text: &str, argument: &str) -> Vec<Destination> {
    let _ = (kind, text, argument);
    todo!()
}

/// A `trusted_destinations` entry: an exact value, or `*@corp.com`, `*.corp.com`, an origin or URL prefix ending in `/*`, `owner/*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustPattern {
    text: String,
}
impl TrustPattern {
    pub fn parse(text: &str) -> Result<Self, String> {
        let _ = text;
        todo!()
    }
    pub fn as_str(&self) -> &str {
        &self.text
    }
    pub fn vouches(&self, destination: &Destination) -> bool {
        let _ = destination;
        todo!()
    }
}
