//! One relay and the HTTP streams that lead from it: which line goes out where.
//!
//! An answer goes to the request that it answers. What the server says unasked goes to the stream of a request under way
//! where it belongs to one, otherwise to the listening stream, and waits where there is neither.

use crate::http::lines::Lines;
use crate::http::meta::Message;
use crate::http::mirror::Mirrors;
use crate::http::side::Side;
use crate::proxy::Event;
use bouncer_core::call::Id;
use bouncer_core::line::server::{Kind, ServerLine, look};
use bouncer_core::value::Value;
use bytes::Bytes;
use std::collections::{BTreeMap, VecDeque};
use std::sync::mpsc as threads;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::mpsc;

/// Messages that wait for a request's stream to take them.
const MOST_UNREAD: usize = 64;
/// Messages that wait for the listening stream; when they are more, it is taken for dead.
const MOST_UNHEARD: usize = 1024;
/// Messages, and bytes of them, that wait for a listening stream to be opened; the oldest go first.
const MOST_KEPT: usize = 256;
const MOST_KEPT_BYTES: usize = 4 << 20;

/// What goes to a stream.
#[derive(Debug)]
pub(super) enum Out {
    /// More may follow.
    Line(Bytes),
    /// The answer.
    Last(Bytes),
}

/// A relay with its client's streams.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) id: String,
    /// Serves requests that need no session.
    pub(super) stateless: bool,
    pub(super) input: Lines,
    pub(super) side: Arc<Side>,
    end: Mutex<threads::Sender<Event>>,
    routes: Mutex<Routes>,
}

#[derive(Debug)]
struct Routes {
    waiting: BTreeMap<Id, Waiter>,
    counter: u64,
    listener: Option<(u64, mpsc::Sender<Out>)>,
    kept: VecDeque<Bytes>,
    kept_bytes: usize,
    mirrors: Mirrors,
    used: Instant,
    ended: bool,
}

#[derive(Debug)]
struct Waiter {
    number: u64,
    method: String,
    token: Option<String>,
    stream: mpsc::Sender<Out>,
}

/// Why a request cannot wait here.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Busy {
    /// One with the same id, or the same progress token, is under way.
    Taken,
    /// The relay has ended.
    Ended,
}

impl Link {
    pub(super) fn new(
        id: String,
        stateless: bool,
        input: Lines,
        side: Arc<Side>,
        end: threads::Sender<Event>,
    ) -> Self {
        let routes = Routes {
            waiting: BTreeMap::new(),
            counter: 0,
            listener: None,
            kept: VecDeque::new(),
            kept_bytes: 0,
            mirrors: Mirrors::default(),
            used: Instant::now(),
            ended: false,
        };
        Self { id, stateless, input, side, end: Mutex::new(end), routes: Mutex::new(routes) }
    }

    fn routes(&self) -> MutexGuard<'_, Routes> {
        self.routes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A request is about to be sent: where its answer will come out.
    pub(super) fn expect(&self, message: &Message) -> Result<mpsc::Receiver<Out>, Busy> {
        let Some(id) = &message.id else { return Err(Busy::Taken) };
        let token = token_of(message.params.as_ref(), true);
        let mut routes = self.routes();
        if routes.ended {
            return Err(Busy::Ended);
        }
        let is_taken = |other: &Waiter| token.is_some() && other.token == token;
        if routes.waiting.contains_key(id) || routes.waiting.values().any(is_taken) {
            return Err(Busy::Taken);
        }
        let (stream, lines) = mpsc::channel(MOST_UNREAD);
        routes.counter += 1;
        let number = routes.counter;
        routes.used = Instant::now();
        routes.waiting.insert(id.clone(), Waiter { number, method: message.method.clone(), token, stream });
        Ok(lines)
    }

    /// Nobody waits for the answer to `id` any more. Whether somebody did.
    pub(super) fn forget(&self, id: &Id) -> bool {
        self.routes().waiting.remove(id).is_some()
    }

    /// The client begins to listen; `None` where it does already.
    pub(super) fn listen(&self) -> Option<(u64, mpsc::Receiver<Out>)> {
        let mut routes = self.routes();
        if routes.ended || routes.listener.as_ref().is_some_and(|(_, stream)| !stream.is_closed()) {
            return None;
        }
        let (stream, lines) = mpsc::channel(MOST_UNHEARD);
        for line in std::mem::take(&mut routes.kept) {
            let _ = stream.try_send(Out::Line(line));
        }
        routes.kept_bytes = 0;
        routes.counter += 1;
        let number = routes.counter;
        routes.listener = Some((number, stream));
        Some((number, lines))
    }

    pub(super) fn stop_listening(&self, number: u64) {
        let mut routes = self.routes();
        routes.used = Instant::now();
        if routes.listener.as_ref().is_some_and(|(own, _)| *own == number) {
            routes.listener = None;
        }
    }

    /// Compares headers with the body by what this relay's tools are known to be.
    pub(super) fn check(&self, message: &Message, headers: &http::HeaderMap) -> Result<(), String> {
        message.check(headers, &self.routes().mirrors)
    }

    pub(super) fn touch(&self) {
        self.routes().used = Instant::now();
    }

    /// Since when nobody waits for anything here.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        let routes = self.routes();
        let listens = routes.listener.as_ref().is_some_and(|(_, stream)| !stream.is_closed());
        (routes.waiting.is_empty() && !listens).then_some(routes.used)
    }

    pub(super) fn has_ended(&self) -> bool {
        self.routes().ended
    }

    /// The client is done: the relay ends as after the end of standard input.
    pub(super) fn close(&self) {
        self.input.close();
    }

    /// The listener ends by a signal, and the relay with it.
    pub(super) fn signal(&self, number: i32) {
        let _ = self.end.lock().unwrap_or_else(PoisonError::into_inner).send(Event::Signal(number));
        self.close();
    }

    /// The relay is gone: every stream ends.
    pub(super) fn ended(&self) {
        let mut routes = self.routes();
        routes.ended = true;
        routes.waiting.clear();
        routes.listener = None;
        drop(routes);
        self.close();
    }

    /// One line from the relay, to where it belongs. Gives the `requestState` that it hands out, if any.
    pub(super) async fn route(&self, line: Bytes) -> Option<String> {
        let mut state = None;
        let (stream, out) = {
            let seen = look(&line);
            let mut routes = self.routes();
            match (seen.kind, &seen.id) {
                (Kind::Response, Some(id)) => {
                    // An answer that nobody waits for any more goes nowhere.
                    let waiter = routes.waiting.remove(id)?;
                    routes.used = Instant::now();
                    if waiter.method == "tools/list"
                        && let Some(Ok(result)) = seen.result_strict()
                    {
                        routes.mirrors.learn(&result);
                    }
                    state = state_of(&line, &seen);
                    (waiter.stream, Out::Last(line))
                }
                _ => match routes.place(&seen) {
                    Some(stream) => (stream, Out::Line(line)),
                    None => {
                        routes.tell(line);
                        return None;
                    }
                },
            }
        };
        let _ = stream.send(out).await;
        state
    }
}

impl Routes {
    /// The stream of the request that a message belongs to.
    fn place(&self, seen: &ServerLine<'_>) -> Option<mpsc::Sender<Out>> {
        let method = seen.method.as_deref().unwrap_or_default();
        let params = seen.params();
        if method == "notifications/progress"
            && let Some(token) = token_of(params.as_ref(), false)
            && let Some(waiter) = self.waiting.values().find(|w| w.token.as_ref() == Some(&token))
        {
            return Some(waiter.stream.clone());
        }
        let subscription = params
            .as_ref()
            .and_then(|p| p.get("_meta")?.get("io.modelcontextprotocol/subscriptionId"))
            .and_then(Id::from_value);
        if let Some(id) = subscription {
            return self.waiting.get(&id).map(|waiter| waiter.stream.clone());
        }
        let unrelated = method.ends_with("/list_changed") || method == "notifications/resources/updated";
        if unrelated && self.listener.is_some() {
            return None;
        }
        let requests = self.waiting.values().filter(|w| w.method != "subscriptions/listen");
        requests.max_by_key(|w| w.number).map(|waiter| waiter.stream.clone())
    }

    /// To the listening stream, now or later.
    fn tell(&mut self, line: Bytes) {
        if let Some((_, stream)) = &self.listener {
            match stream.try_send(Out::Line(line.clone())) {
                Ok(()) => return,
                Err(mpsc::error::TrySendError::Full(_)) => {
                    tracing::warn!("a client listens but does not read; its stream is closed");
                    self.listener = None;
                    return;
                }
                Err(mpsc::error::TrySendError::Closed(_)) => self.listener = None,
            }
        }
        self.kept_bytes += line.len();
        self.kept.push_back(line);
        while self.kept.len() > MOST_KEPT || self.kept_bytes > MOST_KEPT_BYTES {
            let Some(oldest) = self.kept.pop_front() else { break };
            self.kept_bytes -= oldest.len();
        }
    }
}

/// A progress token as JSON: of a request in its `_meta`, of a notification in its parameters.
fn token_of(params: Option<&Value>, of_request: bool) -> Option<String> {
    let holder = if of_request { params?.get("_meta")? } else { params? };
    let token = holder.get("progressToken")?;
    matches!(token, Value::String(_) | Value::Number(_)).then(|| token.to_json())
}

fn state_of(line: &[u8], seen: &ServerLine<'_>) -> Option<String> {
    // Cheap first: nearly no answer has one.
    memchr::memmem::find(line, b"requestState")?;
    seen.result()?.get("requestState")?.as_str().map(str::to_owned)
}
