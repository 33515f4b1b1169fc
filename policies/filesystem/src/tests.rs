use super::*;
use bouncer_guest::testing::{call, json};

fn judge(tool: &str, arguments: Value) -> Judgement {
    Filesystem::evaluate(&call(tool, arguments), &[], &Settings::default()).unwrap()
}

#[test]
fn a_plain_write_raises_nothing() {
    for path in [
        "/home/me/out/a.txt",
        "notes.md",
        "/home/me/.hidden",
        "/srv/git/x",
        "/home/me/.git/../a.txt",
        "gitignore/.gitignore",
    ] {
        assert_eq!(judge("write_file", json!({"path": path, "content": "x"})), Judgement::new(), "{path}");
    }
}

#[test]
fn a_write_that_is_run_later_is_asked_about() {
    for path in [
        "/r/.git/hooks/pre-commit",
        "/r/.GIT/config",
        "/r/.git./config",
        "/r/.git::$INDEX_ALLOCATION/config",
        "C:\\r\\.git\\hooks\\x",
        "/home/me/.bashrc",
        "a/../.bashrc",
        "/home/me/.config/autostart/x.desktop",
        "/r/.github/workflows/ci.yml",
        "/r/.mcp.json",
        "/r/CLAUDE.md",
    ] {
        let judgement = judge("write_file", json!({"path": path, "content": "x"}));
        assert_eq!(judgement.findings().first().map(Finding::code), Some("run_later"), "{path}");
        assert_eq!(judgement.verdict(), Verdict::Ask);
    }
    assert_eq!(judge("create_directory", json!({"path": "/home/me/.ssh/"})).findings()[0].code(), "keys");
}

#[test]
fn both_ends_of_a_move_are_looked_at() {
    let away = judge("move_file", json!({"source": "/r/.git/config", "destination": "/r/x"}));
    assert_eq!(away.findings()[0].argument(), "/source");
    let into = judge("move_file", json!({"source": "/r/x", "destination": "/r/.git/config"}));
    assert_eq!(into.findings()[0].argument(), "/destination");
}

#[test]
fn the_guards_own_files_and_paths_with_control_characters_are_refused() {
    assert_eq!(
        judge("write_file", json!({"path": "/home/me/.bouncer/grants.toml"})).verdict(),
        Verdict::Deny
    );
    assert_eq!(judge("write_file", json!({"path": "/home/me/a\u{0}.txt"})).verdict(), Verdict::Deny);
    assert_eq!(judge("write_file", json!({"path": "/home/me/.bouncerx/a"})).verdict(), Verdict::Pass);
}

#[test]
fn a_dry_run_and_what_the_user_calls_usual_raise_nothing() {
    assert_eq!(judge("edit_file", json!({"path": "/r/.bashrc", "dryRun": true})), Judgement::new());
    assert_eq!(judge("write_file", json!({"path": "/r/.bashrc", "dryRun": true})).verdict(), Verdict::Ask);
    let settings = Settings { usual: vec![".vscode".into()] };
    let write = |path: &str| {
        Filesystem::evaluate(&call("write_file", json!({"path": path})), &[], &settings).unwrap().verdict()
    };
    assert_eq!(write("/r/.vscode/tasks.json"), Verdict::Pass);
    assert_eq!(write("/r/.vscode/.git/x"), Verdict::Ask);
}
