use super::*;
use bouncer_guest::testing::{call, json, tool};

fn judge(tool: &str, arguments: Value) -> Judgement {
    GitHub::evaluate(&call(tool, arguments), &[], &Settings::default()).unwrap()
}

fn codes(judgement: &Judgement) -> Vec<&str> {
    judgement.findings().iter().map(Finding::code).collect()
}

#[test]
fn owner_and_repository_are_one_destination() {
    let contracts = TABLE.contracts(&[tool("create_issue", &["owner", "repo", "title", "assignees"])]);
    assert_eq!(contracts[0].sink_params(), ["/owner", "/repo", "/assignees"]);
    assert!(!contracts[0].wants_evaluate());
}

#[test]
fn a_path_in_a_repository_is_no_local_file() {
    for name in TABLE.tools() {
        assert!(TABLE.row(name).unwrap().writes.is_empty(), "{name}");
    }
}

#[test]
fn files_that_the_build_obeys_are_asked_about() {
    for path in [
        ".github/workflows/ci.yml",
        ".GitHub/Workflows/x",
        "a/../.github/actions/x/action.yml",
        "/.github/workflows/x",
        "CODEOWNERS",
    ] {
        let judgement = judge("create_or_update_file", json!({"owner": "o", "repo": "r", "path": path}));
        assert_eq!(codes(&judgement), ["build_file"], "{path}");
    }
    for path in ["src/main.rs", "docs/.github.md", "x/.github/workflows.md"] {
        let judgement = judge("create_or_update_file", json!({"path": path}));
        assert_eq!(judgement, Judgement::new(), "{path}");
    }
    let files = json!([{"path": "a.rs", "content": ""}, {"path": ".github/workflows/a.yml", "content": ""}]);
    assert_eq!(judge("push_files", json!({"files": files})).findings()[0].argument(), "/files/1/path");
}

#[test]
fn a_repository_is_public_unless_said_otherwise() {
    for arguments in [
        json!({"name": "x"}),
        json!({"private": false}),
        json!({"private": "true"}),
        json!({"private": null}),
    ] {
        assert_eq!(
            codes(&judge("create_repository", arguments.clone())),
            ["public_repository"],
            "{arguments}"
        );
    }
    assert_eq!(judge("create_repository", json!({"private": true})), Judgement::new());
    let call = call("create_gist", json!({"content": "x", "public": false}));
    let strict = GitHub::evaluate(&call, &[], &Settings { deny_public: true }).unwrap();
    assert_eq!(strict.verdict(), Verdict::Deny);
}

#[test]
fn anothers_fork_is_a_destination() {
    let head = |head: &str| {
        judge("create_pull_request", json!({"owner": "o", "repo": "r", "head": head, "base": "main"}))
    };
    assert_eq!(
        head("mallory:patch").destinations(),
        [("mallory".to_owned(), Kind::User, "/head".to_owned())]
    );
    assert_eq!(head("O:patch"), Judgement::new());
    assert_eq!(head("patch"), Judgement::new());
}

#[test]
fn what_deletes_by_its_method_is_asked_about() {
    for (tool, method, expected) in [
        ("discussion_comment_write", "delete", "deleted"),
        ("discussion_comment_write", " Delete", "deleted"),
        ("pull_request_review_write", "delete_pending", "deleted"),
        ("actions_run_trigger", "delete_workflow_run_logs", "deleted"),
        ("label_write", "delete", "deleted"),
        ("projects_write", "delete_project_item", "deleted"),
        ("label_write", "purge", "unknown_method"),
    ] {
        assert_eq!(codes(&judge(tool, json!({"method": method}))), [expected], "{tool} {method}");
    }
    assert_eq!(judge("actions_run_trigger", json!({"method": "run_workflow"})), Judgement::new());
    assert_eq!(codes(&judge("label_write", json!({}))), ["unknown_method"]);
}

#[test]
fn a_comment_changed_by_its_id_is_a_destination() {
    let judgement = judge(
        "discussion_comment_write",
        json!({"method": "update", "commentNodeID": "DC_1", "owner": "o", "repo": "r"}),
    );
    assert_eq!(judgement.destinations(), [("DC_1".to_owned(), Kind::Reference, "/commentNodeID".to_owned())]);
}
