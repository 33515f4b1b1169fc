//! Where addresses stand in a text, as far as some reader would follow them. Browsers (the WHATWG's URL standard) are the most
//! generous: a backslash is a slash, `https:/host` and `https:host` have a host, tabs and line breaks do not count.

/// Schemes whose addresses have a host however many slashes are written.
const SPECIAL: [&str; 6] = ["http", "https", "ws", "wss", "ftp", "file"];

const SLASHES: [char; 2] = ['/', '\\'];

/// What follows the scheme and the slashes of an address; `None` where it is none.
pub(crate) fn after_scheme(address: &str) -> Option<&str> {
    let scheme = address.find(|c: char| !is_scheme(c)).unwrap_or(address.len());
    let (scheme, rest) = address.split_at_checked(scheme)?;
    let rest = match rest.strip_prefix(':') {
        Some(rest) if !scheme.is_empty() => {
            let special = SPECIAL.iter().any(|known| known.eq_ignore_ascii_case(scheme));
            if !special && !rest.starts_with("//") {
                return None;
            }
            rest
        }
        // Without a scheme: that of the page it stands in.
        None if scheme.is_empty() && slashes(rest) >= 2 => rest,
        _ => return None,
    };
    let rest = rest.trim_start_matches(SLASHES);
    (!rest.is_empty()).then_some(rest)
}

fn is_scheme(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')
}

fn slashes(text: &str) -> usize {
    text.bytes().take_while(|b| matches!(b, b'/' | b'\\')).count()
}

/// Hands on every address in a text.
pub(crate) fn addresses(text: &str, mut found: impl FnMut(&str)) {
    for (at, c) in text.char_indices().filter(|(_, c)| matches!(c, ':' | '/' | '\\')) {
        let (Some(before), Some(rest)) = (text.get(..at), text.get(at..)) else { continue };
        let scheme = before.len() - before.trim_end_matches(is_scheme).len();
        let start = if c == ':' {
            if scheme == 0 || !begins(rest) {
                continue;
            }
            at - scheme
        } else {
            // `//host`, which comments and paths look like: only where a name with a dot follows.
            let apart = before.chars().next_back().is_none_or(|c| {
                c.is_whitespace()
                    || matches!(c, '"' | '\'' | '(' | '<' | '=' | '`' | '[' | ',' | ';' | '>' | '|')
            });
            if !apart || slashes(rest) < 2 || !named(rest.trim_start_matches(SLASHES)) {
                continue;
            }
            at
        };
        let (Some(before), Some(tail)) = (text.get(..start), text.get(start..)) else { continue };
        // In quotes it ends with them: a page's reader takes blanks and line breaks for part of it.
        let close = match before.chars().next_back() {
            Some(quote @ ('"' | '\'')) => tail.find(quote),
            Some('<') => tail.find(['>', '|']),
            _ => None,
        };
        if let Some(quoted) = close.and_then(|end| tail.get(..end)) {
            found(&squeezed(quoted));
        }
        let ends = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '<' | '>' | '"');
        found(tail.get(..tail.find(ends).unwrap_or(tail.len())).unwrap_or_default());
    }
}

/// Whether what stands here, from the colon on, goes on as an address does: `https: yes` and `http:80` in a text are none.
fn begins(rest: &str) -> bool {
    let rest = rest.get(1..).unwrap_or_default();
    slashes(rest) > 0 || named(rest)
}

/// Whether a host name with a dot, or a name and a password, stands first.
fn named(text: &str) -> bool {
    let end = text.find(|c: char| SLASHES.contains(&c) || c.is_whitespace() || matches!(c, '?' | '#'));
    let host = text.get(..end.unwrap_or(text.len())).unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default();
    host.contains(['.', '\u{3002}', '\u{ff0e}', '\u{ff61}'])
        && host.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '%' | ':'))
        || host.contains('\u{3002}')
}

/// The whole text as one address, where a reader would take it for one: it begins as an address does and has no blank, or the
/// argument is meant for an address (`link`), which then needs no scheme.
pub(crate) fn whole(text: &str, link: bool) -> Option<String> {
    let address = squeezed(text.trim_matches(|c: char| c <= ' '));
    if after_scheme(&address).is_some() {
        return (link || !address.contains(' ')).then_some(address);
    }
    (link && named(&address)).then(|| format!("//{address}"))
}

/// Without the tabs and line breaks that a browser takes out of an address.
fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect()
}
