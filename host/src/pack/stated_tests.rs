use super::*;
use bouncer_core::contract::OnTainted;

fn loose() -> Contract {
    Contract {
        exfiltrating: Some(false),
        destructive: Some(false),
        trusted_destinations: vec!["a@x.io".into()],
        max_calls: Some(2),
        evaluate: true,
        replace: true,
        on_tainted: Some(OnTainted::Ask),
        ..Contract::default()
    }
}

fn wants(not_sending: bool, vouch: bool) -> WantedGrants {
    let sentence = |wanted: bool| wanted.then(|| "why".to_owned());
    WantedGrants { not_sending: sentence(not_sending), vouch: sentence(vouch), ..WantedGrants::default() }
}

#[test]
fn only_what_was_asked_for_and_may_take_effect_is_left() {
    let full = within(loose(), &wants(true, true), true);
    assert_eq!((full.exfiltrating, full.trusted_destinations.len()), (Some(false), 1));
    let unasked = within(loose(), &wants(true, false), true);
    assert_eq!((unasked.exfiltrating, unasked.trusted_destinations.len()), (Some(false), 0));
    let ungranted = within(loose(), &wants(true, true), false);
    assert_eq!((ungranted.exfiltrating, ungranted.destructive), (None, None));
    assert!(ungranted.trusted_destinations.is_empty());
    // What tightens stays.
    assert_eq!((ungranted.max_calls, ungranted.evaluate), (Some(2), true));
    let sends = within(Contract { exfiltrating: Some(true), ..loose() }, &wants(false, false), false);
    assert_eq!(sends.exfiltrating, Some(true));
}

#[test]
fn what_only_a_users_file_may_say_never_comes_from_a_pack() {
    let full = within(loose(), &wants(true, true), true);
    assert!(!full.replace && full.on_tainted.is_none());
}
