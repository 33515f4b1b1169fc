//! Where a remote server is: its URL, which transport it speaks, and the headers that the user gives it.

use http::{HeaderMap, HeaderName, HeaderValue, Uri};

/// Which of the two HTTP transports a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Transport {
    /// Streamable HTTP, or the older one where the server answers the first request as only that does.
    #[default]
    Either,
    /// Streamable HTTP (2025-03-26 on).
    Streamable,
    /// HTTP with SSE (2024-11-05).
    Sse,
}

/// A remote server, as a client's configuration or the command line names it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Remote {
    /// Its URL as written.
    pub url: String,
    /// Which transport it speaks.
    pub transport: Transport,
    /// Headers as written, in order.
    pub headers: Vec<(String, String)>,
}

/// A remote server that can be connected to.
#[derive(Clone)]
pub struct Target {
    pub(crate) url: Uri,
    pub(crate) transport: Transport,
    pub(crate) headers: HeaderMap,
}

impl std::fmt::Debug for Target {
    /// Without the headers: they hold secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Target").field("url", &self.url).finish_non_exhaustive()
    }
}

/// Why a remote server cannot be connected to as it is written.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// The URL.
    #[error("`{url}` is not a URL of a server: {reason}\nhint: as in `https://host.example/mcp`")]
    Url {
        /// As written.
        url: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A header.
    #[error("the header `{name}` cannot be sent: {reason}")]
    Header {
        /// Its name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A variable that is used in the URL or a header is not set.
    #[error(
        "the variable `{variable}` is not set, and the server's {place} needs it\nhint: set it where the client is started"
    )]
    Variable {
        /// Its name.
        variable: String,
        /// Where it stands.
        place: String,
    },
}

/// Headers that belong to the connection or to the transport: nobody else may set them.
const OURS: [&str; 14] = [
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "last-event-id",
    "mcp-method",
    "mcp-name",
    "mcp-session-id",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];
/// Headers that configurations name although every client sends them: said once, by Bouncer.
const SAID: [&str; 4] = ["accept", "accept-encoding", "content-type", "mcp-protocol-version"];

impl Remote {
    /// Fills in the variables and checks everything.
    ///
    /// # Errors
    /// A [`TargetError`] that names the part that is wrong; never the value of a header.
    pub fn resolve(&self) -> Result<Target, TargetError> {
        self.resolve_with(&|name| std::env::var(name).ok())
    }

    fn resolve_with(&self, variable: &dyn Fn(&str) -> Option<String>) -> Result<Target, TargetError> {
        let missing =
            |place: &str, variable: String| TargetError::Variable { variable, place: place.to_owned() };
        let url = expand(&self.url, variable).map_err(|name| missing("URL", name))?;
        let url = parse(&url).map_err(|reason| TargetError::Url { url: self.url.clone(), reason })?;
        let mut headers = HeaderMap::new();
        for (name, value) in &self.headers {
            let wrong = |reason: &str| TargetError::Header { name: name.clone(), reason: reason.to_owned() };
            let lower = name.trim().to_ascii_lowercase();
            if SAID.contains(&lower.as_str()) {
                continue;
            }
            if OURS.contains(&lower.as_str()) {
                return Err(wrong("it belongs to the connection, not to the entry"));
            }
            let key = HeaderName::from_bytes(lower.as_bytes())
                .map_err(|_| wrong("the name is not one of a header"))?;
            let value = expand(value, variable).map_err(|name| missing(&format!("header `{key}`"), name))?;
            let mut value = HeaderValue::from_str(value.trim())
                .map_err(|_| wrong("its value holds characters that no header may"))?;
            value.set_sensitive(true);
            headers.append(key, value);
        }
        Ok(Target { url, transport: self.transport, headers })
    }
}

/// Fills in `${NAME}`, `${NAME:-otherwise}` and `${env:NAME}`. `Err` holds the name of what is not set.
fn expand(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        out.push_str(before);
        let Some((inside, after)) = after.split_once('}') else {
            out.push_str("${");
            rest = after;
            continue;
        };
        let (name, otherwise) = match inside.split_once(":-") {
            Some((name, otherwise)) => (name, Some(otherwise)),
            None => (inside, None),
        };
        let name = name.strip_prefix("env:").unwrap_or(name);
        let value = variable(name).filter(|v| !v.is_empty() || otherwise.is_none());
        match (value, otherwise) {
            (Some(value), _) => out.push_str(&value),
            (None, Some(otherwise)) => out.push_str(otherwise),
            (None, None) => return Err(name.to_owned()),
        }
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

/// An absolute `http` or `https` URL without a user in it. What stands behind `#` is not sent.
pub(crate) fn parse(text: &str) -> Result<Uri, &'static str> {
    let text = text.trim();
    let text = text.split_once('#').map_or(text, |(url, _)| url);
    let url: Uri = text.parse().map_err(|_| "it does not read as one")?;
    match url.scheme_str() {
        Some("http" | "https") => {}
        Some(_) => return Err("only `http` and `https` are spoken"),
        None => return Err("it has no `http://` or `https://`"),
    }
    match url.authority() {
        Some(authority) if authority.as_str().contains('@') => {
            Err("it holds a user name; put credentials into a header")
        }
        Some(authority) if !authority.host().is_empty() => Ok(url),
        _ => Err("it has no host"),
    }
}

/// Scheme, host and port: two URLs with the same belong to the same server.
fn origin(url: &Uri) -> Option<(String, String, u16)> {
    let scheme = url.scheme_str()?.to_ascii_lowercase();
    let port = url.port_u16().unwrap_or(if scheme == "https" { 443 } else { 80 });
    Some((scheme, url.host()?.trim_end_matches('.').to_ascii_lowercase(), port))
}

/// What `reference` means beside `base`, where it stays with the same server.
///
/// # Errors
/// Says what is wrong with it: another server, most likely.
pub(crate) fn beside(base: &Uri, reference: &str) -> Result<Uri, &'static str> {
    let reference = reference.trim();
    let path = base.path();
    let root = format!(
        "{}://{}",
        base.scheme_str().unwrap_or_default(),
        base.authority().map(http::uri::Authority::as_str).unwrap_or_default()
    );
    let absolute = if reference.starts_with("//") {
        format!("{}:{reference}", base.scheme_str().unwrap_or_default())
    } else if reference.contains("://") && !reference.starts_with(['/', '?']) {
        reference.to_owned()
    } else if reference.starts_with('/') {
        format!("{root}{reference}")
    } else if reference.starts_with('?') {
        format!("{root}{path}{reference}")
    } else {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        format!("{root}{folder}/{reference}")
    };
    let url = parse(&absolute)?;
    if origin(&url) == origin(base) { Ok(url) } else { Err("it leads to another server") }
}

/// Whether a URL's host is this machine by its name.
pub(crate) fn is_loopback(url: &Uri) -> bool {
    let host = url.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remote(url: &str, headers: &[(&str, &str)]) -> Remote {
        let headers = headers.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        Remote { url: url.to_owned(), headers, ..Remote::default() }
    }

    fn resolve(remote: &Remote) -> Result<Target, TargetError> {
        remote.resolve_with(&|name| (name == "TOKEN").then(|| "s3cret".to_owned()))
    }

    #[test]
    fn variables_are_filled_in_and_a_missing_one_is_named() {
        let target = resolve(&remote(
            "https://${HOST:-mcp.example}/a#b",
            &[("Authorization", "Bearer ${TOKEN}"), ("X-Two", "${env:TOKEN}"), ("Accept", "*/*")],
        ))
        .unwrap();
        assert_eq!(target.url, "https://mcp.example/a");
        assert_eq!(target.headers["authorization"], "Bearer s3cret");
        assert_eq!(target.headers["x-two"], "s3cret");
        assert_eq!(target.headers.len(), 2);
        assert!(!format!("{target:?}").contains("s3cret"));
        let error = resolve(&remote("https://a.example", &[("X", "${OTHER}")])).unwrap_err().to_string();
        assert!(error.contains("`OTHER`") && error.contains("`x`"), "{error}");
    }

    #[test]
    fn what_is_no_server_is_refused() {
        for url in
            ["", "mcp.example", "ftp://a.b/", "https://", "https://u:p@a.b/", "https://a b/", "file:///x"]
        {
            assert!(resolve(&remote(url, &[])).is_err(), "{url}");
        }
        for name in ["Host", "content-length", "Mcp-Session-Id", "a b", ""] {
            assert!(resolve(&remote("https://a.b", &[(name, "x")])).is_err(), "{name}");
        }
        let error = resolve(&remote("https://a.b", &[("X", "s3cret\r\nY: 1")])).unwrap_err().to_string();
        assert!(!error.contains("s3cret"), "{error}");
    }

    #[test]
    fn a_reference_stays_with_its_server() {
        let base = parse("https://mcp.example/v1/mcp?x=1").unwrap();
        for (reference, url) in [
            ("/m?s=1", "https://mcp.example/m?s=1"),
            ("m", "https://mcp.example/v1/m"),
            ("?s=2", "https://mcp.example/v1/mcp?s=2"),
            ("https://MCP.example:443/z", "https://MCP.example:443/z"),
            ("/m?next=https://evil.example/", "https://mcp.example/m?next=https://evil.example/"),
        ] {
            assert_eq!(beside(&base, reference).unwrap(), url, "{reference}");
        }
        for reference in [
            "https://evil.example/",
            "//evil.example/m",
            "http://mcp.example/m",
            "https://mcp.example:444/m",
            "https://mcp.example@evil.example/",
            "https://mcp.example.evil.example/",
        ] {
            assert!(beside(&base, reference).is_err(), "{reference}");
        }
    }

    #[test]
    fn loopback_is_told() {
        for (url, loopback) in [
            ("http://localhost:1/", true),
            ("http://127.0.0.9/", true),
            ("http://[::1]:8/", true),
            ("http://a.b/", false),
        ] {
            assert_eq!(is_loopback(&parse(url).unwrap()), loopback, "{url}");
        }
    }
}
