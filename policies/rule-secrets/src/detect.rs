//! Finds secrets in a text: by the beginning that their issuer gives them, by the frame of a private key, as a token of
//! three parts, as a password inside of an address, and as a random value that is called a secret.

use crate::formats::FORMATS;

/// How sure a find is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sure {
    /// It may be one.
    Maybe,
    /// Nothing else looks like that.
    Certain,
}

/// A secret that was found. What it is, never its value: a finding is shown and logged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What it is.
    pub what: &'static str,
    /// How sure that is.
    pub sure: Sure,
}

/// All secrets in a text, each kind once.
#[must_use]
pub fn find(text: &str) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    let mut push = |what: &'static str, sure: Sure| {
        if !found.iter().any(|known| known.what == what) {
            found.push(Found { what, sure });
        }
    };
    for (start, set, least, what) in FORMATS {
        let hit = |(at, _): (usize, &str)| {
            let before = text.get(..at).and_then(|text| text.chars().next_back());
            let after = text.get(at.saturating_add(start.len())..).unwrap_or_default();
            let body: String = after.chars().take_while(|c| set.holds(*c)).collect();
            // A longer word that happens to hold the beginning is none, and neither is a row of one letter.
            before.is_none_or(|c| !c.is_ascii_alphanumeric()) && body.len() >= *least && entropy(&body) >= 2.5
        };
        if text.match_indices(start).any(hit) {
            push(what, Sure::Certain);
        }
    }
    if text.contains("PRIVATE KEY-----")
        || text.contains("PRIVATE KEY BLOCK-----")
        || text.contains("PuTTY-User-Key-File-")
    {
        push("a private key", Sure::Certain);
    }
    if text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))).any(is_jwt) {
        push("a signed token (JWT)", Sure::Maybe);
    }
    if has_password_in_address(text) {
        push("an address with a password in it", Sure::Maybe);
    }
    if assigned(text) {
        push("a value that is called a secret", Sure::Maybe);
    }
    found
}

/// Bits of information per character: 0 for a row of one letter, about 4 for random hexadecimal digits.
#[must_use]
pub fn entropy(text: &str) -> f64 {
    let mut counts = std::collections::BTreeMap::new();
    for c in text.chars() {
        *counts.entry(c).or_insert(0_u32) += 1;
    }
    let all: f64 = counts.values().map(|count| f64::from(*count)).sum();
    counts.values().map(|count| f64::from(*count) / all).map(|share| -share * share.log2()).sum()
}

/// `eyJ...` twice, and a signature.
fn is_jwt(word: &str) -> bool {
    let parts: Vec<&str> = word.split('.').collect();
    match parts.as_slice() {
        [head, body, tail] => {
            head.starts_with("eyJ")
                && body.starts_with("eyJ")
                && head.len() >= 17
                && body.len() >= 17
                && tail.len() >= 20
        }
        _ => false,
    }
}

/// `scheme://user:password@host`.
fn has_password_in_address(text: &str) -> bool {
    text.split("://").skip(1).any(|rest| {
        let place =
            rest.split(|c: char| c.is_whitespace() || matches!(c, '/' | '?' | '#' | '"' | '\'')).next();
        let user = place.and_then(|place| place.rsplit_once('@')).map(|(user, _)| user);
        user.and_then(|user| user.split_once(':'))
            .is_some_and(|(_, password)| password.len() >= 4 && !is_placeholder(password))
    })
}

const NAMES: [&str; 14] = [
    "password",
    "passwd",
    "secret",
    "token",
    "api_key",
    "apikey",
    "api-key",
    "access_key",
    "accesskey",
    "private_key",
    "client_secret",
    "auth_key",
    "credential",
    "passphrase",
];

/// A name for a secret, `=` or `:`, and a value that looks random.
fn assigned(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    NAMES.iter().any(|name| {
        lower.match_indices(name).any(|(at, _)| {
            let rest = text.get(at.saturating_add(name.len())..).unwrap_or_default();
            let rest = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
            let rest = rest.trim_start_matches(['"', '\'', ' ', '\t']);
            let Some(rest) = rest.strip_prefix(['=', ':']) else { return false };
            let rest = rest.trim_start_matches(['=', '>', '"', '\'', '`', ' ', '\t']);
            let ends = |c: char| {
                c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ',' | ';' | '<' | '>' | ')' | '}')
            };
            let value = rest.split(ends).next().unwrap_or_default();
            value.len() >= 10
                && entropy(value) >= 3.2
                && value.chars().any(|c| c.is_ascii_digit())
                && !is_placeholder(value)
        })
    })
}

/// `${TOKEN}`, `<your key>`, `xxxx`, `process.env.TOKEN`.
fn is_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let words = [
        "example",
        "your",
        "xxxx",
        "placeholder",
        "changeme",
        "process.env",
        "os.environ",
        "secrets.",
        "redacted",
    ];
    value.starts_with(['$', '{', '<', '%', '*']) || words.iter().any(|word| lower.contains(word))
}
