//! `bouncer pack new`, `build`, `test` and `bench` with the real binary and the real cargo, as somebody has them who
//! has only these: an empty cargo folder and no network.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use bouncer::pack::{Manifest, sha256_hex};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

struct Desk(tempfile::TempDir);

/// Exit code, standard output, standard error.
struct Done {
    code: i32,
    out: String,
    err: String,
}

impl Desk {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, folder: &str, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bouncer"));
        command.args(args).current_dir(self.path(folder)).stdin(Stdio::null());
        command.env("BOUNCER_HOME", self.path("home"));
        command.env("CARGO_HOME", self.path("cargo-home")).env("CARGO_NET_OFFLINE", "true");
        command.env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("pack-author"));
        // What a shell may have set must not change the bytes.
        command.env("RUSTFLAGS", "-Cdebuginfo=2").env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1");
        command
    }

    fn run(&self, folder: &str, args: &[&str]) -> Done {
        let output = self.command(folder, args).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Done { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
    }

    #[track_caller]
    fn does(&self, folder: &str, args: &[&str]) -> String {
        let done = self.run(folder, args);
        assert_eq!(done.code, 0, "{args:?}\n{}{}", done.out, done.err);
        done.out
    }

    #[track_caller]
    fn refuses(&self, folder: &str, args: &[&str], code: i32, words: &[&str]) -> Done {
        let done = self.run(folder, args);
        assert_eq!(done.code, code, "{args:?}\n{}{}", done.out, done.err);
        for word in words {
            assert!(
                done.err.contains(word) || done.out.contains(word),
                "no `{word}` in {}{}",
                done.out,
                done.err
            );
        }
        done
    }

    fn change(&self, file: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.path(file)).unwrap();
        assert!(text.contains(from), "no `{from}` in {file}");
        fs::write(self.path(file), text.replacen(from, to, 1)).unwrap();
    }
}

#[test]
fn a_new_project_builds_passes_its_tests_and_is_a_pack() {
    let desk = Desk::new();
    let said = desk.does(".", &["pack", "new", "many-receivers"]);
    assert!(said.contains("many-receivers/src/lib.rs"), "{said}");
    let said = desk.does("many-receivers", &["pack", "test"]);
    assert!(said.contains("ok     a mail to four people"), "{said}");
    assert!(said.contains("2 cases, natively and as Wasm alike"), "{said}");

    let component = fs::read(desk.path("many-receivers/many-receivers.wasm")).unwrap();
    assert!(component.len() < 60_000, "{} bytes", component.len());
    let manifest = fs::read_to_string(desk.path("many-receivers/pack.toml")).unwrap();
    assert!(manifest.starts_with("# What this pack says of itself."), "comments stay: {manifest}");
    assert_eq!(Manifest::parse(&manifest).unwrap().sha256, sha256_hex(&component));
    let here = desk.0.path().to_str().unwrap().as_bytes();
    assert!(!component.windows(here.len()).any(|bytes| bytes == here), "the folder stands in the module");
    desk.does("many-receivers", &["pack", "check", "."]);

    // The same bytes from another folder.
    fs::create_dir(desk.path("elsewhere")).unwrap();
    desk.does("elsewhere", &["pack", "new", "many-receivers"]);
    let said = desk.does(".", &["pack", "build", "elsewhere/many-receivers"]);
    assert!(said.contains(&format!("sha256 {}", sha256_hex(&component))), "{said}");

    let said = desk.does("many-receivers", &["pack", "bench"]);
    for word in ["size ", "p50", "fuel", "KiB", "a mail to four people"] {
        assert!(said.contains(word), "no `{word}` in {said}");
    }
}

#[test]
fn the_built_file_is_a_rule_of_ones_own() {
    let desk = Desk::new();
    desk.does(".", &["pack", "new", "rule"]);
    fs::remove_file(desk.path("rule/pack.toml")).unwrap();
    // Whoever did not keep the SDK gets it anew.
    fs::remove_dir_all(desk.path("rule/.bouncer-sdk")).unwrap();
    desk.does("rule", &["pack", "build"]);
    fs::write(desk.path("bouncer.toml"), "[[modules]]\npath = \"rule/rule.wasm\"\n").unwrap();
    let tools = r#"{"tools":[{"name":"send_email","inputSchema":{"type":"object","properties":{"to":{"type":"array","items":{"type":"string"}}}}}]}"#;
    fs::write(desk.path("tools.json"), tools).unwrap();
    let args = r#"{"to":["a@x.example","b@x.example","c@x.example","d@x.example"]}"#;
    let check = [
        "check",
        "--policy",
        "bouncer.toml",
        "--server",
        "mail",
        "--tools",
        "tools.json",
        "--tool",
        "send_email",
    ];
    let done = desk.run(".", &[&check[..], &["--args", args]].concat());
    assert_eq!(done.code, 10, "{}{}", done.out, done.err);
    assert!(done.out.contains("4 people would receive this mail"), "{}{}", done.out, done.err);
    // What cargo left is no component, and the hint says what makes one.
    let core =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join("pack-author/wasm32-unknown-unknown/release/rule.wasm");
    fs::copy(core, desk.path("rule/rule.wasm")).unwrap();
    desk.refuses(".", &[&check[..], &["--args", args]].concat(), 2, &["core module", "bouncer pack build"]);
}

#[test]
fn a_module_that_answers_otherwise_than_the_rule_fails_its_case() {
    let desk = Desk::new();
    desk.does(".", &["pack", "new", "two-faced"]);
    desk.change("two-faced/src/lib.rs", "people <= MANY", "people <= MANY || cfg!(target_arch = \"wasm32\")");
    let words = [
        "ok     a mail to one person",
        "FAILED a mail to four people",
        "verdict: natively `ask`, as Wasm `pass`",
        "finds: natively `many_receivers at /to`, as Wasm nothing",
        "1 of 2 cases failed",
    ];
    desk.refuses("two-faced", &["pack", "test"], 1, &words);
    // A panic in the module alone is a difference too.
    desk.change(
        "two-faced/src/lib.rs",
        "|| cfg!(target_arch = \"wasm32\")",
        "|| (people > 3 && cfg!(target_arch = \"wasm32\") && call.tool().parse::<u8>().unwrap() > 0)",
    );
    desk.refuses(
        "two-faced",
        &["pack", "test"],
        1,
        &["verdict: natively `ask`, as Wasm `fault`", "`panicked`"],
    );
}

#[test]
fn a_case_that_wants_something_else_fails_and_says_what_came() {
    let desk = Desk::new();
    desk.does(".", &["pack", "new", "wrong-case"]);
    desk.change(
        "wrong-case/cases.toml",
        "verdict = \"pass\"",
        "verdict = \"deny\"\nreceives = [\"email x@y.example at /to\"]",
    );
    let words = [
        "FAILED a mail to one person",
        "verdict: wanted deny, got pass",
        "receives: wanted `email x@y.example at /to`, got nothing",
    ];
    desk.refuses("wrong-case", &["pack", "test"], 1, &words);
    for (from, to, words) in [
        ("verdict = \"deny\"", "verdict = \"maybe\"", ["case `a mail to one person`", "not `maybe`"]),
        (
            "'{\"to\":[\"ann@corp.example\"]",
            "'{\"to\":",
            ["case `a mail to one person`", "`arguments` is no JSON object"],
        ),
        ("name = \"a mail to one person\"", "nam = \"x\"", ["unknown field `nam`", "line"]),
    ] {
        desk.change("wrong-case/cases.toml", from, to);
        desk.refuses("wrong-case", &["pack", "test"], 2, &words);
        desk.change("wrong-case/cases.toml", to, from);
    }
}

#[test]
fn a_rule_that_is_never_asked_about_a_case_fails_it() {
    let desk = Desk::new();
    desk.does(".", &["pack", "new", "never-asked"]);
    desk.change("never-asked/src/lib.rs", "tool.name() == \"send_email\"", "tool.name() == \"send_emial\"");
    // The rule's own test of its contracts would tell as well.
    desk.change("never-asked/src/lib.rs", "    #[test]\n    fn only_the_tool", "    fn only_the_tool");
    let words = [
        "FAILED a mail to one person",
        "the rule states none with `evaluate` for `send_email`, so it is never asked about this call",
        "2 of 2 cases failed",
    ];
    desk.refuses("never-asked", &["pack", "test"], 1, &words);
    // With the server's own list of tools.
    desk.change("never-asked/src/lib.rs", "send_emial", "send_email");
    desk.change("never-asked/cases.toml", "[[case]]", "tools = \"tools.json\"\n\n[[case]]");
    let list = |name: &str| {
        format!(
            r#"{{"tools": [{{"name": "{name}", "inputSchema": {{"type": "object", "properties": {{"to": {{}}}}}}}}]}}"#
        )
    };
    fs::write(desk.path("never-asked/tools.json"), list("send_email")).unwrap();
    desk.does("never-asked", &["pack", "test"]);
    fs::write(desk.path("never-asked/tools.json"), list("sendEmail")).unwrap();
    let words = ["tool: `send_email` is none of the listed tools"];
    desk.refuses("never-asked", &["pack", "test"], 1, &words);
}

#[test]
fn a_panic_says_where_and_an_endless_loop_ends() {
    let desk = Desk::new();
    desk.does(".", &["pack", "new", "no-end"]);
    let from = "if people <= MANY {";
    let panics = "if call.text(\"/body\").as_deref() == Some(\"hi\") { panic!(\"said hi\") }\n        if people <= MANY {";
    desk.change("no-end/src/lib.rs", from, panics);
    let words = ["got fault (panicked)", "src/lib.rs:", "said hi", "2 of 2 cases failed"];
    desk.refuses("no-end", &["pack", "test"], 1, &words);
    desk.change("no-end/src/lib.rs", "panic!(\"said hi\")", "loop { core::hint::spin_loop() }");
    let words =
        ["got fault (used up its fuel)", "did not answer within 30 s natively", "hint: an endless loop?"];
    desk.refuses("no-end", &["pack", "test"], 1, &words);
}

#[test]
fn what_does_not_build_is_told_with_the_next_step() {
    let desk = Desk::new();
    desk.refuses(".", &["pack", "build"], 2, &["Cargo.toml", "bouncer pack new NAME"]);
    desk.does(".", &["pack", "new", "broken"]);
    desk.change("broken/src/lib.rs", "const MANY: usize = 3;", "const MANY: usize = ;");
    desk.refuses("broken", &["pack", "build"], 1, &["src/lib.rs:", "the project does not build"]);
    desk.change("broken/src/lib.rs", "const MANY: usize = ;", "const MANY: usize = 3;");
    desk.change("broken/src/lib.rs", "export_policy!(Rule);", "");
    desk.refuses("broken", &["pack", "build"], 1, &["does not export", "export_policy!"]);
    desk.change("broken/Cargo.toml", "\"cdylib\", ", "");
    desk.refuses("broken", &["pack", "build"], 1, &["builds no policy module", "crate-type"]);
    // Its own tests fail: what cargo said of them is shown.
    desk.does(".", &["pack", "new", "failing"]);
    desk.change(
        "failing/src/lib.rs",
        "assert_eq!(judgement.verdict(), Verdict::Ask);",
        "assert_eq!(judgement.verdict(), Verdict::Deny);",
    );
    desk.refuses(
        "failing",
        &["pack", "test"],
        1,
        &["three_receivers_are_fine", "the project's own tests fail"],
    );
    desk.change("failing/tests/cases.rs", "bouncer_guest::testing::answer_cases::<failing::Rule>();", "");
    desk.change("failing/src/lib.rs", "Verdict::Deny", "Verdict::Ask");
    desk.refuses("failing", &["pack", "test"], 1, &["answered no case", "answer_cases"]);
    // A manifest without a place for the hash.
    desk.change("failing/pack.toml", "sha256 = ", "# sha256 = ");
    desk.refuses("failing", &["pack", "build"], 2, &["no line `sha256 = "]);
}

#[test]
fn names_that_are_none_and_folders_that_are_there_are_refused() {
    let desk = Desk::new();
    for name in ["../x", "Upper", "9", "a b", "test", ""] {
        desk.refuses(".", &["pack", "new", "--", name], 2, &["is no name for a pack"]);
    }
    fs::create_dir(desk.path("there")).unwrap();
    desk.refuses(".", &["pack", "new", "there"], 1, &["cannot make the folder `there`"]);
    assert_eq!(fs::read_dir(desk.path("there")).unwrap().count(), 0);
    desk.refuses(".", &["pack", "new", "other", "--sdk", "nowhere"], 2, &["is no folder"]);
    let sdk = Path::new(env!("CARGO_MANIFEST_DIR")).join("../guest-sdk");
    desk.does(".", &["pack", "new", "other", "--sdk", sdk.to_str().unwrap()]);
    let manifest = fs::read_to_string(desk.path("other/Cargo.toml")).unwrap();
    assert!(manifest.contains("guest-sdk\", default-features"), "{manifest}");
}

#[cfg(unix)]
#[test]
fn a_missing_target_and_a_missing_cargo_are_told() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::new();
    desk.does(".", &["pack", "new", "lonely"]);
    let rustc = desk.path("rustc");
    fs::write(&rustc, "#!/bin/sh\ncase \"$1\" in --print) pwd;; *) echo 'commit-hash: 0';; esac\n").unwrap();
    fs::set_permissions(&rustc, fs::Permissions::from_mode(0o755)).unwrap();
    let output = desk.command("lonely", &["pack", "build"]).env("RUSTC", &rustc).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("hint: rustup target add wasm32-unknown-unknown"), "{said}");
    let output = desk.command("lonely", &["pack", "build"]).env("CARGO", desk.path("none")).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("cargo cannot be started") && said.contains("https://rustup.rs"), "{said}");
}
