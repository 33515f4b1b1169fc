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
    ] {
        assert!(is_active(text), "{text}");
    }
    for text in
        ["only = 1", "it depends on x = 1", "# Scripts\n<b>on</b>", "<p class=\"on\">", "&lt;script&gt;", ""]
    {
        assert!(!is_active(text), "{text}");
    }
}
