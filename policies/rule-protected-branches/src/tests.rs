use super::*;
use bouncer_guest::testing::{call, json, server, tool};

fn found(tool: &str, arguments: Value) -> Vec<String> {
    let judgement = ProtectedBranches::evaluate(&call(tool, arguments), &[], &Settings::default()).unwrap();
    judgement.findings().iter().map(|found| format!("{} {}", found.code(), found.argument())).collect()
}

#[test]
fn protected_branches_take_no_pushes() {
    for branch in ["main", "MAIN", "refs/heads/main", "release/1.2", " master "] {
        assert_eq!(
            found("push_files", json!({"branch": branch, "files": []})),
            ["protected_branch /branch"],
            "{branch}"
        );
    }
    for branch in ["fix/1", "mainline", "my-release"] {
        assert!(found("push_files", json!({"branch": branch, "files": []})).is_empty(), "{branch}");
    }
    assert_eq!(found("create_or_update_file", json!({"path": "a.rs"})), ["protected_branch "]);
    assert_eq!(found("merge_pull_request", json!({"pullNumber": 1})), ["protected_branch "]);
    assert_eq!(found("delete_branch", json!({"branch_name": "main"})), ["protected_branch /branch_name"]);
    // A new branch starts somewhere.
    assert!(found("create_branch", json!({"branch": "fix/1", "ref": "main"})).is_empty());
}

#[test]
fn only_what_names_the_written_branch_counts() {
    for (tool, arguments, expected) in [
        // What a tool does not read names nothing.
        ("create_or_update_file", json!({"path": "a.rs", "ref": "fix/1"}), &["protected_branch "][..]),
        ("create_or_update_file", json!({"path": "a.rs", "base": "fix/1"}), &["protected_branch "]),
        ("push_files", json!({"files": [], "start_branch": "fix/1"}), &["protected_branch "]),
        ("push_files", json!({"files": [], "branch_name": "fix/1"}), &["protected_branch "]),
        ("push_files", json!({"files": [], "Branch": "fix/1"}), &["protected_branch "]),
        ("push_files", json!({"branch": "fix/1", "Branch": "main"}), &["protected_branch /Branch"]),
        ("push_files", json!({"branch": null, "files": []}), &["protected_branch "]),
        ("push_files", json!({"branch": ["fix/1"], "files": []}), &["protected_branch /branch"]),
        ("push_files", json!({"branch": {"name": "fix/1"}}), &["protected_branch /branch"]),
        ("push_files", json!({"branch": true}), &["protected_branch /branch"]),
        (
            "update_ref",
            json!({"sha": "1", "branch_name": "main", "ref": "fix/1"}),
            &["protected_branch /branch_name"],
        ),
        ("update_ref", json!({"sha": "1", "ref": "heads/main"}), &["protected_branch /ref"]),
        ("update_ref", json!({"sha": "1"}), &["protected_branch "]),
        ("delete_branch", json!({"name": "main"}), &["protected_branch /name"]),
        ("git_push", json!({"ref": "fix/1"}), &["protected_branch "]),
        ("git_push", json!({"ref": "main", "branch": "fix/1"}), &["protected_branch /ref"]),
        ("git_push", json!({"refspec": "HEAD:main"}), &["protected_branch /refspec"]),
        ("git_merge", json!({"branch": "fix/1"}), &["protected_branch "]),
        // What a branch starts from is left alone.
        ("create_commit", json!({"branch": "fix/1", "start_branch": "main", "actions": []}), &[]),
        ("push_files", json!({"branch": "fix/1", "base": "main", "ref": "main"}), &[]),
        ("create_branch", json!({"branch": "fix/1", "from_branch": "main"}), &[]),
        ("create_branch", json!({"name": "fix/1", "ref": "main"}), &[]),
        ("create_branch", json!({"branch_name": "fix/1", "base_branch": "main"}), &[]),
        ("create_branch", json!({"ref": "fix/1"}), &["protected_branch "]),
        ("update_ref", json!({"ref": "refs/heads/fix/1", "sha": "1"}), &[]),
        ("git_push", json!({"branch": "fix/1"}), &[]),
    ] {
        assert_eq!(found(tool, arguments.clone()), expected, "{tool} {arguments}");
    }
}

#[test]
fn a_branch_is_known_however_it_is_written() {
    for branch in [
        "",
        " ",
        "HEAD",
        "head",
        "@",
        "refs/heads/HEAD",
        "origin/HEAD",
        "+HEAD",
        "refs/heads/",
        "Refs/Heads/Main",
        "heads/main",
        "origin/main",
        "upstream/MASTER",
        "refs/remotes/fork/main",
        "remotes/origin/main",
        "refs/heads/refs/heads/main",
        "+main",
        "+refs/heads/main",
        "fix/1:main",
        "+fix/1:refs/heads/release/2",
        "HEAD:main",
        ":main",
        ":",
        "fix/1:",
        "a:b:main",
        "refs/heads/*:refs/heads/*",
        "x/../main",
        "/main",
        "main/",
        "heads//main",
        "refs\\heads\\main",
        "main~0",
        "main^{}",
        "@{u}",
        "--all",
        "fix/1 main",
        "main\n",
        "ma\u{200b}in",
        "main.",
        "main?x",
        "./main",
    ] {
        let said = found("push_files", json!({"branch": branch, "files": []}));
        assert_eq!(said, ["protected_branch /branch"], "{branch:?}");
    }
    for branch in [
        "fix/1",
        "HEAD:fix/1",
        "main:fix/main",
        "refs/heads/fix/1",
        "+fix/1",
        "feature/@me",
        "bots/v1.2_x",
        "änderung",
    ] {
        let said = found("push_files", json!({"branch": branch, "files": []}));
        assert!(said.is_empty(), "{branch:?}: {said:?}");
    }
    // Only a server that cuts or decodes the name makes that of it.
    for (branch, verdict) in [
        ("fix/#123-login", Verdict::Pass),
        ("fix/100%-done", Verdict::Pass),
        ("fix%2F1", Verdict::Pass),
        ("main#x", Verdict::Ask),
        ("main/#1", Verdict::Ask),
        ("#123", Verdict::Ask),
        ("%6dain", Verdict::Ask),
        ("%256dain", Verdict::Ask),
        ("main%23x", Verdict::Ask),
        ("main%00", Verdict::Ask),
        ("x%2F%2e%2E%2Fmain", Verdict::Ask),
        ("%2525252525252525252541", Verdict::Ask),
        ("%72efs/heads/main", Verdict::Ask),
        ("release/#1", Verdict::Deny),
        ("main~0#x", Verdict::Deny),
    ] {
        let message = call("push_files", json!({"branch": branch, "files": []}));
        let judgement = ProtectedBranches::evaluate(&message, &[], &Settings::default()).unwrap();
        assert_eq!(judgement.verdict(), verdict, "{branch}");
        let said = judgement.findings().iter().any(|finding| finding.text().contains("a server may cut"));
        assert_eq!(said, verdict == Verdict::Ask, "{branch}");
    }
    // The user may write them so, too.
    let settings = Settings { branches: vec!["refs/heads/live".into()], ..Settings::default() };
    let live = ProtectedBranches::evaluate(&call("push_files", json!({"branch": "live"})), &[], &settings);
    assert_eq!(live.unwrap().verdict(), Verdict::Deny);
}

#[test]
fn files_are_found_however_they_are_given() {
    for (more, expected) in [
        (json!({"files": [{"path": "a.rs"}, {"content": "x"}]}), "obeyed_file /files/1"),
        (json!({"files": "[{\"path\":\".github/x\"}]"}), "obeyed_file /files"),
        (json!({"files": {"package.json": "x"}}), "obeyed_file /files"),
        (json!({"files": ["package.json"]}), "obeyed_file /files/0"),
        (json!({"files": [["package.json"]]}), "obeyed_file /files/0"),
        (json!({"path": ["package.json"]}), "obeyed_file /path"),
        (json!({"path": "%2Egithub%2fworkflows/a"}), "obeyed_file /path"),
        (json!({"path": "package.json?x=1"}), "obeyed_file /path"),
        (json!({"path": "package.json. "}), "obeyed_file /path"),
        (json!({"path": "package.json::$DATA"}), "obeyed_file /path"),
        (json!({"path": ".github./workflows/a"}), "obeyed_file /path"),
        (
            json!({"actions": [{"action": "move", "file_path": "a", "previous_path": ".github/x"}]}),
            "obeyed_file /actions/0/previous_path",
        ),
        (json!({"path": "a.rs", "allow_symlink_write": true}), "obeyed_file /allow_symlink_write"),
        (json!({"path": ".husky/pre-commit"}), "obeyed_file /path"),
    ] {
        let Value::Object(mut arguments) = more else { panic!("no object") };
        arguments.insert("branch", "fix/1");
        assert_eq!(found("create_commit", Value::Object(arguments.clone())), [expected], "{arguments:?}");
    }
    let many: Vec<Value> = (0..500).map(|_| json!({"path": "package.json"})).collect();
    assert_eq!(found("push_files", json!({"branch": "fix/1", "files": many})).len(), 50);
    let fine = json!({"branch": "fix/1", "files": [{"path": "100% done?.md", "content": ""}], "path": null});
    assert!(found("push_files", fine).is_empty());
}

#[test]
fn files_that_are_obeyed_are_asked_about() {
    for path in [
        ".github/workflows/ci.yml",
        "./x/../.GitHub/workflows/a",
        "sub/package.json",
        "CODEOWNERS",
        "docs/CODEOWNERS",
        "AGENTS.md",
    ] {
        assert_eq!(
            found("push_files", json!({"branch": "fix/1", "files": [{"path": path}]})),
            ["obeyed_file /files/0/path"],
            "{path}"
        );
    }
    for path in ["src/main.rs", "github/x", "docs/ci.yml"] {
        assert!(
            found("create_or_update_file", json!({"branch": "fix/1", "path": path})).is_empty(),
            "{path}"
        );
    }
}

#[test]
fn patterns_cover_whole_names() {
    for (pattern, text, expected) in [
        ("a*c", "abc", true),
        ("a*c", "ac", true),
        ("a*c", "acd", false),
        ("*", "", true),
        ("a*b*c", "a-b-c", true),
        ("ab*ba", "aba", false),
        ("main", "main2", false),
    ] {
        assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
    }
}

#[test]
fn only_the_named_tools_and_the_users_branches_count() {
    let listed = [tool("push_files", &["branch"]), tool("get_file", &["path"])];
    let contracts = ProtectedBranches::contracts(&server("x"), &listed, &Settings::default()).unwrap();
    assert_eq!(contracts.iter().map(Contract::tool).collect::<Vec<_>>(), ["push_files"]);
    let settings = Settings { branches: vec!["live".into()], ask: true, ..Settings::default() };
    let judge = |branch: &str| {
        ProtectedBranches::evaluate(&call("push_files", json!({"branch": branch})), &[], &settings)
            .unwrap()
            .verdict()
    };
    assert_eq!((judge("live"), judge("main")), (Verdict::Ask, Verdict::Pass));
}
