use super::*;
use bouncer_guest::testing::{call, json};

fn judge(text: &str, settings: &Settings) -> Verdict {
    UrlLimits::evaluate(&call("fetch", json!({"url": text})), &[], settings).unwrap().verdict()
}

#[test]
fn ordinary_addresses_pass() {
    for text in [
        "https://example.com",
        "see https://docs.example.com/guide/getting-started?lang=en#install, and http://127.0.0.1:8080/x.",
        "https://en.wikipedia.org/wiki/Server-side_request_forgery",
        "https://github.com/owner/repository/blob/main/src/lib.rs#L10-L20",
        "no address: // at all ://",
        "",
    ] {
        assert_eq!(judge(text, &Settings::default()), Verdict::Pass, "{text}");
    }
}

#[test]
fn what_is_long_or_random_is_asked_about_wherever_it_stands() {
    let long = "a".repeat(201);
    for text in [
        format!("https://e.example/?q={long}"),
        format!("https://e.example/{long}"),
        format!("https://e.example/#{long}"),
        format!("https://{}.e.example/", "b".repeat(31)),
        "https://a.b.c.d.e.example/".to_owned(),
        "https://e.example/?d=aGk7MXg9Q2ZLdzRtVDhyWno1".to_owned(),
        "https://me:secret@e.example/".to_owned(),
        format!("ftp://e.example/{long}"),
        format!("text before (https://e.example/?q={long}) and after"),
    ] {
        assert_eq!(judge(&text, &Settings::default()), Verdict::Ask, "{text}");
    }
}

#[test]
fn limits_and_hosts_are_the_users() {
    let text = format!("https://files.corp.example/{}", "a".repeat(300));
    let settings = Settings { hosts: vec!["corp.example".into()], ..Settings::default() };
    assert_eq!(judge(&text, &settings), Verdict::Pass);
    assert_eq!(judge(&text.replace("corp", "evilcorp"), &settings), Verdict::Ask);
    assert_eq!(judge(&text, &Settings { deny: true, ..Settings::default() }), Verdict::Deny);
    assert_eq!(
        judge("https://e.example/?a=1", &Settings { max_query: 2, ..Settings::default() }),
        Verdict::Ask
    );
}
