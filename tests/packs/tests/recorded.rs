//! The names that packs use, against what real servers were recorded to list.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail by panicking")]

use bouncer_guest::{Tool, Value, testing};
use bouncer_pack_table::Table;
use bouncer_pack_table::text::Listing;
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

/// The tables that are written as text, with the recorded list of each.
const TEXTS: [(&str, &[&str]); 12] = [
    ("boards", bouncer_pack_boards::TABLES),
    ("browsers", bouncer_pack_browsers::TABLES),
    ("chat", bouncer_pack_chat::TABLES),
    ("databases", bouncer_pack_databases::TABLES),
    ("google-workspace", bouncer_pack_google_workspace::TABLES),
    ("mail-senders", bouncer_pack_mail_senders::TABLES),
    ("microsoft-365", bouncer_pack_microsoft_365::TABLES),
    ("notion", bouncer_pack_notion::TABLES),
    ("payments", bouncer_pack_payments::TABLES),
    ("shells", bouncer_pack_shells::TABLES),
    ("trackers", bouncer_pack_trackers::TABLES),
    ("web", bouncer_pack_web::TABLES),
];

/// One table: its pack, what it says, and the tools of the list whose package and version its first line names.
struct Checked {
    pack: &'static str,
    first: &'static str,
    listing: Listing,
    tools: Vec<Tool>,
}

/// Lists that were recorded here: names and top-level arguments alone.
fn own_list(path: &std::path::Path) -> (String, Vec<Tool>) {
    let list: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let tool = |(name, params): (&String, &serde_json::Value)| {
        let params: Vec<String> = params.as_array().unwrap().iter().map(text).collect();
        testing::tool(name, &params.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let tools = list["tools"].as_object().unwrap().iter().map(tool).collect();
    (format!("{} {}", text(&list["package"]), text(&list["version"])), tools)
}

/// Every table whose list is there. Those recorded in this repository always are.
fn checked() -> Vec<Checked> {
    let mut lists: BTreeMap<String, Vec<Tool>> = BTreeMap::new();
    for entry in std::fs::read_dir(bouncer_pack_tests::root().join("tests/packs/recorded")).unwrap() {
        let (name, tools) = own_list(&entry.unwrap().path());
        lists.insert(name, tools);
    }
    let shared = bouncer_pack_tests::root().join("../shared/corpus/tools");
    let complete = shared.is_dir();
    if !complete {
        eprintln!(
            "skipped: there are no recorded tool lists beside the repository; {} are in it",
            lists.len()
        );
    }
    for entry in std::fs::read_dir(&shared).into_iter().flatten() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let list: serde_json::Value = serde_json::from_str(&text).unwrap();
        let name = format!("{} {}", list["package"].as_str().unwrap(), list["version"].as_str().unwrap());
        lists.insert(name, testing::tools(&text.parse().unwrap()));
    }
    let mut found = Vec::new();
    for (pack, tables) in TEXTS {
        for table in tables {
            let first = table.lines().next().unwrap().trim_start_matches("# ");
            let listing = bouncer_pack_table::text::read(table).unwrap();
            match lists.remove(first) {
                Some(tools) => found.push(Checked { pack, first, listing, tools }),
                None => assert!(!complete, "{pack}: there is no recorded list of `{first}`"),
            }
        }
    }
    assert!(!found.is_empty());
    found
}

#[test]
fn every_line_of_a_text_table_is_recorded_with_exactly_these_arguments() {
    for Checked { pack, first, listing, tools } in checked() {
        for line in &listing.lines {
            let name = line.tool;
            let tool = tools.iter().find(|tool| tool.name() == name);
            let tool = tool.unwrap_or_else(|| panic!("{pack}: `{first}` has no tool `{name}`"));
            let listed: BTreeSet<String> = tool.params().into_iter().collect();
            let said: BTreeSet<String> = line.arguments.iter().map(|&name| name.to_owned()).collect();
            // This server's schemas are empty, by a fault of its own.
            let empty = first.starts_with("@modelcontextprotocol/server-gitlab ") && listed.is_empty();
            assert!(empty || listed == said, "{pack}: `{first}`, `{name}`: listed {listed:?}, said {said:?}");
            assert_eq!(
                listing.lines.iter().filter(|other| other.tool == name).count(),
                1,
                "{pack}: `{name}`"
            );
        }
    }
}

#[test]
fn what_a_text_table_loosens_takes_effect_on_the_recorded_server() {
    for Checked { pack, first, listing, tools } in checked() {
        for tool in &tools {
            let Some(line) = listing.line(tool.name()) else { continue };
            let contract = line.contract(tool, true);
            let empty = tool.params().is_empty() && !line.arguments.is_empty();
            assert!(
                empty || contract.is_exfiltrating() == line.sends,
                "{pack}: `{first}`, `{}` has arguments unknown to the pack",
                tool.name()
            );
            // A tool that sends and one that is quiet are never the same: a quiet line has no receivers.
            assert!(line.sends != Some(false) || line.sinks.is_empty(), "{pack}: `{}`", tool.name());
        }
    }
}

#[test]
fn no_two_tables_of_a_pack_are_for_one_name() {
    for (pack, tables) in TEXTS {
        let mut seen = BTreeSet::new();
        for table in tables {
            for name in bouncer_pack_table::text::read(table).unwrap().servers {
                assert!(seen.insert(name), "{pack}: `{name}` is named by two tables");
            }
        }
    }
}

#[test]
fn the_manifest_of_a_text_pack_names_its_tools_and_only_known_servers() {
    for (pack, tables) in TEXTS {
        let path = bouncer_pack_tests::root().join("packs").join(pack).join("pack.toml");
        let manifest = bouncer::pack::Manifest::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
        let listings: Vec<Listing> =
            tables.iter().map(|table| bouncer_pack_table::text::read(table).unwrap()).collect();
        let names: BTreeSet<&str> =
            listings.iter().flat_map(|table| &table.lines).map(|line| line.tool).collect();
        let said: BTreeSet<&str> = manifest.tools.iter().map(String::as_str).collect();
        assert_eq!(said, names, "{pack}");
        assert_eq!(manifest.checked.len(), tables.len(), "{pack}");
        for table in tables {
            let first = table.lines().next().unwrap().trim_start_matches("# ");
            assert!(manifest.checked.iter().any(|line| line.starts_with(first)), "{pack}: `{first}`");
        }
        // Whatever the host takes for this pack's server finds its table.
        let known: BTreeSet<&str> = listings.iter().flat_map(|table| table.servers.iter().copied()).collect();
        for server in &manifest.servers {
            let names = server.packages.iter().chain(&server.commands).chain(server.reported_name.as_slice());
            for name in names {
                assert!(known.contains(name.replace(' ', "_").as_str()), "{pack}: no table is for `{name}`");
            }
        }
    }
}
