//! The relays behind the listener: one for each session, and some for requests that need none.

use super::link::{Link, Whose};
use crate::http::lines::Lines;
use crate::http::side::Side;
use crate::os::{self, FromRelay};
use crate::proxy::{Ends, RunOptions, random, session};
use bytes::{Buf as _, Bytes, BytesMut};
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::io::AsyncReadExt as _;
use tokio::sync::watch;

/// Relays that there may be at once, each with its server.
const MOST_LINKS: usize = 64;
/// A session that nobody uses for so long is over.
const MOST_IDLE: Duration = Duration::from_secs(30 * 60);
/// A session may have to make room for a new one after this.
const MAKES_ROOM: Duration = Duration::from_secs(60);
/// `requestState`s of which is known which relay handed them out.
const MOST_STATES: usize = 1000;

/// All relays of a listener.
pub(super) struct Table {
    options: RunOptions,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    links: BTreeMap<String, Arc<Link>>,
    /// Which relay a `requestState` came from, the oldest first.
    states: VecDeque<(String, String)>,
    running: usize,
}

impl Table {
    pub(super) fn new(options: RunOptions) -> Self {
        Self { options, inner: Mutex::default() }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The relay of a session.
    pub(super) fn session(&self, id: &str) -> Option<Arc<Link>> {
        self.inner().links.get(id).filter(|link| !link.is_stateless() && !link.has_ended()).cloned()
    }

    /// The relays for requests without a session from a client that says of itself to be `whose`; only the one that
    /// handed out `state`, where one did.
    pub(super) fn stateless(&self, state: Option<&str>, whose: Whose) -> Vec<Arc<Link>> {
        let inner = self.inner();
        let own = state.and_then(|state| inner.states.iter().find(|(known, _)| known == state));
        let own =
            own.and_then(|(_, id)| inner.links.get(id)).filter(|link| link.stateless == Some(whose)).cloned();
        match own {
            // Nobody else can make anything of it.
            Some(own) => vec![own],
            None => inner
                .links
                .values()
                .filter(|link| link.stateless == Some(whose) && !link.has_ended())
                .cloned()
                .collect(),
        }
    }

    /// Starts a relay with a server of its own. `None` where there are too many.
    pub(super) fn start(self: &Arc<Self>, stateless: Option<Whose>) -> io::Result<Option<Arc<Link>>> {
        if !self.make_room() {
            return Ok(None);
        }
        let id = random().map_err(io::Error::other)?;
        let (from_client, input) = os::to_relay()?;
        let (heard, output) = os::from_relay()?;
        let lines = Lines::start(from_client);
        let (events, all_events) = channel();
        let side = Arc::new(Side::default());
        let link = Arc::new(Link::new(id.clone(), stateless, lines, Arc::clone(&side), events.clone()));
        let (over, is_over) = watch::channel(false);
        let (table, options) = (Arc::clone(self), self.options.clone());
        {
            let mut inner = self.inner();
            inner.links.insert(id.clone(), Arc::clone(&link));
            inner.running += 1;
        }
        let ends = Ends { input, output, side: Some(side) };
        std::thread::spawn(move || {
            let ended = session(&options, ends, events, &all_events);
            if let Err(error) = ended {
                tracing::error!("{error}");
            }
            let _ = over.send(true);
            let mut inner = table.inner();
            inner.links.remove(&id);
            inner.running -= 1;
        });
        let (table, reader) = (Arc::clone(self), Arc::clone(&link));
        tokio::spawn(async move {
            table.read(&reader, heard, is_over).await;
            reader.ended();
        });
        Ok(Some(link))
    }

    /// Reads the relay's lines until it is over, and what it wrote until then.
    async fn read(&self, link: &Link, mut heard: FromRelay, mut is_over: watch::Receiver<bool>) {
        let mut buffer = BytesMut::new();
        let mut searched = 0;
        loop {
            buffer.reserve(16 << 10);
            let read = tokio::select! {
                biased;
                read = heard.read_buf(&mut buffer) => read,
                () = async { drop(is_over.wait_for(|over| *over).await) } => match os::rest(&mut heard, &mut buffer).await {
                    Ok(read) => Ok(read),
                    Err(_) => return,
                },
            };
            if !matches!(read, Ok(1..)) {
                return;
            }
            while let Some(at) = memchr::memchr(b'\n', buffer.get(searched..).unwrap_or_default()) {
                let line: Bytes = buffer.split_to(searched + at).freeze();
                buffer.advance(1);
                searched = 0;
                let end = line.trim_ascii_end().len();
                let line = line.slice(..end);
                if let Some(state) = link.route(line).await {
                    self.remember(state, &link.id);
                }
            }
            searched = buffer.len();
        }
    }

    fn remember(&self, state: String, link: &str) {
        let mut inner = self.inner();
        if inner.states.len() >= MOST_STATES {
            inner.states.pop_front();
        }
        inner.states.push_back((state, link.to_owned()));
    }

    /// Whether one more relay may be started; the longest unused one goes where it must.
    fn make_room(&self) -> bool {
        self.expire(MOST_IDLE);
        if self.inner().running < MOST_LINKS {
            return true;
        }
        self.expire(MAKES_ROOM);
        false
    }

    /// Ends the relays that nobody has used for `idle`.
    pub(super) fn expire(&self, idle: Duration) {
        let now = Instant::now();
        let old: Vec<Arc<Link>> = {
            let mut inner = self.inner();
            let is_old =
                |link: &Link| link.idle_since().is_some_and(|since| now.duration_since(since) > idle);
            let old: Vec<Arc<Link>> = inner.links.values().filter(|link| is_old(link)).cloned().collect();
            old.iter().for_each(|link| drop(inner.links.remove(&link.id)));
            old
        };
        old.iter().for_each(|link| link.close());
    }

    /// The client ends its session.
    pub(super) fn end(&self, id: &str) {
        let link = self.inner().links.remove(id);
        link.inspect(|link| link.close());
    }

    /// Ends all relays as by the signal that the listener got. True once none is left.
    pub(super) fn signal(&self, number: Option<i32>) -> bool {
        let (links, running) = {
            let inner = self.inner();
            (inner.links.values().cloned().collect::<Vec<_>>(), inner.running)
        };
        if let Some(number) = number {
            links.iter().for_each(|link| link.signal(number));
        }
        running == 0
    }
}
