//! URLs: one form for every way to write the same address, and the parts that a look-up weighs apart.

use super::host;
use url::Url;

/// What a URL consists of, in canonical form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parts {
    pub(crate) scheme: String,
    /// `user:password`, empty where there is none. Never part of a trust pattern.
    pub(crate) userinfo: String,
    pub(crate) host: String,
    /// A port that is not the scheme's own.
    pub(crate) port: Option<u16>,
    /// Path, query and fragment as one text, beginning with `/`.
    pub(crate) tail: String,
}

impl Parts {
    /// The path without query and fragment.
    pub(crate) fn path(&self) -> &str {
        self.tail.split(['?', '#']).next().unwrap_or("/")
    }

    /// Whether the URL names a host and nothing in it.
    pub(crate) fn is_root(&self) -> bool {
        self.tail == "/" && self.userinfo.is_empty() && self.port.is_none()
    }
}

/// The compared form: scheme and host in lower case and IDNA, default port dropped, dot segments resolved, percent
/// escapes of unreserved characters undone. A text without a scheme is read as `https`.
pub(crate) fn canonical(text: &str) -> Option<String> {
    let url = parse(text)?;
    let Some(p) = parts_of(&url) else {
        // `mailto:`, `data:` and so on: no host; compared as the parser writes them.
        return Some(url.as_str().to_owned());
    };
    let at = if p.userinfo.is_empty() { String::new() } else { format!("{}@", p.userinfo) };
    let port = p.port.map(|n| format!(":{n}")).unwrap_or_default();
    Some(format!("{}://{at}{}{port}{}", p.scheme, p.host, p.tail))
}

/// The parts of a URL that has a host.
pub(crate) fn parts(text: &str) -> Option<Parts> {
    parts_of(&parse(text)?)
}

fn parse(text: &str) -> Option<Url> {
    // The parser drops control characters at the ends: the brackets may stand inside of those.
    let around = |bracket: char| move |c: char| c == bracket || c <= ' ' || c.is_whitespace();
    let text = text.trim_start_matches(around('<')).trim_end_matches(around('>'));
    let text = text.strip_prefix("URL:").unwrap_or(text);
    if text.is_empty() || text.chars().any(char::is_whitespace) {
        return None;
    }
    if text.starts_with("//") {
        return Url::parse(&format!("https:{text}")).ok();
    }
    // `host:8080/x` parses as the scheme `host`: a scheme is believed only before `//` or where it is a known one.
    let lower = text.to_ascii_lowercase();
    let known =
        ["mailto:", "data:", "tel:", "javascript:", "urn:", "file:", "http:", "https:", "blob:", "sms:"];
    if text.contains("://") && !text.split("://").next().unwrap_or("").contains(['/', '?', '#', '@'])
        || known.iter().any(|k| lower.starts_with(k))
    {
        return Url::parse(text).ok();
    }
    let url = Url::parse(&format!("https://{text}")).ok()?;
    url.host_str().filter(|h| h.contains('.') || h.starts_with('[') || *h == "localhost")?;
    Some(url)
}

fn parts_of(url: &Url) -> Option<Parts> {
    let host = match url.host()? {
        // Schemes that the URL standard does not know keep their host opaque: read it as any other.
        url::Host::Domain(d) => host::canonical(d)?,
        other => host::of(&other)?,
    };
    let mut userinfo = url.username().to_owned();
    if let Some(p) = url.password() {
        userinfo.push(':');
        userinfo.push_str(p);
    }
    let mut tail = if url.path().is_empty() { "/".to_owned() } else { unescape_unreserved(url.path()) };
    if let Some(q) = url.query() {
        tail.push('?');
        tail.push_str(&unescape_unreserved(q));
    }
    if let Some(f) = url.fragment() {
        tail.push('#');
        tail.push_str(&unescape_unreserved(f));
    }
    Some(Parts { scheme: url.scheme().to_owned(), userinfo, host, port: url.port(), tail })
}

/// `%41` is `A`, `%2f` is `%2F` (RFC 3986, 6.2.2), and a `%` that escapes nothing is `%25`: with letters that are escaped
/// after it, it would become an escape.
fn unescape_unreserved(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        let (head, tail) = rest.split_at(at);
        out.push_str(head);
        let hex = tail.get(1..3).filter(|h| h.bytes().all(|b| b.is_ascii_hexdigit()));
        let byte = hex.and_then(|h| u8::from_str_radix(h, 16).ok());
        match byte {
            Some(b) if b.is_ascii_alphanumeric() || b"-._~".contains(&b) => out.push(char::from(b)),
            Some(b) => out.push_str(&format!("%{b:02X}")),
            None => out.push_str("%25"),
        }
        rest = tail.get(if byte.is_some() { 3 } else { 1 }..).unwrap_or("");
    }
    out.push_str(rest);
    out
}
