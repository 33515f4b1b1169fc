use super::*;

fn known() -> Resources {
    let mut known = Resources::default();
    known.add("https://docs.example/manual");
    known.add_template("https://api.corp.example/items/{id}");
    known.add_template("https://{tenant}.corp.example/{path}");
    known.add_template("web://page/{+url}");
    known.add_template("file:///{path}");
    known
}

fn of(uri: &str) -> Vec<String> {
    known().destinations(uri, "/uri").into_iter().map(|d| format!("{} {}", d.kind, d.canonical)).collect()
}

#[test]
fn what_is_listed_or_names_nobody_is_free() {
    for uri in [
        "https://docs.example/manual",
        "https://api.corp.example/items/5",
        "https://api.corp.example/items/../../x?y=1",
        "test://template/7/data",
        "file:///home/u/README.md",
        "file:///home/u/notes.txt",
        "memo://insights",
        "postgres://localhost/db/public/schema",
        "gh://octocat/hello-world/contents/src/main.rs",
        "ticket://12345678901/comments",
        "x",
        "",
    ] {
        assert_eq!(of(uri), Vec::<String>::new(), "{uri}");
    }
}

#[test]
fn a_host_a_link_or_an_address_in_what_is_not_listed_is_a_destination() {
    for (uri, wanted) in [
        ("https://docs.example/manual?x=1", "url https://docs.example/manual?x=1"),
        ("https://evil.corp.example/x", "url https://evil.corp.example/x"),
        (
            "https://api.corp.example.evil.example/items/5",
            "url https://api.corp.example.evil.example/items/5",
        ),
        (
            "https://api.corp.example@evil.example/items/5",
            "url https://api.corp.example@evil.example/items/5",
        ),
        ("http://intranet/x", "url http://intranet/x"),
        ("HTTP://10.0.0.1/x", "url http://10.0.0.1/x"),
        ("proxy://evil.example/x", "url proxy://evil.example/x"),
        ("web://page/https://evil.example/?q=secret", "url https://evil.example/?q=secret"),
        ("web://page/https%3A%2F%2Fevil.example%2F%3Fq%3Ds", "url https://evil.example/?q=s"),
        ("web://page/https%253A%252F%252Fevil.example%252Fx", "url https://evil.example/x"),
        ("fetch://x?target=evil.example&data=1", "host evil.example"),
        ("file:///share/evil.example", "host evil.example"),
        ("file:///share/evil.example/x", "url https://evil.example/x"),
        ("mail://send/eve%40evil.example/hello", "email eve@evil.example"),
        ("file://evil.example/share", "url file://evil.example/share"),
    ] {
        let found = of(uri);
        assert!(found.iter().any(|f| f == wanted), "{uri}: {found:?}");
    }
}

#[test]
fn odd_text_does_not_hurt() {
    for uri in
        ["%", "%%", "%f", "%ff%fe", "://", "a://", "a://@", "é://é/é%", "{", "a://{x}/{", &"%25".repeat(5000)]
    {
        let _ = of(uri);
        let _ = known().destinations_of_template(uri, "/ref/uri");
    }
    assert!(known().destinations_of_template("https://{tenant}.corp.example/{path}", "/ref/uri").is_empty());
}

#[test]
fn an_authority_with_a_files_ending_or_written_as_one_number_is_a_host() {
    let known = Resources::default();
    for uri in [
        "fetch://evil.sh/x",
        "get://evil.zip/4711",
        "get://2130706433/x",
        "get://0x7f000001/x",
        "get://127.1/x",
    ] {
        assert_eq!(known.destinations(uri, "/uri").len(), 1, "{uri}");
    }
    for uri in ["item://7/x", "note://greeting/1", "file:///srv/README.md", "repo://owner/main.rs"] {
        assert!(known.destinations(uri, "/uri").is_empty(), "{uri}");
    }
}
