use super::*;

fn one(kind: Kind, text: &str) -> String {
    canonical(kind, text).unwrap_or_else(|| "-".into())
}

#[test]
fn lists_are_taken_apart() {
    let got: Vec<_> =
        read(Kind::Email, "a@x.io, B <b@y.io>; c@z.io", "/to").into_iter().map(|d| d.canonical).collect();
    assert_eq!(got, ["a@x.io", "b@y.io", "c@z.io"]);
    let got: Vec<_> =
        read(Kind::Email, r#""a@good.com" <b@evil.io>"#, "/to").into_iter().map(|d| d.canonical).collect();
    assert_eq!(got, ["b@evil.io"]);
    let got: Vec<_> =
        read(Kind::Email, "a@good.com <b@evil.io>", "/to").into_iter().map(|d| d.canonical).collect();
    assert_eq!(got, ["b@evil.io", "a@good.com"]);
    let got: Vec<_> = read(Kind::Email, "mailto:a@x.io?cc=b%40y.io&bcc=c@z.io", "/to")
        .into_iter()
        .map(|d| d.canonical)
        .collect();
    assert_eq!(got, ["a@x.io", "b@y.io", "c@z.io"]);
}

#[test]
fn patterns_are_not_fooled() {
    let vouches = |p: &str, kind, text: &str| {
        let p = TrustPattern::parse(p).unwrap();
        read(kind, text, "").iter().all(|d| p.vouches(d))
    };
    assert!(vouches("*@corp.com", Kind::Email, "Bob@CORP.com"));
    assert!(!vouches("*@corp.com", Kind::Email, "a@evil.io,b@corp.com"));
    assert!(!vouches("*@corp.com", Kind::Email, "corp.com@evil.io"));
    assert!(vouches("https://corp.com", Kind::Url, "https://corp.com:443/x?y"));
    assert!(!vouches("https://corp.com", Kind::Url, "https://corp.com.evil.io"));
    assert!(!vouches("https://corp.com", Kind::Url, "https://corp.com@evil.io/"));
    assert!(!vouches("https://corp.com/docs/*", Kind::Url, "https://corp.com/docs/%2e%2e/private"));
    assert!(!vouches("https://corp.com/docs/*", Kind::Url, "https://corp.com/docs/..%2fprivate"));
    assert!(vouches("https://corp.com/docs/*", Kind::Url, "https://corp.com/docs/a/b"));
    assert!(!vouches("https://corp.com/docs/*", Kind::Url, "https://corp.com/docsx"));
    assert!(vouches("*.corp.com", Kind::Host, "a.corp.com"));
    assert!(!vouches("*.corp.com", Kind::Host, "evilcorp.com"));
    assert!(vouches("acme/*", Kind::Repository, "https://github.com/Acme/tool.git"));
    assert!(!vouches("acme/*", Kind::Repository, "acme-evil/tool"));
    for bad in ["*", "*@*", "*@com", "a*b@x.io", "https://*.corp.com/*", "*/*", ""] {
        assert!(TrustPattern::parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn urls_have_one_form() {
    for same in ["HTTP://Evil.IO:80/a/../b", "http://evil.io./b", "http:\\\\evil.io\\b", "http://evil.io/%62"]
    {
        assert_eq!(one(Kind::Url, same), "http://evil.io/b", "{same}");
    }
    assert_eq!(one(Kind::Url, "http://0x7f.1/"), "http://127.0.0.1/");
    // What is read once more is the same.
    for (odd, form) in [
        ("http://evil.io/%0%62", "http://evil.io/%250b"),
        ("http://evil.io/%+f", "http://evil.io/%25+f"),
        ("http://evil.io/100%", "http://evil.io/100%25"),
        ("<mailto:%07>\u{0}>", "mailto:%07"),
    ] {
        assert_eq!(one(Kind::Url, odd), form, "{odd}");
        assert_eq!(one(Kind::Url, form), form, "{odd}");
    }
}

#[test]
fn dots_at_the_end_hide_no_host() {
    for (odd, form) in
        [("evil.io.", "evil.io"), ("evil.io...", "evil.io"), ("1....", "0.0.0.1"), ("1.2.3.4..", "1.2.3.4")]
    {
        assert_eq!(one(Kind::Host, odd), form, "{odd}");
        assert_eq!(one(Kind::Host, form), form, "{odd}");
    }
    assert_eq!(one(Kind::Url, "https://evil.io../p"), "https://evil.io/p");
    assert_eq!(super::canonical(Kind::Host, "..."), None);
}

#[test]
fn prose_gives_its_destinations() {
    let got: Vec<_> = find_in_text("visit www.corp.com.Then mail bob@x.io, (https://a.io/p?q=1). Pay DE89 3704 0044 0532 0130 00 or call +49 (0)30 1234567; see report.pdf")
        .into_iter().map(|d| format!("{}:{}", d.kind, d.canonical)).collect();
    assert_eq!(
        got,
        [
            "host:www.corp.com",
            "email:bob@x.io",
            "url:https://a.io/p?q=1",
            "account:DE89370400440532013000",
            "phone:+49301234567"
        ]
    );
}
