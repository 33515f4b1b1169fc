//! Sessions of the revisions before 2026-07-28: their id, and beginning a new one where the server has forgotten the old.
//!
//! A stdio client cannot be told that a session is over, since its session is its process. So the greeting that the
//! client sent is repeated, and the request that found the session gone is sent again: a server that answers 404 to it
//! has not taken it. The list of tools is asked for afresh, as after any change of it.

use super::exchange::Reply;
use super::stream::Events;
use super::{Wire, stream};
use crate::http::MOST_MESSAGE;
use crate::http::meta::{LAST_EVENT, Message, SESSION, VERSION};
use crate::json::quoted;
use bouncer_core::call::Id;
use bouncer_core::line::server::look;
use bouncer_core::line::{own_notification, own_request};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode};
use std::time::Duration;
use tokio::sync::oneshot;

/// A server may take so long to answer a repeated greeting.
const PATIENCE: Duration = Duration::from_secs(30);

/// How the client greeted the server.
#[derive(Debug, Default)]
pub(super) struct Greeting {
    /// The parameters of its `initialize`, as JSON.
    pub(super) params: Option<String>,
}

impl Wire {
    /// The headers of a message, apart from what every request has.
    pub(super) fn headers_of(&self, message: &Message) -> HeaderMap {
        let state = self.state();
        let mut headers = message.headers(&state.mirrors);
        if headers.is_empty() && message.method != "initialize" {
            put(&mut headers, &state.session, &state.version);
        }
        headers
    }

    /// The headers of what is no message: listening, resuming, ending.
    pub(super) fn headers_beside(&self, last_event: Option<&str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let state = self.state();
        put(&mut headers, &state.session, &state.version);
        if let Some(id) = last_event.and_then(|id| HeaderValue::from_bytes(id.as_bytes()).ok()) {
            headers.insert(LAST_EVENT, id);
        }
        headers
    }

    /// The answer to a greeting has come: its session.
    pub(super) fn take_session(&self, headers: &HeaderMap) {
        let session = headers.get(SESSION).filter(|id| id.as_bytes().iter().all(u8::is_ascii_graphic));
        let mut state = self.state();
        state.session = session.cloned().map(|mut id| {
            id.set_sensitive(true);
            id
        });
        state.generation += 1;
    }

    /// Begins a session in place of the one of `generation`, unless somebody did already. Whether there is one.
    pub(super) async fn greet_anew(&self, generation: u64) -> bool {
        let greeting = self.greeting.lock().await;
        if self.state().generation != generation {
            return true;
        }
        let Some(params) = greeting.params.clone() else { return false };
        let greeted = tokio::time::timeout(PATIENCE, self.greet(&params)).await;
        let done = greeted.unwrap_or_default().is_some();
        if done {
            tracing::warn!("the server has forgotten the session; a new one was begun");
            self.lines
                .say(br#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#.to_vec())
                .await;
        }
        done
    }

    async fn greet(&self, params: &str) -> Option<()> {
        let id = Id::from_json(&quoted(&format!("bouncer-http-{}", crate::proxy::random().ok()?)));
        let (answered, answer) = oneshot::channel();
        {
            let mut state = self.state();
            state.own.insert(id.clone(), answered);
            state.session = None;
            state.version = None;
        }
        let greeting: Bytes = own_request(&id, "initialize", params)?.into_bytes().into();
        let message = Message::read(&greeting);
        let mut is_elsewhere = false;
        match self.reply(&message, &greeting, None).await {
            Ok(Reply::Body(response)) => {
                self.take_session(response.headers());
                if is_events(response.headers()) {
                    let mut events = Events::new();
                    events.connect(response.into_body());
                    while self.state().own.contains_key(&id)
                        && let Some(event) = events.next().await
                    {
                        self.hand_event(&event).await;
                    }
                } else {
                    self.hand_on(&stream::whole(response.into_body(), MOST_MESSAGE).await?).await;
                }
            }
            Ok(Reply::Elsewhere) => {
                self.state().generation += 1;
                is_elsewhere = true;
            }
            Ok(Reply::Refused(..)) | Err(_) => {
                self.state().own.remove(&id);
                return None;
            }
        }
        // A server that did not answer has not begun a session.
        if !is_elsewhere {
            self.state().own.remove(&id);
        }
        let line = answer.await.ok()?;
        self.state().version = Some(stream::version_of(&look(&line).result()?)?);
        let told: Bytes = own_notification("notifications/initialized", "{}")?.into_bytes().into();
        match self.reply(&Message::read(&told), &told, None).await.ok()? {
            Reply::Refused(..) => None,
            _ => Some(()),
        }
    }

    /// Tells the server that the session is over.
    pub(super) async fn farewell(&self) {
        if self.state().session.is_some() {
            let headers = self.headers_beside(None);
            let _ = self.client.delete(&headers).await;
        }
    }

    /// Whether a status means that the session is unknown.
    pub(super) fn is_forgotten(&self, status: StatusCode, message: &Message) -> bool {
        status == StatusCode::NOT_FOUND
            && message.method != "initialize"
            && message.revision().is_none()
            && self.state().session.is_some()
    }
}

fn put(headers: &mut HeaderMap, session: &Option<HeaderValue>, version: &Option<HeaderValue>) {
    if let Some(session) = session {
        headers.insert(SESSION, session.clone());
    }
    if let Some(version) = version {
        headers.insert(VERSION, version.clone());
    }
}

/// Whether a body is a stream of events.
pub(super) fn is_events(headers: &HeaderMap) -> bool {
    kind_of(headers) == "text/event-stream"
}

/// The media type of a body, without parameters.
pub(super) fn kind_of(headers: &HeaderMap) -> String {
    let kind = headers.get(http::header::CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
    let kind = String::from_utf8_lossy(kind);
    kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}
