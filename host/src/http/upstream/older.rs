//! HTTP with SSE, the transport of 2024-11-05: one stream for all that the server says, whose first event names the URL
//! to post to. The stream is the session: when it breaks, requests under way are lost, and the next one begins another.

use super::client::Unreached;
use super::exchange::Reply;
use super::fault;
use super::greeting::is_events;
use super::stream::Events;
use super::{Wire, stream};
use crate::http::meta::Message;
use crate::http::target::beside;
use bouncer_core::call::Id;
use bytes::Bytes;
use http::Uri;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::AbortHandle;

/// A server that names no URL in this time does not speak this transport.
const PATIENCE: Duration = Duration::from_secs(30);
const MOST_REFUSAL: usize = 64 << 10;

/// The stream, while there is one.
#[derive(Default)]
pub(super) struct Older {
    post: Option<Uri>,
    reader: Option<AbortHandle>,
    open: Option<watch::Receiver<bool>>,
}

impl Older {
    pub(super) fn close(&mut self) {
        if let Some(reader) = self.reader.take() {
            reader.abort();
        }
    }

    fn is_open(&self) -> bool {
        self.open.as_ref().is_some_and(|open| *open.borrow() && open.has_changed().is_ok())
    }
}

impl Wire {
    /// Opens the stream. Whether the server speaks this transport.
    pub(super) async fn open_older(&self) -> bool {
        let mut older = self.older.lock().await;
        if older.is_open() {
            // Somebody who found it broken as well was faster.
            return true;
        }
        older.close();
        *older = Older::default();
        let url = self.client.url();
        let opened =
            tokio::time::timeout(PATIENCE, self.client.listen(&url, &self.headers_beside(None))).await;
        let Ok(Ok(response)) = opened else { return false };
        if !response.status().is_success() || !is_events(response.headers()) {
            return false;
        }
        let (found, mut endpoint) = watch::channel(None);
        let (still, open) = watch::channel(true);
        let Some(wire) = self.me.upgrade() else { return false };
        let reader = tokio::spawn(async move {
            let mut events = Events::new(&wire.budget);
            events.connect(response.into_body());
            while let Some(event) = events.next().await {
                if event.name == "endpoint" {
                    found.send_if_modified(|known| {
                        let is_first = known.is_none();
                        if is_first {
                            *known = Some(String::from_utf8_lossy(&event.data).into_owned());
                        }
                        is_first
                    });
                } else {
                    wire.hand_event(&event).await;
                }
            }
            let _ = still.send(false);
            wire.lost().await;
        });
        older.reader = Some(reader.abort_handle());
        let named = tokio::time::timeout(PATIENCE, endpoint.wait_for(Option::is_some)).await;
        let Ok(Ok(named)) = named else { return false };
        let named = named.clone().unwrap_or_default();
        match beside(&url, &named) {
            Ok(post) => {
                older.post = Some(post);
                older.open = Some(open);
                true
            }
            Err(why) => {
                tracing::warn!(
                    "the server names `{}` to post to, which is not used: {why}",
                    named.escape_debug()
                );
                older.close();
                false
            }
        }
    }

    /// Sends a message to the URL that the stream named, opening the stream first where there is none.
    pub(super) async fn reply_older(&self, message: &Message, line: &Bytes) -> Result<Reply, Unreached> {
        let own = message.id.as_ref().is_some_and(|id| self.state().own.contains_key(id));
        let greets = message.method == "initialize";
        if !self.older.lock().await.is_open() {
            let generation = self.state().generation;
            if !self.open_older().await {
                return Err(Unreached::Failed("it opens no stream of events".to_owned()));
            }
            let greeted = if greets || own { true } else { Box::pin(self.greet_anew(generation)).await };
            if !greeted {
                return Err(Unreached::Failed("it does not begin a new session".to_owned()));
            }
        }
        let Some(post) = self.older.lock().await.post.clone() else {
            return Err(Unreached::Failed("it named no URL to post to".to_owned()));
        };
        let response = self.client.post(&post, &self.headers_of(message), line, None).await?;
        let (parts, body) = response.into_parts();
        let body = stream::whole(body, MOST_REFUSAL, &self.budget).await.unwrap_or_default();
        if parts.status.is_success() {
            return Ok(Reply::Elsewhere);
        }
        Ok(Reply::Refused(parts.status, parts.headers, body))
    }

    /// Waits until `id` is answered over the stream.
    pub(super) async fn answered_elsewhere(&self, id: &Id) {
        loop {
            let news = self.news.notified();
            if !self.is_pending(id) {
                return;
            }
            news.await;
        }
    }

    /// The stream broke: what was under way is lost.
    async fn lost(&self) {
        let lost: Vec<Id> = {
            let mut state = self.state();
            state.own.clear();
            std::mem::take(&mut state.pending).into_keys().collect()
        };
        for id in lost {
            self.lines.say(fault::silence(&id, "the server's stream ended before its answer came")).await;
        }
        self.news.notify_waiters();
    }
}
