//! A scripted client that drives the real binary over pipes, with `servers/plain.py` behind it.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

pub mod serve;

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// No step of these tests takes that long, unless something hangs.
const LIMIT: Duration = Duration::from_secs(60);
pub const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/servers/plain.py");

pub struct Start<'a> {
    /// The server's script.
    pub server: &'a str,
    /// How the server misbehaves.
    pub odd: &'a [&'a str],
    /// The client's capabilities.
    pub capabilities: Value,
    /// Options of `bouncer run`.
    pub options: &'a [&'a str],
    /// The server is launched through a script of this name.
    pub program: Option<&'a str>,
    /// Speak revision 2026-07-28: no `initialize`.
    pub modern: bool,
    /// Prepares Bouncer's folder.
    pub prepare: fn(&Path),
    /// Say nothing at first.
    pub silent: bool,
    /// The server's name.
    pub name: &'a str,
    /// Bouncer's folder is that of this session.
    pub beside: Option<&'a Session>,
    /// No program: the options say where the server is.
    pub remote: bool,
    /// Variables beside the inherited ones.
    pub env: &'a [(&'a str, &'a str)],
}

impl Default for Start<'_> {
    fn default() -> Self {
        Self {
            server: SERVER,
            odd: &[],
            capabilities: json!({"elicitation": {}}),
            options: &[],
            program: None,
            modern: false,
            prepare: |_| {},
            silent: false,
            name: "mail",
            beside: None,
            remote: false,
            env: &[],
        }
    }
}

pub struct Session {
    pub child: Child,
    pub stdin: Option<ChildStdin>,
    lines: Receiver<Vec<u8>>,
    pub folder: tempfile::TempDir,
    capabilities: Value,
    modern: bool,
}

impl Start<'_> {
    pub fn command(&self, home: &Path) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bouncer"));
        command.args(["run", "--upstream-name", self.name]).args(self.options);
        if !self.remote {
            command.arg("--");
        }
        match self.program {
            None if self.remote => &mut command,
            None => command.args(["python3", self.server]),
            Some(name) => {
                use std::os::unix::fs::PermissionsExt;
                let script = home.join(name);
                std::fs::write(&script, format!("#!/bin/sh\nexec python3 '{}' \"$@\"\n", self.server))
                    .unwrap();
                std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
                command.arg(script)
            }
        };
        command
            .args(self.odd)
            .current_dir(home)
            .env("BOUNCER_HOME", self.beside.map_or(home, |s| s.folder.path()))
            .env_remove("BOUNCER_SESSION");
        for (name, file) in [("SEEN", "seen"), ("OUTBOX", "outbox"), ("PIDS", "pids")] {
            command.env(name, home.join(file));
        }
        command.envs(self.env.iter().copied());
        command
    }

    pub fn go(self) -> Session {
        let folder = tempfile::tempdir().unwrap();
        (self.prepare)(folder.path());
        let errors = std::fs::File::create(folder.path().join("stderr")).unwrap();
        let mut child = self
            .command(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()
            .unwrap();
        let (sender, lines) = channel();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            loop {
                let mut line = Vec::new();
                if out.read_until(b'\n', &mut line).unwrap_or(0) == 0 || sender.send(line).is_err() {
                    return;
                }
            }
        });
        let stdin = child.stdin.take();
        let (capabilities, modern) = (self.capabilities.clone(), self.modern);
        let mut session = Session { child, stdin, lines, folder, capabilities, modern };
        if !self.silent && !self.modern {
            let client = json!({"name": "t", "version": "1"});
            let params = json!({"protocolVersion": "2025-11-25", "capabilities": self.capabilities, "clientInfo": client});
            session.request(&json!(0), "initialize", params);
            assert_eq!(session.read()["id"], 0);
            session.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        }
        session
    }
}

impl Session {
    pub fn send(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    /// Sends bytes as they are.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        self.stdin.as_mut().unwrap().write_all(bytes).unwrap();
    }

    pub fn request(&mut self, id: &Value, method: &str, params: Value) {
        let mut params = params;
        if self.modern {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": self.capabilities,
                "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
            });
        }
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
    }

    pub fn call(&mut self, id: i64, tool: &str, arguments: &Value) {
        self.request(&json!(id), "tools/call", json!({"name": tool, "arguments": arguments}));
    }

    pub fn mail(&mut self, id: i64, to: &[&str]) {
        self.call(id, "send_email", &json!({"to": to, "subject": "s", "body": "b"}));
    }

    pub fn answer(&mut self, question: &Value, result: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": result}).to_string());
    }

    pub fn line(&mut self) -> Vec<u8> {
        self.lines.recv_timeout(LIMIT).unwrap_or_else(|e| panic!("{e}; stderr: {}", self.file("stderr")))
    }

    pub fn read(&mut self) -> Value {
        let line = self.line();
        serde_json::from_slice(&line).unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&line)))
    }

    /// The next message, which must be an elicitation.
    pub fn question(&mut self) -> Value {
        let message = self.read();
        assert_eq!(message["method"], "elicitation/create", "{message}");
        message
    }

    /// The text of the next message, which must be the answer to `id`.
    pub fn text_of(&mut self, id: i64) -> String {
        let message = self.read();
        assert_eq!(message["id"], id, "{message}");
        text(&message).to_owned()
    }

    pub fn assert_silent(&mut self) {
        match self.lines.recv_timeout(Duration::from_millis(300)) {
            Err(RecvTimeoutError::Timeout) => {}
            other => panic!("{other:?}"),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    pub fn audit(&self) -> Vec<Value> {
        self.file("audit.jsonl").lines().map(|l| serde_json::from_str(l).unwrap()).collect()
    }

    pub fn verdicts(&self) -> Vec<String> {
        self.audit().iter().map(|l| l["verdict"].as_str().unwrap().to_owned()).collect()
    }

    /// How many mails the server sent.
    pub fn sent(&self) -> usize {
        self.file("outbox").lines().count()
    }

    pub fn pids(&self) -> Vec<i32> {
        self.file("pids").lines().map(|l| l.parse().unwrap()).collect()
    }

    /// Closes the input and waits for the end.
    pub fn end(&mut self) -> ExitStatus {
        drop(self.stdin.take());
        self.wait()
    }

    pub fn wait(&mut self) -> ExitStatus {
        let mut status = None;
        let ended = eventually(LIMIT, || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        assert!(ended, "bouncer does not end");
        status.unwrap()
    }

    pub fn signal(&self, name: &str) {
        signal(name, i32::try_from(self.child.id()).unwrap());
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn signal(name: &str, pid: i32) {
    let sent = Command::new("sh").args(["-c", &format!("kill -{name} {pid}")]).status().unwrap();
    assert!(sent.success());
}

/// Whether a process runs. One that ended and that nobody has reaped does not.
pub fn is_alive(pid: i32) -> bool {
    let out = Command::new("ps").args(["-o", "stat=", "-p", &pid.to_string()]).output().unwrap();
    let state = String::from_utf8_lossy(&out.stdout).trim().to_owned();
    !state.is_empty() && !state.starts_with('Z')
}

pub fn eventually(limit: Duration, mut done: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    loop {
        if done() {
            return true;
        }
        if start.elapsed() > limit {
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub fn text(message: &Value) -> &str {
    message["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{message}"))
}

/// The answer with `choice` for each of a form's questions.
pub fn accept(question: &Value, choices: &[&str]) -> Value {
    let fields = question["params"]["requestedSchema"]["required"].as_array().unwrap();
    assert_eq!(fields.len(), choices.len(), "{question}");
    let content = fields.iter().zip(choices).map(|(f, c)| (f.as_str().unwrap().to_owned(), json!(c)));
    json!({"action": "accept", "content": Value::Object(content.collect())})
}
