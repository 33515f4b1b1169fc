//! The transcript of the README: the reference filesystem server from npm, wrapped with `init`, driven by a script.

#![allow(clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use bouncer_e2e::{Client, bouncer, npm_server};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

fn audit_lines(home: &Path) -> Vec<Value> {
    let text = fs::read_to_string(home.join("audit.jsonl")).expect("the audit log exists");
    text.lines().map(|line| serde_json::from_str(line).expect("each audit line is JSON")).collect()
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}

#[test]
fn a_write_outside_is_denied_and_the_budget_counts_it() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let root = dir.path().canonicalize().expect("its real path");
    let (out, home) = (root.join("out"), root.join("home"));
    fs::create_dir(&out).expect("the folder for notes");
    let config = root.join("mcp.json");
    let original = format!(
        "{{\n  \"mcpServers\": {{\n    \"fs\": {{ \"command\": \"node\",\n             \"args\": [{}, {}],\n             \"env\": {{\"KEPT\": \"yes\"}} }}\n  }}\n}}\n",
        json!(npm_server("@modelcontextprotocol/server-filesystem")),
        json!(root),
    );
    fs::write(&config, &original).expect("a client config");
    let policy = root.join("bouncer.toml");
    fs::write(
        &policy,
        "[tools.write_file]\nwrite_params = [\"path\"]\nallowed_path_prefixes = [\"out\"]\nmax_calls = 2\n",
    )
    .expect("a policy");

    let init = |extra: &[&str]| {
        let status = Command::new(bouncer())
            .args(["init", "--config"])
            .arg(&config)
            .arg("--policy")
            .arg(&policy)
            .args(extra)
            .env("BOUNCER_HOME", &home)
            .output()
            .expect("init runs");
        assert!(status.status.success(), "{}", String::from_utf8_lossy(&status.stderr));
    };
    init(&["--yes"]);
    let wrapped = fs::read_to_string(&config).expect("the wrapped config");
    init(&["--yes"]);
    assert_eq!(wrapped, fs::read_to_string(&config).expect("the config"), "wrapping twice changes nothing");

    let entry = serde_json::from_str::<Value>(&wrapped).expect("JSON")["mcpServers"]["fs"].clone();
    let args: Vec<String> = serde_json::from_value(entry["args"].clone()).expect("args");
    let mut command = Command::new(entry["command"].as_str().expect("a command"));
    let mut client = Client::spawn(command.args(args).env("BOUNCER_HOME", &home));
    client.initialize("2025-11-25");
    let mut write = |path: &Path| client.call("write_file", json!({"path": path, "content": "hello"}));
    let denied = write(Path::new("/etc/bouncer-test"));
    assert_eq!(denied["isError"], json!(true));
    assert!(text(&denied).starts_with("[bouncer blocked] "), "{denied}");
    let first = write(&out.join("note1.txt"));
    assert_ne!(first["isError"], json!(true), "{first}");
    for n in [2, 3] {
        let over = write(&out.join(format!("note{n}.txt")));
        assert_eq!(over["isError"], json!(true), "{over}");
        assert!(text(&over).contains("may be called 2 times in a session"), "{over}");
    }
    let (status, rest) = client.close();
    assert!(status.success(), "{status}");
    assert!(rest.is_empty(), "nothing comes unasked");

    assert!(!Path::new("/etc/bouncer-test").exists());
    let names: Vec<_> = fs::read_dir(&out)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect();
    assert_eq!(names, ["note1.txt"]);
    let verdicts: Vec<_> = audit_lines(&home)
        .iter()
        .map(|line| {
            assert_eq!(line["tool"], "write_file");
            assert_eq!(line["server"], "fs");
            (
                line["verdict"].as_str().unwrap_or("").to_owned(),
                line["contract"].as_str().unwrap_or("").to_owned(),
            )
        })
        .collect();
    let expected = [("deny", "constraint"), ("allow", "default"), ("deny", "budget"), ("deny", "budget")];
    assert_eq!(verdicts, expected.map(|(v, c)| (v.to_owned(), c.to_owned())));

    let undo = Command::new(bouncer())
        .args(["init", "--undo", "--yes", "--config"])
        .arg(&config)
        .env("BOUNCER_HOME", &home)
        .output()
        .expect("undo runs");
    assert!(undo.status.success(), "{}", String::from_utf8_lossy(&undo.stderr));
    assert_eq!(fs::read_to_string(&config).expect("the config"), original, "undo restores every byte");
}
