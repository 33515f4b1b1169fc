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

/// Hands on every address in a text; `false` where they run into each other so much that some were left out.
pub(crate) fn addresses(text: &str, mut found: impl FnMut(&str)) -> bool {
    // Bytes that may be looked at: an address is looked at to its end, and what has many beginnings may have one end.
    let mut left = text.len().saturating_mul(16).saturating_add(0x1_0000);
    let mut hosts = Hosts::default();
    for (at, c) in text.char_indices().filter(|(_, c)| matches!(c, ':' | '/' | '\\')) {
        let (Some(before), Some(rest)) = (text.get(..at), text.get(at..)) else { continue };
        let scheme = before.len() - before.trim_end_matches(is_scheme).len();
        let start = if c == ':' {
            // `https: yes` and `http:80` in a text are none.
            let slashed = rest.get(1..).is_some_and(|rest| rest.starts_with(SLASHES));
            if scheme == 0 || !slashed && !hosts.named(text, at + 1) {
                continue;
            }
            at - scheme
        } else {
            // `//host`, which comments and paths look like: only where a name with a dot follows.
            let apart = before.chars().next_back().is_none_or(|c| {
                c.is_whitespace()
                    || matches!(c, '"' | '\'' | '(' | '<' | '=' | '`' | '[' | ',' | ';' | '>' | '|')
            });
            if !apart || slashes(rest) < 2 || !hosts.named(text, at + slashes(rest)) {
                continue;
            }
            at
        };
        let (Some(before), Some(tail)) = (text.get(..start), text.get(start..)) else { continue };
        // In quotes it ends with them: a page's reader takes blanks and line breaks for part of it.
        let quote = before.chars().next_back();
        let close = match quote {
            Some(quote @ ('"' | '\'')) => tail.find(quote),
            Some('<') => tail.find(['>', '|']),
            _ => None,
        };
        let ends = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '<' | '>' | '"');
        let end = tail.find(ends).unwrap_or(tail.len());
        let quoted = matches!(quote, Some('"' | '\'' | '<'));
        left = left.saturating_sub(end.max(if quoted { close.unwrap_or(tail.len()) } else { 0 }));
        if left == 0 {
            return false;
        }
        if let Some(quoted) = close.and_then(|end| tail.get(..end)) {
            found(&squeezed(quoted));
        }
        found(tail.get(..end).unwrap_or_default());
    }
    true
}

/// What a host may be read up to, and behind which byte the last sign of each kind stands before that: found once for all
/// places before it.
#[derive(Default)]
struct Hosts {
    end: usize,
    login: usize,
    odd: usize,
    dot: usize,
    wide: usize,
}

impl Hosts {
    /// Whether a host name with a dot, or a name and a password, stands here; the place is behind all that were asked about.
    fn named(&mut self, text: &str, start: usize) -> bool {
        if start >= self.end {
            *self = Self { end: start, ..Self::default() };
            for c in text.get(start..).unwrap_or_default().chars() {
                if SLASHES.contains(&c) || c.is_whitespace() || matches!(c, '?' | '#') {
                    break;
                }
                self.end += c.len_utf8();
                match c {
                    '@' => self.login = self.end,
                    '.' => self.dot = self.end,
                    '\u{3002}' => self.wide = self.end,
                    c if c.is_alphanumeric() || matches!(c, '-' | '_' | '%' | ':') => {}
                    _ => self.odd = self.end,
                }
            }
        }
        let start = start.max(self.login);
        self.dot > start && self.odd <= start || self.wide > start
    }
}

/// The whole text as one address, where a reader would take it for one: it begins as an address does and has no blank, or the
/// argument is meant for an address (`link`), which then needs no scheme.
pub(crate) fn whole(text: &str, link: bool) -> Option<String> {
    let address = squeezed(text.trim_matches(|c: char| c <= ' '));
    if after_scheme(&address).is_some() {
        return (link || !address.contains(' ')).then_some(address);
    }
    (link && Hosts::default().named(&address, 0)).then(|| format!("//{address}"))
}

/// Without the tabs and line breaks that a browser takes out of an address.
fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect()
}
