//! Reading destinations never panics, loses no text, and the compared form is stable.
#![no_main]

use bouncer_core::destination::{Kind, TrustPattern, canonical, find_in_text, find_with_places, read};
use bouncer_core::resource::Resources;
use libfuzzer_sys::fuzz_target;

const KINDS: [Kind; 11] = [
    Kind::Email, Kind::Url, Kind::Host, Kind::Phone, Kind::Channel, Kind::User, Kind::Repository, Kind::Account,
    Kind::Path, Kind::Reference, Kind::Unknown,
];

fuzz_target!(|input: (u8, &str, &str)| {
    let (kind, text, pattern) = input;
    let kind = KINDS[usize::from(kind) % KINDS.len()];
    let found = read(kind, text, "/a");
    assert!(!found.is_empty() || text.trim().is_empty(), "{kind} {text:?}: nothing");
    let pattern = TrustPattern::parse(pattern).ok();
    for one in &found {
        assert!(!one.canonical.is_empty() || one.raw.trim().is_empty(), "{one:?}");
        // A handle may keep one of its signs: `@@x` is `@x`, which is another than `x`.
        let by_form = matches!(one.kind, Kind::Email | Kind::Url | Kind::Host | Kind::Account | Kind::Phone);
        if let Some(again) = canonical(one.kind, &one.canonical).filter(|_| by_form) {
            assert_eq!(again, one.canonical, "{one:?}: the compared form is not stable");
        }
        let _ = pattern.as_ref().map(|p| p.vouches(one));
    }
    let _ = find_in_text(text);
    for place in find_with_places(text) {
        assert!(text.get(place.span.clone()).is_some(), "{place:?}");
    }
    let mut known = Resources::default();
    known.add("x://1");
    known.add_template("https://a.example/{x}");
    let _ = (known.destinations(text, "/uri"), known.destinations_of_template(text, "/uri"));
});
