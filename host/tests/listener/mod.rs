//! `bouncer run --listen` of the real binary, and a client that writes HTTP by hand.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

pub const ACCEPT: (&str, &str) = ("Accept", "application/json, text/event-stream");
pub const JSON: (&str, &str) = ("Content-Type", "application/json");

pub struct Listener {
    pub child: Child,
    pub port: u16,
    pub folder: tempfile::TempDir,
}

pub struct Answer {
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    pub body: String,
}

impl Answer {
    /// The messages of a body, plain or as events.
    pub fn messages(&self) -> Vec<Value> {
        let read = |text: &str| serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {}", self.body));
        if self.headers.get("content-type").is_some_and(|kind| kind == "text/event-stream") {
            return self.body.lines().filter_map(|line| line.strip_prefix("data: ")).map(read).collect();
        }
        vec![read(&self.body)]
    }

    /// The last message, which must be the answer.
    pub fn answer(&self) -> Value {
        self.messages().pop().unwrap_or_else(|| panic!("{} {}", self.status, self.body))
    }
}

impl Listener {
    /// Over `servers/plain.py`.
    pub fn start(options: &[&str], odd: &[&str]) -> Self {
        let server = ["--", "python3", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/servers/plain.py")];
        let all: Vec<&str> = options.iter().chain(&server).chain(odd).copied().collect();
        Self::with(&all, &[])
    }

    pub fn with(options: &[&str], env: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path();
        let mut command = Self::command(home, options, env);
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut errors = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        let mut said = String::new();
        while !line.contains("listening on") {
            line.clear();
            assert!(errors.read_line(&mut line).unwrap() > 0, "{said}");
            said.push_str(&line);
        }
        let port = line.trim().rsplit_once(':').unwrap().1.trim_end_matches("/mcp").parse().unwrap();
        std::thread::spawn(move || std::io::copy(&mut errors, &mut std::io::sink()));
        Self { child, port, folder }
    }

    pub fn command(home: &Path, options: &[&str], env: &[(&str, &str)]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bouncer"));
        command.args(["run", "--upstream-name", "mail"]);
        if !options.contains(&"--listen") {
            command.args(["--listen", "127.0.0.1:0"]);
        }
        command.args(options).current_dir(home).env("BOUNCER_HOME", home);
        command.env_remove("BOUNCER_SESSION").env_remove("BOUNCER_LISTEN_TOKEN");
        for (name, file) in [("SEEN", "seen"), ("OUTBOX", "outbox"), ("PIDS", "pids")] {
            command.env(name, home.join(file));
        }
        command.envs(env.iter().copied());
        command
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    /// Sends a request and leaves the answer to be read.
    pub fn open(&self, verb: &str, headers: &[(&str, &str)], body: &str) -> TcpStream {
        let mut stream = self.connect();
        let mut head = format!("{verb} /mcp HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(key, _)| *key == "Host") {
            head.push_str(&format!("Host: 127.0.0.1:{}\r\n", self.port));
        }
        for (key, value) in headers {
            head.push_str(&format!("{key}: {value}\r\n"));
        }
        if !body.is_empty() {
            head.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        let _ = stream.write_all(format!("{head}\r\n{body}").as_bytes());
        stream
    }

    pub fn exchange(&self, verb: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        read(&mut self.open(verb, headers, body))
    }

    pub fn post(&self, headers: &[(&str, &str)], body: &Value) -> Answer {
        let mut all = vec![ACCEPT, JSON];
        all.extend_from_slice(headers);
        self.exchange("POST", &all, &body.to_string())
    }

    /// Begins a session; gives its id.
    pub fn greet(&self, headers: &[(&str, &str)], capabilities: &Value) -> String {
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": {"name": "t", "version": "1"}});
        let answer =
            self.post(headers, &json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}));
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert_eq!(answer.answer()["id"], 0);
        let id = answer.headers["mcp-session-id"].clone();
        let mut all = headers.to_vec();
        all.push(("Mcp-Session-Id", &id));
        let told = self.post(&all, &json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        assert_eq!((told.status, told.body.as_str()), (202, ""));
        id
    }

    pub fn call(&self, session: &str, id: i64, tool: &str, arguments: &Value) -> Answer {
        self.post(&[("Mcp-Session-Id", session)], &call(id, tool, arguments))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    pub fn sent(&self) -> usize {
        self.file("outbox").lines().count()
    }

    pub fn pids(&self) -> Vec<i32> {
        self.file("pids").lines().map(|l| l.parse().unwrap()).collect()
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if self.child.try_wait().unwrap().is_some() {
            return;
        }
        let _ = Command::new("kill").arg(self.child.id().to_string()).status();
        for _ in 0..200 {
            if self.child.try_wait().unwrap().is_some() {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn call(id: i64, tool: &str, arguments: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
}

pub fn modern(id: i64, method: &str, params: Value) -> Value {
    let mut params = params;
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
    });
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// Reads an answer to its end.
pub fn read(stream: &mut TcpStream) -> Answer {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8(bytes).unwrap();
    let (head, rest) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text:?}"));
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let headers: BTreeMap<String, String> = lines
        .map(|line| line.split_once(':').unwrap())
        .map(|(k, v)| (k.to_ascii_lowercase(), v.trim().to_owned()))
        .collect();
    let body = if headers.get("transfer-encoding").is_some_and(|t| t == "chunked") {
        unchunked(rest)
    } else {
        rest.to_owned()
    };
    Answer { status, headers, body }
}

fn unchunked(mut rest: &str) -> String {
    let mut out = String::new();
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            break;
        }
        let (chunk, after) = after.split_at(size);
        out.push_str(chunk);
        rest = after.strip_prefix("\r\n").unwrap();
    }
    out
}

/// Reads a stream until `part` has come.
pub fn read_until(stream: &mut TcpStream, part: &str) -> String {
    let mut text = String::new();
    let mut buffer = [0_u8; 4096];
    while !text.contains(part) {
        let n = stream.read(&mut buffer).unwrap_or_else(|e| panic!("{e}: {text}"));
        assert!(n > 0, "ended before `{part}`: {text}");
        text.push_str(&String::from_utf8_lossy(&buffer[..n]));
    }
    text
}
