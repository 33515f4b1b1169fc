//! `bouncer run --listen`: streamable HTTP towards clients, over one server that is started for each of them.
//!
//! Each session has a relay of its own, which reads a body as it would read a line; what is judged is the body. The
//! revisions before 2026-07-28 have sessions; requests of that one and later have none and share relays.
//! Streams cannot be resumed here: a client that loses one has lost what is on it.

mod answer;
mod body;
mod exchange;
mod guard;
mod head;
mod link;
mod table;

pub(crate) use guard::{Guard, SHORTEST_TOKEN, hash};

use crate::audit::Audit;
use crate::os;
use crate::proxy::RunOptions;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::io::{self, Write};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;
use table::Table;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// Connections that may be open at once; who comes next waits.
const MOST_CONNECTIONS: usize = 256;
/// A client that does not say what it wants in this time is hung up on.
const HEAD: Duration = Duration::from_secs(20);
/// Headers of a request together.
const MOST_HEAD: usize = 64 << 10;
/// Relays have this long to end after a signal.
const GRACE: Duration = Duration::from_secs(12);

/// Where to listen, and to whom.
#[derive(Clone)]
pub(crate) struct Listen {
    pub(crate) address: SocketAddr,
    pub(crate) hosts: Vec<String>,
    pub(crate) origins: Vec<String>,
    /// The hash of the token that clients must show.
    pub(crate) token: Option<[u8; 32]>,
}

/// What the connections share.
struct Serving {
    guard: Guard,
    table: Arc<Table>,
    audit: Audit,
    limits: bouncer_core::line::Limits,
    server: String,
    session: String,
    /// Bytes of bodies that are being read.
    reading: AtomicUsize,
    /// How often somebody was turned away, for the log: a web page can knock without end.
    turned_away: AtomicUsize,
}

/// Listens until a signal comes.
pub(crate) fn run(options: RunOptions, listen: &Listen) -> ExitCode {
    match listening(options, listen) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "bouncer: {error}");
            ExitCode::FAILURE
        }
    }
}

fn listening(options: RunOptions, listen: &Listen) -> io::Result<()> {
    let handle = super::runtime()?;
    let address = listen.address;
    let listener = std::net::TcpListener::bind(address)
        .map_err(|error| io::Error::new(error.kind(), format!("cannot listen on `{address}`: {error}")))?;
    listener.set_nonblocking(true)?;
    let bound = listener.local_addr()?;
    let guard = Guard {
        loopback: bound.ip().is_loopback(),
        hosts: listen.hosts.clone(),
        origins: listen.origins.clone(),
        token: listen.token,
    };
    let audit = Audit::open(&options.audit).map_err(io::Error::other)?;
    let session = options.session.as_ref().map_or_else(String::new, |session| session.id().to_owned());
    let (server, limits) = (options.server_name.clone(), options.limits);
    let table = Arc::new(Table::new(options));
    let serving = Arc::new(Serving {
        guard,
        table: Arc::clone(&table),
        audit,
        limits,
        server,
        session,
        reading: AtomicUsize::new(0),
        turned_away: AtomicUsize::new(0),
    });
    let mut signals = os::Signals::catch()?;
    let accepting = handle.spawn(accept(serving, listener));
    let _ = writeln!(io::stderr(), "bouncer: listening on http://{bound}/mcp");
    let signal = signals.next().unwrap_or(os::TERMINATE);
    accepting.abort();
    table.signal(Some(signal));
    let until = std::time::Instant::now() + GRACE;
    while !table.signal(None) && std::time::Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

async fn accept(serving: Arc<Serving>, listener: std::net::TcpListener) -> io::Result<()> {
    let listener = TcpListener::from_std(listener)?;
    let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let table = Arc::clone(&serving.table);
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(Duration::from_secs(60)).await;
            table.expire(Duration::from_secs(30 * 60));
        }
    });
    loop {
        let Ok(place) = Arc::clone(&room).acquire_owned().await else { return Ok(()) };
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            // Out of descriptors, most likely: others have to end first.
            Err(error) => {
                tracing::warn!("no connection could be accepted: {error}");
                tokio::time::sleep(Duration::from_millis(200)).await;
                continue;
            }
        };
        let _ = stream.set_nodelay(true);
        let serving = Arc::clone(&serving);
        tokio::spawn(async move {
            let service = service_fn(move |request| {
                let serving = Arc::clone(&serving);
                async move { Ok::<_, std::convert::Infallible>(serving.answer(request).await) }
            });
            let served = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD)
                .max_buf_size(MOST_HEAD)
                .serve_connection(TokioIo::new(stream), service)
                .await;
            if let Err(error) = served {
                tracing::debug!("a connection ended: {error}");
            }
            drop(place);
        });
    }
}
