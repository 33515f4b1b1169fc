//! Lines of JSON-RPC on stdin and stdout for the SDK, which drops without a word what it cannot read: here every request
//! gets an answer, and a client need not wait for one that never comes.

use rmcp::RoleServer;
use rmcp::model::{ClientRequest, GetMeta, JsonRpcMessage, ProtocolVersion};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::future::Future;
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use tokio::sync::{Notify, mpsc};

/// The longest line that is read, in bytes: a policy of 10 MB in whatever spelling is told that it is too large.
const MOST: usize = 64 << 20;

/// One line of the client's, without its end.
enum Line {
    Whole(Vec<u8>),
    TooLong,
}

/// The client's side of this process.
pub(super) struct Lines {
    lines: mpsc::Receiver<Line>,
    /// Nobody reads our stdout any more.
    deaf: Arc<Notify>,
    /// Whether a session was opened: until then the SDK takes requests only, and ends at anything else.
    open: bool,
}

/// What of a message that cannot be read can be.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: Option<&'a RawValue>,
}

impl Lines {
    /// Starts the thread that reads this process's stdin; it ends with the process.
    pub(super) fn of_this_process() -> io::Result<Self> {
        // A client that sends more than it waits for is slowed down.
        let (send, lines) = mpsc::channel(16);
        std::thread::Builder::new().name("stdin".to_owned()).spawn(move || {
            let mut stdin = io::stdin().lock();
            while let Ok(Some(line)) = read(&mut stdin, MOST) {
                if send.blocking_send(line).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self { lines, deaf: Arc::default(), open: false })
    }

    fn write(&self, line: &[u8]) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        let written = stdout.write_all(line).and_then(|()| stdout.write_all(b"\n"));
        written.and_then(|()| stdout.flush()).inspect_err(|_| self.deaf.notify_one())
    }

    fn refuse(&self, id: &str, code: i32, text: &str) {
        let text = crate::json::quoted(text);
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{text}}}}}"#);
        // Where it cannot be written, `deaf` ends the session.
        let _ = self.write(line.as_bytes());
    }

    /// The message of a line, or nothing where it was refused or is of no use.
    fn message(&mut self, line: &Line) -> Option<RxJsonRpcMessage<RoleServer>> {
        let bytes = match line {
            Line::Whole(bytes) => bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii(),
            Line::TooLong => {
                self.refuse("null", -32600, &format!("a message has at most {MOST} bytes"));
                return None;
            }
        };
        if bytes.is_empty() {
            return None;
        }
        let message = match serde_json::from_slice::<RxJsonRpcMessage<RoleServer>>(bytes) {
            Ok(message) => message,
            Err(error) => {
                self.unreadable(bytes, &error);
                return None;
            }
        };
        if let JsonRpcMessage::Request(request) = &message {
            self.open |= opens(&request.request);
            return Some(message);
        }
        self.open.then_some(message)
    }

    fn unreadable(&self, bytes: &[u8], error: &serde_json::Error) {
        if bytes.first() == Some(&b'[') {
            return self.refuse("null", -32600, "batches are not taken: one message a line");
        }
        match serde_json::from_slice::<Envelope<'_>>(bytes) {
            Ok(Envelope { id: Some(id), method: Some(_) }) => {
                let id = id.get();
                let id = if id.starts_with(['{', '[']) { "null" } else { id };
                self.refuse(id, -32600, &format!("the request cannot be read: {error}"));
            }
            // Neither a notification nor an answer is answered.
            Ok(_) => {}
            Err(_) => self.refuse("null", -32700, &format!("not JSON: {error}")),
        }
    }
}

impl Transport<RoleServer> for Lines {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let line = serde_json::to_vec(&item).map_err(io::Error::from);
        std::future::ready(line.and_then(|line| self.write(&line)))
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let deaf = Arc::clone(&self.deaf);
        loop {
            let line = tokio::select! {
                line = self.lines.recv() => line?,
                () = deaf.notified() => return None,
            };
            if let Some(message) = self.message(&line) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.lines.close();
        Ok(())
    }
}

/// Whether the SDK takes a request for the beginning of a session: `initialize`, or one that says for itself which revision
/// it is in. Probes and pings are answered before.
fn opens(request: &ClientRequest) -> bool {
    let meta = request.get_meta();
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        _ => {
            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
                && meta.protocol_version().is_some_and(|v| ProtocolVersion::KNOWN_VERSIONS.contains(&v))
        }
    }
}

/// The next line; one that is longer than `most` is read to its end and thrown away. `None` at the end.
fn read(from: &mut impl BufRead, most: usize) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    let mut too_long = false;
    loop {
        let buffer = match from.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        if buffer.is_empty() {
            // A last line without its end counts too.
            return Ok((too_long || !line.is_empty()).then(|| finish(line, too_long)));
        }
        let end = memchr::memchr(b'\n', buffer);
        let part = buffer.get(..end.unwrap_or(buffer.len())).unwrap_or_default();
        too_long |= line.len() + part.len() > most;
        if too_long {
            line = Vec::new();
        } else {
            line.extend_from_slice(part);
        }
        let used = part.len() + usize::from(end.is_some());
        from.consume(used);
        if end.is_some() {
            return Ok(Some(finish(line, too_long)));
        }
    }
}

fn finish(line: Vec<u8>, too_long: bool) -> Line {
    if too_long { Line::TooLong } else { Line::Whole(line) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_newlines_and_at_the_end_and_long_ones_are_passed_over() {
        let mut from = io::BufReader::with_capacity(4, &b"abc\n\ntoo long\nlast"[..]);
        let mut seen = Vec::new();
        while let Some(line) = read(&mut from, 5).unwrap() {
            seen.push(match line {
                Line::Whole(bytes) => String::from_utf8(bytes).unwrap(),
                Line::TooLong => "<too long>".to_owned(),
            });
        }
        assert_eq!(seen, ["abc", "", "<too long>", "last"]);
    }
}
