//! `trusted_destinations` entries. A pattern is compared part by part with a destination that was read and put into
//! canonical form, never as text: what could not be read is vouched for by nothing but the same text.

use super::{Destination, Kind, canonical, host, sure_kind, url};

/// A `trusted_destinations` entry: an exact value, or `*@corp.com`, `*.corp.com`, an origin or URL prefix ending in
/// `/*`, `owner/*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustPattern {
    text: String,
    form: Form,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Form {
    /// Compared with the canonical form of the destination's own kind.
    Exact,
    /// Every mailbox at exactly this domain.
    Domain(String),
    /// Every host below this one, not the host itself.
    Below(String),
    /// A URL's scheme, host, port, and the path it begins with (`/` for a whole origin).
    Prefix { scheme: String, host: String, port: Option<u16>, path: String },
    /// Every repository of this owner.
    Owner(String),
}

impl TrustPattern {
    /// # Errors
    /// A text that says what is wrong with the entry, for the policy file's own message.
    pub fn parse(text: &str) -> Result<Self, String> {
        let entry = text.trim();
        let bad = |why: &str| Err(format!("`{entry}` {why}"));
        if entry.is_empty() {
            return Err("a trusted destination is empty".to_owned());
        }
        let form = if let Some(domain) = entry.strip_prefix("*@") {
            match host::canonical(domain) {
                Some(d) if d.contains('.') && !d.contains([':', '*']) => Form::Domain(d),
                _ => return bad("does not end in a domain\nhint: write `*@corp.com`"),
            }
        } else if let Some(domain) = entry.strip_prefix("*.") {
            match host::canonical(domain) {
                Some(d) if d.contains('.') && !d.contains([':', '*']) => Form::Below(d),
                _ => return bad("does not end in a domain of two labels or more\nhint: write `*.corp.com`"),
            }
        } else if entry.contains("://") {
            Self::prefix(entry)?
        } else if let Some(owner) = entry.strip_suffix("/*") {
            match canonical(Kind::Repository, &format!("{owner}/x")) {
                Some(full) if !owner.contains('*') && full.matches('/').count() == 1 => {
                    Form::Owner(full.strip_suffix("/x").unwrap_or(&full).to_owned())
                }
                _ => {
                    return bad(
                        "is no owner of repositories\nhint: write `owner/*`, or a URL prefix with its scheme",
                    );
                }
            }
        } else if entry.contains('*') {
            return bad(
                "has a `*` where none is understood\nhint: `*@corp.com`, `*.corp.com`, `https://corp.com/docs/*`, `owner/*`",
            );
        } else {
            Form::Exact
        };
        Ok(Self { text: entry.to_owned(), form })
    }

    fn prefix(entry: &str) -> Result<Form, String> {
        let (stem, open) = match entry.strip_suffix("/*") {
            Some(stem) => (stem, true),
            None => (entry, false),
        };
        let after = stem.split_once("://").map_or("", |(_, a)| a);
        // An origin has no path of its own; `https://corp.com/` is one page.
        if !open && after.contains(['/', '?', '#']) {
            return if stem.contains('*') {
                Err(format!("`{entry}` has a `*` where none is understood\nhint: a URL prefix ends in `/*`"))
            } else {
                Ok(Form::Exact)
            };
        }
        let parts = url::parts(&format!("{stem}/")).filter(|p| {
            !stem.contains('*') && p.userinfo.is_empty() && p.tail == p.path() && !after.contains(['?', '#'])
        });
        match parts {
            Some(p) => {
                Ok(Form::Prefix { path: p.path().to_owned(), scheme: p.scheme, host: p.host, port: p.port })
            }
            None => {
                Err(format!("`{entry}` is no origin or URL prefix\nhint: write `https://corp.com/docs/*`"))
            }
        }
    }

    /// As the user wrote it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether the entry vouches for this one destination. A URL with user information, or with path segments that a
    /// server may resolve differently (`%2F`, `%5C`, escaped dots), is within no prefix.
    #[must_use]
    pub fn vouches(&self, destination: &Destination) -> bool {
        let d = &destination.canonical;
        match &self.form {
            Form::Exact => self.exactly(destination),
            Form::Domain(domain) => {
                destination.kind == Kind::Email && d.rsplit_once('@').is_some_and(|(_, at)| at == domain)
            }
            Form::Below(domain) => match destination.kind {
                Kind::Host => below(d, domain),
                Kind::Url => url::parts(d).is_some_and(|p| {
                    web(&p.scheme) && p.userinfo.is_empty() && p.port.is_none() && below(&p.host, domain)
                }),
                _ => false,
            },
            Form::Prefix { scheme, host, port, path } => {
                destination.kind == Kind::Url
                    && url::parts(d).is_some_and(|p| {
                        p.userinfo.is_empty()
                            && p.scheme == *scheme
                            && p.host == *host
                            && p.port == *port
                            && (path == "/" || (p.path().starts_with(path.as_str()) && steady(p.path())))
                    })
            }
            Form::Owner(owner) => {
                destination.kind == Kind::Repository
                    && d.split_once('/')
                        .is_some_and(|(o, name)| o == owner && !name.is_empty() && !name.contains('/'))
            }
        }
    }

    fn exactly(&self, destination: &Destination) -> bool {
        let d = &destination.canonical;
        if canonical(destination.kind, &self.text).as_ref() == Some(d) {
            return true;
        }
        // A bare host names its own front page and everything on it.
        match (destination.kind, sure_kind(&self.text)) {
            (Kind::Url, Some((Kind::Host, host))) => url::parts(d).is_some_and(|p| {
                web(&p.scheme) && p.userinfo.is_empty() && p.port.is_none() && p.host == host
            }),
            _ => false,
        }
    }
}

/// What a shell or a program's options would read as more than a name is below nothing: `$(x).corp.com`, `-x.corp.com`.
fn below(host: &str, domain: &str) -> bool {
    let plain = |label: &str| {
        label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
            && label.starts_with(|c: char| c != '-')
    };
    host.strip_suffix(domain)
        .and_then(|front| front.strip_suffix('.'))
        .is_some_and(|front| front.split('.').all(plain))
}

fn web(scheme: &str) -> bool {
    scheme == "https" || scheme == "http"
}

/// Whether every server reads the path alike.
fn steady(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    !["%2f", "%5c", "%2e", "%25", "%00", "\\", "/../", ";"].iter().any(|bad| lower.contains(bad))
}
