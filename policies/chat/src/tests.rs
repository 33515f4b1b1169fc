use super::*;
use bouncer_guest::testing::{call, json, server, tool};

fn codes(tool: &str, arguments: Value) -> Vec<String> {
    let judgement = Chat::evaluate(&call(tool, arguments), &[], &()).unwrap();
    judgement.findings().iter().map(|found| found.code().to_owned()).collect()
}

#[test]
fn each_server_is_read_with_its_own_table() {
    let send = [tool("send_message", &["recipient", "message"])];
    let sinks = |reported: &str| {
        let said = Chat::contracts(&server(reported), &send, &()).unwrap();
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
fn a_link_needs_no_scheme_where_the_chat_makes_one_of_it() {
    for link in [
        "e.example/c2VjcmV0IHNlY3JldCBzZWNyZXQgc2VjcmV0IHNlY3JldA",
        "(e.example?q=c2VjcmV0IHNlY3JldCBzZWNyZXQ).",
        "c2VjcmV0IHNlY3JldCBzZWNyZXQ.e.example",
        "E.Example:8080/?q=c2VjcmV0IHNlY3JldCBzZWNyZXQ",
    ] {
        let said = json!({"chat_id": 1, "message": (format!("see {link}"))});
        assert_eq!(codes("send_message", said.clone()), ["link_carries_data"], "{link}");
        assert!(codes("discord_send", said).is_empty(), "{link}");
    }
    for text in [
        "example.com/docs",
        "quarterly-report-of-the-whole-company.final.pdf",
        "policies/table/src/lib.rs",
        "ann.with-a-very-long-name-indeed@mail.example",
        "Well... e.g. this; 1.2.3/4",
    ] {
        assert!(codes("send_message", json!({"chat_id": 1, "message": text})).is_empty(), "{text}");
    }
}

#[test]
fn files_that_leave_are_asked_about() {
    assert_eq!(
        codes("send_file", json!({"chat_id": 1, "file_path": "/home/me/.env"})),
        ["hidden_attachment"]
    );
    assert!(codes("send_file", json!({"chat_id": 1, "file_path": "/home/me/a.png"})).is_empty());
    assert_eq!(codes("upload_file", json!({"file_path": "/home/me/a.png"})), ["file_leaves"]);
    assert_eq!(
        codes("edit_chat_photo", json!({"chat_id": 1, "file_path": "/me/.ssh/a"})),
        ["hidden_attachment"]
    );
    assert_eq!(codes("update_profile", json!({"about": "x", "account": "me"})), ["public_profile"]);
}
