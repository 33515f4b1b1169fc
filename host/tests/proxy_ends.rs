//! How a session ends, whichever side goes first and however badly: nobody is left behind.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]
#![cfg(unix)]

mod common;

use common::{Session, Start, eventually, is_alive, signal};
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn started(odd: &[&str]) -> Session {
    Start { odd, ..Start::default() }.go()
}

fn nobody_left(pids: &[i32]) -> bool {
    eventually(Duration::from_secs(10), || !pids.iter().any(|pid| is_alive(*pid)))
}

#[test]
fn the_exit_code_is_the_servers_after_the_end_of_input() {
    let mut session = started(&["exit-5"]);
    let start = Instant::now();
    assert_eq!(session.end().code(), Some(5));
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}

#[test]
fn a_server_that_ignores_the_end_is_told_and_then_killed() {
    for (odd, code) in [("stays", 143), ("deaf", 137)] {
        let mut session = started(&[odd, "helper"]);
        let pids = session.pids();
        assert_eq!(pids.len(), 2);
        let start = Instant::now();
        assert_eq!(session.end().code(), Some(code), "{odd}");
        assert!(start.elapsed() < Duration::from_secs(60), "{odd}: {:?}", start.elapsed());
        assert!(nobody_left(&pids), "{odd}");
    }
}

#[test]
fn helpers_go_with_their_server_however_it_ends() {
    let mut session = started(&["helper"]);
    let pids = session.pids();
    assert!(session.end().success());
    assert!(nobody_left(&pids));

    let mut session = started(&["helper"]);
    let pids = session.pids();
    session.call(1, "crash", &json!({"code": 3}));
    assert_eq!(session.wait().code(), Some(3));
    assert!(nobody_left(&pids));
}

#[test]
fn signals_reach_the_server() {
    for name in ["TERM", "INT", "HUP"] {
        let mut session = started(&["traps"]);
        session.signal(name);
        assert_eq!(session.wait().code(), Some(7), "{name}");
        assert_eq!(session.file("outbox").trim(), format!("SIG{name}"));
    }
    let mut session = started(&["deaf"]);
    let pids = session.pids();
    session.signal("TERM");
    assert_eq!(session.wait().code(), Some(137));
    assert!(nobody_left(&pids));
}

/// A client that is killed has no time to say good-bye. `unread` bytes lie in the pipes when it goes.
fn killed_client(odd: &[&str], unread: usize) {
    let folder = tempfile::tempdir().unwrap();
    let bouncer = Start { odd, ..Start::default() }.command(folder.path());
    let client = r#"
import json, subprocess, sys, time, threading
p = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
print(p.pid, flush=True)
def write():
    p.stdin.write(b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}\n')
    p.stdin.flush()
    left = int(sys.argv[1])
    while left > 0:
        line = b'{"jsonrpc":"2.0","id":"%d","method":"echo","params":{"x":"%s"}}\n' % (left, b'x' * 60000)
        p.stdin.write(line)
        p.stdin.flush()
        left -= len(line)
threading.Thread(target=write, daemon=True).start()
time.sleep(600)
"#;
    let mut command = Command::new("python3");
    command.args(["-c", client, &unread.to_string()]).arg(bouncer.get_program()).args(bouncer.get_args());
    command.envs(bouncer.get_envs().filter_map(|(k, v)| Some((k, v?))));
    let mut client =
        command.stdout(Stdio::piped()).stderr(Stdio::null()).current_dir(folder.path()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(client.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let server = || std::fs::read_to_string(folder.path().join("pids")).unwrap_or_default();
    assert!(eventually(Duration::from_secs(20), || !server().is_empty()));
    std::thread::sleep(Duration::from_secs(1));
    let mut pids: Vec<i32> = server().lines().map(|l| l.parse().unwrap()).collect();
    pids.push(line.trim().parse().unwrap());
    signal("KILL", i32::try_from(client.id()).unwrap());
    client.wait().unwrap();
    assert!(nobody_left(&pids), "{odd:?} {unread}: {pids:?}");
}

#[test]
fn a_killed_client_leaves_nobody_behind() {
    killed_client(&["helper"], 0);
}

#[test]
fn a_killed_client_leaves_nobody_behind_with_answers_unread() {
    killed_client(&["helper"], 4 << 20);
}

#[test]
fn a_killed_client_leaves_nobody_behind_with_a_server_that_reads_nothing() {
    killed_client(&["helper", "reads-nothing"], 4 << 20);
}

#[test]
fn a_killed_client_leaves_nobody_behind_with_a_server_that_hears_nothing() {
    killed_client(&["deaf", "reads-nothing", "helper"], 4 << 20);
}

#[test]
fn a_server_that_cannot_be_started_is_said_and_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    for (program, code) in [("no-such-program-here", 127), ("/", 126)] {
        let out = Command::new(env!("CARGO_BIN_EXE_bouncer"))
            .args(["run", "--", program])
            .env("BOUNCER_HOME", folder.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert_eq!(out.status.code(), Some(code));
        assert!(out.stdout.is_empty());
        assert!(String::from_utf8_lossy(&out.stderr).contains(program));
    }
}

#[test]
fn answers_on_their_way_arrive_after_the_end_of_input() {
    let mut session = started(&["slow-list"]);
    for id in 1..=20 {
        session.call(id, "add", &json!({"a": id, "b": 0}));
    }
    drop(session.stdin.take());
    for id in 1..=20 {
        assert_eq!(session.text_of(id), id.to_string());
    }
    assert!(session.wait().success());
    assert_eq!(session.verdicts().len(), 20);
}
