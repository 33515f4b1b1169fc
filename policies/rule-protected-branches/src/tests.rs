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
