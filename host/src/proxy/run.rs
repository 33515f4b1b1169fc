//! Starting the server, the threads, and the end.

use super::downstream::{self, Downstream};
use super::ending::{self, Event};
use super::server::Fate;
use super::state::State;
use super::upstream::Upstream;
use super::{Relay, random};
use crate::audit::Audit;
use crate::frame::{Frame, Frames};
use crate::home::Home;
use crate::judge::{Judge, Place};
use crate::layer::Layers;
use crate::pins::{Pins, ServerKey};
use crate::session::Session;
use bouncer_core::line::Limits;
use bouncer_core::tool::ServerIdentity;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A line of the server's beyond this is not kept and not passed on.
const MOST_SERVER_LINE: usize = 512 << 20;
/// Lines from the server are gathered up to this many bytes before they are written.
const BATCH: usize = 64 << 10;

/// What to run, and by which rules.
#[derive(Debug)]
pub struct RunOptions {
    /// The user's name for the server; rules and audit lines use it.
    pub server_name: String,
    /// The program and its arguments, started without a shell.
    pub command: Vec<OsString>,
    /// Variables beside the inherited ones.
    pub env: Vec<(OsString, OsString)>,
    /// The server's working directory; Bouncer's own where `None`.
    pub cwd: Option<PathBuf>,
    /// Who states what of the tools.
    pub layers: Layers,
    /// The audit log.
    pub audit: PathBuf,
    /// Where the server's definitions are recorded; for this run only where `None`.
    pub pins: Option<Home>,
    /// The session; one of its own where `None`.
    pub session: Option<Session>,
    /// How long a human may take to answer.
    pub ask_timeout: Duration,
    /// How long calls wait for the server's tool list.
    pub list_timeout: Duration,
    /// Limits on a line from the client.
    pub limits: Limits,
}

impl RunOptions {
    /// The usual time-outs and limits, with no rules but the heuristics.
    #[must_use]
    pub fn new(server_name: &str, command: Vec<OsString>, audit: PathBuf) -> Self {
        Self {
            server_name: server_name.to_owned(),
            command,
            env: Vec::new(),
            cwd: None,
            layers: Layers::default(),
            audit,
            pins: None,
            session: None,
            ask_timeout: Duration::from_secs(120),
            list_timeout: Duration::from_secs(60),
            limits: Limits::default(),
        }
    }
}

/// Why a session could not start.
#[derive(Debug, thiserror::Error)]
enum StartError {
    #[error("no command to run\nhint: `bouncer run -- COMMAND ARGS...`")]
    NoCommand,
    #[error(
        "cannot start `{program}`: {source}\nhint: check that it is installed and on the PATH that the client hands on"
    )]
    Spawn { program: String, source: io::Error },
    #[error(transparent)]
    Audit(#[from] crate::audit::AuditError),
    #[error("cannot prepare the session: {0}")]
    System(#[from] io::Error),
    #[error("no random numbers to be had: {0}")]
    Random(#[from] getrandom::Error),
}

/// Runs one session to its end. The exit code is the server's (128 + n after signal n); 127 where it could not be found,
/// 126 where it could not be started, 1 where Bouncer itself could not.
#[must_use]
pub fn run(options: RunOptions) -> ExitCode {
    match session(options) {
        Ok(status) => code_of(status),
        Err(error) => {
            let _ = writeln!(io::stderr(), "bouncer: {error}");
            match error {
                StartError::Spawn { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                    ExitCode::from(127)
                }
                StartError::Spawn { .. } => ExitCode::from(126),
                _ => ExitCode::FAILURE,
            }
        }
    }
}

fn session(mut options: RunOptions) -> Result<ExitStatus, StartError> {
    // First, so that no server runs whose calls could not be recorded.
    let audit = Audit::open(&options.audit)?;
    let session = match options.session.take() {
        Some(session) => session,
        None => Session::new(random()?),
    };
    let prefix = format!("bouncer-{}-", random()?);
    let client_in = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let client_out = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    let watched = client_out.try_clone()?;
    let mut child = spawn(&options)?;
    let (server_in, server_out) = (child.stdin.take(), child.stdout.take());

    let (jobs, clerks_jobs) = channel();
    let (events, all_events) = channel();
    let (identity, place) = described(&options)?;
    let pins = match options.pins.take() {
        Some(home) => {
            Pins::stored(home, ServerKey::command(&options.server_name, &identity.command, &place.cwd))
        }
        None => Pins::in_memory(),
    };
    let session = Arc::new(session);
    let relay = Arc::new(Relay {
        judge: Judge::new(&options.server_name, options.layers.clone(), session, place).with_pins(pins),
        audit,
        up: Upstream::new(server_in),
        down: Downstream::new(client_out, jobs.clone()),
        clerk: jobs,
        state: Mutex::new(State { identity, ..State::default() }),
        limits: options.limits,
        ask_timeout: options.ask_timeout,
        list_timeout: options.list_timeout,
        prefix,
    });

    ending::watch(&child, events.clone());
    signals(events.clone())?;
    let gone = events.clone();
    std::thread::spawn(move || {
        downstream::wait_until_gone(&watched);
        let _ = gone.send(Event::ClientGone);
    });
    let clerk = Arc::clone(&relay);
    std::thread::spawn(move || clerk.clerk(&clerks_jobs));
    let (client, client_events) = (Arc::clone(&relay), events.clone());
    std::thread::spawn(move || {
        // A fault ends the session: a half-alive relay must not go on.
        if catch_unwind(AssertUnwindSafe(|| from_client(&client, client_in))).is_err() {
            client.up.close();
        }
        let _ = client_events.send(Event::ClientEnd);
    });
    if let Some(server_out) = server_out {
        let server = Arc::clone(&relay);
        std::thread::spawn(move || {
            let relayed = catch_unwind(AssertUnwindSafe(|| from_server(&server, server_out)));
            let event = relayed.unwrap_or(Event::ClientGone);
            let _ = events.send(event);
        });
    }
    let status = ending::see_through(&relay, child, &all_events)?;
    relay.close_questions();
    Ok(status)
}

fn spawn(options: &RunOptions) -> Result<Child, StartError> {
    let (program, args) = options.command.split_first().ok_or(StartError::NoCommand)?;
    let mut command = Command::new(program);
    command.args(args).envs(options.env.iter().map(|(k, v)| (k, v)));
    if let Some(cwd) = &options.cwd {
        command.current_dir(cwd);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    // A group of its own, so that helpers of a wrapper such as `npx` can be ended with it.
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command
        .spawn()
        .map_err(|source| StartError::Spawn { program: program.to_string_lossy().into_owned(), source })
}

fn described(options: &RunOptions) -> io::Result<(ServerIdentity, Place)> {
    let here = std::env::current_dir()?;
    let cwd = options.cwd.as_deref().map_or_else(|| here.clone(), |cwd| here.join(cwd));
    let command: Vec<String> =
        options.command.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let set = options.env.iter().rev().find(|(key, _)| key == "HOME").map(|(_, value)| value.clone());
    let home = set.or_else(|| std::env::var_os("HOME")).map(PathBuf::from).filter(|home| home.is_absolute());
    let args = command.iter().skip(1).cloned().collect();
    let place = Place { cwd, args, home };
    Ok((ServerIdentity { name: options.server_name.clone(), command, ..ServerIdentity::default() }, place))
}

/// Reads the client until its input ends.
fn from_client(relay: &Relay, input: File) {
    let mut frames = Frames::new(input, relay.limits.max_bytes);
    loop {
        match frames.next_line() {
            Ok(Some(Frame::Line(line) | Frame::TooLong(line))) => relay.client_line(line),
            Ok(None) => break,
            Err(e) => {
                tracing::debug!("the client's input broke off: {e}");
                break;
            }
        }
        if !frames.is_ready() && relay.up.flush().is_err() {
            break;
        }
    }
    let _ = relay.up.flush();
    relay.state().ended = true;
    relay.close_questions();
    let waiting = {
        let state = relay.state();
        state.calls_wait() || state.releasing
    };
    // Calls that wait for the tool list still go out; the clerk closes the pipe after them.
    if !waiting {
        relay.up.close();
    }
}

/// Reads the server until its output ends or nobody reads what it says.
fn from_server(relay: &Relay, output: std::process::ChildStdout) -> Event {
    let mut frames = Frames::new(output, MOST_SERVER_LINE);
    let mut gathered: Vec<u8> = Vec::new();
    loop {
        match frames.next_line() {
            Ok(Some(Frame::Line(line))) => match relay.server_line(line) {
                Fate::Pass => {
                    gathered.extend_from_slice(line);
                    gathered.push(b'\n');
                }
                Fate::Instead(line) => {
                    gathered.extend_from_slice(&line);
                    gathered.push(b'\n');
                }
                Fate::Keep => {}
                Fate::Aside => aside(line),
            },
            Ok(Some(Frame::TooLong(_))) => {
                tracing::error!("a line of more than {MOST_SERVER_LINE} bytes from the server was dropped");
            }
            Ok(None) => break,
            Err(e) => {
                tracing::debug!("the server's output broke off: {e}");
                break;
            }
        }
        if !gathered.is_empty() && (gathered.len() >= BATCH || !frames.is_ready()) {
            if relay.down.write(&gathered).is_err() {
                return Event::ClientGone;
            }
            gathered.clear();
            gathered.shrink_to(BATCH * 2);
        }
    }
    Event::ServerEnd
}

/// What a server prints beside the protocol is for a person, not for the client.
fn aside(line: &[u8]) {
    if line.iter().all(u8::is_ascii_whitespace) {
        return;
    }
    let mut err = io::stderr().lock();
    let _ = err.write_all(line).and_then(|()| err.write_all(b"\n"));
}

fn signals(events: Sender<Event>) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGTERM, SIGINT, SIGHUP])?;
    std::thread::spawn(move || {
        for signal in signals.forever() {
            if events.send(Event::Signal(signal)).is_err() {
                return;
            }
        }
    });
    Ok(())
}

fn code_of(status: ExitStatus) -> ExitCode {
    use std::os::unix::process::ExitStatusExt;
    let code = status.code().or_else(|| status.signal().map(|n| 128 + n)).unwrap_or(1);
    ExitCode::from(u8::try_from(code & 0xff).unwrap_or(1))
}
