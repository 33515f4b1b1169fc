//! A remote server as the relay's upstream: permits go in, lines come out.
//!
//! The relay writes to an [`Outbox`] as to a server's standard input and reads lines from a pipe as from its standard
//! output. In between: a driver that takes one permit after the other and starts a POST for each. They are begun in order
//! and answered in any; a notification is taken by the server before the next message is begun.

mod client;
mod exchange;
mod fault;
mod greeting;
mod listen;
mod older;
mod stream;

use super::lines::Lines;
use super::meta::Message;
use super::mirror::Mirrors;
use super::side::Side;
use super::target::Target;
use bouncer_core::call::Id;
use bouncer_core::line::server::Kind;
use bouncer_core::permit::Permit;
use client::Client;
use greeting::Greeting;
use older::Older;
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio::task::{AbortHandle, JoinSet};

/// Permits that wait for the driver; the client waits beyond.
const MOST_WAITING: usize = 8;
/// Requests that may be under way at once; more are refused, so that what ends them is still let through.
const MOST_UNDER_WAY: usize = 256;
/// The next message waits so long at most for the server to take a notification or an answer.
const TAKEN: Duration = Duration::from_secs(10);
/// A server may take so long to hear that its session is over.
const FAREWELL: Duration = Duration::from_secs(2);

/// The way to a remote server. The only thing that can be sent is a [`Permit`].
#[derive(Debug)]
pub(crate) struct Outbox {
    sender: Mutex<Option<mpsc::Sender<Permit>>>,
    stop: watch::Sender<bool>,
}

impl Outbox {
    /// Sends what a permit permits; waits while many are under way.
    pub(crate) fn forward(&self, permit: Permit) -> io::Result<()> {
        let sender = lock(&self.sender).clone().ok_or(io::ErrorKind::BrokenPipe)?;
        sender.blocking_send(permit).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    /// Nothing more will be sent. What is under way is still answered.
    pub(crate) fn close(&self) {
        lock(&self.sender).take();
    }

    /// Nobody wants an answer any more.
    pub(crate) fn drop_now(&self) {
        self.close();
        self.stop.send_replace(true);
    }
}

/// Connects the two ends of the relay to a remote server. Nothing is sent yet.
pub(crate) fn start(target: &Target, side: Option<Arc<Side>>) -> io::Result<(Outbox, File)> {
    let handle = super::runtime()?;
    let _inside = handle.enter();
    let client = Client::new(target, side.clone())?;
    if target.url.scheme_str() == Some("http") && !super::target::is_loopback(&target.url) {
        tracing::warn!("`{}` is reached without encryption", target.url);
    }
    let (writer, reader) = crate::os::to_relay()?;
    let lines = Lines::start(writer);
    let (sender, permits) = mpsc::channel(MOST_WAITING);
    let (stop, stopped) = watch::channel(false);
    let wire = Arc::new_cyclic(|me| Wire {
        client,
        lines,
        side,
        greeting: tokio::sync::Mutex::new(Greeting::default()),
        older: tokio::sync::Mutex::new(Older::default()),
        state: Mutex::new(State { transport: target.transport, ..State::default() }),
        budget: Arc::default(),
        news: Notify::new(),
        me: me.clone(),
    });
    handle.spawn(drive(wire, permits, stopped));
    Ok((Outbox { sender: Mutex::new(Some(sender)), stop }, reader))
}

/// What the tasks of one connection share.
struct Wire {
    client: Client,
    lines: Lines,
    side: Option<Arc<Side>>,
    /// Held while a session is begun anew.
    greeting: tokio::sync::Mutex<Greeting>,
    /// Held while the older transport's stream is opened.
    older: tokio::sync::Mutex<Older>,
    state: Mutex<State>,
    budget: Arc<stream::Budget>,
    /// Something was answered.
    news: Notify,
    me: Weak<Wire>,
}

#[derive(Default)]
struct State {
    transport: super::target::Transport,
    /// The session's id, where the server gave one.
    session: Option<http::HeaderValue>,
    /// The revision agreed upon with `initialize`.
    version: Option<http::HeaderValue>,
    /// Counts the sessions, so that only the first that finds one gone begins another.
    generation: u64,
    /// Requests that are not answered.
    pending: BTreeMap<Id, Pending>,
    /// Requests of this edge's own, whose answers the relay does not see.
    own: BTreeMap<Id, oneshot::Sender<Vec<u8>>>,
    mirrors: Mirrors,
    listening: Option<AbortHandle>,
    /// Nothing more will be sent.
    ending: bool,
}

struct Pending {
    method: String,
    /// Of a revision where closing its stream cancels it.
    modern: bool,
    task: Option<AbortHandle>,
}

impl Wire {
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Whether a request still waits for its answer.
    fn is_pending(&self, id: &Id) -> bool {
        self.state().pending.contains_key(id)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn drive(wire: Arc<Wire>, mut permits: mpsc::Receiver<Permit>, mut stopped: watch::Receiver<bool>) {
    let mut tasks = JoinSet::new();
    let ended = async {
        while let Some(permit) = permits.recv().await {
            begin(&wire, &mut tasks, permit.into_bytes()).await;
            while tasks.try_join_next().is_some() {}
        }
        wire.state().ending = true;
        // Streams that never end by themselves.
        let endless: Vec<AbortHandle> = {
            let mut state = wire.state();
            let listening = state.listening.take();
            let subscribed = state.pending.values_mut().filter(|p| p.method == "subscriptions/listen");
            subscribed.filter_map(|p| p.task.take()).chain(listening).collect()
        };
        endless.iter().for_each(AbortHandle::abort);
        while tasks.join_next().await.is_some() {}
    };
    tokio::select! {
        () = ended => {}
        _ = stopped.wait_for(|stop| *stop) => {}
    }
    wire.state().ending = true;
    tasks.shutdown().await;
    let listening = wire.state().listening.take();
    listening.inspect(|task| task.abort());
    wire.older.lock().await.close();
    let _ = tokio::time::timeout(FAREWELL, wire.farewell()).await;
    // The pipe closes with the last line, and the relay learns that the server has ended.
    wire.lines.close();
}

/// Sends one message, and returns when the next may be sent.
async fn begin(wire: &Arc<Wire>, tasks: &mut JoinSet<()>, line: Vec<u8>) {
    let message = Message::read(&line);
    match (message.kind, message.id.clone()) {
        (Kind::Request, Some(id)) if wire.state().pending.len() >= MOST_UNDER_WAY => {
            let answer = fault::silence(&id, "too many requests are under way to this server");
            wire.lines.say(answer).await;
        }
        (Kind::Request, Some(id)) => {
            let greets = message.method == "initialize";
            let pending =
                Pending { method: message.method.clone(), modern: message.revision().is_some(), task: None };
            wire.state().pending.insert(id.clone(), pending);
            let (went, gone) = oneshot::channel();
            let whole = Arc::clone(wire);
            let task = tasks.spawn(async move { whole.request(message, line.into(), went).await });
            if let Some(pending) = wire.state().pending.get_mut(&id) {
                pending.task = Some(task);
            }
            // Its bytes are on their way; after a greeting, its session is known.
            let _ =
                if greets { gone.await } else { tokio::time::timeout(TAKEN, gone).await.unwrap_or(Ok(())) };
        }
        _ if message.method == "notifications/cancelled" && wire.cancel(&message) => {}
        _ => {
            let whole = Arc::clone(wire);
            let (went, gone) = oneshot::channel();
            tasks.spawn(async move {
                whole.tell(message, line.into()).await;
                let _ = went.send(());
            });
            let _ = tokio::time::timeout(TAKEN, gone).await;
        }
    }
}
