//! What a client gets over HTTP: a whole body, or a stream of events that is kept alive while nothing is said.

use super::link::{Link, Out};
use crate::http::sse;
use bouncer_core::call::Id;
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, Response, StatusCode};
use http_body::Frame;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Interval, MissedTickBehavior, interval};

/// A comment this often tells everybody between that the stream lives.
const BEAT: Duration = Duration::from_secs(15);

pub(super) type Answer = Response<Body>;

/// A body.
pub(super) enum Body {
    Whole(Option<Bytes>),
    Events(Box<Events>),
}

/// A stream of events.
pub(super) struct Events {
    first: Option<Out>,
    lines: mpsc::Receiver<Out>,
    beat: Interval,
    over: bool,
    _ticket: Ticket,
}

/// Given back when a stream ends, however it ends.
pub(super) enum Ticket {
    /// A request that is under way. One of the 2026 revision is cancelled by the end of its stream.
    /// Nobody knows of a session whose greeting nobody waited for.
    Request { link: Arc<Link>, id: Id, cancels: bool, greets: bool },
    /// A listening stream.
    Listener { link: Arc<Link>, number: u64 },
}

impl Drop for Ticket {
    fn drop(&mut self) {
        match self {
            Self::Listener { link, number } => link.stop_listening(*number),
            Self::Request { link, id, cancels, greets } => {
                let unanswered = link.forget(id);
                if unanswered && *greets {
                    link.close();
                }
                if unanswered && *cancels {
                    let line = crate::proxy::cancelled_message(id, "the client closed the stream");
                    let link = Arc::clone(link);
                    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
                        runtime.spawn(async move { link.input.say(line.into_bytes()).await });
                    }
                }
            }
        }
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.get_mut() {
            Self::Whole(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Self::Events(events) => events.poll(cx).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole(None))
    }

    fn size_hint(&self) -> http_body::SizeHint {
        match self {
            Self::Whole(bytes) => {
                http_body::SizeHint::with_exact(bytes.as_ref().map_or(0, |b| b.len() as u64))
            }
            Self::Events(_) => http_body::SizeHint::default(),
        }
    }
}

impl Events {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if self.over {
            return Poll::Ready(None);
        }
        let out = match self.first.take() {
            Some(out) => Some(out),
            None => match self.lines.poll_recv(cx) {
                Poll::Ready(out) => out,
                Poll::Pending => {
                    ready!(self.beat.poll_tick(cx));
                    return Poll::Ready(Some(Bytes::from_static(b": alive\n\n")));
                }
            },
        };
        match out {
            Some(Out::Line(line)) => Poll::Ready(Some(sse::event(&line).into())),
            Some(Out::Last(line)) => {
                self.over = true;
                Poll::Ready(Some(sse::event(&line).into()))
            }
            None => {
                self.over = true;
                Poll::Ready(None)
            }
        }
    }
}

fn with(status: StatusCode, body: Body) -> Answer {
    let mut answer = Response::new(body);
    *answer.status_mut() = status;
    answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

/// No body.
pub(super) fn empty(status: StatusCode) -> Answer {
    with(status, Body::Whole(None))
}

/// Words for a person.
pub(super) fn text(status: StatusCode, words: &str) -> Answer {
    let mut answer = with(status, Body::Whole(Some(format!("{words}\n").into())));
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    answer
}

/// One message.
pub(super) fn json(status: StatusCode, message: impl Into<Bytes>) -> Answer {
    let mut answer = with(status, Body::Whole(Some(message.into())));
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}

/// A stream, beginning with what came already.
pub(super) fn events(first: Option<Out>, lines: mpsc::Receiver<Out>, ticket: Ticket) -> Answer {
    let mut beat = interval(BEAT);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let events = Events { first, lines, beat, over: false, _ticket: ticket };
    let mut answer = with(StatusCode::OK, Body::Events(Box::new(events)));
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    answer.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    answer
}
