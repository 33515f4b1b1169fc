//! A raw client of `bouncer serve`: every line is seen as it is.

use super::LIMIT;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};

/// How the client speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Era {
    /// `initialize` with this version.
    Legacy(&'static str),
    /// 2026-07-28: every request for itself.
    Modern,
}

pub struct Asker {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Vec<u8>>,
    pub folder: tempfile::TempDir,
    era: Era,
    next: i64,
}

impl Asker {
    /// Starts `bouncer ARGS` in a folder that `prepare` has furnished.
    pub fn start(args: &[&str], era: Era, prepare: impl FnOnce(&Path)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        prepare(folder.path());
        let mut child = Command::new(env!("CARGO_BIN_EXE_bouncer"))
            .args(args)
            .current_dir(folder.path())
            .env("BOUNCER_HOME", folder.path())
            .env_remove("BOUNCER_SESSION")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
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
        Self { child, stdin, lines, folder, era, next: 0 }
    }

    /// The same after the opening of its era.
    pub fn open(era: Era, prepare: impl FnOnce(&Path)) -> Self {
        let mut asker = Self::start(&["serve"], era, prepare);
        if let Era::Legacy(version) = era {
            let info = asker.initialize(version);
            assert_eq!(info["protocolVersion"], version, "{info}");
        }
        asker
    }

    pub fn initialize(&mut self, version: &str) -> Value {
        let client = json!({"name": "t", "version": "1"});
        let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client});
        self.send(
            &json!({"jsonrpc": "2.0", "id": "init", "method": "initialize", "params": params}).to_string(),
        );
        let answer = self.read();
        assert_eq!(answer["id"], "init", "{answer}");
        self.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        answer["result"].clone()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn send(&mut self, line: &str) {
        self.send_bytes(line.as_bytes());
    }

    pub fn send_bytes(&mut self, line: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(line).and_then(|()| stdin.write_all(b"\n")).unwrap();
    }

    pub fn read(&mut self) -> Value {
        let line = self.lines.recv_timeout(LIMIT).unwrap();
        serde_json::from_slice(&line).unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&line)))
    }

    /// The whole answer to a request.
    pub fn ask(&mut self, method: &str, mut params: Value) -> Value {
        self.next += 1;
        if self.era == Era::Modern {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
            });
        }
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
        let answer = self.read();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    pub fn result(&mut self, method: &str, params: Value) -> Value {
        let answer = self.ask(method, params);
        assert!(answer.get("result").is_some(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// A tool's structured answer.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.result("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_eq!(result["isError"], false, "{result}");
        result["structuredContent"].clone()
    }

    /// What a tool says against its arguments.
    pub fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.result("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_eq!(result["isError"], true, "{result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    pub fn end(mut self) -> ExitStatus {
        drop(self.stdin.take());
        self.child.wait().unwrap()
    }
}

impl Drop for Asker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
