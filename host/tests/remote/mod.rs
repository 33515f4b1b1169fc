//! The scripted HTTP server `servers/remote.py`, started for one test.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::panic)]

use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

pub struct Remote {
    child: Child,
    pub port: u16,
    folder: tempfile::TempDir,
}

impl Remote {
    pub fn start(odd: &[&str]) -> Self {
        Self::with(odd, &[])
    }

    pub fn with(odd: &[&str], env: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("python3");
        command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/servers/remote.py")).args(odd);
        command.env("LOG", folder.path().join("log")).env("OUTBOX", folder.path().join("outbox"));
        let mut child = command.envs(env.iter().copied()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { child, port: line.trim().parse().unwrap(), folder }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).unwrap_or_default()
    }

    /// Every request, in order.
    pub fn log(&self) -> Vec<Value> {
        self.file("log").lines().map(|l| serde_json::from_str(l).unwrap()).collect()
    }

    /// Whether a body held `part`, as JSON escapes it or not.
    pub fn saw(&self, part: &str) -> bool {
        let log = self.file("log");
        log.contains(part) || log.contains(&part.replace('"', "\\\""))
    }

    /// How many mails the server sent.
    pub fn sent(&self) -> usize {
        self.file("outbox").lines().count()
    }

    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        self.kill();
    }
}
