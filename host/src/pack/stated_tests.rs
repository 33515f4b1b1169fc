use super::*;
use bouncer_core::arg_path::ArgPath;
use bouncer_core::contract::{OnTainted, Sink};
use bouncer_core::decide::{Merged, merge};
use bouncer_core::destination::Kind;
use bouncer_core::value::Value;

fn loose() -> Contract {
    Contract {
        exfiltrating: Some(false),
        destructive: Some(false),
        trusted_destinations: vec!["a@x.io".into()],
        directories: vec![ArgPath::parse("/members").unwrap()],
        max_calls: Some(2),
        evaluate: true,
        replace: true,
        on_tainted: Some(OnTainted::Ask),
        ..Contract::default()
    }
}

fn granted(kinds: &[GrantKind]) -> Grants {
    kinds.iter().copied().collect()
}

/// One pack's contract for one tool, merged with nothing else.
fn merged(contract: Contract, grants: &Grants) -> Merged {
    let said = Said { layer: Layer::Pack("p".to_owned()), place: "pack p".to_owned() };
    let all: Vec<Stated> = layers(contract, grants)
        .map(|(contract, may_loosen)| Stated { said: said.clone(), contract, may_loosen })
        .collect();
    let name = Value::Object(vec![("name".to_owned(), Value::String("t".to_owned()))]);
    merge(&Tool::from_definition(name).unwrap(), &all)
}

#[test]
fn only_what_was_granted_is_left() {
    let full = within(loose(), &Grants::all());
    assert_eq!((full.exfiltrating, full.trusted_destinations.len()), (Some(false), 1));
    let some = within(loose(), &granted(&[GrantKind::NotSending]));
    assert_eq!(
        (some.exfiltrating, some.trusted_destinations.len(), some.directories.len()),
        (Some(false), 0, 0)
    );
    let none = within(loose(), &Grants::default());
    assert_eq!((none.exfiltrating, none.destructive), (None, None));
    assert!(none.trusted_destinations.is_empty() && none.directories.is_empty());
    // What tightens stays.
    assert_eq!((none.max_calls, none.evaluate), (Some(2), true));
    let sends = within(Contract { exfiltrating: Some(true), ..loose() }, &Grants::default());
    assert_eq!(sends.exfiltrating, Some(true));
}

#[test]
fn what_only_a_users_file_may_say_never_comes_from_a_pack() {
    let full = within(loose(), &Grants::all());
    assert!(!full.replace && full.on_tainted.is_none());
}

#[test]
fn sinks_narrow_only_where_harmless_is_granted() {
    let sink = Sink { params: vec![ArgPath::parse("/to").unwrap()], join: String::new(), kind: Kind::Email };
    let contract = Contract { exfiltrating: None, sinks: vec![sink], ..loose() };
    let layer = Layer::Pack("p".to_owned());
    let with = merged(contract.clone(), &granted(&[GrantKind::Harmless]));
    assert!(with.narrowing.contains(&layer) && with.exfiltrating && with.directories.is_empty());
    let kinds = [GrantKind::Directories, GrantKind::Vouch, GrantKind::NotSending];
    let without = merged(contract.clone(), &granted(&kinds));
    assert!(!without.narrowing.contains(&layer), "{without:?}");
    assert!(without.exfiltrating_by_others.contains(&layer) && without.exfiltrating);
    assert_eq!((without.directories.len(), without.trusted.len()), (1, 1));
    assert_eq!(without.max_calls.map(|(calls, _)| calls), Some(2));
    assert_eq!(without.evaluate, ["p"]);
    let none = merged(contract, &Grants::default());
    assert!(none.narrowing.is_empty() && none.directories.is_empty() && none.trusted.is_empty());
}
