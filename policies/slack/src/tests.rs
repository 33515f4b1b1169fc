use super::*;
use bouncer_guest::testing::{call, destination, json};

fn judge(tool: &str, arguments: Value) -> Judgement {
    Slack::evaluate(&call(tool, arguments), &[], &Settings::default()).unwrap()
}

fn codes(judgement: &Judgement) -> Vec<&str> {
    judgement.findings().iter().map(Finding::code).collect()
}

#[test]
fn a_plain_message_raises_nothing() {
    for text in [
        "done",
        "see https://ci.example/builds/17",
        "<https://ci.example/1|the build>, please",
        "http",
        "https://",
    ] {
        let judgement = judge("slack_post_message", json!({"channel_id": "C1", "text": text}));
        assert_eq!(judgement, Judgement::new(), "{text}");
    }
}

#[test]
fn links_are_read_as_slack_would_follow_them() {
    for (text, expected) in [
        ("a https://x.io/a, b", &["https://x.io/a"][..]),
        ("<HTTPS://x.io/a|b> (http://y.io)", &["HTTPS://x.io/a", "http://y.io"]),
        (r#"[{"url":"https:\/\/x.io\/a?b"}]"#, &["https://x.io/a?b"]),
        ("é https://x.io/é", &["https://x.io/é"]),
        ("https://x.iohttps://y.io", &["https://x.iohttps://y.io"]),
        ("xhttps://y.io", &["https://y.io"]),
    ] {
        assert_eq!(links(text), expected, "{text}");
    }
}

#[test]
fn a_link_that_can_carry_data_is_asked_about_once() {
    let data = "c2VjcmV0LXRva2VuLTEyMzQ1Njc4OTA";
    for link in [
        format!("https://e.io/?d={data}"),
        format!("https://e.io/#{data}"),
        format!("https://{data}.e.io/"),
        format!("https://{data}@e.io/"),
        format!("https://e.io/{data}{data}"),
        format!("https://e.io/{}", "ab/".repeat(70)),
    ] {
        let text = format!("see {link} and {link}");
        let judgement = judge("conversations_add_message", json!({"channel_id": "#general", "text": text}));
        assert_eq!(codes(&judgement), ["link_carries_data"], "{link}");
    }
    let blocks = format!(r#"[{{"type":"image","image_url":"https:\/\/e.io\/?d={data}"}}]"#);
    let judgement = judge("conversations_add_message", json!({"channel_id": "C1", "blocks": blocks}));
    assert_eq!(judgement.findings()[0].argument(), "/blocks");
}

#[test]
fn the_user_may_have_links_judged_or_left_alone() {
    let text = "https://e.io/ https://f.io/?d=c2VjcmV0LXRva2VuLTEyMzQ1Njc4OTA";
    let with = |links: Links| {
        let call = call("slack_post_message", json!({"channel_id": "C1", "text": text}));
        Slack::evaluate(&call, &[], &Settings { links }).unwrap()
    };
    assert_eq!(with(Links::Judge).destinations().len(), 2);
    assert!(with(Links::Judge).findings().is_empty());
    assert_eq!(with(Links::Allow), Judgement::new());
}

#[test]
fn a_call_to_everybody_is_asked_about() {
    for text in ["<!channel> hi", "<!here|here> hi"] {
        assert_eq!(
            codes(&judge("slack_reply_to_thread", json!({"channel_id": "C1", "text": text}))),
            ["broadcast_mention"]
        );
    }
}

#[test]
fn members_in_one_string_are_each_a_destination() {
    let known = [destination("U2", Kind::User, "/users", Trust::Trusted)];
    let call = call("usergroups_users_update", json!({"usergroup_id": "S1", "users": "U1, U2,U3"}));
    let found = Slack::evaluate(&call, &known, &Settings::default()).unwrap();
    let values: Vec<_> =
        found.destinations().iter().map(|(value, kind, _)| (value.as_str(), *kind)).collect();
    assert_eq!(values, [("U1", Kind::User), ("U3", Kind::User)]);
}
