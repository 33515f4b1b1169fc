//! Resources: what a server lists of them, and which parts of another address name somebody who would hear of it.
//!
//! An address that the server listed tells it nothing new. One that a client (so, an agent) put together may carry a host,
//! a link or a mail address to a server that goes there. Nothing here looks anything up.

#[cfg(test)]
mod tests;

use crate::destination::{Destination, Kind, find_in_text, is_certain_host, may_be_host, read};
use std::collections::BTreeSet;

/// So many entries are kept of one server's lists.
const MOST: usize = 100_000;
/// How often percent escapes within percent escapes are undone.
const ROUNDS: usize = 4;
/// Schemes whose host is reached over the net, whatever it looks like.
const NET: [&str; 14] = [
    "http", "https", "ws", "wss", "ftp", "ftps", "sftp", "ssh", "git", "smb", "ldap", "ldaps", "gopher",
    "dav",
];

/// What a server has listed of its resources.
#[derive(Debug, Clone, Default)]
pub struct Resources {
    addresses: BTreeSet<String>,
    templates: BTreeSet<String>,
}

impl Resources {
    /// A resource that the server listed.
    pub fn add(&mut self, uri: &str) {
        if self.addresses.len() < MOST {
            self.addresses.insert(uri.to_owned());
        }
    }

    /// A template that the server listed.
    pub fn add_template(&mut self, template: &str) {
        if self.templates.len() < MOST {
            self.templates.insert(template.to_owned());
        }
    }

    /// The destinations that a request for `uri` may lead to: none for what is listed.
    #[must_use]
    pub fn destinations(&self, uri: &str, argument: &str) -> Vec<Destination> {
        if self.addresses.contains(uri) {
            return Vec::new();
        }
        let Some(fixed) = self.templates.iter().filter_map(|t| fixed_part(t, uri)).max() else {
            return parts(uri, argument);
        };
        let mut found = Vec::new();
        inside(uri.get(fixed..).unwrap_or(uri), argument, &mut found);
        found
    }

    /// As [`Self::destinations`], for the template that a completion is asked for.
    #[must_use]
    pub fn destinations_of_template(&self, template: &str, argument: &str) -> Vec<Destination> {
        if self.templates.contains(template) { Vec::new() } else { self.destinations(template, argument) }
    }
}

/// The length of the text before a template's first variable, where that text names the host to its end and `uri`
/// begins with it: whatever stands in the variables, the request goes to that host.
fn fixed_part(template: &str, uri: &str) -> Option<usize> {
    let literal = template.split('{').next().unwrap_or_default();
    let (_, after) = literal.split_once("://")?;
    (after.contains(['/', '?', '#']) && uri.starts_with(literal)).then_some(literal.len())
}

fn parts(uri: &str, argument: &str) -> Vec<Destination> {
    let mut found = Vec::new();
    let uri = uri.trim();
    let Some((scheme, after)) = uri.split_once("://") else {
        inside(uri, argument, &mut found);
        return found;
    };
    let end = after.find(['/', '\\', '?', '#']).unwrap_or(after.len());
    let (authority, rest) = after.split_at(end);
    let decoded = decoded(authority);
    let host = decoded.rsplit('@').next().unwrap_or_default();
    let net = NET.iter().any(|s| scheme.eq_ignore_ascii_case(s.trim()));
    if net || decoded.contains('@') || may_be_host(host) {
        add(read(Kind::Url, uri, argument), &mut found);
    }
    inside(rest, argument, &mut found);
    found
}

/// Links, mail addresses and whole segments that are a host, in what is left of an address once its own host is gone.
fn inside(text: &str, argument: &str, found: &mut Vec<Destination>) {
    let mut text = text.to_owned();
    for _ in 0..ROUNDS {
        let named = find_in_text(&text).into_iter().filter(|d| matches!(d.kind, Kind::Url | Kind::Email));
        add(named.map(|d| Destination { argument: argument.to_owned(), ..d }), found);
        let segments = text.split(['/', '\\', '?', '#', '&', '=', ';', ',', ':', '|']);
        for segment in segments.filter(|s| is_certain_host(s)) {
            add(read(Kind::Host, segment, argument), found);
        }
        let next = decoded(&text);
        if next == text {
            return;
        }
        text = next;
    }
}

fn add(more: impl IntoIterator<Item = Destination>, found: &mut Vec<Destination>) {
    for one in more {
        // The host of a link is no second destination.
        let known = |d: &Destination| {
            d.canonical == one.canonical
                || one.kind == Kind::Host && d.kind == Kind::Url && d.canonical.contains(&one.canonical)
        };
        if !found.iter().any(known) {
            found.push(one);
        }
    }
}

/// Percent escapes undone once; what is no text then stays as it is.
fn decoded(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = (*first == b'%').then(|| {
            let digits = std::str::from_utf8(after.get(..2)?).ok()?;
            digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u8::from_str_radix(digits, 16).ok())?
        });
        match escaped.flatten() {
            Some(byte) => {
                out.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                out.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}
