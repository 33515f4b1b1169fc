//! One HTTP request to the server: hyper over rustls, connections kept alive. What goes along with every request is put
//! on here; what an answer means is decided elsewhere.
//!
//! No environment variable but `SSL_CERT_FILE` and `SSL_CERT_DIR` (other roots than the system's) has a say: proxies named
//! by the environment are not used. A redirect is followed only to the same server, and repeats the request as it is.

use crate::http::side::Side;
use crate::http::target::{Target, beside};
use crate::http::tls::{self, causes};
use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, LOCATION, USER_AGENT};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Uri};
use http_body::{Frame, SizeHint};
use hyper::body::Incoming;
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::oneshot;

/// A server that cannot be reached in this time counts as not there.
const CONNECT: Duration = Duration::from_secs(30);
/// A peer that vanished is noticed after a few of these.
const KEEPALIVE: Duration = Duration::from_secs(30);
const MOST_REDIRECTS: usize = 3;

type Hyper = hyper_util::client::legacy::Client<HttpsConnector<HttpConnector>, Body>;

pub(super) struct Client {
    hyper: Hyper,
    url: Mutex<Uri>,
    headers: HeaderMap,
    side: Option<Arc<Side>>,
}

/// Why there is no answer at all.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unreached {
    #[error("the server cannot be reached: {0}")]
    Failed(String),
    #[error("the server redirects to `{to}`, which is not followed: {why}")]
    Redirected { to: String, why: &'static str },
}

impl Client {
    pub(super) fn new(target: &Target, side: Option<Arc<Side>>) -> io::Result<Self> {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(CONNECT));
        tcp.set_keepalive(Some(KEEPALIVE));
        let hyper = hyper_util::client::legacy::Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(Duration::from_secs(60))
            .pool_max_idle_per_host(8)
            .build(connector(target, tcp)?);
        Ok(Self { hyper, url: Mutex::new(target.url.clone()), headers: target.headers.clone(), side })
    }

    /// Where the server is, after its redirects.
    pub(super) fn url(&self) -> Uri {
        self.url.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sends a message. `went` is told when its bytes are on their way.
    pub(super) async fn post(
        &self,
        url: &Uri,
        headers: &HeaderMap,
        body: &Bytes,
        went: Option<oneshot::Sender<()>>,
    ) -> Result<Response<Incoming>, Unreached> {
        let mut headers = headers.clone();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        self.send(&Method::POST, url, headers, body, went).await
    }

    /// Opens a stream of events.
    pub(super) async fn listen(
        &self,
        url: &Uri,
        headers: &HeaderMap,
    ) -> Result<Response<Incoming>, Unreached> {
        let mut headers = headers.clone();
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        self.send(&Method::GET, url, headers, &Bytes::new(), None).await
    }

    /// Ends a session.
    pub(super) async fn delete(&self, headers: &HeaderMap) -> Result<Response<Incoming>, Unreached> {
        self.send(&Method::DELETE, &self.url(), headers.clone(), &Bytes::new(), None).await
    }

    async fn send(
        &self,
        method: &Method,
        url: &Uri,
        mut headers: HeaderMap,
        body: &Bytes,
        went: Option<oneshot::Sender<()>>,
    ) -> Result<Response<Incoming>, Unreached> {
        for (key, value) in &self.headers {
            headers.append(key.clone(), value.clone());
        }
        if let Some(value) = self.side.as_ref().and_then(|side| side.authorization())
            && !headers.contains_key(AUTHORIZATION)
        {
            headers.insert(AUTHORIZATION, value);
        }
        headers
            .entry(USER_AGENT)
            .or_insert(HeaderValue::from_static(concat!("bouncer/", env!("CARGO_PKG_VERSION"))));
        let (mut url, mut went) = (url.clone(), went);
        for _ in 0..=MOST_REDIRECTS {
            let body = Body { bytes: Some(body.clone()).filter(|b| !b.is_empty()), went: went.take() };
            let mut request = Request::new(body);
            *request.method_mut() = method.clone();
            *request.uri_mut() = url.clone();
            *request.headers_mut() = headers.clone();
            let response =
                self.hyper.request(request).await.map_err(|error| Unreached::Failed(causes(&error)))?;
            let repeats = [
                StatusCode::MOVED_PERMANENTLY,
                StatusCode::FOUND,
                StatusCode::TEMPORARY_REDIRECT,
                StatusCode::PERMANENT_REDIRECT,
            ];
            if !repeats.contains(&response.status()) {
                return Ok(response);
            }
            let to = response.headers().get(LOCATION).map(HeaderValue::as_bytes).unwrap_or_default();
            let to = String::from_utf8_lossy(to).into_owned();
            let next = beside(&url, &to).map_err(|why| Unreached::Redirected { to, why })?;
            let lasting = [StatusCode::MOVED_PERMANENTLY, StatusCode::PERMANENT_REDIRECT];
            let mut known = self.url.lock().unwrap_or_else(PoisonError::into_inner);
            if lasting.contains(&response.status()) && *known == url {
                known.clone_from(&next);
            }
            url = next;
        }
        Err(Unreached::Redirected { to: url.to_string(), why: "it redirects again and again" })
    }
}

/// Only what the URL needs: roots are not read for a server without encryption.
fn connector(target: &Target, tcp: HttpConnector) -> io::Result<HttpsConnector<HttpConnector>> {
    let tls = tls::client(target.url.scheme_str() == Some("https"))?;
    Ok(hyper_rustls::HttpsConnectorBuilder::new()
        .with_tls_config(tls)
        .https_or_http()
        .enable_http1()
        .wrap_connector(tcp))
}

/// A body of known length that tells when it is taken.
pub(super) struct Body {
    bytes: Option<Bytes>,
    went: Option<oneshot::Sender<()>>,
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if let Some(went) = self.went.take() {
            let _ = went.send(());
        }
        Poll::Ready(self.bytes.take().map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes.as_ref().map_or(0, |b| b.len() as u64))
    }
}
