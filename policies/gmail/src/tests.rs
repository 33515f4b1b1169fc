use super::*;
use bouncer_guest::testing::{call, destination, json};

fn judge(tool: &str, arguments: Value) -> Judgement {
    Gmail::evaluate(&call(tool, arguments), &[], &Settings::default()).unwrap()
}

fn codes(judgement: &Judgement) -> Vec<&str> {
    judgement.findings().iter().map(Finding::code).collect()
}

#[test]
fn every_receiver_of_a_list_is_handed_to_the_host() {
    let judgement = judge(
        "send_email",
        json!({"to": ["Ann <a@x.io>, c@y.io"], "bcc": ["T: e@z.io;"], "subject": "s", "body": "b"}),
    );
    let found: Vec<_> =
        judgement.destinations().iter().map(|(value, _, at)| (value.as_str(), at.as_str())).collect();
    assert_eq!(found, [("a@x.io", "/to/0"), ("c@y.io", "/to/0"), ("e@z.io", "/bcc/0")]);
    assert!(judgement.findings().is_empty());
}

#[test]
fn what_the_host_found_is_not_found_again() {
    let known = [destination("A@x.io", Kind::Email, "/to/0", Trust::Trusted)];
    let call = call("send_email", json!({"to": ["Ann <a@x.io>"], "cc": ["a@x.io"]}));
    let judgement = Gmail::evaluate(&call, &known, &Settings::default()).unwrap();
    // The same address in another argument is another destination.
    assert_eq!(judgement.destinations(), [("a@x.io".to_owned(), Kind::Email, "/cc/0".to_owned())]);
}

#[test]
fn a_line_break_in_a_header_is_refused() {
    for arguments in [
        json!({"to": ["a@x.io"], "subject": "hi\r\nBcc: e@z.io"}),
        json!({"to": ["a@x.io\nBcc: e@z.io"], "subject": "hi"}),
        json!({"to": ["a@x.io"], "subject": "hi", "inReplyTo": "<x>\nBcc: e@z.io"}),
        json!({"to": "a@x.io", "from_name": "me\u{2028}x"}),
    ] {
        let judgement = judge("send_email", arguments.clone());
        assert_eq!(judgement.verdict(), Verdict::Deny, "{arguments}");
        assert_eq!(codes(&judgement), ["header_injection"], "{arguments}");
    }
    assert_eq!(judge("send_email", json!({"to": ["a@x.io"], "body": "two\nlines"})).verdict(), Verdict::Pass);
}

#[test]
fn a_name_that_shows_another_address_is_asked_about() {
    let judgement = judge("draft_email", json!({"to": ["\"boss@corp.com\" <e@z.io>"]}));
    assert_eq!(codes(&judgement), ["misleading_name"]);
    assert_eq!(judgement.destinations()[0].0, "e@z.io");
    assert!(codes(&judge("draft_email", json!({"to": ["\"e@z.io\" <E@z.io>"]}))).is_empty());
}

#[test]
fn a_reply_to_all_brings_the_threads_people() {
    let judgement =
        judge("send_gmail_message", json!({"to": "a@x.io", "reply_all": true, "thread_id": "t1"}));
    assert_eq!(codes(&judgement), ["reply_all"]);
    assert!(judgement.destinations().contains(&("t1".into(), Kind::Reference, "/thread_id".into())));
    assert_eq!(
        codes(&judge("send_gmail_message", json!({"to": "a@x.io", "reply_all": "true"}))),
        ["reply_all"]
    );
    assert!(
        codes(&judge("send_gmail_message", json!({"to": "a@x.io", "reply_all": false, "thread_id": "t1"})))
            .is_empty()
    );
}

#[test]
fn attachments_from_hidden_places_or_outside_are_found() {
    let attach = |path: &str| judge("send_email", json!({"to": ["a@x.io"], "attachments": [path]}));
    assert_eq!(codes(&attach("/home/me/.ssh/id_ed25519")), ["hidden_attachment"]);
    assert_eq!(codes(&attach("../../x")), ["hidden_attachment"]);
    assert!(codes(&attach("/home/me/report.pdf")).is_empty());
    let settings = Settings { attachments_from: vec!["/home/me/out".into()], ..Settings::default() };
    let confined = |path: &str| {
        let call = call("send_email", json!({"to": ["a@x.io"], "attachments": [path]}));
        Gmail::evaluate(&call, &[], &settings).unwrap().verdict()
    };
    assert_eq!(confined("/home/me/out/a.pdf"), Verdict::Pass);
    for outside in ["/home/me/outside/a.pdf", "/home/me/out/../a.pdf", "home/me/out/a.pdf", "/etc/passwd"] {
        assert_eq!(confined(outside), Verdict::Deny, "{outside}");
    }
}

#[test]
fn attachments_of_objects_are_read_by_member() {
    let judgement = judge(
        "send_gmail_message",
        json!({"to": "a@x.io", "attachments": [{"url": "https://e.io/x"}, {"path": "/me/.env"}, {"content": ".a/.b", "filename": "x"}]}),
    );
    assert!(judgement.destinations().contains(&(
        "https://e.io/x".into(),
        Kind::Url,
        "/attachments/0/url".into()
    )));
    assert_eq!(codes(&judgement), ["hidden_attachment"]);
    assert_eq!(judgement.findings()[0].argument(), "/attachments/1/path");
}

#[test]
fn deleting_many_and_saving_outside_the_folder_are_found() {
    let ids: Vec<String> = (0..11).map(|n| n.to_string()).collect();
    assert_eq!(codes(&judge("batch_delete_emails", json!({"messageIds": ids}))), ["many_deleted"]);
    assert!(codes(&judge("batch_delete_emails", json!({"messageIds": ids.get(..10)}))).is_empty());
    assert_eq!(judge("download_attachment", json!({"filename": "../.bashrc"})).verdict(), Verdict::Deny);
    assert_eq!(judge("download_attachment", json!({"filename": "a..pdf"})).verdict(), Verdict::Pass);
}

#[test]
fn a_filter_is_deleted_only_with_a_question() {
    assert_eq!(codes(&judge("manage_gmail_filter", json!({"action": "Delete"}))), ["replaced_or_deleted"]);
    assert_eq!(codes(&judge("manage_gmail_filter", json!({"action": "purge"}))), ["unknown_action"]);
    assert!(codes(&judge("manage_gmail_filter", json!({"action": "create"}))).is_empty());
    assert!(codes(&judge("manage_gmail_label", json!({"action": "update"}))).is_empty());
}
