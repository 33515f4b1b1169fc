use super::*;
use bouncer_guest::testing::{call, json, server, tool};

fn codes(tool: &str, arguments: Value) -> Vec<String> {
    let judgement = Chat::evaluate(&call(tool, arguments), &[], &Settings::default()).unwrap();
    judgement.findings().iter().map(|found| found.code().to_owned()).collect()
}

#[test]
fn each_server_is_read_with_its_own_table() {
    let send = [tool("send_message", &["recipient", "message"])];
    let sinks = |reported: &str| {
        let said = Chat::contracts(&server(reported), &send, &Settings::default()).unwrap();
        said[0].sink_params().into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(sinks("whatsapp"), ["/recipient"]);
    assert_eq!(sinks("telegram"), ["/chat_id"]);
}

#[test]
fn links_that_carry_data_are_asked_about() {
    let long = "see https://e.example/?q=c2VjcmV0IHNlY3JldCBzZWNyZXQ";
    assert_eq!(codes("send_message", json!({"chat_id": 1, "message": long})), ["link_carries_data"]);
    assert_eq!(codes("discord_send", json!({"channelId": "1", "message": long})), ["link_carries_data"]);
    assert!(codes("send_message", json!({"message": "see https://example.com/docs"})).is_empty());
}

#[test]
fn files_that_leave_are_asked_about() {
    assert_eq!(
        codes("send_file", json!({"chat_id": 1, "file_path": "/home/me/.env"})),
        ["hidden_attachment"]
    );
    assert!(codes("send_file", json!({"chat_id": 1, "file_path": "/home/me/a.png"})).is_empty());
    assert_eq!(codes("upload_file", json!({"file_path": "/home/me/a.png"})), ["file_leaves"]);
    assert_eq!(codes("update_profile", json!({"about": "x", "account": "me"})), ["public_profile"]);
}
