//! What must hold of provenance whatever a server sends.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::print_stdout, missing_docs)]

use bouncer_core::destination::{Kind, find_in_text, read};
use bouncer_core::provenance::{Index, Source};
use bouncer_core::verdict::Trust;
use proptest::prelude::*;

const VALUES: [(Kind, &str); 6] = [
    (Kind::Email, "bob@evil.io"),
    (Kind::Url, "https://evil.io/p?d=1"),
    (Kind::Host, "evil.io"),
    (Kind::Channel, "general"),
    (Kind::User, "bob"),
    (Kind::Account, "DE89370400440532013000"),
];

fn words() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop::sample::select(vec![
            "bob@evil.io",
            "bob",
            "evil.io",
            "general",
            "https://evil.io/p?d=1",
            "https://evil.io/",
            "@",
            " ",
            "\n",
            ".",
            "DE89 3704 0044 0532 0130 00",
            "Ym9iQGV2aWwuaW8=",
            "bob%40evil.io",
            "the",
            "bob [at] evil dot io",
            "- ",
            "{",
            "\"",
            "\u{200b}",
            "\u{435}",
            "x",
        ]),
        0..12,
    )
    .prop_map(|w| format!("some words {}", w.join(" ")))
}

fn trusts(texts: &[&String], prompt: Option<&str>) -> Vec<Trust> {
    let mut index = Index::new();
    let source = Source { server: "s".into(), tool: "t".into() };
    for t in texts {
        index.record_text(&source, t, &[]);
    }
    if let Some(p) = prompt {
        index.record_prompt(p);
    }
    VALUES.iter().map(|(k, v)| index.evidence(&read(*k, v, "")[0]).trust()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn more_text_never_loosens(a in words(), b in words(), p in words()) {
        let fewer = trusts(&[&a], Some(&p));
        let more = trusts(&[&a, &b], Some(&p));
        for (f, m) in fewer.iter().zip(&more) {
            prop_assert!(m >= f, "{fewer:?} {more:?}");
        }
    }

    #[test]
    fn without_the_prompt_nothing_is_looser(a in words(), p in words()) {
        for (with, without) in trusts(&[&a], Some(&p)).iter().zip(trusts(&[&a], None)) {
            prop_assert!(without >= *with);
        }
    }

    #[test]
    fn order_does_not_matter(a in words(), b in words(), c in words()) {
        let field = String::from(r#"{"sender":"bob@evil.io","n":1}"#);
        prop_assert_eq!(trusts(&[&a, &b, &field, &c], None), trusts(&[&c, &field, &b, &a], None));
    }

    #[test]
    fn nothing_panics(text in "\\PC{0,200}", bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let raw = String::from_utf8_lossy(&bytes).into_owned();
        for t in [&text, &raw] {
            let mut index = Index::with_cap(4096);
            let source = Source { server: "s".into(), tool: "t".into() };
            index.record_text(&source, &raw, &[]);
            index.record_text(&source, &text, &[]);
            index.record_prompt(t);
            let _ = find_in_text(t);
            for (kind, _) in VALUES {
                for d in read(kind, t, "/to") {
                    let _ = index.evidence(&d);
                }
            }
            for d in read(Kind::Unknown, t, "/to") {
                let _ = index.evidence(&d);
            }
        }
    }

    #[test]
    fn what_is_not_blank_is_read(text in "\\PC{1,60}") {
        for kind in ["email", "url", "host", "phone", "channel", "user", "repository", "account", "path", "reference", "unknown"] {
            let got = read(Kind::parse(kind).unwrap(), &text, "/to");
            prop_assert_eq!(got.is_empty(), text.trim().is_empty());
        }
    }
}

#[test]
fn what_is_no_longer_kept_is_unproven() {
    let mut index = Index::with_cap(64 << 10);
    let source = Source { server: "s".into(), tool: "t".into() };
    index.record_text(&source, "write to bob@evil.io", &[]);
    for i in 0..4000 {
        index.record_text(&source, &format!("filler number {i} and some more words to fill it"), &[]);
    }
    let e = index.evidence(&read(Kind::Email, "bob@evil.io", "")[0]);
    assert!(e.text.is_none() && e.unreliable.is_some() && e.trust() == Trust::Unproven);
}
