//! Starting the server, the threads, and the end.

use super::clerk::Job;
use super::downstream::Downstream;
use super::ending::{self, Event};
use super::reading::{from_client, from_server};
use super::state::State;
use super::upstream::Upstream;
use super::{Relay, random};
use crate::audit::Audit;
use crate::home::Home;
use crate::http::side::Side;
use crate::http::target::Target;
use crate::judge::{Judge, Place};
use crate::layer::Layers;
use crate::os::{self, Group};
use crate::pins::{Pins, ServerKey};
use crate::session::Session;
use bouncer_core::line::Limits;
use bouncer_core::tool::ServerIdentity;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What to run, and by which rules.
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// The user's name for the server; rules and audit lines use it.
    pub server_name: String,
    /// The remote server to speak to, in place of a program.
    pub remote: Option<Target>,
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
    pub session: Option<Arc<Session>>,
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
            remote: None,
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
pub(crate) enum StartError {
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

/// Runs one session to its end. The exit code is the server's (on Unix 128 + n after signal n); 127 where it could not be found,
/// 126 where it could not be started, 1 where Bouncer itself could not.
#[must_use]
pub fn run(options: &RunOptions) -> ExitCode {
    let ends = || -> io::Result<Ends> {
        let (input, output) = os::standard_ends()?;
        Ok(Ends { input, output, side: None })
    };
    let (events, all_events) = channel();
    let ended = ends().map_err(StartError::from).and_then(|ends| {
        signals(events.clone())?;
        session(options, ends, events, &all_events)
    });
    match ended {
        Ok(code) => ExitCode::from(code),
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

/// The client's side of a session.
#[derive(Debug)]
pub(crate) struct Ends {
    /// What the client says.
    pub(crate) input: File,
    /// What it is told.
    pub(crate) output: File,
    /// What goes beside the lines, where the client speaks HTTP.
    pub(crate) side: Option<Arc<Side>>,
}

/// The server, as far as its end is concerned.
enum Server {
    Program(Child, Group),
    Remote,
}

/// Lives through one session, on this thread and some of its own. Whoever holds a sender of `events` may end it.
pub(crate) fn session(
    options: &RunOptions,
    ends: Ends,
    events: Sender<Event>,
    all_events: &Receiver<Event>,
) -> Result<u8, StartError> {
    // First, so that no server runs whose calls could not be recorded.
    let audit = Audit::open(&options.audit)?;
    let session = match &options.session {
        Some(session) => Arc::clone(session),
        None => Arc::new(Session::new(random()?)),
    };
    let prefix = format!("bouncer-{}-", random()?);
    let watched = ends.output.try_clone()?;
    let (server, up, says): (Server, Upstream, Option<Box<dyn Read + Send>>) = match &options.remote {
        Some(target) => {
            let (outbox, says) = crate::http::upstream::start(target, ends.side)?;
            (Server::Remote, Upstream::Remote(outbox), Some(Box::new(says)))
        }
        None => {
            let (mut child, group) = spawn(options)?;
            let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
            let says = stdout.map(|stdout| Box::new(stdout) as _);
            (Server::Program(child, group), Upstream::program(stdin), says)
        }
    };

    let (jobs, clerks_jobs) = channel();
    let (identity, place) = described(options)?;
    let pins = match (&options.pins, &options.remote) {
        (None, _) => Pins::in_memory(),
        (Some(home), Some(target)) => {
            Pins::stored(home.clone(), ServerKey::url(&options.server_name, &target.url.to_string()))
        }
        (Some(home), None) => {
            let key = ServerKey::command(&options.server_name, &identity.command, &place.cwd);
            Pins::stored(home.clone(), key)
        }
    };
    let relay = Arc::new(Relay {
        judge: Judge::new(&options.server_name, options.layers.clone(), session, place).with_pins(pins),
        audit,
        up,
        down: Downstream::new(ends.output, jobs.clone()),
        clerk: jobs,
        state: Mutex::new(State { identity, ..State::default() }),
        limits: options.limits,
        ask_timeout: options.ask_timeout,
        list_timeout: options.list_timeout,
        prefix,
        indexing: AtomicBool::new(false),
    });

    if let Server::Program(child, group) = &server {
        ending::watch(group, child, events.clone())?;
    }
    let gone = events.clone();
    std::thread::spawn(move || {
        os::wait_until_gone(&watched);
        let _ = gone.send(Event::ClientGone);
    });
    let clerk = Arc::clone(&relay);
    thread("clerk", move || clerk.clerk(&clerks_jobs))?;
    let (client, client_events) = (Arc::clone(&relay), events.clone());
    let client_in = ends.input;
    thread("client", move || {
        // A fault ends the session: a half-alive relay must not go on.
        if catch_unwind(AssertUnwindSafe(|| from_client(&client, client_in))).is_err() {
            // Nor must a second one keep the end from being told.
            let _ = catch_unwind(AssertUnwindSafe(|| {
                let _ = client.send();
                client.up.close(&client.audit);
            }));
        }
        let _ = client_events.send(Event::ClientEnd);
    })?;
    if let Some(says) = says {
        let server = Arc::clone(&relay);
        thread("server", move || {
            let relayed = catch_unwind(AssertUnwindSafe(|| from_server(&server, says)));
            let event = relayed.unwrap_or(Event::ClientGone);
            let _ = events.send(event);
        })?;
    }
    let code = match server {
        Server::Program(child, group) => {
            os::exit_code(ending::see_through(&relay, child, &group, all_events)?)
        }
        Server::Remote => ending::see_through_remote(&relay, all_events),
    };
    relay.close_questions();
    // What was allowed so far and could not be sent any more has a line as well.
    relay.record_gathered();
    let _ = relay.clerk.send(Job::End);
    Ok(code)
}

/// Starts a thread under a name that tells it from the others where threads are listed.
fn thread(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().name(name.to_owned()).spawn(work).map(drop)
}

fn spawn(options: &RunOptions) -> Result<(Child, Group), StartError> {
    let (program, args) = options.command.split_first().ok_or(StartError::NoCommand)?;
    let path = options.env.iter().rev().find(|(key, _)| os::is_variable(key, "PATH"));
    let path = path.map(|(_, value)| value.as_os_str());
    let mut command = Command::new(os::startable(program, path, options.cwd.as_deref()));
    command.args(args).envs(options.env.iter().map(|(k, v)| (k, v)));
    if let Some(cwd) = &options.cwd {
        command.current_dir(cwd);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    Group::start(&mut command)
        .map_err(|source| StartError::Spawn { program: program.to_string_lossy().into_owned(), source })
}

fn described(options: &RunOptions) -> io::Result<(ServerIdentity, Place)> {
    let here = std::env::current_dir()?;
    let cwd = options.cwd.as_deref().map_or_else(|| here.clone(), |cwd| here.join(cwd));
    let command: Vec<String> =
        options.command.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let set = options
        .env
        .iter()
        .rev()
        .find(|(key, _)| os::is_variable(key, os::HOME))
        .map(|(_, value)| value.clone());
    let home =
        set.or_else(|| std::env::var_os(os::HOME)).map(PathBuf::from).filter(|home| home.is_absolute());
    let args = command.iter().skip(1).cloned().collect();
    let place = Place { cwd, args, home };
    Ok((ServerIdentity { name: options.server_name.clone(), command, ..ServerIdentity::default() }, place))
}

fn signals(events: Sender<Event>) -> io::Result<()> {
    let signals = os::Signals::catch()?;
    std::thread::spawn(move || {
        for signal in signals {
            if events.send(Event::Signal(signal)).is_err() {
                return;
            }
        }
    });
    Ok(())
}
