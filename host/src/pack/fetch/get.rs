//! One bounded GET. Redirects lead to `https` addresses only, and credentials go to no other server than they are for.
//! No variable of the environment names a proxy; `SSL_CERT_FILE` names other authorities than the system's.

use crate::http::tls::{self, causes};
use bytes::Bytes;
use http::header::{AUTHORIZATION, LOCATION, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue, Request, StatusCode, Uri};
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use std::time::Duration;

const CONNECT: Duration = Duration::from_secs(30);
const MOST_REDIRECTS: usize = 5;

/// Why nothing was fetched.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The address is not one that packs are fetched from.
    #[error("`{url}` cannot be fetched from: {why}\nhint: {hint}")]
    Address {
        /// As written.
        url: String,
        /// What is wrong with it.
        why: &'static str,
        /// What would do.
        hint: &'static str,
    },
    /// It did not come.
    #[error("`{url}`: {why}")]
    Failed {
        /// The address.
        url: String,
        /// Why.
        why: String,
    },
}

/// The address that is written so. `loopback` also lets this machine be spoken to without encryption.
pub(super) fn address(url: &str, loopback: bool) -> Result<Uri, FetchError> {
    let refused = |why| FetchError::Address {
        url: url.to_owned(),
        why,
        hint: "packs come from `https://HOST/PATH`, with the archive's hash in --sha256",
    };
    let uri: Uri = url.parse().map_err(|_| refused("it is no URL"))?;
    let authority = uri.authority().ok_or_else(|| refused("it names no host"))?;
    if authority.as_str().contains('@') {
        return Err(refused("it holds a name or password"));
    }
    match uri.scheme_str() {
        Some("https") => Ok(uri),
        Some("http") if loopback && is_here(authority.host()) => Ok(uri),
        Some("http") => Err(refused("it is not encrypted")),
        _ => Err(refused("only `https` is fetched from")),
    }
}

/// Whether a host is this machine, by its name or number.
pub(super) fn is_here(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

pub(super) struct Client {
    hyper: hyper_util::client::legacy::Client<HttpsConnector<HttpConnector>, Empty<Bytes>>,
}

/// What came.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

impl Answer {
    /// The body of an answer that says yes.
    pub(super) fn success(self, url: &str) -> Result<Vec<u8>, FetchError> {
        if self.status == StatusCode::OK {
            return Ok(self.body);
        }
        Err(FetchError::Failed { url: url.to_owned(), why: format!("the server answers {}", self.status) })
    }
}

impl Client {
    pub(super) fn new(place: &str, encrypted: bool) -> Result<Self, FetchError> {
        let failed = |why: String| FetchError::Failed { url: place.to_owned(), why };
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_connect_timeout(Some(CONNECT));
        let tls = tls::client(encrypted).map_err(|error| failed(error.to_string()))?;
        let connector = hyper_rustls::HttpsConnectorBuilder::new()
            .with_tls_config(tls)
            .https_or_http()
            .enable_http1()
            .wrap_connector(tcp);
        Ok(Self { hyper: hyper_util::client::legacy::Client::builder(TokioExecutor::new()).build(connector) })
    }

    /// At most `limit` bytes of what is at `url`, after redirects. `url` was let through by [`address`].
    pub(super) async fn get(
        &self,
        url: &Uri,
        headers: &[(HeaderName, HeaderValue)],
        limit: u64,
    ) -> Result<Answer, FetchError> {
        let failed = |why: String| FetchError::Failed { url: url.to_string(), why };
        let mut at = url.clone();
        for _ in 0..=MOST_REDIRECTS {
            let mut request = Request::new(Empty::new());
            *request.uri_mut() = at.clone();
            let agent = HeaderValue::from_static(concat!("bouncer/", env!("CARGO_PKG_VERSION")));
            request.headers_mut().insert(USER_AGENT, agent);
            for (name, value) in headers {
                if *name != AUTHORIZATION || at.authority() == url.authority() {
                    request.headers_mut().insert(name, value.clone());
                }
            }
            let answer = self.hyper.request(request).await.map_err(|error| failed(causes(&error)))?;
            let (head, body) = answer.into_parts();
            if head.status.is_redirection() {
                let to = head.headers.get(LOCATION).and_then(|to| to.to_str().ok());
                at = follow(&at, to)
                    .map_err(|why| failed(format!("it redirects, which is not followed: {why}")))?;
                continue;
            }
            let most = usize::try_from(limit).unwrap_or(usize::MAX);
            let body = Limited::new(body, most).collect().await.map_err(|error| {
                if error.is::<http_body_util::LengthLimitError>() {
                    failed(format!("it sends more than {limit} bytes"))
                } else {
                    failed(causes(error.as_ref()))
                }
            })?;
            return Ok(Answer { status: head.status, headers: head.headers, body: body.to_bytes().to_vec() });
        }
        Err(failed("it redirects again and again".to_owned()))
    }
}

/// Where a redirect leads: on the same server, or to an `https` address.
fn follow(from: &Uri, to: Option<&str>) -> Result<Uri, String> {
    let to = to.ok_or("it does not say where to")?;
    if let Ok(url) = crate::http::target::beside(from, to) {
        return Ok(url);
    }
    address(to, false).map_err(|error| match error {
        FetchError::Address { url, why, .. } => format!("to `{url}`, and {why}"),
        FetchError::Failed { why, .. } => why,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_encrypted_addresses_without_credentials() {
        for bad in [
            "http://a.example/x",
            "http://127.0.0.1/x",
            "ftp://a.example/x",
            "https://u:p@a.example/x",
            "/x",
            "x",
        ] {
            assert!(address(bad, false).is_err(), "{bad}");
        }
        assert!(address("https://a.example/x", false).is_ok());
        for here in ["http://127.0.0.1:5000/x", "http://localhost/x", "http://[::1]:1/x"] {
            assert!(address(here, true).is_ok(), "{here}");
        }
        for not_here in ["http://127.0.0.1.example/x", "http://localhost.example/x", "http://10.0.0.1/x"] {
            assert!(address(not_here, true).is_err(), "{not_here}");
        }
    }

    #[test]
    fn redirects_stay_or_are_encrypted() {
        let from: Uri = "https://a.example/x/y".parse().unwrap();
        assert_eq!(follow(&from, Some("z")).unwrap().to_string(), "https://a.example/x/z");
        assert_eq!(follow(&from, Some("https://b.example/q")).unwrap().to_string(), "https://b.example/q");
        for bad in
            ["http://a.example/x", "http://127.0.0.1/x", "file:///etc/passwd", "https://u:p@b.example/"]
        {
            assert!(follow(&from, Some(bad)).is_err(), "{bad}");
        }
        assert!(follow(&from, None).is_err());
    }
}
