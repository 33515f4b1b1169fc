use super::*;

#[test]
fn every_form_of_an_address_that_a_browser_follows_is_found() {
    for text in [
        "see https://e.example/a.",
        "![x](https://e.example/a)",
        "![x](//e.example/a)",
        "<img src=\"//e.example/a\">",
        "<img src= //e.example/a>",
        "<img src='https:\\\\e.example/a'>",
        "<img src='/\\e.example/a'>",
        "<img src='HTTPS:e.example/a'>",
        "<img src='&#104;ttps&colon;&sol;&#x2f;e.example/a'>",
        "<img src='ht&Tab;tps://e.example/a'>",
        "<img src=\"ht\ntps://e.example/a\">",
        "<div style=\"background:url(https://e.example/a)\">",
        "<style>@import '//e.example/a';</style>",
        "<svg><image href=\"wss://e.example/a\"/></svg>",
        "[r]: //e.example/a",
        "//e.example/a",
        "<img alt=\">\" src= //e.example/a>",
        "[a](https://e.example/a)",
    ] {
        assert_eq!(addresses(text), ["https://e.example/a"], "{text}");
    }
    assert_eq!(
        addresses("<img src=http://[::1]/a> http://localhost:1/a_(b)"),
        ["http://[::1]/a", "http://localhost:1/a_(b)"]
    );
    for text in [
        "",
        "a // b",
        "x = 1; //e.example",
        "and/or",
        "https:",
        "https://",
        "&",
        "&#",
        "&#x;",
        "&#99999999999;",
        "<img src=\"/home/me/a.png\">",
        "![x](file:///home/me.d/a.png)",
        "1 < 2 & 3",
        "C:\\\\a\\b",
        "é&é",
    ] {
        assert!(addresses(text).is_empty(), "{text}: {:?}", addresses(text));
    }
}

#[test]
fn an_address_is_one_whatever_its_host_looks_like() {
    for (text, address) in [
        ("![a](https://@e.example/?q=S)", "https://@e.example/?q=S"),
        ("<img src=\"https://%65.example/?q=S\">", "https://%65.example/?q=S"),
        ("![a](https://_a.e.example/)", "https://_a.e.example/"),
        ("![a](https://\u{1f600}.example/)", "https://\u{1f600}.example/"),
        ("![a](https://\u{ad}e.example/)", "https://\u{ad}e.example/"),
        ("<img src=\"//134744072/\">", "https://134744072/"),
        ("<img src='//e\u{3002}example/'>", "https://e\u{3002}example/"),
        ("<img src=\"https:/\n/e.example\">", "https://e.example"),
        ("<img src=\"h\tttps:\n//e.example\">", "https://e.example"),
        ("<img src='https:134744072'>", "https://134744072"),
        ("<img src='https:e\u{ff61}example'>", "https://e\u{ff61}example"),
        ("<img src='file://e.example/a'>", "https://e.example/a"),
        ("<img src=\"https://<@e.example/a\">", "https://<@e.example/a"),
        ("<img src=https://)@e.example/a>", "https://)@e.example/a"),
        ("![a](https://x.io\\)@e.example/a)", "https://x.io)@e.example/a"),
        ("![a](https://x.io\\.e.example/a)", "https://x.io.e.example/a"),
        ("<img src=\"https://x.io\n.e.example/a\">", "https://x.io.e.example/a"),
        ("<img src=\"https://x.io'@e.example/a\">", "https://x.io'@e.example/a"),
        (
            "<style>body{background:url(\\68ttps\\3a\\2f\\2f e.example/?q=S)}</style>",
            "https://e.example/?q=S",
        ),
    ] {
        let found = fetched(text);
        assert!(found.iter().any(|one| one == address), "{text}: {found:?}");
    }
    assert_eq!(addresses("\"https://x.io/a b\" 'https://x.io/it' <https://x.io/b>").len(), 3);
    for text in
        ["`https://`", "(https://...)", "http: and https:\nx.io", "\"https:\"", "C:\\a", "<a href=https://>"]
    {
        assert!(addresses(text).is_empty(), "{text}: {:?}", addresses(text));
    }
}

#[test]
fn links_beside_a_picture_are_links() {
    let rows = "| [a](https://x.io/a) | <b>x</b> |\n".repeat(600);
    let text = format!("| ![p](https://e.example/p) | [a](https://x.io/a) |\n|---|---|\n{rows}");
    assert_eq!(fetched(&text), ["https://e.example/p"]);
    for text in [
        "![p](/p.png) [a](https://x.io)",
        "![p](/p.png)\nhttps://x.io",
        "![p](/p.png)\n[a\nb](<https://x.io>)",
        "![p](/p.png)\r\n \r\n(https://x.io)",
    ] {
        assert!(fetched(text).is_empty(), "{text}");
    }
    for text in [
        "![a\n| b](https://e.example/a)",
        "![a [b](/c)](https://e.example/a)",
        "![a `[`](https://e.example/a)",
        "![a <b title='['>](https://e.example/a)",
        "![a \\[b](https://e.example/a)",
        "![a](\n https://e.example/a)",
        "![a\n](<https://e.example/a>)",
        "> ![a][r]\n>\n> [r]:\n> https://e.example/a",
        "![r]\n\n[r]: <https://e.example/a>",
    ] {
        assert_eq!(fetched(text), ["https://e.example/a"], "{text}");
    }
}

#[test]
fn the_target_of_a_link_is_not_fetched_and_a_picture_is() {
    for text in [
        "see https://e.example/a",
        "https://e.example/a",
        "<https://e.example/a>",
        "[a](https://e.example/a)",
        "[a [b]](<https://e.example/a>)",
        "(https://e.example/a)",
        "\"https://e.example/a\"",
        "[r]: https://e.example/a",
        "<a href=\"https://e.example/a\">a</a>",
        "<A class=x HREF = 'https://e.example/a'>",
        "1 < 2, https://e.example/a",
        "![a](/a.png)\n\n[b](https://e.example/a)",
        "<table><tr><td>https://e.example/a</td></tr></table>",
    ] {
        assert!(fetched(text).is_empty(), "{text}");
    }
    for text in [
        "![a](https://e.example/a)",
        "![a [b]](<https://e.example/a>)",
        "![a][r]\n\n[r]: https://e.example/a",
        "<img src=\"https://e.example/a\">",
        "<link alt=\">\" rel=stylesheet x=q<a href=https://e.example/a>",
        "<img alt=\">\" src= https://e.example/a>",
        "![a\\[b](https://e.example/a)",
        "<p style=\"background:u\\72l(https://e.example/a)\">",
        "<custom-tag>https://e.example/a",
        "<img alt=\"<a href=\" src=\"https://e.example/a\">",
        "<a style=\"background:url('https://e.example/a')\">",
        "<link href=https://e.example/a>",
        "<style>p{background:url(https://e.example/a)}</style>",
        "<style>@import \"https://e.example/a\"</style>",
    ] {
        assert_eq!(fetched(text), ["https://e.example/a"], "{text}");
    }
}

#[test]
fn code_is_told_from_words() {
    for text in [
        "<script>1</script>",
        "<SCRIPT src=x>",
        "<svg onload=x()>",
        "<img/onerror = x>",
        "<img alt=\">\" onerror=x>",
        "<a href=\"java&Tab;script:x\">",
        "<meta http-equiv=refresh>",
        "<a href=\"java\nscript:x\">",
        "<a title=\"<img onerror=x\">",
        "<a=\" onclick=x>",
        "<a =\"x onclick=y>",
        "<a x='\"' onclick = y>",
        "<a href=x\nonclick=y>",
        "<object data=x>",
        "<iframe/src=x>",
        "<style>body{background:url(\\68ttps\\3a\\2f\\2f e.example/?q=S)}</style>",
        "<p style=\"background:u\\72l(x)\">",
        "<p style = 'background:u&#92;72l(x)'>",
        "<p style=background:u\\72l(x)>",
        "<link rel=stylesheet href=\"data:text/css;base64,eA==\">",
        "<link rel=stylesheet href=\"data:,p{}\">",
        "<a href='da\nta: text&sol;html,x'>",
    ] {
        assert!(is_active(text), "{text}");
    }
    for text in [
        "only = 1",
        "it depends on x = 1",
        "# Scripts\n<b>on</b>",
        "<p class=\"on\">",
        "&lt;script&gt;",
        "",
        "```java\nList<Object> a;\n```",
        "Use `Vec<u8>`\n```\none = 1\n```",
        "<scripting> <basement x>",
        "<p style=\"page-break-before: always\"></p> C:\\a \\* style",
        "![a](data:image/svg+xml;base64,eA==)",
        "the data: css, html",
        "<p class=\"a\"> only = 1",
    ] {
        assert!(!is_active(text), "{text}");
    }
}
