//! A scripted client: one process, one line a message, every answer awaited with a bound.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long one answer may take on a loaded machine before the test is failed as hung.
const PATIENCE: Duration = Duration::from_secs(60);

/// Who answers an elicitation: gets the request's params, gives the result; `None` leaves it unanswered.
pub type Human = Box<dyn FnMut(&Value) -> Option<Value>>;

/// A running server (or proxy) and our end of its stdio.
pub struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Vec<u8>>,
    human: Option<Human>,
    next: u64,
    /// Every notification that came, in order.
    pub notifications: Vec<Value>,
    /// Every elicitation's params, in order.
    pub asked: Vec<Value>,
}

#[allow(clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
impl Client {
    /// Starts `command` with piped stdin and stdout; stderr goes to the test's own.
    #[must_use]
    pub fn spawn(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the command under test starts");
        let stdin = child.stdin.take();
        let mut stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let (send, lines) = channel();
        std::thread::spawn(move || {
            loop {
                let mut line = Vec::new();
                match stdout.read_until(b'\n', &mut line) {
                    Ok(0) | Err(_) => return,
                    Ok(_) if send.send(line).is_err() => return,
                    Ok(_) => {}
                }
            }
        });
        Self { child, stdin, lines, human: None, next: 0, notifications: Vec::new(), asked: Vec::new() }
    }

    /// Declares the elicitation capability and lets `human` answer.
    #[must_use]
    pub fn with_human(mut self, human: impl FnMut(&Value) -> Option<Value> + 'static) -> Self {
        self.human = Some(Box::new(human));
        self
    }

    /// The legacy handshake; gives the `initialize` result.
    pub fn initialize(&mut self, version: &str) -> Value {
        let capabilities = if self.human.is_some() { json!({"elicitation": {}}) } else { json!({}) };
        let answer = self.request(
            "initialize",
            json!({"protocolVersion": version, "capabilities": capabilities,
                   "clientInfo": {"name": "bouncer-e2e", "version": "1"}}),
        );
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        answer["result"].clone()
    }

    /// Sends a request and gives the whole answer, `result` or `error`.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        self.answer(&json!(id))
    }

    /// Calls a tool and gives its result.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        assert!(answer.get("result").is_some(), "a tool result, got {answer}");
        answer["result"].clone()
    }

    /// Writes one message.
    pub fn send(&mut self, message: &Value) {
        let mut line = message.to_string().into_bytes();
        line.push(b'\n');
        self.send_raw(&line);
    }

    /// Writes bytes as they are.
    pub fn send_raw(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        stdin.write_all(bytes).and_then(|()| stdin.flush()).expect("the peer reads its stdin");
    }

    /// The next raw line, newline included; `None` when the peer has closed its stdout.
    pub fn line(&mut self) -> Option<Vec<u8>> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("no line within {PATIENCE:?}"),
        }
    }

    /// Waits for the answer to `id`; serves the peer's own requests meanwhile.
    pub fn answer(&mut self, id: &Value) -> Value {
        loop {
            let line = self.line().unwrap_or_else(|| panic!("the peer ended before it answered {id}"));
            let message: Value = serde_json::from_slice(&line)
                .unwrap_or_else(|e| panic!("not JSON on stdout: {e}: {}", String::from_utf8_lossy(&line)));
            match (message.get("method"), message.get("id")) {
                (Some(_), Some(_)) => self.serve(&message),
                (Some(_), None) => self.notifications.push(message),
                (None, Some(got)) if got == id => return message,
                (None, got) => panic!("an answer nobody waits for: {got:?}"),
            }
        }
    }

    fn serve(&mut self, request: &Value) {
        let result = match (request["method"].as_str(), self.human.as_mut()) {
            (Some("ping"), _) => Some(json!({"result": {}})),
            (Some("roots/list"), _) => Some(json!({"result": {"roots": []}})),
            (Some("elicitation/create"), Some(human)) => {
                self.asked.push(request["params"].clone());
                human(&request["params"]).map(|result| json!({"result": result}))
            }
            _ => Some(json!({"error": {"code": -32601, "message": "the client has no such method"}})),
        };
        if let Some(mut answer) = result {
            answer["jsonrpc"] = json!("2.0");
            answer["id"] = request["id"].clone();
            self.send(&answer);
        }
    }

    /// Closes stdin and waits for the end; the exit status and what came after the last awaited answer.
    pub fn close(mut self) -> (ExitStatus, Vec<Vec<u8>>) {
        self.stdin = None;
        let mut rest = Vec::new();
        while let Some(line) = self.line() {
            rest.push(line);
        }
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("the child can be waited for") {
                return (status, rest);
            }
            assert!(started.elapsed() < PATIENCE, "the peer closed its stdout but does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// The process id of the peer.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // A failed assertion must not leave a server behind; a finished one is only reaped again.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
