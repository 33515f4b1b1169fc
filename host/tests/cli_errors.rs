//! What the program says and how it ends when something is wrong: the words, the stream and the code.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]
#![cfg(unix)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A folder with Bouncer's own in it. In what is said, it is called `DIR`, and the program `BOUNCER`.
struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bouncer"));
        command.args(args).current_dir(self.folder.path()).env("BOUNCER_HOME", self.path("home"));
        for key in ["NO_COLOR", "CLICOLOR_FORCE", "BOUNCER_LOG", "CLAUDE_CODE_SESSION_ID", "BOUNCER_SESSION"]
        {
            command.env_remove(key);
        }
        command
    }

    /// Code, standard output and standard error, with nothing on standard input.
    fn says(&self, args: &[&str]) -> String {
        let out = self.command(args).stdin(Stdio::null()).output().unwrap();
        let text = format!(
            "code {}\n--- out\n{}--- err\n{}",
            out.status.code().unwrap(),
            String::from_utf8(out.stdout).unwrap(),
            String::from_utf8(out.stderr).unwrap()
        );
        let real = self.folder.path().canonicalize().unwrap();
        let text = text.replace(env!("CARGO_BIN_EXE_bouncer"), "BOUNCER");
        text.replace(real.to_str().unwrap(), "DIR").replace(self.folder.path().to_str().unwrap(), "DIR")
    }
}

fn server() -> String {
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/servers/plain.py").to_owned()
}

const LAUNCHES_NOTHING: &str = "touch launched";

#[test]
fn a_missing_policy_stops_the_start() {
    let desk = Desk::new();
    insta::assert_snapshot!(desk.says(&["run", "--policy", "no.toml", "--", "sh", "-c", LAUNCHES_NOTHING]), @r"
    code 2
    --- out
    --- err
    error: cannot read the policy file `no.toml`: No such file or directory (os error 2)
    hint: `bouncer policy example` prints a policy file to start from
    ");
    assert!(!desk.path("launched").exists());
}

#[test]
fn a_malformed_policy_stops_the_start() {
    let desk = Desk::new();
    desk.write("p.toml", "[tools.send_email]\nmax_call = 3\narg_patterns = { to = '(' }\n");
    insta::assert_snapshot!(desk.says(&["run", "--policy", "p.toml", "--", "sh", "-c", LAUNCHES_NOTHING]), @r"
    code 2
    --- out
    --- err
    error: unknown key `max_call` in tool `send_email`
     --> p.toml:2:1
      |
    2 | max_call = 3
      | ^^^^^^^^ did you mean `max_calls`?
      |
      = hint: the keys here are exfiltrating, sink_params, trusted_destinations, write_params, allowed_path_prefixes, arg_patterns, max_calls, sinks, harmless_params, directories, destructive, replace, tainted, fields, profile

    error: the pattern for argument `to` of tool `send_email` is not a regular expression
     --> p.toml:3:23
      |
    3 | arg_patterns = { to = '(' }
      |                       ^^^ unclosed group
    ");
    // The one in Bouncer's folder too, and a link there that leads nowhere.
    std::fs::create_dir_all(desk.path("home")).unwrap();
    desk.write("home/bouncer.toml", "nonsense");
    let said = desk.says(&["run", "--", "sh", "-c", LAUNCHES_NOTHING]);
    assert!(said.starts_with("code 2\n--- out\n--- err\n") && said.contains("not valid TOML"), "{said}");
    std::fs::remove_file(desk.path("home/bouncer.toml")).unwrap();
    std::os::unix::fs::symlink("nowhere", desk.path("home/bouncer.toml")).unwrap();
    let said = desk.says(&["run", "--", "sh", "-c", LAUNCHES_NOTHING]);
    assert!(said.starts_with("code 2\n"), "{said}");
    assert!(!desk.path("launched").exists());
}

#[test]
fn a_configuration_that_does_not_fit() {
    let desk = Desk::new();
    desk.write(
        "mcp.json",
        r#"{"mcpServers": {"files": {"command": "x"}, "web": {"url": "https://a.example"}}}"#,
    );
    insta::assert_snapshot!(desk.says(&["run", "--config", "mcp.json", "--upstream-name", "mail"]), @r"
    code 1
    --- out
    --- err
    error: `mcp.json` has no server `mail`
    hint: its servers are `files`, `web`
    ");
    insta::assert_snapshot!(desk.says(&["run", "--config", "moved.json", "--upstream-name", "files"]), @r"
    code 1
    --- out
    --- err
    error: cannot read the client configuration `moved.json`: No such file or directory (os error 2)
    hint: check the path; where a wrapped file was moved, wrap its servers where it is now: `bouncer init --config FILE`
    ");
    desk.write("loop.json", r#"{"mcpServers": {"a": {"command": "/x/bouncer", "args": ["run", "--config", "loop.json", "--upstream-name", "a"]}}}"#);
    insta::assert_snapshot!(desk.says(&["run", "--config", "loop.json", "--upstream-name", "a"]), @r"
    code 1
    --- out
    --- err
    error: server `a` in `loop.json`: it launches Bouncer itself, which was not put there by `bouncer init`
    hint: write the server's own program into it, and wrap it with `bouncer init`
    ");
    insta::assert_snapshot!(desk.says(&["init", "--config", "loop.json", "--yes"]), @r"
    code 0
    --- out
    nothing to change in `loop.json`
    --- err
    note: server `a` is left as it is: it launches Bouncer itself, which was not put there by `bouncer init`
    hint: write the server's own program into it, and wrap it with `bouncer init`
    ");
    insta::assert_snapshot!(desk.says(&["run", "--config", "mcp.json"]), @r"
    code 2
    --- out
    --- err
    error: the following required arguments were not provided:
      --upstream-name <NAME>

    Usage: bouncer run --upstream-name <NAME> --config <FILE> [-- <COMMAND>...]

    For more information, try '--help'.
    ");
}

#[test]
fn a_malformed_configuration_is_left_as_it_is() {
    let desk = Desk::new();
    let text = "{\n  \"mcpServers\": {\n    \"a\": { \"command\": }\n  }\n}\n";
    desk.write("mcp.json", text);
    insta::assert_snapshot!(desk.says(&["init", "--config", "mcp.json", "--yes"]), @r"
    code 1
    --- out
    --- err
    error: `mcp.json` is not valid JSON: Unexpected close brace on line 3 column 23
    hint: nothing was changed; mend the file first
    ");
    assert_eq!(desk.text("mcp.json"), text);
    insta::assert_snapshot!(desk.says(&["init", "--config", "none.json"]), @r"
    code 1
    --- out
    --- err
    error: cannot read the client configuration `none.json`: No such file or directory (os error 2)
    hint: check the path; where a wrapped file was moved, wrap its servers where it is now: `bouncer init --config FILE`
    ");
}

const CONFIG: &str = "{\n  // mine\n  \"mcpServers\": {\n    \"a\": {\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"s\"]\n    }\n  }\n}\n";

#[test]
fn init_shows_what_it_would_change_and_writes_only_when_told() {
    let desk = Desk::new();
    desk.write("mcp.json", CONFIG);
    insta::assert_snapshot!(desk.says(&["init", "--config", "mcp.json", "--dry-run"]), @r#"
    code 0
    --- out
    --- mcp.json
    +++ mcp.json (as it would be)
    @@ -2,8 +2,9 @@
       // mine
       "mcpServers": {
         "a": {
    -      "command": "npx",
    -      "args": ["-y", "s"]
    +      "command": "BOUNCER",
    +      "args": ["run", "--config", "DIR/mcp.json", "--upstream-name", "a"],
    +      "x-bouncer-upstream": { "command": "npx", "args": ["-y", "s"] }
         }
       }
     }
    nothing was written (--dry-run)
    --- err
    "#);
    let asked = desk.says(&["init", "--config", "mcp.json"]);
    assert!(asked.starts_with("code 2\n") && asked.contains("pass --yes"), "{asked}");
    assert_eq!(desk.text("mcp.json"), CONFIG);
    desk.write("bad.toml", "x = 1");
    assert!(
        desk.says(&["init", "--config", "mcp.json", "--policy", "bad.toml", "--yes"]).starts_with("code 2\n")
    );
    assert!(desk.says(&["init", "--config", "mcp.json", "--server", "q", "--yes"]).contains("no server `q`"));
    assert_eq!(desk.text("mcp.json"), CONFIG);

    let wrapped = desk.says(&["init", "--config", "mcp.json", "--yes"]);
    assert!(wrapped.starts_with("code 0\n") && wrapped.contains("wrapped a in `mcp.json`"), "{wrapped}");
    let text = desk.text("mcp.json");
    insta::assert_snapshot!(desk.says(&["init", "--config", "mcp.json", "--yes"]), @r"
    code 0
    --- out
    nothing to change in `mcp.json`
    --- err
    ");
    assert_eq!(desk.text("mcp.json"), text);
    let undone = desk.says(&["init", "--config", "mcp.json", "--undo", "--yes"]);
    assert!(undone.contains("restored byte for byte"), "{undone}");
    assert_eq!(desk.text("mcp.json"), CONFIG);
    insta::assert_snapshot!(desk.says(&["init", "--config", "mcp.json", "--undo", "--yes"]), @r"
    code 0
    --- out
    nothing in `mcp.json` is launched through Bouncer
    --- err
    ");
}

#[test]
fn bare_and_wrong_command_lines() {
    let desk = Desk::new();
    // Launched by a client that has left already: nothing to serve, and nothing on stdout but the protocol.
    assert_eq!(desk.says(&[]), "code 0\n--- out\n--- err\n");
    insta::assert_snapshot!(desk.says(&["--help"]), @r"
    code 0
    --- out
    A local MCP proxy that decides on each tool call whether this destination may receive this value

    Usage: bouncer [COMMAND]

    Commands:
      run       Launch or reach a server behind Bouncer, and speak MCP over stdio or HTTP
      serve     Answer an MCP client's questions about verdicts and policies on stdin and stdout
      init      Make a client launch its servers through Bouncer, or undo that
      demo      See it work: a mail server with a poisoned message, behind the real proxy, with no
                set-up
      check     Say what would become of a call, without making it
      explain   Say why a call, or a line of the log, comes out as it does, and what would change that
      classify  Print what is known of recorded tools, as JSON lines
      hook      For a client's hooks: hand over what the client knows
      pins      Look at what is recorded of each server, and accept what it changed
      pack      Write policy packs, install them, look at them, and say what they may loosen
      policy    Print, check or explain policy files
      audit     Read the log of verdicts
      help      Print this message or the help of the given subcommand(s)

    Options:
      -h, --help     Print help
      -V, --version  Print version

    Exit codes: 0 success; 1 the command failed; 2 the command line or a policy file is wrong.
    `bouncer check` ends with 0 for allow, 10 for ask, 11 for deny.
    `bouncer run` ends with the server's own code, 126 or 127 where it could not be started or found.
    Bouncer keeps its files in $BOUNCER_HOME, or ~/.bouncer.
    --- err
    ");
    insta::assert_snapshot!(desk.says(&["rnu"]), @r"
    code 2
    --- out
    --- err
    error: unrecognized subcommand 'rnu'

    Usage: bouncer [COMMAND]

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(desk.says(&["run"]), @r"
    code 2
    --- out
    --- err
    error: the following required arguments were not provided:
      <COMMAND>...

    Usage: bouncer run -- <COMMAND>...

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(desk.says(&["run", "--ask-timeout", "0", "--", "x"]), @r"
    code 2
    --- out
    --- err
    error: invalid value '0' for '--ask-timeout <SECONDS>': 0 is not in 1..=86400

    For more information, try '--help'.
    ");
    assert!(desk.says(&["--version"]).starts_with("code 0\n--- out\nbouncer "));
    let said = desk.says(&["run", "--", "no-such-program-here"]);
    assert!(
        said.starts_with("code 127\n--- out\n--- err\n") && said.contains("no-such-program-here"),
        "{said}"
    );
    let said = desk.says(&["run", "--", "/etc/passwd"]);
    assert!(said.starts_with("code 126\n--- out\n--- err\n"), "{said}");
}

#[test]
fn policies_are_checked() {
    let desk = Desk::new();
    desk.write("good.toml", "[tools.a]\nmax_calls = 1\n[tools.b]\n");
    desk.write("old.yaml", "a: null\n");
    desk.write("bad.yaml", "a:\n  sink_parms: [to]\n  max_calls: many\n");
    insta::assert_snapshot!(desk.says(&["policy", "validate", "good.toml", "old.yaml"]), @r"
    code 0
    --- out
    good.toml: valid, 2 tools
    old.yaml: valid, 1 tool
    --- err
    good.toml:3:8: warning: the table of `b` says nothing
    old.yaml:1:1: warning: the table of `a` says nothing
    ");
    insta::assert_snapshot!(desk.says(&["policy", "validate", "good.toml", "bad.yaml", "none.toml"]), @r"
    code 2
    --- out
    good.toml: valid, 2 tools
    --- err
    good.toml:3:8: warning: the table of `b` says nothing
    error: unknown key `sink_parms` in tool `a`
     --> bad.yaml:2:3
      |
    2 |   sink_parms: [to]
      |   ^^^^^^^^^^ did you mean `sink_params`?
      |
      = hint: the keys here are exfiltrating, sink_params, trusted_destinations, write_params, allowed_path_prefixes, arg_patterns, max_calls

    error: `max_calls` of tool `a` has the wrong type
     --> bad.yaml:3:14
      |
    3 |   max_calls: many
      |              ^^^^ expected a whole number, 0 or more, found a string

    error: cannot read the policy file `none.toml`: No such file or directory (os error 2)
    hint: `bouncer policy example` prints a policy file to start from
    ");
    let example = desk.command(&["policy", "example"]).output().unwrap();
    std::fs::write(desk.path("example.toml"), example.stdout).unwrap();
    assert!(desk.says(&["policy", "validate", "example.toml"]).starts_with("code 0\n"));
    let schema = desk.command(&["policy", "schema"]).output().unwrap();
    assert!(serde_json::from_slice::<serde_json::Value>(&schema.stdout).unwrap().is_object());
}

const LOG: &str = r#"{"ts":"2025-01-02T03:04:05Z","session":"s0","server":"mail","tool":"send","args":{"verdict":"allow"},"verdict":"deny","reason":null,"contract":"taint"}
{"ts":"2026-01-01T00:00:00.000Z","session":"s1","server":"mail","tool":"send","args":{},"verdict":"ask","reason":"new \u001b[31mdestination","contract":"sink","duration_us":5}

not a line of the log
{"ts":"2026-01-01T00:00:01.000Z","session":"s1","server":"mail","tool":"send","args":{},"verdict":"allow","reason":"","contract":"default","duration_us":5}
{"ts":"2026-01-02T00:00:00.000Z","session":"s2","server":"files","tool":"write \"x\"","args":{},"verdict":"deny","reason":"budget","contract":"budget","duration_us":5,"new":[1]}
{"ts":"2026-01-02T00:00:01.000Z","session":"s2","server":"files","tool":"wri"#;

#[test]
fn the_log_is_read_with_a_torn_last_line_and_older_ones() {
    let desk = Desk::new();
    desk.write("a.jsonl", LOG);
    insta::assert_snapshot!(desk.says(&["audit", "summary", "--log", "a.jsonl"]), @r#"
    code 0
    --- out
    4 verdicts, 2 lines that could not be read
      verdict          1  allow
      verdict          1  ask
      verdict          2  deny
      contract         1  budget
      contract         1  default
      contract         1  sink
      contract         1  taint
      files/write "x": deny 1
      mail/send: allow 1, ask 1, deny 1
    --- err
    "#);
    insta::assert_snapshot!(desk.says(&["audit", "summary", "--log", "a.jsonl", "--json", "--server", "files"]), @r#"
    code 0
    --- out
    {
      "lines": 1,
      "unreadable": 2,
      "verdicts": {
        "deny": 1
      },
      "contracts": {
        "budget": 1
      },
      "tools": {
        "files/write \"x\"": {
          "deny": 1
        }
      }
    }
    --- err
    "#);
    insta::assert_snapshot!(desk.says(&["audit", "tail", "--log", "a.jsonl"]), @r#"
    code 0
    --- out
    2025-01-02T03:04:05Z  deny   mail/send  taint
    2026-01-01T00:00:00.000Z  ask    mail/send  sink: new \u{1b}[31mdestination
    2026-01-01T00:00:01.000Z  allow  mail/send  default
    2026-01-02T00:00:00.000Z  deny   files/write "x"  budget: budget
    --- err
    "#);
    let lines = |args: &[&str]| {
        let mut all = vec!["audit", "tail", "--log", "a.jsonl", "--json"];
        all.extend(args);
        let out = desk.command(&all).output().unwrap();
        let of = |line: &str| LOG.lines().position(|known| known == line).unwrap();
        String::from_utf8(out.stdout).unwrap().lines().map(of).collect::<Vec<_>>()
    };
    assert_eq!(lines(&[]), [0, 1, 4, 5]);
    assert_eq!(lines(&["-n", "2"]), [4, 5]);
    assert_eq!(lines(&["-n", "0"]), [0usize; 0]);
    assert_eq!(lines(&["--verdict", "deny"]), [0, 5]);
    assert_eq!(lines(&["--tool", "write \"x\""]), [5]);
    assert_eq!(lines(&["--server", "mail", "--session", "s1"]), [1, 4]);
    assert_eq!(lines(&["--since", "2026-01-01T00:00:01"]), [4, 5]);
    assert_eq!(lines(&["--since", "2026", "--until", "2026-01-02"]), [1, 4]);
    assert!(lines(&["--since", "1h"]).is_empty(), "all of it is older");
    assert_eq!(lines(&["--since", "9999w", "--until", "1h"]), lines(&[]));
    let said = desk.says(&["audit", "tail", "--since", "yesterday"]);
    assert!(said.starts_with("code 2") && said.contains("`12h`"), "{said}");
    insta::assert_snapshot!(desk.says(&["audit", "tail", "--verdict", "maybe"]), @r"
    code 2
    --- out
    --- err
    error: invalid value 'maybe' for '--verdict <VERDICT>'
      [possible values: allow, ask, deny]

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(desk.says(&["audit", "summary"]), @r"
    code 1
    --- out
    --- err
    error: cannot read the log `DIR/home/audit.jsonl`: No such file or directory (os error 2)
    hint: it is written by `bouncer run`
    ");
}

#[test]
fn the_log_can_be_followed_and_the_reader_may_leave() {
    let desk = Desk::new();
    desk.write("a.jsonl", LOG);
    let mut child = desk
        .command(&["audit", "tail", "--log", "a.jsonl", "--follow", "--json", "-n", "1"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    std::io::BufRead::read_line(&mut out, &mut line).unwrap();
    assert!(line.contains("budget"), "{line}");
    // The torn line is finished, and counts from then on.
    let mut log = std::fs::OpenOptions::new().append(true).open(desk.path("a.jsonl")).unwrap();
    log.write_all(b"te\",\"verdict\":\"allow\"}\n").unwrap();
    line.clear();
    std::io::BufRead::read_line(&mut out, &mut line).unwrap();
    assert!(line.contains("\"tool\":\"write\""), "{line}");
    drop(out);
    // More than one line: a process that another test starts has all pipes open for a moment, this one's too.
    let status = loop {
        log.write_all(LOG.lines().next().unwrap().as_bytes()).unwrap();
        log.write_all(b"\n").unwrap();
        std::thread::sleep(std::time::Duration::from_millis(50));
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
    };
    assert_eq!(status.code(), Some(0), "a reader that has seen enough is no failure");
}

/// Starts a wrapped server of a configuration, and asks it for its variables and folder through a call.
fn surroundings(desk: &Desk, config: &Path, name: &str, vars: &[(&str, &str)]) -> String {
    let mut command = desk.command(&["run", "--config", config.to_str().unwrap(), "--upstream-name", name]);
    let mut child =
        command.envs(vars.iter().copied()).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let hello = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    let ready = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    writeln!(stdin, "{hello}\n{ready}\n{list}").unwrap();
    let mut out = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains("\"id\":1") && !line.contains("\"id\": 1") {
        line.clear();
        assert!(std::io::BufRead::read_line(&mut out, &mut line).unwrap() > 0, "the server went away");
    }
    assert!(line.contains("read_inbox"), "{line}");
    drop(stdin);
    child.wait().unwrap();
    desk.text("where")
}

#[test]
fn variables_and_folder_of_a_wrapped_server_survive() {
    let desk = Desk::new();
    std::fs::create_dir_all(desk.path("work/sub")).unwrap();
    let work = desk.path("work").canonicalize().unwrap();
    let note = desk.path("where");
    // A server that notes its surroundings and arguments, then becomes the usual one.
    let script = format!(
        "printf '%s|' \"$PWD\" \"$TOKEN\" \"$N\" \"$EXPANDED\" \"$@\" >'{}'; exec python3 '{}'",
        note.display(),
        server()
    );
    let entry = serde_json::json!({"mcpServers": {
        "a": {"command": "sh", "args": ["-c", script, "x", "a b", ""], "cwd": work,
              "env": {"TOKEN": "s3cret", "N": 1, "EXPANDED": "${HOME}/x", "SEEN": "seen"}},
        "b": {"command": "sh", "args": ["-c", script], "cwd": "work/sub", "env": {"SEEN": "seen"}},
    }});
    desk.write("mcp.json", &serde_json::to_string_pretty(&entry).unwrap());
    let wrapped = desk.says(&["init", "--config", "mcp.json", "--yes"]);
    assert!(wrapped.starts_with("code 0\n"), "{wrapped}");
    let config = desk.path("mcp.json");
    let here = work.to_str().unwrap();
    // As a client starts it that gives the variables, expanded, itself.
    let vars = [("TOKEN", "s3cret"), ("N", "1"), ("EXPANDED", "/home/ann/x")];
    assert_eq!(surroundings(&desk, &config, "a", &vars), format!("{here}|s3cret|1|/home/ann/x|a b||"));
    // As a client or a person starts it that gives none: what nobody expanded is not passed on as text.
    let other = [("TOKEN", "of the shell")];
    assert_eq!(surroundings(&desk, &config, "a", &other), format!("{here}|s3cret|1||a b||"));
    assert!(surroundings(&desk, &config, "b", &[]).starts_with(&format!("{here}/sub|")));

    std::fs::rename(&config, desk.path("moved.json")).unwrap();
    let said = desk.says(&["run", "--config", config.to_str().unwrap(), "--upstream-name", "a"]);
    assert!(said.starts_with("code 1\n--- out\n--- err\n"), "{said}");
    assert!(said.contains("mcp.json") && said.contains("where a wrapped file was moved"), "{said}");
}
