//! Client configurations of many shapes: what is wrapped, what stays, and the way back.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use super::config::{Config, EntryKind, Launch, Server};
use super::edit::{self, Wrapper};
use super::store;
use super::undo::{Undo, undo};
use super::{ORIGINAL, WrapError};
use std::path::{Path, PathBuf};

fn read(text: &str) -> Config {
    Config::parse(Path::new("/c/mcp.json"), text.to_owned()).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(text: &str) -> String {
    Config::parse(Path::new("/c/mcp.json"), text.to_owned()).unwrap_err().to_string()
}

fn wrapper(policy: Option<&str>) -> Wrapper {
    Wrapper {
        program: "/opt/b/bouncer".to_owned(),
        config: "/c/mcp.json".to_owned(),
        policy: policy.map(str::to_owned),
    }
}

/// Wraps all that can be, and checks what always holds: it reads as the same launches, twice is once, and undoing without
/// a backup launches the same again.
fn wrapped(text: &str) -> String {
    let before = read(text);
    let names: Vec<String> = before
        .entries
        .iter()
        .filter(|entry| !matches!(entry.kind, EntryKind::Unusable(_)))
        .map(|entry| entry.name.clone())
        .collect();
    let new = edit::wrap(&before, &names, &wrapper(None)).unwrap();
    let after = read(&new);
    assert_eq!(edit::wrapped_names(&after), names);
    for name in &names {
        assert_eq!(after.server(name).unwrap(), before.server(name).unwrap(), "{new}");
    }
    assert_eq!(edit::wrap(&after, &names, &wrapper(None)).unwrap(), new, "wrapping twice changes nothing");
    let back = read(&edit::unwrap(&after, &names).unwrap());
    for name in &names {
        assert_eq!(back.server(name).unwrap(), before.server(name).unwrap(), "{}", back.text);
        assert!(!back.text.contains(ORIGINAL));
    }
    new
}

/// As [`wrapped`], and undoing without a backup gives the very same bytes.
fn there_and_back(text: &str) -> String {
    let new = wrapped(text);
    let after = read(&new);
    assert_eq!(edit::unwrap(&after, &edit::wrapped_names(&after)).unwrap(), text);
    new
}

const COMMENTED: &str = r#"{
  // who am I
  "theme":   "dark",
  "mcpServers": {
    /* files */
    "files": {
      "command": "npx", // the program
      "args": ["-y", "server-filesystem", "/data"],
      "env": { "TOKEN": "s3cret", "N": 1 },
      "cwd": "/data",
      "disabled": false,
    },
    "web": { "url": "https://example.com/mcp" },
    "bare": {"command":"run-me"}
  },
  "last": [1,2 ,3]
}
"#;

#[test]
fn only_what_launches_changes() {
    let new = there_and_back(COMMENTED);
    assert_eq!(
        new,
        r#"{
  // who am I
  "theme":   "dark",
  "mcpServers": {
    /* files */
    "files": {
      "command": "/opt/b/bouncer", // the program
      "args": ["run", "--config", "/c/mcp.json", "--upstream-name", "files"],
      "x-bouncer-upstream": { "command": "npx", "args": ["-y", "server-filesystem", "/data"] },
      "env": { "TOKEN": "s3cret", "N": 1 },
      "cwd": "/data",
      "disabled": false,
    },
    "web": { "command": "/opt/b/bouncer", "args": ["run", "--config", "/c/mcp.json", "--upstream-name", "web"], "x-bouncer-upstream": { "url": "https://example.com/mcp" } },
    "bare": {"command":"/opt/b/bouncer", "args": ["run", "--config", "/c/mcp.json", "--upstream-name", "bare"], "x-bouncer-upstream": { "command": "run-me" }}
  },
  "last": [1,2 ,3]
}
"#
    );
    let launch = read(&new).launch("files").unwrap();
    let env = [("TOKEN".to_owned(), "s3cret".to_owned()), ("N".to_owned(), "1".to_owned())];
    assert_eq!(launch.env, env);
    assert_eq!(launch.cwd.as_deref(), Some("/data"));
}

#[test]
fn odd_layouts_go_there_and_back() {
    for text in [
        r#"{"mcpServers":{"a":{"command":"x"}}}"#,
        r#"{"mcpServers":{"a":{"args":[],"command":"x"}}}"#,
        r#"{"mcpServers":{"a":{"command":"x","args":["--a b","\"q\"","\u00e9\\"]}}}"#,
        "{\"mcpServers\":{\"a\":{\"args\" : [ \"1\" ,\n\t\"2\" ] ,\"env\":{} , \"command\"\n:\"x\" }}}",
        "{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {\r\n\t\t\t\"command\": \"x\",\r\n\t\t\t\"args\": []\r\n\t\t}\r\n\t}\r\n}\r\n",
        "\u{feff}{ \"mcpServers\": { \"a\": { \"command\": \"x\", \"args\": [] } } }",
        "{ \"mcpServers\": { \"a\": { \"command\": \"x\", \"args\": [ // why\n \"1\", /* b */ ], }, }, }",
        r#"{ "servers": { "a": { "type": "stdio", "command": "x" } }, "inputs": [] }"#,
        "{ \"mcpServers\": { \"\u{e4} \u{1f600} \\n\": { \"command\": \"\u{e4}\", \"args\": [\"\u{1f600}\"] } } }",
        r#"{ "mcpServers": { "a": { "command": "x", "args": null } } }"#,
        r#"{ "mcpServers": { "a": { "env": null, "command": "x" } }, "a": { "command": "not a server" } }"#,
        "// top\n{\n\"mcpServers\"\n:\n{\n\"a\":\n{\n\"command\"\n:\n\"x\" // c\n}}}\n// end",
    ] {
        there_and_back(text);
    }
    // CRLF files get CRLF, tabs get tabs.
    let new = there_and_back(
        "{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {\r\n\t\t\t\"command\": \"x\"\r\n\t\t}\r\n\t}\r\n}\r\n",
    );
    assert!(new.contains(",\r\n\t\t\t\"args\"") && new.replace("\r\n", "").find('\n').is_none());
    assert!(wrapped("\u{feff}{\"mcpServers\":{\"a\":{\"command\":\"x\"}}}").starts_with("\u{feff}{"));
}

#[test]
fn vs_code_and_claude_shapes() {
    // Where both are there, clients that know `mcpServers` use that one.
    let both = read(r#"{"servers":{"v":{"command":"x"}},"mcpServers":{"m":{"command":"y"}}}"#);
    assert_eq!(both.entries.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>(), ["m"]);
    let kinds = read(
        r#"{"mcpServers":{"a":{"url":"u"},"b":{"httpUrl":"u"},"c":{"serverUrl":"u"},"d":{},"e":3,"f":{"command":7},
            "g":{"command":"x","args":"y"},"h":{"command":"x","args":[1]},"i":{"command":" "},"j":{"command":"x","env":[]},
            "k":{"command":"x","command":"y"}}}"#,
    );
    let is_remote = |name: &str| matches!(kinds.entry(name).unwrap().kind, EntryKind::Remote(_));
    assert!(["a", "b", "c"].into_iter().all(is_remote));
    for name in ["d", "e", "f", "g", "h", "i", "j", "k"] {
        assert!(matches!(kinds.entry(name).unwrap().kind, EntryKind::Unusable(_)), "{name}");
        assert!(matches!(kinds.launch(name), Err(WrapError::Entry { .. })), "{name}");
    }
    assert!(kinds.launch("a").unwrap_err().to_string().contains("reached by URL"));
}

#[test]
fn entries_with_a_url_go_there_and_back() {
    for text in [
        r#"{"mcpServers":{"a":{"url":"https://x.example/mcp"}}}"#,
        r#"{ "mcpServers": { "a": { "type": "http", "url": "https://x.example/mcp", "headers": { "Authorization": "Bearer ${T}" } } } }"#,
        "{\n  \"servers\": {\n    \"a\": {\n      \"headers\" : {\"X\":\"1\"},\n      \"url\":\"https://x.example/mcp\", // c\n      \"type\": \"sse\"\n    }\n  },\n  \"inputs\": []\n}",
        "{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {\r\n\t\t\t\"disabled\": false,\r\n\t\t\t\"serverUrl\": \"https://x.example/\\u006dcp\",\r\n\t\t},\r\n\t}\r\n}",
        r#"{"mcpServers":{"a":{"httpUrl":"https://x.example/mcp","timeout":5,"headers":{}},"b":{"command":"x"}}}"#,
    ] {
        let new = there_and_back(text);
        let Ok(Server::Remote(remote)) = read(&new).server("a") else { panic!("{new}") };
        assert_eq!(remote.url, "https://x.example/mcp");
        assert_eq!(edit::wrapped_names(&read(&new)).first().map(String::as_str), Some("a"));
    }
    let new = wrapped(
        r#"{ "mcpServers": { "a": { "type": "http", "url": "https://x.example/mcp", "headers": { "A": "b" }, "timeout": 5 } } }"#,
    );
    assert_eq!(
        new,
        r#"{ "mcpServers": { "a": { "type": "stdio", "command": "/opt/b/bouncer", "args": ["run", "--config", "/c/mcp.json", "--upstream-name", "a"], "x-bouncer-upstream": { "type": "http", "url": "https://x.example/mcp", "headers": { "A": "b" } }, "timeout": 5 } } }"#
    );
}

#[test]
fn entries_that_only_their_client_can_reach_are_left_alone() {
    for (entry, part) in [
        (r#"{"url":"https://x.example","headers":{"A":"${input:token}"}}"#, "${input:token}"),
        (r#"{"url":"https://x.example/${workspaceFolder}"}"#, "${workspaceFolder}"),
        (r#"{"url":"https://x.example","oauth":{}}"#, "`oauth`"),
        (r#"{"url":"https://x.example","headersHelper":"./token"}"#, "`headersHelper`"),
        (r#"{"url":"https://x.example","type":"ws"}"#, "`ws`"),
        (r#"{"url":"https://x.example","headers":{"A":1}}"#, "not all strings"),
        (r#"{"url":7}"#, "not a string"),
        (r#"{"url":" "}"#, "not a string"),
    ] {
        let config = read(&format!(r#"{{"mcpServers":{{"a":{entry}}}}}"#));
        let error = config.server("a").unwrap_err().to_string();
        assert!(error.contains(part), "{entry}: {error}");
        assert_eq!(edit::wrap(&config, &["a".to_owned()], &wrapper(None)).unwrap(), config.text, "{entry}");
    }
}

#[test]
fn only_the_named_servers_are_wrapped() {
    let text = r#"{"mcpServers":{"a":{"command":"x"},"b":{"command":"y"},"c":{"command":"z"}}}"#;
    let config = read(text);
    let new = edit::wrap(&config, &["a".to_owned(), "c".to_owned()], &wrapper(None)).unwrap();
    let after = read(&new);
    assert_eq!(edit::wrapped_names(&after), ["a", "c"]);
    assert!(new.contains(r#""b":{"command":"y"}"#));
    let unwrapped = edit::unwrap(&after, &["a".to_owned()]).unwrap();
    assert_eq!(edit::wrapped_names(&read(&unwrapped)), ["c"]);
    let unknown = config.entry("q").unwrap_err().to_string();
    assert!(unknown.contains("no server `q`") && unknown.contains("`a`, `b`, `c`"), "{unknown}");
}

#[test]
fn wrapping_again_brings_the_launch_up_to_date_and_keeps_the_original() {
    let text = r#"{ "mcpServers": { "a": { "command": "x", "args": ["1"] } } }"#;
    let names = ["a".to_owned()];
    let once = edit::wrap(&read(text), &names, &wrapper(None)).unwrap();
    let mut moved = wrapper(Some("/p/bouncer.toml"));
    moved.program = "/new/bouncer".to_owned();
    let twice = edit::wrap(&read(&once), &names, &moved).unwrap();
    assert!(twice.contains("/new/bouncer") && twice.contains(r#""--policy", "/p/bouncer.toml""#));
    assert_eq!(twice.matches(ORIGINAL).count(), 1);
    let original = Launch { command: "x".to_owned(), args: vec!["1".to_owned()], ..Launch::default() };
    assert_eq!(read(&twice).launch("a").unwrap(), original);
    assert_eq!(edit::unwrap(&read(&twice), &names).unwrap(), text);
    // Other spacing of the same is left alone.
    let spaced = once.replace("\"run\", ", "\"run\" ,\n   ");
    assert_eq!(edit::wrap(&read(&spaced), &names, &wrapper(None)).unwrap(), spaced);
}

#[test]
fn an_entry_that_launches_bouncer_by_hand_is_left_alone_and_never_launched() {
    // `run --config` of this very file would start itself for ever.
    for command in ["bouncer", "/opt/bouncer", r"C:\\b\\Bouncer.exe"] {
        let text = format!(
            r#"{{"mcpServers":{{"a":{{"command":"{command}","args":["run","--config","/c/mcp.json","--upstream-name","a"]}}}}}}"#
        );
        let config = read(&text);
        assert!(config.launch("a").unwrap_err().to_string().contains("launches Bouncer itself"), "{command}");
        assert_eq!(edit::wrapped_names(&config), Vec::<String>::new());
    }
    let kept = r#"{"mcpServers":{"a":{"command":"bouncer","args":["run"],"x-bouncer-upstream":{"command":"bouncer","args":["run","--config","f"]}}}}"#;
    assert!(read(kept).launch("a").is_err());
    for broken in [r#""x""#, "[]", "{}", r#"{"args":["a"]}"#, r#"{"command":"x","args":"y"}"#] {
        let text =
            format!(r#"{{"mcpServers":{{"a":{{"command":"bouncer","x-bouncer-upstream":{broken}}}}}}}"#);
        assert!(read(&text).launch("a").is_err(), "{broken}");
    }
    assert!(read(r#"{"mcpServers":{"a":{"command":"bouncer-hunt","args":["run"]}}}"#).launch("a").is_ok());
}

#[test]
fn what_is_no_configuration_is_refused() {
    for text in [
        "",
        "[]",
        "3",
        "{",
        "{]",
        "nul",
        "{\"mcpServers\": {\"a\": {\"command\": \"x\"}}",
        "{\"mcpServers\": {'a': {}}}",
        "{mcpServers: {}}",
        "{\"mcpServers\": {}} {}",
        "{\"mcpServers\" {}}",
        "\u{feff}\u{feff}{\"mcpServers\":{}}",
    ] {
        assert!(refused(text).contains("is not valid JSON"), "{text}: {}", refused(text));
    }
    assert!(
        refused("{\n \"mcpServers\": {,}\n}").contains("line 2"),
        "{}",
        refused("{\n \"mcpServers\": {,}\n}")
    );
    for text in ["{}", r#"{"mcpServers":[]}"#, r#"{"mcpServers":null}"#, r#"{"projects":{}}"#] {
        assert!(refused(text).contains("no `mcpServers` or `servers`"), "{text}");
    }
    assert!(refused(r#"{"mcpServers":{"a":{"command":"x"},"a":{"command":"y"}}}"#).contains("there twice"));
    assert!(
        refused(r#"{"mcpServers":{"a":{"command":"x"},"\u0061":{"command":"y"}}}"#).contains("there twice")
    );
    assert!(refused(r#"{"mcpServers":{"a":{"command":"x"}},"mcpServers":{}}"#).contains("twice"));
    let deep = format!("{{\"mcpServers\":{{}},\"x\":{}{}}}", "[".repeat(200_000), "]".repeat(200_000));
    refused(&deep);
}

struct Place {
    folder: tempfile::TempDir,
    file: PathBuf,
    backup: PathBuf,
}

impl Place {
    fn with(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mcp.json");
        std::fs::write(&file, text).unwrap();
        let backup = store::backup_of(&folder.path().join("backups"), &file);
        Self { folder, file, backup }
    }

    fn text(&self) -> String {
        std::fs::read_to_string(&self.file).unwrap()
    }

    fn wrap(&self, names: &[&str]) {
        let config = Config::read(&self.file).unwrap();
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let new = edit::wrap(&config, &names, &wrapper(None)).unwrap();
        store::keep(&self.backup, &config.text, &new).unwrap();
        store::replace(&self.file, &config.text, &new).unwrap();
    }

    fn undo(&self) -> Undo {
        undo(&Config::read(&self.file).unwrap(), &self.backup, &[]).unwrap()
    }
}

#[test]
fn undo_is_byte_for_byte_where_nobody_changed_the_file() {
    let place = Place::with(COMMENTED);
    assert_eq!(place.undo(), Undo::Nothing);
    place.wrap(&["files"]);
    assert_ne!(place.text(), COMMENTED);
    // Another server later, and the first once more: the way back is still the first text.
    place.wrap(&["bare"]);
    place.wrap(&["files", "bare"]);
    assert_eq!(place.undo(), Undo::Restored(COMMENTED.to_owned()));
}

#[test]
fn undo_after_an_outside_edit_keeps_that_edit() {
    let place = Place::with(COMMENTED);
    place.wrap(&["files", "bare"]);
    let edited = place.text().replace("\"dark\"", "\"light\"");
    std::fs::write(&place.file, &edited).unwrap();
    let light = COMMENTED.replace("\"dark\"", "\"light\"");
    let names = vec!["files".to_owned(), "bare".to_owned()];
    assert_eq!(place.undo(), Undo::Unwrapped { text: light.clone(), names: names.clone() });
    // Wrapped once more after the edit: the text of before that is wrapped in part, and no way back.
    std::fs::write(
        &place.file,
        edited.replace("\"--upstream-name\", \"bare\"", "\"--upstream-name\", \"other\""),
    )
    .unwrap();
    place.wrap(&["files", "bare"]);
    assert_eq!(place.undo(), Undo::Unwrapped { text: light.clone(), names });
    // Without any backup.
    store::drop_backup(&place.backup);
    assert!(matches!(place.undo(), Undo::Unwrapped { text, .. } if text == light));
}

#[test]
fn undo_of_some_servers_leaves_the_others() {
    let place = Place::with(COMMENTED);
    place.wrap(&["files", "bare"]);
    let config = Config::read(&place.file).unwrap();
    let Undo::Unwrapped { text, names } = undo(&config, &place.backup, &["bare".to_owned()]).unwrap() else {
        panic!("not unwrapped");
    };
    assert_eq!(names, ["bare"]);
    assert_eq!(edit::wrapped_names(&read(&text)), ["files"]);
    assert!(undo(&config, &place.backup, &["q".to_owned()]).is_err());
}

#[test]
fn a_file_that_changed_meanwhile_is_not_written() {
    let place = Place::with(COMMENTED);
    let raced = store::replace(&place.file, "something else", "new").unwrap_err();
    assert!(matches!(raced, WrapError::Raced { .. }));
    assert_eq!(place.text(), COMMENTED);
    assert_eq!(std::fs::read_dir(place.folder.path()).unwrap().count(), 1, "nothing is left beside it");
    let missing = Config::read(&place.folder.path().join("gone.json")).unwrap_err().to_string();
    assert!(missing.contains("gone.json") && missing.contains("where a wrapped file was moved"), "{missing}");
}

#[cfg(unix)]
#[test]
fn links_and_modes_stay() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::with(COMMENTED);
    std::fs::set_permissions(&place.file, std::fs::Permissions::from_mode(0o640)).unwrap();
    let link = place.folder.path().join("link.json");
    std::os::unix::fs::symlink("mcp.json", &link).unwrap();
    store::replace(&link, COMMENTED, "{}").unwrap();
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert_eq!(place.text(), "{}");
    assert_eq!(std::fs::metadata(&place.file).unwrap().permissions().mode() & 0o777, 0o640);
    // One backup for a file, by whatever name it is reached; for its owner only.
    assert_eq!(store::backup_of(Path::new("/b"), &link), store::backup_of(Path::new("/b"), &place.file));
    store::keep(&place.backup, "old", "new").unwrap();
    assert_eq!(std::fs::metadata(&place.backup).unwrap().permissions().mode() & 0o777, 0o600);
    std::fs::set_permissions(&place.file, std::fs::Permissions::from_mode(0o440)).unwrap();
    assert!(store::replace(&place.file, "{}", "x").unwrap_err().to_string().contains("read-only"));
}

#[test]
fn the_change_is_shown_without_steering_the_terminal() {
    let old = "{\n \"mcpServers\": {\"a\u{202e}\u{1b}[2J\": {\"command\": \"x\"}}\n}\n";
    let drawn = super::diff::unified(Path::new("m.json"), old, &old.replace("\"x\"", "\"y\""), false);
    assert!(!drawn.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}'), "{drawn:?}");
    assert_eq!(drawn.lines().filter(|line| line.starts_with('+')).count(), 2);
}
