//! What comes back: JSON bodies and streams of events, each message handed on as one line the moment it is whole.

use super::Wire;
use crate::http::MOST_MESSAGE;
use crate::http::line::one_line;
use crate::http::meta::Message;
use crate::http::sse::{Event, Parser};
use bouncer_core::line::server::{Kind, look};
use bouncer_core::value::Value;
use bytes::Buf as _;
use http::HeaderValue;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use std::collections::VecDeque;

/// A body, up to `most` bytes. `None` where it is longer or breaks off.
pub(super) async fn whole(mut body: Incoming, most: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        if let Ok(mut data) = frame.ok()?.into_data() {
            if bytes.len() + data.remaining() > most {
                return None;
            }
            bytes.extend_from_slice(&data);
            data.advance(data.remaining());
        }
    }
    Some(bytes)
}

/// A stream of events, through all connections that it takes.
pub(super) struct Events {
    body: Option<Incoming>,
    pub(super) parser: Parser,
    ready: VecDeque<Event>,
}

impl Events {
    pub(super) fn new() -> Self {
        Self { body: None, parser: Parser::new(MOST_MESSAGE), ready: VecDeque::new() }
    }

    /// The stream goes on with this body. Half an event that the connection before it left is forgotten.
    pub(super) fn connect(&mut self, body: Incoming) {
        self.parser.begin_again();
        self.body = Some(body);
    }

    /// The next event; `None` where the connection ended, or an event was larger than anything that is kept.
    pub(super) async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            let Ok(data) = self.body.as_mut()?.frame().await?.ok()?.into_data() else { continue };
            let mut events = Vec::new();
            if self.parser.feed(&data, &mut events).is_err() {
                tracing::error!("an event of more than {MOST_MESSAGE} bytes from the server was dropped");
                self.parser = Parser::new(MOST_MESSAGE);
                self.body = None;
            }
            self.ready.extend(events);
        }
    }
}

impl Wire {
    /// One message of the server's, as a line for the relay. Answers to requests of this edge's own go no further.
    pub(super) async fn hand_on(&self, text: &[u8]) {
        let Some(line) = one_line(text) else {
            tracing::warn!("a message with a line break inside of a string is no JSON and was dropped");
            return;
        };
        if line.is_empty() {
            return;
        }
        if self.note(&line) {
            self.lines.say(line.into_owned()).await;
        }
    }

    /// What this edge itself learns from a message. False where it was meant for nobody else.
    fn note(&self, line: &[u8]) -> bool {
        let seen = look(line);
        let (Kind::Response, Some(id)) = (seen.kind, &seen.id) else { return true };
        let mut state = self.state();
        if let Some(own) = state.own.remove(id) {
            let _ = own.send(line.to_vec());
            return false;
        }
        let Some(pending) = state.pending.remove(id) else { return true };
        self.news.notify_waiters();
        match pending.method.as_str() {
            "initialize" => {
                state.version = seen.result().as_ref().and_then(version_of);
            }
            "tools/list" => {
                if let Some(Ok(result)) = seen.result_strict() {
                    state.mirrors.learn(&result);
                }
            }
            _ => {}
        }
        true
    }

    /// The client cancels a request of a revision where that means to close its stream: closed. False where the server
    /// is to be told.
    pub(super) fn cancel(&self, message: &Message) -> bool {
        let id = message
            .params
            .as_ref()
            .and_then(|p| p.get("requestId"))
            .and_then(bouncer_core::call::Id::from_value);
        let Some(id) = id else { return false };
        let mut state = self.state();
        if !state.pending.get(&id).is_some_and(|pending| pending.modern) {
            return false;
        }
        let task = state.pending.remove(&id).and_then(|pending| pending.task);
        task.inspect(|task| task.abort());
        true
    }
}

/// The agreed revision, as a header.
pub(super) fn version_of(result: &Value) -> Option<HeaderValue> {
    let version = result.get("protocolVersion").and_then(Value::as_str)?;
    let is_sane = version.len() <= 64 && version.bytes().all(|b| b.is_ascii_graphic());
    is_sane.then(|| HeaderValue::from_str(version).ok())?
}
