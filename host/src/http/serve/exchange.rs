//! One HTTP request of a client's: let in or not, read, compared with its headers, handed to a relay, answered.

use super::Serving;
use super::answer::{self, Answer, Ticket};
use super::link::{Busy, Link, Out};
use crate::audit::Entry;
use crate::http::line::one_line;
use crate::http::meta::{Message, SESSION, VERSION};
use crate::proxy::error_message;
use bouncer_core::call::Id;
use bouncer_core::line::scan;
use bouncer_core::line::server::{Kind, look};
use bouncer_core::value::Value;
use bytes::Bytes;
use http::header::{
    ACCEPT, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ALLOW, AUTHORIZATION, CONTENT_TYPE, VARY, WWW_AUTHENTICATE,
};
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The one path.
const PATH: &str = "/mcp";
/// A body that stands still for so long, or takes so long in all, is not waited for.
const STILL: Duration = Duration::from_secs(15);
const IN_ALL: Duration = Duration::from_secs(120);
/// Bytes of bodies that may be under way at once, beside the first.
const MOST_READING: usize = 256 << 20;
/// An answer that comes by then is a plain body; a later one comes as an event.
const SOON: Duration = Duration::from_secs(3);

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const HEADER_MISMATCH: i32 = -32020;
const REVISIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

impl Serving {
    /// Answers a request.
    pub(super) async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Answer {
        let is_preflight = request.method() == Method::OPTIONS;
        let origin = match self.guard.check(request.headers(), is_preflight) {
            Ok(origin) => origin,
            Err(denied) => {
                if denied.status == StatusCode::FORBIDDEN {
                    self.note(None, denied.text.lines().next().unwrap_or_default());
                }
                let mut answer = answer::text(denied.status, denied.text);
                if denied.status == StatusCode::UNAUTHORIZED {
                    answer
                        .headers_mut()
                        .insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"bouncer\""));
                }
                return answer;
            }
        };
        let mut answer = if request.uri().path() != PATH {
            answer::text(StatusCode::NOT_FOUND, "MCP is spoken at `/mcp`")
        } else {
            match *request.method() {
                Method::POST => self.post(request).await,
                Method::GET => self.get(request.headers()),
                Method::DELETE => self.delete(request.headers()),
                Method::OPTIONS if origin.is_some() => preflight(),
                _ => other(),
            }
        };
        if let Some(origin) = origin {
            let headers = answer.headers_mut();
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            headers.insert(
                ACCESS_CONTROL_EXPOSE_HEADERS,
                HeaderValue::from_static("mcp-session-id, www-authenticate"),
            );
            headers.append(VARY, HeaderValue::from_static("origin"));
        }
        answer
    }

    async fn post(self: Arc<Self>, request: Request<Incoming>) -> Answer {
        let (head, body) = request.into_parts();
        let headers = head.headers;
        if media_type(&headers, CONTENT_TYPE.as_str()) != "application/json" {
            return answer::text(StatusCode::UNSUPPORTED_MEDIA_TYPE, "a message is `application/json`");
        }
        if !accepts(&headers, "application/json") || !accepts(&headers, "text/event-stream") {
            let words = "an answer is `application/json` or `text/event-stream`: accept both";
            return answer::text(StatusCode::NOT_ACCEPTABLE, words);
        }
        let body = match self.read(body).await {
            Ok(body) => body,
            Err((status, words)) => return answer::text(status, words),
        };
        let Some(line) = one_line(&body) else {
            return self.refuse(None, PARSE_ERROR, "a line break inside of a string is no JSON");
        };
        // The relay scans it again, and its word counts; here it is for the status.
        if let Err(refusal) = scan(line.to_vec(), &self.limits) {
            let reason = format!("({}): {}", refusal.rule, refusal.text);
            return self.refuse(refusal.id.as_ref(), refusal.code, &reason);
        }
        let message = Message::read(&line);
        self.take(&headers, message, line.into_owned()).await
    }

    /// A message that may be handed to a relay: to which?
    async fn take(self: Arc<Self>, headers: &HeaderMap, message: Message, line: Vec<u8>) -> Answer {
        let stateless = message.revision().is_some();
        let session = match headers.get(SESSION).map(HeaderValue::to_str) {
            Some(Ok(id)) if !stateless => Some(id),
            Some(Err(_)) => return answer::text(StatusCode::BAD_REQUEST, "the session's id is not ASCII"),
            _ => None,
        };
        let greets = message.kind == Kind::Request && message.method == "initialize" && !stateless;
        if !stateless && let Err(words) = revision(headers) {
            return self.refuse(message.id.as_ref(), INVALID_REQUEST, words);
        }
        let link = match session {
            Some(id) if !greets => match self.table.session(id) {
                Some(link) => link,
                None => return answer::text(StatusCode::NOT_FOUND, "there is no such session"),
            },
            Some(_) => return self.refuse(message.id.as_ref(), INVALID_REQUEST, "a session is greeted once"),
            None if greets || stateless => match message.kind {
                Kind::Request if stateless => return self.without_session(headers, message, line).await,
                Kind::Request => match self.started(false) {
                    Ok(link) => link,
                    Err(answer) => return *answer,
                },
                // Nothing is defined that could be told without a session.
                _ => return answer::empty(StatusCode::ACCEPTED),
            },
            None => {
                return self.refuse(
                    message.id.as_ref(),
                    INVALID_REQUEST,
                    "the header `mcp-session-id` is missing",
                );
            }
        };
        self.through(&link, headers, message, line).await
    }

    /// A request of the 2026 revision: to the relay that waits for it, or one where its id is free.
    async fn without_session(&self, headers: &HeaderMap, message: Message, line: Vec<u8>) -> Answer {
        let state = message.params.as_ref().and_then(|p| p.get("requestState")).and_then(Value::as_str);
        for link in self.table.stateless(state) {
            match link.expect(&message) {
                Ok(lines) => return self.send(&link, headers, message, line, lines).await,
                Err(Busy::Taken | Busy::Ended) => {}
            }
        }
        match self.started(true) {
            Ok(link) => self.through(&link, headers, message, line).await,
            Err(answer) => *answer,
        }
    }

    fn started(&self, stateless: bool) -> Result<Arc<Link>, Box<Answer>> {
        match self.table.start(stateless) {
            Ok(Some(link)) => Ok(link),
            Ok(None) => {
                Err(Box::new(answer::text(StatusCode::SERVICE_UNAVAILABLE, "there are too many sessions")))
            }
            Err(error) => {
                tracing::error!("no session could be started: {error}");
                Err(Box::new(answer::text(StatusCode::INTERNAL_SERVER_ERROR, "no session could be started")))
            }
        }
    }

    async fn through(
        &self,
        link: &Arc<Link>,
        headers: &HeaderMap,
        message: Message,
        line: Vec<u8>,
    ) -> Answer {
        link.touch();
        if message.kind != Kind::Request {
            if let Err(words) = link.check(&message, headers) {
                return self.refuse(None, HEADER_MISMATCH, &words);
            }
            self.authorize(link, headers);
            return match link.input.say(line).await {
                true => answer::empty(StatusCode::ACCEPTED),
                false => answer::text(StatusCode::NOT_FOUND, "the session is over"),
            };
        }
        match link.expect(&message) {
            Ok(lines) => self.send(link, headers, message, line, lines).await,
            Err(Busy::Taken) => {
                let words = "a request with this id or progress token is not answered yet";
                self.refuse(message.id.as_ref(), INVALID_REQUEST, words)
            }
            Err(Busy::Ended) => answer::text(StatusCode::NOT_FOUND, "the session is over"),
        }
    }

    async fn send(
        &self,
        link: &Arc<Link>,
        headers: &HeaderMap,
        message: Message,
        line: Vec<u8>,
        mut lines: tokio::sync::mpsc::Receiver<Out>,
    ) -> Answer {
        let Some(id) = message.id.clone() else { return answer::empty(StatusCode::BAD_REQUEST) };
        let stateless = message.revision().is_some();
        if let Err(words) = link.check(&message, headers) {
            link.forget(&id);
            return self.refuse(Some(&id), HEADER_MISMATCH, &words);
        }
        self.authorize(link, headers);
        // From here on the request may be under way: whoever stops waiting gives it back.
        let greets = message.method == "initialize" && !stateless;
        let ticket = Ticket::Request { link: Arc::clone(link), id: id.clone(), cancels: stateless, greets };
        let taken = link.input.say(line).await;
        let first = match tokio::time::timeout(SOON, lines.recv()).await {
            _ if !taken => None,
            Ok(None) => None,
            Ok(Some(Out::Last(line))) => {
                return self.last(link, &id, line, stateless, greets);
            }
            Ok(first @ Some(_)) => first,
            Err(_) => {
                let answer = answer::events(None, lines, ticket);
                return with_session(answer, link, &message);
            }
        };
        match first {
            Some(first) => with_session(answer::events(Some(first), lines, ticket), link, &message),
            None => {
                let text = error_message(Some(&id), -32603, "[bouncer] the server has ended");
                answer::json(StatusCode::BAD_GATEWAY, text)
            }
        }
    }

    /// The answer came at once, and its status may say more.
    fn last(&self, link: &Arc<Link>, id: &Id, line: Bytes, stateless: bool, greets: bool) -> Answer {
        if let Some(refused) = link.side.take(id) {
            let status = StatusCode::from_u16(refused.status).unwrap_or(StatusCode::BAD_GATEWAY);
            let mut answer = answer::json(status, line);
            for challenge in refused.challenges {
                answer.headers_mut().append(WWW_AUTHENTICATE, challenge);
            }
            if greets {
                self.table.end(&link.id);
            }
            return answer;
        }
        let status = if stateless { status_of(&line) } else { StatusCode::OK };
        let greeted = greets && look(&line).result_bytes().is_some();
        let mut answer = answer::json(status, line);
        if greeted {
            put_session(&mut answer, link);
        } else if greets {
            // Nobody knows of the session.
            self.table.end(&link.id);
        }
        answer
    }

    /// The client's `Authorization` is for the server, unless it is for the listener.
    fn authorize(&self, link: &Link, headers: &HeaderMap) {
        if !self.guard.takes_authorization()
            && let Some(value) = headers.get(AUTHORIZATION)
        {
            link.side.authorize(value);
        }
    }

    fn get(&self, headers: &HeaderMap) -> Answer {
        if !accepts(headers, "text/event-stream") {
            return answer::text(StatusCode::NOT_ACCEPTABLE, "what is listened to is `text/event-stream`");
        }
        let Some(id) = headers.get(SESSION).and_then(|id| id.to_str().ok()) else { return other() };
        let Some(link) = self.table.session(id) else {
            return answer::text(StatusCode::NOT_FOUND, "there is no such session");
        };
        match link.listen() {
            Some((number, lines)) => answer::events(None, lines, Ticket::Listener { link, number }),
            None => answer::text(StatusCode::CONFLICT, "somebody listens already"),
        }
    }

    fn delete(&self, headers: &HeaderMap) -> Answer {
        match headers.get(SESSION).and_then(|id| id.to_str().ok()) {
            Some(id) if self.table.session(id).is_some() => {
                self.table.end(id);
                answer::empty(StatusCode::NO_CONTENT)
            }
            Some(_) => answer::text(StatusCode::NOT_FOUND, "there is no such session"),
            None => other(),
        }
    }

    /// Reads a body, within bounds of size and time.
    async fn read(&self, mut body: Incoming) -> Result<Vec<u8>, (StatusCode, &'static str)> {
        let late = (StatusCode::REQUEST_TIMEOUT, "the body did not come in time");
        let mut bytes = Vec::new();
        let mut reading = Reading(&self.reading, 0);
        let until = tokio::time::Instant::now() + IN_ALL;
        loop {
            let still = (tokio::time::Instant::now() + STILL).min(until);
            let Some(frame) = tokio::time::timeout_at(still, body.frame()).await.map_err(|_| late)? else {
                return Ok(bytes);
            };
            let frame = frame.map_err(|_| (StatusCode::BAD_REQUEST, "the body broke off"))?;
            let Ok(data) = frame.into_data() else { continue };
            if bytes.len() + data.len() > self.limits.max_bytes {
                return Err((StatusCode::PAYLOAD_TOO_LARGE, "the message is too long"));
            }
            if !reading.more(data.len()) {
                return Err((StatusCode::SERVICE_UNAVAILABLE, "too much is being sent at once"));
            }
            bytes.extend_from_slice(&data);
        }
    }

    /// Refuses what never reaches a relay.
    fn refuse(&self, id: Option<&Id>, code: i32, reason: &str) -> Answer {
        self.note(id, reason);
        let text = error_message(id, code, &format!("[bouncer blocked] message refused {reason}"));
        answer::json(StatusCode::BAD_REQUEST, text)
    }

    fn note(&self, id: Option<&Id>, reason: &str) {
        let reason = format!("HTTP request refused: {reason}");
        let entry = Entry {
            session: &self.session,
            server: &self.server,
            verdict: "deny",
            reason: &reason,
            contract: "line",
            id: id.map(Id::json),
            ..Entry::default()
        };
        if let Err(error) = self.audit.append(&entry) {
            tracing::error!("{error}");
        }
    }
}

/// Bytes that are being read, given back at the end.
struct Reading<'a>(&'a AtomicUsize, usize);

impl Reading<'_> {
    fn more(&mut self, bytes: usize) -> bool {
        self.1 += bytes;
        self.0.fetch_add(bytes, Ordering::AcqRel) + bytes - self.1 <= MOST_READING
    }
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(self.1, Ordering::AcqRel);
    }
}

fn with_session(mut answer: Answer, link: &Link, message: &Message) -> Answer {
    if message.method == "initialize" && !link.stateless {
        put_session(&mut answer, link);
    }
    answer
}

fn put_session(answer: &mut Answer, link: &Link) {
    if let Ok(id) = HeaderValue::from_str(&link.id) {
        answer.headers_mut().insert(SESSION, id);
    }
}

/// A revision that the header names must be one that has sessions.
fn revision(headers: &HeaderMap) -> Result<(), &'static str> {
    match headers.get(VERSION) {
        Some(version) if !REVISIONS.iter().any(|known| known.as_bytes() == version.as_bytes()) => {
            Err("the header `mcp-protocol-version` names no revision that this message could be of")
        }
        _ => Ok(()),
    }
}

/// The status that goes with an error of the 2026 revision.
fn status_of(line: &[u8]) -> StatusCode {
    let code = look(line).error().and_then(|error| match error.get("code") {
        Some(Value::Number(code)) => code.parse::<i32>().ok(),
        _ => None,
    });
    match code {
        Some(-32601) => StatusCode::NOT_FOUND,
        Some(-32022..=-32020) => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    }
}

fn preflight() -> Answer {
    let mut answer = answer::empty(StatusCode::NO_CONTENT);
    let headers = answer.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("POST, GET, DELETE"));
    let names = "accept, authorization, content-type, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id";
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(names));
    answer
}

fn other() -> Answer {
    let mut answer = answer::empty(StatusCode::METHOD_NOT_ALLOWED);
    answer.headers_mut().insert(ALLOW, HeaderValue::from_static("POST, GET, DELETE"));
    answer
}

fn media_type(headers: &HeaderMap, key: &str) -> String {
    let mut values = headers.get_all(key).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return String::new() };
    let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Whether a client takes this kind of body. One that says nothing takes all.
fn accepts(headers: &HeaderMap, kind: &str) -> bool {
    let family = kind.split_once('/').map_or(kind, |(family, _)| family);
    let mut values = headers.get_all(ACCEPT).iter().peekable();
    if values.peek().is_none() {
        return true;
    }
    values.any(|value| {
        let value = String::from_utf8_lossy(value.as_bytes()).to_ascii_lowercase();
        value.split(',').any(|one| {
            let one = one.split(';').next().unwrap_or_default().trim();
            one == kind || one == "*/*" || one.strip_suffix("/*") == Some(family)
        })
    })
}
