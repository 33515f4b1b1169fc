//! The names that packs use, against what real servers were recorded to list.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail by panicking")]

use bouncer_guest::{Value, testing};
use bouncer_pack_table::Table;
use std::collections::{BTreeMap, BTreeSet};

fn recorded(servers: &[&str]) -> Option<Vec<Value>> {
    let folder = bouncer_pack_tests::root().join("../shared/corpus/tools");
    if !folder.is_dir() {
        eprintln!("skipped: there are no recorded tool lists beside the repository");
        return None;
    }
    let read = |server: &&str| {
        let text = std::fs::read_to_string(folder.join(format!("{server}.json"))).unwrap();
        text.parse().unwrap()
    };
    Some(servers.iter().map(read).collect())
}

const PACKS: [(&str, Table, &[&str]); 5] = [
    ("filesystem", bouncer_pack_filesystem::TABLE, &["filesystem"]),
    ("gdrive", bouncer_pack_gdrive::TABLE, &["gdrive-ref", "google-workspace"]),
    ("github", bouncer_pack_github::TABLE, &["github-ref", "github-official"]),
    ("gmail", bouncer_pack_gmail::TABLE, &["gmail-gongrzhe", "google-workspace"]),
    ("slack", bouncer_pack_slack::TABLE, &["slack-ref", "slack-korotovsky"]),
];

#[test]
fn every_tool_and_argument_of_a_pack_is_recorded() {
    for (pack, table, servers) in PACKS {
        let Some(lists) = recorded(servers) else { return };
        let mut arguments: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for tool in lists.iter().flat_map(testing::tools) {
            arguments.entry(tool.name().to_owned()).or_default().extend(tool.params());
        }
        for name in table.tools() {
            let known = arguments.get(name).unwrap_or_else(|| panic!("{pack}: no recorded tool `{name}`"));
            let row = table.row(name).unwrap();
            let sinks = row.sinks.iter().flat_map(|sink| sink.params);
            for path in row.harmless.iter().chain(row.writes).chain(sinks) {
                let top = path.trim_start_matches('/').split('/').next().unwrap();
                // Rows that several servers' tools share name the arguments of all.
                let elsewhere = ["/assignees", "/reviewers"].contains(path);
                let shared =
                    row.harmless.contains(path) && arguments.values().any(|known| known.contains(top));
                assert!(
                    known.contains(top) || elsewhere || shared,
                    "{pack}: `{name}` has no argument `{top}`"
                );
            }
        }
        for argument in table.known {
            let used = arguments.values().any(|known| known.contains(*argument));
            assert!(used, "{pack}: no recorded tool has an argument `{argument}`");
        }
    }
}

#[test]
fn a_quiet_tool_is_quiet_on_the_recorded_servers() {
    for (pack, table, servers) in PACKS {
        let Some(lists) = recorded(servers) else { return };
        for tool in lists.iter().flat_map(testing::tools) {
            let Some(row) = table.row(tool.name()) else { continue };
            let contract = table.contracts(std::slice::from_ref(&tool)).remove(0);
            assert_eq!(
                contract.is_exfiltrating(),
                row.sends,
                "{pack}: `{}` has arguments unknown to the pack",
                tool.name()
            );
        }
    }
}

#[test]
fn the_manifest_names_every_tool_of_the_table() {
    for (pack, table, _) in PACKS {
        let path = bouncer_pack_tests::root().join("packs").join(pack).join("pack.toml");
        let manifest = bouncer::pack::Manifest::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
        let names: BTreeSet<&str> = table.tools().into_iter().collect();
        let said: BTreeSet<&str> = manifest.tools.iter().map(String::as_str).collect();
        assert_eq!(said, names, "{pack}");
    }
}
