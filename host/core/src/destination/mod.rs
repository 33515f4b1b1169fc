//! Typed destinations: what a kind is, its canonical form, and the trust patterns that cannot be fooled.
//!
//! Two readings never mix: [`read`] takes one *argument* apart and fails closed (what it cannot read stays one
//! destination of kind [`Kind::Unknown`], which only an exact entry vouches for), [`find_in_text`] looks for
//! destinations in prose. Nothing here resolves names, follows redirects or asks a network.

mod account;
mod email;
mod find;
mod host;
mod name;
mod path;
mod pattern;
mod phone;
mod reference;
mod repository;
mod url;

#[cfg(test)]
mod tests;

use std::fmt;

pub use find::{Found, find_in_text, find_with_places};
pub(crate) use find::{find_accounts, find_phones};
pub use pattern::TrustPattern;

pub(crate) use self::host::{is_certain as is_certain_host, may_be as may_be_host, parents};
pub(crate) use self::name::bare as bare_name;
pub(crate) use self::repository::of_url as repositories_of;
pub(crate) use self::url::parts as url_parts;

/// What kind of party or place a destination is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A mail address.
    Email,
    /// A web address, or any other URL.
    Url,
    /// A host name or IP address, perhaps with a port.
    Host,
    /// A telephone number.
    Phone,
    /// A channel, room or list of a chat system.
    Channel,
    /// A user of some system, by name, handle or id.
    User,
    /// A repository: `owner/name`.
    Repository,
    /// A bank account, card or wallet.
    Account,
    /// A file path.
    Path,
    /// An opaque id: of a document, a thread, a page.
    Reference,
    /// Not recognised: only exact entries vouch for it.
    Unknown,
}

/// Every kind with the word that policy files and audit lines use.
const WORDS: [(Kind, &str); 11] = [
    (Kind::Email, "email"),
    (Kind::Url, "url"),
    (Kind::Host, "host"),
    (Kind::Phone, "phone"),
    (Kind::Channel, "channel"),
    (Kind::User, "user"),
    (Kind::Repository, "repository"),
    (Kind::Account, "account"),
    (Kind::Path, "path"),
    (Kind::Reference, "reference"),
    (Kind::Unknown, "unknown"),
];

impl Kind {
    /// The word used in policy files, modules and audit lines.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        WORDS.iter().find(|(k, _)| *k == self).map_or("unknown", |(_, w)| w)
    }

    /// The kind of that word, in any case.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        WORDS.iter().find(|(_, w)| w.eq_ignore_ascii_case(word.trim())).map(|(k, _)| *k)
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
    /// What kind it is.
    pub kind: Kind,
    /// As written in the call (one element of a list, one address of `A <a@x>, b@y`).
    pub raw: String,
    /// The form that look-ups, approvals and allowlists compare.
    pub canonical: String,
    /// JSON pointer of the argument it stands in.
    pub argument: String,
}

impl Destination {
    pub(crate) fn new(kind: Kind, raw: &str, canonical: String, argument: &str) -> Self {
        Self { kind, raw: raw.to_owned(), canonical, argument: argument.to_owned() }
    }

    /// What cannot be read: vouched for only by the very same text.
    pub(crate) fn unknown(raw: &str, argument: &str) -> Self {
        Self::new(Kind::Unknown, raw, raw.trim().to_owned(), argument)
    }
}

/// Takes one argument text apart into its destinations: `a@x, B <b@y>` is two. `Kind::Unknown` is recognised by form
/// (email, url, phone ... else Unknown). Never returns nothing for a text that is not blank: what cannot be read is one
/// destination of kind Unknown (fail closed).
#[must_use]
pub fn read(kind: Kind, text: &str, argument: &str) -> Vec<Destination> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    if kind == Kind::Unknown {
        return read_unknown(text, argument);
    }
    let mut out: Vec<Destination> = Vec::new();
    if kind == Kind::Email {
        for piece in email::split(text) {
            push(
                &mut out,
                match piece {
                    email::Piece::Address { raw, canonical } => {
                        Destination::new(Kind::Email, &raw, canonical, argument)
                    }
                    email::Piece::Other(raw) => read_other(&raw, argument),
                },
            );
        }
        hidden(text, argument, &mut out);
    } else {
        for piece in split_list(kind, text) {
            push(
                &mut out,
                match canonical(kind, piece) {
                    Some(c) => Destination::new(kind, piece, c, argument),
                    None => Destination::unknown(piece, argument),
                },
            );
        }
    }
    if out.is_empty() {
        out.push(Destination::unknown(text, argument));
    }
    out
}

/// What a mailer that does not know quoting makes of a list: it splits at every separator, and delivers to an address
/// that stands in a display name or a comment. Encoded words and encoded line ends may hold anything.
fn hidden(text: &str, argument: &str, out: &mut Vec<Destination>) {
    let separators = text.matches([',', ';', '\n', '\r']).count();
    if separators >= out.len() && text.contains(['"', '(']) {
        for found in find_in_text(text) {
            if found.kind == Kind::Email && !out.iter().any(|d| d.canonical == found.canonical) {
                push(out, Destination::new(Kind::Email, &found.raw, found.canonical, argument));
            }
        }
    }
    let lower = text.to_ascii_lowercase();
    if lower.contains("=?") || lower.contains("%0d") || lower.contains("%0a") {
        push(out, Destination::unknown(text, argument));
    }
}

/// The form of one value (not a list) of that kind that is compared; `None` where it cannot be read as that kind.
#[must_use]
pub fn canonical(kind: Kind, text: &str) -> Option<String> {
    match kind {
        Kind::Email => email::canonical(text),
        Kind::Url => url::canonical(text),
        Kind::Host => host::canonical(text),
        Kind::Phone => phone::canonical(text),
        Kind::Channel | Kind::User => name::canonical(text),
        Kind::Repository => repository::canonical(text),
        Kind::Account => account::canonical(text),
        Kind::Path => path::canonical(text),
        Kind::Reference => reference::canonical(text),
        Kind::Unknown => Some(text.trim().to_owned()).filter(|t| !t.is_empty()),
    }
}

fn push(out: &mut Vec<Destination>, destination: Destination) {
    if !out.iter().any(|d| d.kind == destination.kind && d.canonical == destination.canonical) {
        out.push(destination);
    }
}

/// Whether a destination found in somebody's words is surely meant as one: a host without its scheme may be a file.
pub(crate) fn is_surely_meant(found: &Destination) -> bool {
    match found.kind {
        Kind::Host => host::is_meant(&found.raw),
        Kind::Url if !found.raw.contains("://") => {
            found.raw.split(['/', '?', '#']).next().is_some_and(host::is_meant)
        }
        _ => true,
    }
}

/// What a list of addresses holds that is no address: another form, or unknown.
fn read_other(raw: &str, argument: &str) -> Destination {
    match sure_kind(raw) {
        Some((kind, canonical)) => Destination::new(kind, raw, canonical, argument),
        None => Destination::unknown(raw, argument),
    }
}

fn read_unknown(text: &str, argument: &str) -> Vec<Destination> {
    if let Some((kind, canonical)) = sure_kind(text) {
        let mut out = vec![Destination::new(kind, text.trim(), canonical, argument)];
        if kind == Kind::Email {
            hidden(text, argument, &mut out);
        }
        return out;
    }
    // A list of addresses: only where every piece is one, otherwise the text stays whole.
    if text.contains('@') {
        let pieces = read(Kind::Email, text, argument);
        if pieces.iter().all(|d| d.kind == Kind::Email) {
            return pieces;
        }
    }
    let pieces = split_list(Kind::Url, text);
    if pieces.len() > 1 {
        let known: Vec<_> = pieces.iter().map(|p| (p, sure_kind(p))).collect();
        if known.iter().all(|(_, k)| k.is_some()) {
            let mut out = Vec::new();
            for (piece, kind) in known {
                if let Some((kind, canonical)) = kind {
                    push(&mut out, Destination::new(kind, piece, canonical, argument));
                }
            }
            return out;
        }
    }
    vec![Destination::unknown(text, argument)]
}

/// The kind that the form alone makes certain.
pub(crate) fn sure_kind(text: &str) -> Option<(Kind, String)> {
    let text = text.trim();
    if let [email::Piece::Address { canonical, .. }] = email::split(text).as_slice() {
        return Some((Kind::Email, canonical.clone()));
    }
    if text.contains("://") || text.starts_with("//") || text.to_ascii_lowercase().starts_with("www.") {
        return url::canonical(text).map(|c| (Kind::Url, c));
    }
    if let Some(iban) = account::iban(text) {
        return Some((Kind::Account, iban));
    }
    if text.starts_with('+') || text.starts_with("tel:") {
        return phone::canonical(text).map(|c| (Kind::Phone, c));
    }
    if host::is_certain(text) {
        return host::canonical(text).map(|c| (Kind::Host, c));
    }
    None
}

/// Splits a list in one string. Names may hold spaces, so only separators split; a URL may hold commas, so those
/// split only where white space or another URL follows.
fn split_list(kind: Kind, text: &str) -> Vec<&str> {
    let whole = |t: &str| t.trim().is_empty();
    let mut pieces: Vec<&str> = match kind {
        Kind::Url => split_urls(text),
        Kind::Path | Kind::Reference => text.split('\n').collect(),
        _ => text.split([',', ';', '\n', '\r']).collect(),
    };
    pieces.retain(|p| !whole(p));
    pieces.into_iter().map(str::trim).collect()
}

fn split_urls(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    for word in text.split_whitespace() {
        let mut rest = word;
        while let Some(at) = next_url(rest) {
            let (head, tail) = rest.split_at(at);
            out.push(head.trim_end_matches([',', ';', '|']));
            rest = tail;
        }
        out.push(rest.trim_end_matches([',', ';']));
    }
    out
}

/// Where in `text`, after its start, another URL begins behind a separator.
fn next_url(text: &str) -> Option<usize> {
    text.match_indices([',', ';', '|']).map(|(i, _)| i + 1).find(|i| {
        let rest = text.get(*i..).unwrap_or("");
        let scheme = rest.find("://").and_then(|n| rest.get(..n)).unwrap_or("");
        !scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+.-".contains(c))
            || rest.starts_with("www.")
    })
}
