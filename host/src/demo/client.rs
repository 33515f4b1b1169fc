//! The demo's client: starts the proxy, sends one request at a time and waits for its answer with a bound. It declares
//! that it can show forms, and plays the person who answers each of their questions with "allow once".

use super::DemoError;
use super::folder::{Folder, failed};
use super::upstream::OUTBOX;
use serde_json::{Map, Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long each answer, and the end, may take.
const PATIENCE: Duration = Duration::from_secs(30);
const ONCE: &str = "allow once";

/// A running proxy and our end of its stdio. Ended when dropped.
#[derive(Debug)]
pub(super) struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Vec<u8>>,
    next: u64,
    /// The text of every form that was shown, in order, and the choices that were made in it.
    asked: Vec<Asked>,
}

/// A form that the proxy showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Asked {
    /// What it said.
    pub(super) message: String,
    /// What was answered: a choice for each question, or a plain no.
    pub(super) answer: Vec<String>,
}

impl Client {
    /// Starts `bouncer run` before `bouncer demo-upstream`, both from this program's own file.
    pub(super) fn start(folder: &Folder) -> Result<Self, DemoError> {
        let program = std::env::current_exe().map_err(|e| failed("find this program's own file", e))?;
        let messages = File::create(folder.messages()).map_err(|e| failed("write the demo's folder", e))?;
        let mut command = Command::new(&program);
        command.args(["run", "--upstream-name", "mail", "--policy"]).arg(folder.policy());
        command.arg("--").arg(&program).arg("demo-upstream");
        command.env("BOUNCER_HOME", folder.root()).env(OUTBOX, folder.outbox());
        // What the user set for their own sessions is no matter of the demo's.
        command.env_remove("BOUNCER_SESSION").env_remove("BOUNCER_LOG");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(messages);
        let child = command.spawn().map_err(|e| failed("start the proxy", e))?;
        Ok(Self::of(child))
    }

    fn of(mut child: Child) -> Self {
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let (send, lines) = channel();
        if let Some(stdout) = stdout {
            std::thread::spawn(move || {
                let mut stdout = BufReader::new(stdout);
                loop {
                    let mut line = Vec::new();
                    match stdout.read_until(b'\n', &mut line) {
                        Ok(0) | Err(_) => return,
                        Ok(_) if send.send(line).is_err() => return,
                        Ok(_) => {}
                    }
                }
            });
        }
        Self { child, stdin, lines, next: 0, asked: Vec::new() }
    }

    /// The handshake, and the names of the tools.
    pub(super) fn connect(&mut self) -> Result<Vec<String>, DemoError> {
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {"elicitation": {}},
            "clientInfo": {"name": "bouncer-demo", "version": env!("CARGO_PKG_VERSION")},
        });
        self.request("initialize", &hello)?;
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        let listed = self.request("tools/list", &json!({}))?;
        let tools = listed.get("tools").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        Ok(tools.iter().filter_map(|tool| tool.get("name")?.as_str().map(str::to_owned)).collect())
    }

    /// Calls a tool and gives its result.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value, DemoError> {
        self.request("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// The forms that were shown since the last time this was asked.
    pub(super) fn take_asked(&mut self) -> Vec<Asked> {
        std::mem::take(&mut self.asked)
    }

    /// Hangs up, and waits until the proxy has ended.
    pub(super) fn close(mut self) -> Result<bool, DemoError> {
        self.stdin = None;
        let until = Instant::now() + PATIENCE;
        loop {
            match self.child.try_wait().map_err(|e| failed("wait for the proxy", e))? {
                Some(status) => return Ok(status.success()),
                None if Instant::now() > until => return Err(silent("the end of the session")),
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        }
    }

    fn request(&mut self, method: &str, params: &Value) -> Result<Value, DemoError> {
        self.next += 1;
        let id = json!(self.next);
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        let until = Instant::now() + PATIENCE;
        loop {
            let line = match self.lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => return Err(silent(method)),
                Err(RecvTimeoutError::Disconnected) => return Err(DemoError::Ended(method.to_owned())),
            };
            let message: Value = serde_json::from_slice(&line)
                .map_err(|e| DemoError::Odd(format!("a line on stdout that is not JSON: {e}")))?;
            if message.get("method").is_some() {
                self.serve(&message)?;
            } else if message.get("id") == Some(&id) {
                let result = message.get("result").cloned();
                return result.ok_or_else(|| DemoError::Odd(format!("{method} was answered with {message}")));
            }
        }
    }

    /// Answers a request of the peer's; notifications need none.
    fn serve(&mut self, message: &Value) -> Result<(), DemoError> {
        let Some(id) = message.get("id") else { return Ok(()) };
        let outcome = match message.get("method").and_then(Value::as_str) {
            Some("ping") => json!({"jsonrpc": "2.0", "id": id, "result": {}}),
            Some("elicitation/create") => {
                let (asked, result) = person(message.get("params").unwrap_or(&Value::Null));
                self.asked.push(asked);
                json!({"jsonrpc": "2.0", "id": id, "result": result})
            }
            _ => json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "no such method"}}),
        };
        self.send(&outcome)
    }

    fn send(&mut self, message: &Value) -> Result<(), DemoError> {
        let Some(stdin) = self.stdin.as_mut() else {
            return Err(DemoError::Ended("the client's end".to_owned()));
        };
        let line = format!("{message}\n");
        stdin
            .write_all(line.as_bytes())
            .and_then(|()| stdin.flush())
            .map_err(|e| failed("write to the proxy", e))
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Its server ends with it: it reads the end of its input.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn silent(what: &str) -> DemoError {
    DemoError::Silent(what.to_owned(), PATIENCE.as_secs())
}

/// What the played person makes of a form: "allow once" wherever a required field offers it. A form that asks nothing,
/// or asks what this person does not understand, gets a no.
fn person(params: &Value) -> (Asked, Value) {
    let message = params.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
    let schema = params.get("requestedSchema").unwrap_or(&Value::Null);
    let required = schema.get("required").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let offered = |name: &str| {
        let choices = schema.get("properties")?.get(name)?.get("enum")?.as_array()?;
        choices.iter().any(|choice| choice == ONCE).then(|| (name.to_owned(), json!(ONCE)))
    };
    let content: Option<Map<String, Value>> = required.iter().map(|name| offered(name.as_str()?)).collect();
    match content.filter(|content| !content.is_empty()) {
        Some(content) => {
            let answer = vec![ONCE.to_owned(); content.len()];
            (Asked { message, answer }, json!({"action": "accept", "content": content}))
        }
        None => (Asked { message, answer: vec!["decline".to_owned()] }, json!({"action": "decline"})),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_person_allows_once_only_where_the_form_offers_it() {
        let form = |schema: Value| person(&json!({"message": "may it?", "requestedSchema": schema}));
        let choice = json!({"type": "string", "enum": ["deny", "allow once", "allow for this session"]});
        let (asked, result) = form(json!({
            "properties": {"decision_1": choice, "decision_2": choice},
            "required": ["decision_1", "decision_2"],
        }));
        assert_eq!(result["content"], json!({"decision_1": "allow once", "decision_2": "allow once"}));
        assert_eq!(asked, Asked { message: "may it?".into(), answer: vec!["allow once".into(); 2] });
        for odd in [
            json!({"properties": {}, "required": []}),
            json!({"properties": {"a": {"type": "boolean"}}, "required": ["a"]}),
            json!({"properties": {"a": choice}, "required": ["a", "b"]}),
            json!(null),
        ] {
            let (asked, result) = form(odd.clone());
            assert_eq!(result, json!({"action": "decline"}), "{odd}");
            assert_eq!(asked.answer, ["decline"]);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_peer_that_ends_or_talks_nonsense_is_an_error_and_no_hang() {
        for (script, wanted) in [("read line", "ended"), ("echo hello; read line", "not JSON")] {
            let mut command = Command::new("sh");
            command.arg("-c").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped());
            let error = Client::of(command.spawn().unwrap()).connect().unwrap_err().to_string();
            assert!(error.contains(wanted), "{script}: {error}");
        }
    }
}
