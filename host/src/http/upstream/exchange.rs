//! One message to the server, and what becomes of it: an answer, a stream of them, or a status that refuses.

use super::client::Unreached;
use super::fault;
use super::greeting::{is_events, kind_of};
use super::stream::Events;
use super::{Wire, stream};
use crate::http::MOST_MESSAGE;
use crate::http::meta::Message;
use crate::http::sse::Event;
use crate::http::target::Transport;
use bouncer_core::call::Id;
use bouncer_core::line::server::Kind;
use bytes::Bytes;
use http::{HeaderMap, Response, StatusCode};
use hyper::body::Incoming;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// So much of a refusal's body is read.
const MOST_REFUSAL: usize = 64 << 10;
/// A stream is resumed so often in a row without anything having come.
const MOST_RESUMED: u32 = 6;
/// Unless the server says otherwise, this long before the first of them, doubled each time.
const PAUSE: Duration = Duration::from_millis(250);
const SHORTEST_PAUSE: Duration = Duration::from_millis(50);
/// A server may not make anybody wait longer than this.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// How the server took a message.
pub(super) enum Reply {
    /// With a body that may hold messages.
    Body(Response<Incoming>),
    /// Its answer comes over the stream of the older transport.
    Elsewhere,
    /// With a status that refuses.
    Refused(StatusCode, HeaderMap, Vec<u8>),
}

impl Wire {
    /// A request of the client's: sends it and sees it answered, one way or the other.
    pub(super) async fn request(self: Arc<Self>, message: Message, line: Bytes, went: oneshot::Sender<()>) {
        let Some(id) = message.id.clone() else { return };
        let mut waiting = None;
        let greets = message.method == "initialize";
        if greets {
            let params = message.params.as_ref().map_or("{}".to_owned(), |p| p.to_json());
            self.greeting.lock().await.params = Some(params);
            self.forget_session();
            // Told below, when the session is known.
            waiting = Some(went);
            self.converse(&id, &message, &line, None, &mut waiting).await;
        } else {
            self.converse(&id, &message, &line, Some(went), &mut waiting).await;
        }
        if self.state().pending.remove(&id).is_some() {
            self.lines.say(fault::silence(&id, "the server's answer ended before it came")).await;
        }
    }

    fn forget_session(&self) {
        let mut state = self.state();
        state.session = None;
        state.version = None;
        if let Some(task) = state.listening.take() {
            task.abort();
        }
    }

    async fn converse(
        self: &Arc<Self>,
        id: &Id,
        message: &Message,
        line: &Bytes,
        went: Option<oneshot::Sender<()>>,
        greeted: &mut Option<oneshot::Sender<()>>,
    ) {
        let failed = match self.reply(message, line, went).await {
            Ok(Reply::Body(response)) => {
                if greeted.is_some() {
                    self.take_session(response.headers());
                }
                greeted.take().map(|greeted| greeted.send(()));
                return self.answered(id, response).await;
            }
            Ok(Reply::Elsewhere) => {
                greeted.take().map(|greeted| greeted.send(()));
                return self.answered_elsewhere(id).await;
            }
            Ok(Reply::Refused(status, headers, body)) => {
                if let Some(side) = &self.side {
                    side.refuse(id, fault::aside(status, &headers));
                }
                fault::refused(id, status, &headers, &body)
            }
            Err(unreached) => fault::silence(id, &unreached.to_string()),
        };
        if self.state().pending.remove(id).is_some() {
            self.lines.say(failed).await;
        }
    }

    /// A notification, or an answer to a request of the server's: nobody waits for what comes of it.
    pub(super) async fn tell(self: Arc<Self>, message: Message, line: Bytes) {
        match self.reply(&message, &line, None).await {
            Ok(Reply::Body(response)) => {
                // Nothing should be in it.
                let _ = stream::whole(response.into_body(), MOST_REFUSAL).await;
            }
            Ok(Reply::Elsewhere) => {}
            Ok(Reply::Refused(status, _, _)) => {
                return tracing::warn!(
                    "the server refused a `{}` with HTTP {}",
                    named(&message),
                    status.as_u16()
                );
            }
            Err(unreached) => {
                return tracing::warn!("a `{}` was not delivered: {unreached}", named(&message));
            }
        }
        if message.method == "notifications/initialized" && message.revision().is_none() {
            self.listen();
        }
    }

    /// Sends a message over whichever transport the server speaks. A session that the server has forgotten is begun
    /// anew, once.
    pub(super) async fn reply(
        &self,
        message: &Message,
        line: &Bytes,
        mut went: Option<oneshot::Sender<()>>,
    ) -> Result<Reply, Unreached> {
        let mut again = false;
        loop {
            let (transport, generation) = {
                let state = self.state();
                (state.transport, state.generation)
            };
            if transport == Transport::Sse {
                return self.reply_older(message, line).await;
            }
            let headers = self.headers_of(message);
            let response = self.client.post(&self.client.url(), &headers, line, went.take()).await?;
            let status = response.status();
            if status.is_success() {
                if transport == Transport::Either {
                    self.state().transport = Transport::Streamable;
                }
                return Ok(Reply::Body(response));
            }
            // A greeting that repeats itself must not wait for its own end.
            let own = message.id.as_ref().is_some_and(|id| self.state().own.contains_key(id));
            if !again && !own && self.is_forgotten(status, message) {
                again = true;
                drop(response);
                if Box::pin(self.greet_anew(generation)).await {
                    continue;
                }
                let body = b"the session is over, and the server did not begin another".to_vec();
                return Ok(Reply::Refused(status, HeaderMap::new(), body));
            }
            let (parts, body) = response.into_parts();
            let body = stream::whole(body, MOST_REFUSAL).await.unwrap_or_default();
            let is_older = [StatusCode::BAD_REQUEST, StatusCode::NOT_FOUND, StatusCode::METHOD_NOT_ALLOWED];
            if transport == Transport::Either
                && message.method == "initialize"
                && is_older.contains(&status)
                && self.open_older().await
            {
                self.state().transport = Transport::Sse;
                continue;
            }
            return Ok(Reply::Refused(status, parts.headers, body));
        }
    }

    /// Reads the answer to `id`.
    async fn answered(&self, id: &Id, response: Response<Incoming>) {
        let (parts, body) = response.into_parts();
        if is_events(&parts.headers) {
            return self.streamed(id, body).await;
        }
        let kind = kind_of(&parts.headers);
        let failed = match stream::whole(body, MOST_MESSAGE).await {
            None => "the server's answer broke off, or is too large to be kept".to_owned(),
            Some(body) if body.trim_ascii().is_empty() => {
                format!("the server answered with HTTP {} and nothing else", parts.status.as_u16())
            }
            Some(body) if kind == "application/json" || kind.ends_with("+json") => {
                self.hand_on(&body).await;
                "the server's answer does not answer the request".to_owned()
            }
            Some(_) => format!("the server's answer is `{kind}`, not a message"),
        };
        if self.state().pending.remove(id).is_some() {
            self.lines.say(fault::silence(id, &failed)).await;
        }
    }

    /// Reads events until `id` is answered, and resumes the stream where it breaks off before and can be resumed.
    async fn streamed(&self, id: &Id, body: Incoming) {
        let mut events = Events::new();
        events.connect(body);
        let mut empty = 0;
        loop {
            let mut came = false;
            while let Some(event) = events.next().await {
                came = true;
                self.hand_event(&event).await;
                if !self.is_pending(id) {
                    return;
                }
            }
            empty = if came { 0 } else { empty + 1 };
            if !self.resume(&mut events, &mut empty).await {
                return;
            }
        }
    }

    /// Connects to a stream that broke off again. False where it cannot be resumed.
    async fn resume(&self, events: &mut Events, empty: &mut u32) -> bool {
        let Some(last) = events.parser.last_id().map(str::to_owned) else { return false };
        let retry = events.parser.retry().map_or(PAUSE, Duration::from_millis).max(SHORTEST_PAUSE);
        while *empty < MOST_RESUMED {
            tokio::time::sleep((retry * 2_u32.saturating_pow(*empty)).min(LONGEST_PAUSE)).await;
            let headers = self.headers_beside(Some(&last));
            match self.client.listen(&self.client.url(), &headers).await {
                Ok(response) if response.status().is_success() && is_events(response.headers()) => {
                    events.connect(response.into_body());
                    return true;
                }
                Ok(response) if !response.status().is_server_error() => return false,
                Ok(_) | Err(_) => *empty += 1,
            }
        }
        false
    }

    /// An event that may hold a message: those of other names, and empty ones (which only carry an id), hold none.
    pub(super) async fn hand_event(&self, event: &Event) {
        if (event.name.is_empty() || event.name == "message") && !event.data.is_empty() {
            self.hand_on(&event.data).await;
        }
    }
}

fn named(message: &Message) -> String {
    match message.kind {
        Kind::Response => "response".to_owned(),
        _ => message.method.escape_debug().to_string(),
    }
}
