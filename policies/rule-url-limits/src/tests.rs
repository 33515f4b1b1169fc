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
        "https://github.com/o/r/pull/1 is ready for a review: it has been tested by all of us, and whoever has time may merge it today",
        "https: yes, http:80, and key:value",
        "// a comment, and //another with a/path//twice",
        "see \\\\n and C:\\Users\\me\\Documents\\a-folder\\of-mine and \\d+\\.\\d+",
        "https://a.example/x\nhttps://b.example/y\nhttps://c.example/z",
        "Links:\nhttps://docs.example.com/guide/getting-started/one\nhttps://docs.example.com/guide/getting-started/two\nhttps://docs.example.com/guide/getting-started/three\n",
        "<https://a.example/x|a label that says in many words what it is that stands behind of this link here>",
        "\"https://a.example\" and \"https://b.example/x\", which a text quotes and then it goes on and on and on and on and on",
        "http://192.168.100.200:8080/status",
        "{\"url\":\"https:\\/\\/docs.example.com\\/guide\"}",
    ] {
        let message = call("send", json!({"text": text}));
        let judgement = UrlLimits::evaluate(&message, &[], &Settings::default()).unwrap();
        assert_eq!(judgement.findings(), [], "{text}");
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
fn addresses_are_read_as_a_browser_reads_them() {
    let (long, blanks) = ("a".repeat(201), "aaaa bbbb ".repeat(21));
    let (tabs, lines) = ("aaaaaaaaa\t".repeat(25), "aaaaaaaaa\r\n".repeat(25));
    for text in [
        // A backslash is a slash.
        format!("https:\\\\e.example\\{long}"),
        format!("https:\\/\\/e.example\\/?q={long}"),
        format!("https:/\\e.example/{long}"),
        format!("https://e.example\\{long}"),
        format!("look: https:\\\\e.example\\{long} !"),
        format!("\\\\e.example\\share\\{long}"),
        // Fewer slashes, more of them, none.
        format!("https:/e.example/{long}"),
        format!("https:e.example/{long}"),
        format!("HTTPS:////e.example/{long}"),
        format!("look at hTtP:e.example/{long}"),
        format!("//e.example/{long}"),
        format!("<img src=//e.example/{long}>"),
        format!("![](//e.example/{long})"),
        // What a browser takes out.
        format!("\u{0}\u{1f} https://e.example/?q={long}\u{1} "),
        format!("https://e.example/?q={tabs}"),
        format!("https://e.example/{lines}"),
        format!("ht\ttps:/e.example/{long}"),
        format!("h\nttp\rs:\n/\t/e.exam\nple/{tabs}"),
        format!("https://{}.e.example", "b".repeat(20) + "\n" + &"c".repeat(20)),
        // Blanks, where a page quotes an address.
        format!("<a href=\"https://e.example/?q={blanks}\">x</a>"),
        format!("<a href='https://e.example/?q=\"{blanks}'>x</a>"),
        format!("<a href=\"//e.example/?q={lines}\">x</a>"),
        format!("[x](<https://e.example/?q={blanks}>)"),
        // Signs that end no address.
        format!("https://e.example/?q=`{long}"),
        format!("https://e.example/?q=|{long}"),
        format!("https://e.example/?q=^{long}"),
        // Whoever logs in.
        "https:me@e.example/".to_owned(),
        "//me:secret@e.example/".to_owned(),
        "https:\\\\me:secret@e.example".to_owned(),
        "https://e.example\\@f.example/".to_owned(),
        // Names.
        "https://a\u{3002}b\u{ff0e}c.d\u{ff61}e.example/".to_owned(),
        "https://123456789.123456789.123456789.123456789.123456789.123456789/".to_owned(),
    ] {
        assert_eq!(judge(&text, &Settings::default()), Verdict::Ask, "{text:?}");
    }
}

#[test]
fn many_beginnings_of_addresses_take_no_longer_than_their_text() {
    let start = std::time::Instant::now();
    let message = |text: String| call("send", json!({"text": text}));
    for part in ["<https://a.b ", "'https://a.b \"", "https:a.b,", "a:", "//a.b,", "a:b.c@"] {
        for end in ["", ">"] {
            let text = part.repeat(20_000) + end;
            UrlLimits::evaluate(&message(text), &[], &Settings::default()).unwrap();
        }
    }
    // The half of a minute that all of them took before is a second on a slow machine.
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
    let settings = Settings::default();
    let verdict = |text: String| UrlLimits::evaluate(&message(text), &[], &settings).unwrap().verdict();
    assert_eq!(verdict("<https://a.b ".repeat(2000)), Verdict::Ask);
    // What ends is looked at wherever it stands, and a table has colons.
    assert_eq!(verdict("<https://a.example/x|y> and \"https://b.example\", ".repeat(5000)), Verdict::Pass);
    assert_eq!(verdict("{\"key\":1,\"other\":[2.5]},".repeat(5000)), Verdict::Pass);
    let last = format!("{} https://e.example/{}", "<https://a.example> ".repeat(5000), "a".repeat(201));
    assert_eq!(verdict(last), Verdict::Ask);
}

#[test]
fn an_argument_that_is_an_address_is_one_to_its_end() {
    let settings = Settings::default();
    let blanks = "aaaa bbbb ".repeat(21);
    let judge =
        |arguments: Value| UrlLimits::evaluate(&call("fetch", arguments), &[], &settings).unwrap().verdict();
    for arguments in [
        json!({"url": format!("https://e.example/?q={blanks}")}),
        json!({"image_urls": [format!(" https:e.example/{blanks}")]}),
        json!({"sourceUri": format!("e.example/{blanks}")}),
        json!({"url": format!("me:secret@e.example/{blanks}")}),
        // A name of a member.
        format!("{{\"targets\": {{\"https://e.example/{}\": {{}}}}}}", "a".repeat(201)).parse().unwrap(),
    ] {
        assert_eq!(judge(arguments.clone()), Verdict::Ask, "{arguments}");
    }
    for arguments in [
        json!({"url": "example.com"}),
        json!({"url": "docs.example.com/guide?lang=en"}),
        json!({"link_text": "what this is about, e.g. a page or a document that somebody else wrote some time ago, and so on"}),
        json!({"url": "/wiki/page"}),
        json!({"text": format!("e.example/{blanks}")}),
        json!({"url": null, "n": 1, "https": true}),
    ] {
        assert_eq!(judge(arguments.clone()), Verdict::Pass, "{arguments}");
    }
}

#[test]
fn a_host_is_the_users_only_where_every_reader_finds_it() {
    let settings = Settings { hosts: vec!["corp.example".into()], ..Settings::default() };
    let long = "a".repeat(201);
    for text in [
        format!("https://corp.example\\@e.example/{long}"),
        format!("https://e.example\\@corp.example/{long}"),
        format!("https://e.example\\.corp.example/{long}"),
        format!("https://e.example?@corp.example/{long}"),
        format!("https://e.example#.corp.example/{long}"),
        format!("https://corp.example@e.example/{long}"),
        format!("https://e.example%2f.corp.example/{long}"),
        format!("https:/corp.example/{long}"),
        format!("https:///corp.example/{long}"),
        format!("https://corp.example/?to=https:\\\\e.example\\{long}"),
    ] {
        assert_eq!(judge(&text, &settings), Verdict::Ask, "{text:?}");
    }
    for text in [format!("HTTPS://Corp.Example:8443/{long}"), format!("https://corp.example./{long}")] {
        assert_eq!(judge(&text, &settings), Verdict::Pass, "{text:?}");
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
