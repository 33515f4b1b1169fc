//! Hostile lines against real SDK servers, directly and through `bouncer run` with one of the two tools forbidden: what
//! runs behind Bouncer is what Bouncer allowed, tool by tool and argument by argument, whatever the server makes of a line.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::string_slice,
    clippy::print_stdout
)]

use bouncer_e2e::{bouncer, python, repository_root};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

const POLICY: &str = "[tools.danger]\nmax_calls = 0\n\n[tools.safe]\nexfiltrating = false\n";

/// A line under test; its marks begin with `Ln.`.
struct Line {
    what: String,
    bytes: Vec<u8>,
}

#[derive(Default)]
struct Lines(Vec<Line>);

impl Lines {
    fn raw(&mut self, what: &str, bytes: impl FnOnce(&str) -> Vec<u8>) {
        let mark = format!("L{}.", self.0.len());
        self.0.push(Line { what: what.to_owned(), bytes: bytes(&mark) });
    }

    /// `@` stands for a call of the forbidden tool, `^` for the mark, `%` for a fresh id.
    fn add(&mut self, what: &str, line: &str) {
        let id = self.0.len() + 1000;
        self.raw(what, |mark| {
            let danger = call(id, "danger", mark);
            line.replace('@', &danger).replace('^', mark).replace('%', &id.to_string()).into_bytes()
        });
    }
}

fn call(id: usize, tool: &str, mark: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{{"mark":"{mark}"}}}}}}"#
    )
}

fn escaped(word: &str, at: usize) -> String {
    word.char_indices()
        .map(|(i, c)| if i == at { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() })
        .collect()
}

/// Separators that some reader of lines or of JSON takes for a line end or for white space.
const SEPARATORS: [&str; 16] = [
    "\r", "\r\r", "\u{b}", "\u{c}", "\u{1c}", "\u{1d}", "\u{1e}", "\u{85}", "\u{a0}", "\u{2028}", "\u{2029}",
    "\u{3000}", "\u{0}", "\u{1a}", "\u{feff}", "/**/",
];

fn lines() -> Vec<Line> {
    let mut all = Lines::default();
    all.add(
        "control",
        r#"{"jsonrpc":"2.0","id":%,"method":"tools/call","params":{"name":"safe","arguments":{"mark":"^"}}}"#,
    );
    all.add("plain", "@");
    for separator in SEPARATORS {
        let name = separator.escape_debug().to_string();
        let ping = r#"{"jsonrpc":"2.0","id":%,"method":"ping","params":{"x":"#;
        all.add(&format!("call hidden between {name}"), &format!("{ping}[1,{separator}@{separator}]}}}}"));
        all.add(&format!("call hidden after {name}"), &format!("{ping}1}}}}{separator}@"));
        all.add(&format!("call before {name}"), &format!("@{separator}"));
        all.add(&format!("call behind {name}"), &format!("{separator}@"));
        all.raw(&format!("{name} inside of a string"), |mark| {
            let call = call(500, "danger", mark).replace('"', "\\\"");
            format!(r#"{{"jsonrpc":"2.0","id":501,"method":"ping","params":{{"x":"{separator}{call}{separator}"}}}}"#).into_bytes()
        });
        all.add(&format!("{name} between tokens"), &format!(r#"{{"jsonrpc":"2.0",{separator}"id":%,{separator}"method":"tools/call","params":{{"name":{separator}"danger","arguments":{{"mark":"^"}}}}}}"#));
    }
    for (key, first, second) in [
        ("method", r#""ping""#, r#""tools/call""#),
        ("id", "%", "7"),
        ("jsonrpc", r#""2.0""#, r#""2.0""#),
        (
            "params",
            r#"{"name":"safe","arguments":{"mark":"^"}}"#,
            r#"{"name":"danger","arguments":{"mark":"^"}}"#,
        ),
    ] {
        let whole = [
            ("jsonrpc", r#""2.0""#),
            ("id", "%"),
            ("method", r#""tools/call""#),
            ("params", r#"{"name":"danger","arguments":{"mark":"^"}}"#),
        ];
        let others: Vec<String> =
            whole.iter().filter(|(k, _)| *k != key).map(|(k, v)| format!("\"{k}\":{v}")).collect();
        let others = others.join(",");
        for (a, b) in [(first, second), (second, first)] {
            for again in [
                key.to_owned(),
                escaped(key, 1),
                key.to_uppercase(),
                format!("{}{}", key[..1].to_uppercase(), &key[1..]),
                format!("{key} "),
                format!("{key}\\u0000"),
            ] {
                all.add(
                    &format!("`{key}` then `{again}`"),
                    &format!("{{\"{key}\":{a},{others},\"{again}\":{b}}}"),
                );
            }
        }
    }
    for (key, first, second) in
        [("name", r#""safe""#, r#""danger""#), ("arguments", r#"{"mark":"^a"}"#, r#"{"mark":"^b"}"#)]
    {
        for (a, b) in [(first, second), (second, first)] {
            for again in [
                key.to_owned(),
                escaped(key, 0),
                key.to_uppercase(),
                format!("{}{}", key[..1].to_uppercase(), &key[1..]),
                key.replace('s', "\u{17f}"),
            ] {
                let other = if key == "name" { r#""arguments":{"mark":"^"}"# } else { r#""name":"danger""# };
                all.add(&format!("`{key}` then `{again}` in params"), &format!(r#"{{"jsonrpc":"2.0","id":%,"method":"tools/call","params":{{"{key}":{a},{other},"{again}":{b}}}}}"#));
            }
        }
    }
    all.add("argument twice", r#"{"jsonrpc":"2.0","id":%,"method":"tools/call","params":{"name":"safe","arguments":{"mark":"^a","mark":"^b"}}}"#);
    all.add("argument twice, escaped", r#"{"jsonrpc":"2.0","id":%,"method":"tools/call","params":{"name":"safe","arguments":{"mark":"^a","m\u0061rk":"^b"}}}"#);
    for (word, whole) in [
        ("method", "@"),
        ("params", "@"),
        ("name", "@"),
        ("arguments", "@"),
        ("danger", "@"),
        ("tools", "@"),
        ("jsonrpc", "@"),
    ] {
        for at in 0..word.len() {
            let escaped = escaped(word, at);
            all.raw(&format!("{word} written `{escaped}`"), |mark| {
                whole
                    .replace('@', &call(600 + at, "danger", mark))
                    .replace(&format!("\"{word}"), &format!("\"{escaped}"))
                    .into_bytes()
            });
        }
    }
    for method in [
        "Tools/Call",
        "TOOLS/CALL",
        "tools\\/call",
        "tools//call",
        "/tools/call",
        "tools/call ",
        " tools/call",
        "tools/call\\u0000",
        "tools/call/",
        "tools.call",
        "tools_call",
        "toolscall",
        "tools/call?x",
        "tools/\u{200b}call",
        "tool\u{17f}/call",
        "tools\\u002fcall",
    ] {
        all.add(&format!("method `{method}`"), &format!(r#"{{"jsonrpc":"2.0","id":%,"method":"{method}","params":{{"name":"danger","arguments":{{"mark":"^"}}}}}}"#));
    }
    for method in ["7", "null", "true", r#"["tools/call"]"#, r#"{"0":"tools/call"}"#] {
        all.add(&format!("method {method}"), &format!(r#"{{"jsonrpc":"2.0","id":%,"method":{method},"params":{{"name":"danger","arguments":{{"mark":"^"}}}}}}"#));
    }
    for name in [
        "\"Danger\"",
        "\"danger \"",
        "\"danger\\u0000\"",
        "\"\\ud800danger\"",
        "[\"danger\"]",
        "{\"x\":\"danger\"}",
        "1",
        "null",
    ] {
        all.add(&format!("name {name}"), &format!(r#"{{"jsonrpc":"2.0","id":%,"method":"tools/call","params":{{"name":{name},"arguments":{{"mark":"^"}}}}}}"#));
    }
    for id in [
        "1.0",
        "1.5",
        "1e3",
        "-0",
        "1e400",
        "18446744073709551616",
        "9223372036854775808",
        "\"x\"",
        "\"\"",
        "null",
        "true",
        "[]",
        "{}",
        "\"\\ud800\"",
    ] {
        all.add(&format!("id {id}"), &format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"danger","arguments":{{"mark":"^"}}}}}}"#));
    }
    for arguments in [
        "null",
        "[]",
        r#""{\"mark\":\"x\"}""#,
        "7",
        r#"[{"mark":"^"}]"#,
        r#"{"mark":"^","x":NaN}"#,
        r#"{"mark":"^","x":-Infinity}"#,
        r#"{"mark":"^","x":01}"#,
        r#"{"mark":"^","x":1e999}"#,
        r#"{"mark":"^","x":"\ud800"}"#,
        r#"{"mark":"^","x":0x10}"#,
        r#"{"mark":"^",}"#,
        r#"{mark:"^"}"#,
        r#"{'mark':'^'}"#,
    ] {
        for tool in ["safe", "danger"] {
            all.add(&format!("{tool} with arguments {arguments}"), &format!(r#"{{"jsonrpc":"2.0","id":%,"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#));
        }
    }
    for (what, line) in [
        ("batch", "[@]"),
        ("batch of batches", "[[@]]"),
        ("batch behind a ping", r#"[{"jsonrpc":"2.0","id":%,"method":"ping"},@]"#),
        ("two documents", "@@"),
        ("ping and a document", r#"{"jsonrpc":"2.0","id":%,"method":"ping"}@"#),
        ("ping, a comma and a document", r#"{"jsonrpc":"2.0","id":%,"method":"ping"},@"#),
        ("a string of a call", r#""@""#),
        (
            "no id",
            r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"danger","arguments":{"mark":"^"}}}"#,
        ),
        (
            "no jsonrpc",
            r#"{"id":%,"method":"tools/call","params":{"name":"danger","arguments":{"mark":"^"}}}"#,
        ),
        (
            "jsonrpc 1.0",
            r#"{"jsonrpc":"1.0","id":%,"method":"tools/call","params":{"name":"danger","arguments":{"mark":"^"}}}"#,
        ),
        (
            "jsonrpc 2.0 as a number",
            r#"{"jsonrpc":2.0,"id":%,"method":"tools/call","params":{"name":"danger","arguments":{"mark":"^"}}}"#,
        ),
        (
            "with a result",
            r#"{"jsonrpc":"2.0","id":%,"method":"tools/call","params":{"name":"danger","arguments":{"mark":"^"}},"result":{}}"#,
        ),
        (
            "with an error",
            r#"{"jsonrpc":"2.0","id":%,"method":"tools/call","params":{"name":"danger","arguments":{"mark":"^"}},"error":{"code":1,"message":"m"}}"#,
        ),
        (
            "a task",
            r#"{"jsonrpc":"2.0","id":%,"method":"tools/call","params":{"name":"danger","arguments":{"mark":"^"},"task":{"ttl":1}}}"#,
        ),
        (
            "a retry",
            r#"{"jsonrpc":"2.0","id":%,"method":"tools/call","params":{"name":"danger","arguments":{"mark":"^"},"requestState":"x","inputResponses":{}}}"#,
        ),
        (
            "modern",
            r#"{"jsonrpc":"2.0","id":%,"method":"tools/call","params":{"name":"danger","arguments":{"mark":"^"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
        ),
        (
            "params as a list",
            r#"{"jsonrpc":"2.0","id":%,"method":"tools/call","params":["danger",{"mark":"^"}]}"#,
        ),
        ("the call wrapped", r#"{"jsonrpc":"2.0","id":%,"method":"ping","params":@}"#),
        (
            "prototype",
            r#"{"jsonrpc":"2.0","id":%,"method":"ping","__proto__":{"method":"tools/call","params":{"name":"danger","arguments":{"mark":"^"}}}}"#,
        ),
        ("a byte order mark and a space", "\u{feff} @"),
    ] {
        all.add(what, line);
    }
    for (what, from, to) in [
        ("invalid bytes in the name", "danger", &b"danger\xff"[..]),
        ("overlong name", "danger", b"\xc1\xa4anger"),
        ("invalid bytes in a key", "\"method\"", b"\"method\xff\""),
        ("surrogate bytes", "danger", b"danger\xed\xa0\x80"),
    ] {
        all.raw(what, |mark| {
            let call = call(700, "danger", mark);
            let (head, tail) = call.split_once(from).unwrap();
            [head.as_bytes(), to, tail.as_bytes()].concat()
        });
    }
    all.raw("very deep", |mark| {
        let deep = format!("{}{}", "[".repeat(3000), "]".repeat(3000));
        format!(r#"{{"jsonrpc":"2.0","id":701,"method":"tools/call","params":{{"name":"danger","arguments":{{"mark":"{mark}","x":{deep}}}}}}}"#).into_bytes()
    });
    all.0
}

struct Peer {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Vec<u8>>,
}

impl Peer {
    fn start(mut command: Command) -> Self {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let (send, lines) = channel();
        std::thread::spawn(move || {
            let mut line = Vec::new();
            while out.read_until(b'\n', &mut line).unwrap_or(0) > 0 {
                if send.send(std::mem::take(&mut line)).is_err() {
                    return;
                }
            }
        });
        let stdin = child.stdin.take();
        let mut peer = Self { child, stdin, lines };
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        peer.write(
            json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": hello})
                .to_string()
                .as_bytes(),
        );
        assert!(peer.answered("hello", Duration::from_secs(60)), "the server does not start");
        peer.write(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        peer
    }

    fn write(&mut self, line: &[u8]) -> bool {
        let mut line = line.to_vec();
        line.push(b'\n');
        self.stdin.as_mut().unwrap().write_all(&line).is_ok()
    }

    fn answered(&mut self, id: &str, limit: Duration) -> bool {
        loop {
            let Ok(line) = self.lines.recv_timeout(limit) else { return false };
            if serde_json::from_slice::<Value>(&line).is_ok_and(|m| m["id"] == id) {
                return true;
            }
        }
    }

    /// Sends one line. False: the peer is gone or does not answer any more.
    fn survives(&mut self, at: usize, line: &[u8]) -> bool {
        let sync = format!("sync-{at}");
        self.write(line)
            && self.write(format!(r#"{{"jsonrpc":"2.0","id":"{sync}","method":"ping"}}"#).as_bytes())
            && self.answered(&sync, Duration::from_secs(10))
    }

    fn end(mut self) {
        self.stdin = None;
        for _ in 0..500 {
            if self.child.try_wait().unwrap().is_some() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// Sends every line, to a fresh peer where one was lost, and returns what ran: tool and mark, with how often.
fn ran(start: &dyn Fn() -> Command, file: &Path, lines: &[Line]) -> BTreeMap<(String, String), usize> {
    let mut peer = Peer::start(start());
    let mut lost = 0;
    for (at, line) in lines.iter().enumerate() {
        if !peer.survives(at, &line.bytes) {
            peer.end();
            lost += 1;
            assert!(lost < 20, "the server is lost again and again, now by: {}", line.what);
            peer = Peer::start(start());
        }
    }
    peer.end();
    let mut found = BTreeMap::new();
    for line in std::fs::read_to_string(file).unwrap_or_default().lines() {
        *found.entry(serde_json::from_str(line).unwrap()).or_default() += 1;
    }
    found
}

/// What the audit log says was allowed: tool and mark.
fn allowed(log: &Path) -> BTreeMap<(String, String), usize> {
    let mut found = BTreeMap::new();
    for line in std::fs::read_to_string(log).unwrap().lines() {
        // A number beyond a double's range is JSON, and none for this reader.
        let line: Value =
            serde_json::from_str(&line.replace("1e999", "0")).unwrap_or_else(|e| panic!("{e}: {line}"));
        if line["verdict"] == "allow" {
            let mark = line["args"]["mark"].as_str().unwrap_or_default().to_owned();
            *found.entry((line["tool"].as_str().unwrap().to_owned(), mark)).or_default() += 1;
        }
    }
    found
}

fn differs_nowhere(name: &str, server: &[&std::ffi::OsStr], at_least: usize) {
    let dir = tempfile::tempdir().unwrap();
    let lines = lines();
    let file = |way: &str| dir.path().join(way);
    let direct = || {
        let mut command = Command::new(server[0]);
        command.args(&server[1..]).env("RAN", file("direct"));
        command
    };
    std::fs::write(file("policy.toml"), POLICY).unwrap();
    let proxied = || {
        let mut command = Command::new(bouncer());
        command.arg("run").arg("--policy").arg(file("policy.toml")).arg("--").args(server);
        command.env("RAN", file("proxied")).env("BOUNCER_HOME", file("home")).env_remove("BOUNCER_SESSION");
        command
    };
    let without = ran(&direct, &file("direct"), &lines);
    let fell: Vec<&str> = without
        .keys()
        .filter(|(tool, _)| tool == "danger")
        .filter_map(|(_, mark)| mark.strip_prefix('L')?.split('.').next()?.parse::<usize>().ok())
        .map(|at| lines[at].what.as_str())
        .collect();
    println!("{name}: {} lines, {} of them run the tool directly: {fell:#?}", lines.len(), fell.len());
    assert!(fell.len() >= at_least, "{name}: only {} lines run the tool: the test does not test", fell.len());

    let with = ran(&proxied, &file("proxied"), &lines);
    let allowed = allowed(&file("home").join("audit.jsonl"));
    for (what, times) in &with {
        assert_ne!(what.0, "danger", "{name}: the forbidden tool ran: {what:?}");
        assert!(
            allowed.get(what).is_some_and(|n| n >= times),
            "{name}: {what:?} ran and was not allowed as that"
        );
    }
    assert_eq!(with.get(&("safe".to_owned(), "L0.".to_owned())), Some(&1), "{name}: the control call runs");
}

fn script(name: &str) -> std::path::PathBuf {
    repository_root().join("tests/e2e/servers").join(name)
}

#[test]
fn python_mcp_1() {
    differs_nowhere("mcp 1", &[python("mcp1").as_os_str(), script("two_tools.py").as_os_str()], 20);
}

#[test]
fn python_mcp_2_under_fastmcp() {
    differs_nowhere(
        "fastmcp on mcp 2",
        &[python("mcp2").as_os_str(), script("two_tools.py").as_os_str()],
        20,
    );
}

#[test]
fn typescript() {
    differs_nowhere("TypeScript SDK", &["node".as_ref(), script("two_tools.mjs").as_os_str()], 20);
}
