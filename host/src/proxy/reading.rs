//! The two threads that read: the client's lines, and the server's.

use super::Relay;
use super::ending::Event;
use super::server::Fate;
use crate::frame::{Frame, Frames};
use std::fs::File;
use std::io::{self, Read, Write};
use std::time::Instant;

/// A line of the server's beyond this is not kept and not passed on.
const MOST_SERVER_LINE: usize = 512 << 20;
/// Lines from the server are gathered up to this many bytes before they are written.
const BATCH: usize = 64 << 10;

/// Reads the client until its input ends.
pub(super) fn from_client(relay: &Relay, input: File) {
    let mut frames = Frames::new(input, relay.limits.max_bytes);
    let mut came = Instant::now();
    let mut is_ready = false;
    loop {
        let line = frames.next_line();
        if !is_ready {
            // All that is ready behind it has come by now as well.
            came = Instant::now();
        }
        match line {
            Ok(Some(Frame::Line(line) | Frame::TooLong(line))) => relay.client_line(line, came),
            Ok(None) => break,
            Err(e) => {
                tracing::debug!("the client's input broke off: {e}");
                break;
            }
        }
        is_ready = frames.is_ready();
        if !is_ready && relay.send().is_err() {
            break;
        }
    }
    let _ = relay.send();
    relay.state().ended = true;
    relay.close_questions();
    let waiting = {
        let state = relay.state();
        state.calls_wait() || state.releasing
    };
    // Calls that wait for the tool list still go out; the clerk closes the pipe after them.
    if !waiting {
        relay.up.close(&relay.audit);
    }
}

/// Reads the server until its output ends or nobody reads what it says.
pub(super) fn from_server(relay: &Relay, output: impl Read) -> Event {
    let mut frames = Frames::new(output, MOST_SERVER_LINE);
    let mut gathered: Vec<u8> = Vec::new();
    loop {
        match frames.next_line() {
            Ok(Some(Frame::Line(line))) => match relay.server_line(line) {
                // So long a line is not copied.
                Fate::Pass if line.len() >= BATCH => {
                    if let Err(event) = hand_on(relay, &[&gathered, line, b"\n"]) {
                        return event;
                    }
                    gathered.clear();
                }
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
        if gathered.len() >= BATCH || !frames.is_ready() {
            if let Err(event) = hand_on(relay, &[&gathered]) {
                return event;
            }
            gathered.clear();
            gathered.shrink_to(BATCH * 2);
        }
    }
    let _ = relay.judge.session().flush();
    Event::ServerEnd
}

/// Writes whole lines to the client, once its other proxies can know what they say. Where they cannot, the session ends: a
/// client that is told less than its server said would wait for the rest.
fn hand_on(relay: &Relay, parts: &[&[u8]]) -> Result<(), Event> {
    relay.judge.session().flush().map_err(|_| Event::ClientGone)?;
    if parts.iter().all(|part| part.is_empty()) {
        return Ok(());
    }
    relay.down.write(parts).map_err(|_| Event::ClientGone)
}

/// What a server prints beside the protocol is for a person, not for the client.
fn aside(line: &[u8]) {
    if line.iter().all(u8::is_ascii_whitespace) {
        return;
    }
    let mut err = io::stderr().lock();
    let _ = err.write_all(line).and_then(|()| err.write_all(b"\n"));
}
