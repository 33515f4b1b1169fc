//! Mail addresses: lists, display names, comments, quoted local parts, `mailto:`; RFC 5321/5322 as far as mailers agree.
//!
//! Where mailers disagree (two `@`, source routes, words beside a bare address) the piece is *not* an address.

use super::host;

/// One piece of an address list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// An address that every mailer reads alike.
    Address {
        /// As written, without its display name.
        raw: String,
        /// What is compared.
        canonical: String,
    },
    /// Anything else, as written.
    Other(String),
}

/// The compared form of one bare address: all in lower case (no mailbox provider tells cases apart), the domain in
/// IDNA, plus-tags and dots kept.
pub(crate) fn canonical(text: &str) -> Option<String> {
    match split(text).as_slice() {
        [Piece::Address { canonical, .. }] => Some(canonical.clone()),
        _ => None,
    }
}

fn bare(text: &str) -> Option<String> {
    let text = text.trim();
    let (local, domain) = text.rsplit_once('@')?;
    let local = match local.strip_prefix('"').and_then(|l| l.strip_suffix('"')) {
        Some(quoted) if quoted.chars().all(is_atom) && !quoted.is_empty() => quoted.to_owned(),
        Some(_) => return None,
        None if local.is_empty() || !local.chars().all(is_atom) => return None,
        None => local.to_owned(),
    };
    // `user%other.host@relay` and bang paths route onwards: not a mailbox at `relay`.
    if local.contains(['%', '!']) || local.len() > 64 * 4 {
        return None;
    }
    let domain = match domain.strip_prefix('[').and_then(|d| d.strip_suffix(']')) {
        Some(literal) => {
            let literal = literal.strip_prefix("IPv6:").unwrap_or(literal);
            format!("[{}]", host::canonical(literal)?.trim_start_matches('[').trim_end_matches(']'))
        }
        None => host::canonical(domain).filter(|d| !d.contains([':', '[']))?,
    };
    Some(format!("{}@{domain}", local.to_lowercase()))
}

fn is_atom(c: char) -> bool {
    c.is_alphanumeric()
        || "!#$%&'*+-/=?^_`{|}~.".contains(c)
        || (!c.is_ascii() && !c.is_whitespace() && !c.is_control())
}

/// Takes a list of addresses apart. Quoted strings and comments hide separators; an address in a display name is
/// not a destination unless it stands unquoted beside the angle brackets, where mailers may disagree.
pub(crate) fn split(text: &str) -> Vec<Piece> {
    let trimmed = text.trim();
    if trimmed.get(..7).is_some_and(|p| p.eq_ignore_ascii_case("mailto:")) {
        return mailto(trimmed.get(7..).unwrap_or(""));
    }
    let mut out = Vec::new();
    for piece in pieces(text) {
        one(&piece, &mut out);
    }
    out
}

struct RawPiece {
    /// As written.
    raw: String,
    /// Outside of angle brackets, quotes kept only where they belong to an address, comments gone.
    outside: String,
    /// The text of each angle bracket.
    angles: Vec<String>,
    broken: bool,
}

fn pieces(text: &str) -> Vec<RawPiece> {
    let fresh = || RawPiece { raw: String::new(), outside: String::new(), angles: Vec::new(), broken: false };
    let mut out = Vec::new();
    let mut now = fresh();
    let (mut quoted, mut escaped, mut comment, mut angle) = (false, false, 0_u32, false);
    for c in text.chars() {
        let top = !quoted && comment == 0 && !angle;
        if top && matches!(c, ',' | ';' | '\n' | '\r') {
            out.push(std::mem::replace(&mut now, fresh()));
            continue;
        }
        now.raw.push(c);
        if escaped {
            escaped = false;
        } else if c == '\\' && (quoted || comment > 0) {
            escaped = true;
        } else if c == '"' && comment == 0 {
            quoted = !quoted;
        } else if !quoted && c == '(' {
            comment += 1;
            continue;
        } else if !quoted && c == ')' && comment > 0 {
            comment -= 1;
            continue;
        } else if top && c == '<' {
            angle = true;
            now.angles.push(String::new());
            continue;
        } else if angle && !quoted && c == '>' {
            angle = false;
            continue;
        }
        if comment > 0 {
            continue;
        }
        if angle {
            if let Some(last) = now.angles.last_mut() {
                last.push(c);
            }
        } else {
            now.outside.push(c);
        }
    }
    now.broken = quoted || comment > 0 || angle;
    out.push(now);
    out.retain(|p| !p.raw.trim().is_empty());
    out
}

fn one(piece: &RawPiece, out: &mut Vec<Piece>) {
    let other = |raw: &str| Piece::Other(raw.trim().to_owned());
    if piece.broken {
        return out.push(other(&piece.raw));
    }
    // `Team: a@x, b@y;` names a group: the word before the colon is no address.
    let outside = match piece.outside.split_once(':') {
        Some((group, rest)) if !group.contains('@') && rest.contains('@') => rest,
        _ => piece.outside.as_str(),
    }
    .trim();
    if piece.angles.is_empty() {
        let words: Vec<&str> = outside.split_whitespace().collect();
        if !outside.contains('"') && words.len() > 1 && words.iter().all(|w| bare(w).is_some()) {
            out.extend(words.iter().filter_map(|w| address(w)));
            return;
        }
        return out.push(address(outside).unwrap_or_else(|| other(&piece.raw)));
    }
    for angle in &piece.angles {
        let inner = angle.trim();
        let inner = inner
            .get(..7)
            .filter(|p| p.eq_ignore_ascii_case("mailto:"))
            .map_or(inner, |_| inner.get(7..).unwrap_or(""));
        out.push(address(inner).unwrap_or_else(|| other(&piece.raw)));
    }
    // Unquoted words with an `@` beside the brackets: some mailers take those for the address.
    let mut quoted = false;
    let unquoted: String = outside
        .chars()
        .filter(|c| {
            if *c == '"' {
                quoted = !quoted;
            }
            !quoted && *c != '"'
        })
        .collect();
    for word in unquoted.split_whitespace().filter(|w| w.contains('@')) {
        out.push(address(word).unwrap_or_else(|| other(word)));
    }
}

fn address(raw: &str) -> Option<Piece> {
    let raw = raw.trim();
    Some(Piece::Address { raw: raw.to_owned(), canonical: bare(raw)? })
}

/// `mailto:a@x,b@y?cc=c@z&bcc=d@w`: all of them receive it.
fn mailto(text: &str) -> Vec<Piece> {
    let (to, query) = text.split_once('?').unwrap_or((text, ""));
    let mut out = Vec::new();
    let mut add = |part: &str| {
        for piece in part.split([',', ';']) {
            let decoded = percent_decoded(piece);
            if !decoded.trim().is_empty() {
                out.extend(pieces(&decoded).iter().flat_map(|p| {
                    let mut found = Vec::new();
                    one(p, &mut found);
                    found
                }));
            }
        }
    };
    add(to);
    for field in query.split('&') {
        let (name, value) = field.split_once('=').unwrap_or((field, ""));
        if ["to", "cc", "bcc"].iter().any(|n| percent_decoded(name).eq_ignore_ascii_case(n)) {
            add(value);
        }
    }
    out
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((b, tail)) = rest.split_first() {
        let hex = (*b == b'%').then(|| tail.get(..2)).flatten();
        let byte = hex.and_then(|h| std::str::from_utf8(h).ok()).and_then(|h| u8::from_str_radix(h, 16).ok());
        bytes.push(byte.unwrap_or(*b));
        rest = if byte.is_some() { tail.get(2..).unwrap_or(&[]) } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
