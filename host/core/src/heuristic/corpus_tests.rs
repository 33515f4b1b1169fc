//! The scores on recorded tool lists, where they lie beside the repository.

use super::tests::value;
use super::{Classification, classification};
use crate::tool::{ServerIdentity, Tool};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn corpus() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2)?;
    let found = root.parent()?.join("shared/corpus");
    found.join("labels.jsonl").is_file().then_some(found)
}

fn predictions(corpus: &Path) -> BTreeMap<(String, String), Classification> {
    let mut seen = BTreeMap::new();
    for file in std::fs::read_dir(corpus.join("tools")).unwrap() {
        let list: Json =
            serde_json::from_str(&std::fs::read_to_string(file.unwrap().path()).unwrap()).unwrap();
        let server = list["server"].as_str().unwrap().to_owned();
        for definition in list["tools"].as_array().unwrap() {
            let tool = Tool::from_definition(value(definition)).unwrap();
            let it = classification(&ServerIdentity::default(), &tool);
            seen.insert((server.clone(), tool.name), it);
        }
    }
    seen
}

#[derive(Default, Debug)]
struct Score {
    hit: f64,
    missed: f64,
    wrong: f64,
}

impl Score {
    fn add(&mut self, truth: bool, said: bool) {
        match (truth, said) {
            (true, true) => self.hit += 1.0,
            (true, false) => self.missed += 1.0,
            (false, true) => self.wrong += 1.0,
            (false, false) => {}
        }
    }
    fn recall(&self) -> f64 {
        self.hit / (self.hit + self.missed)
    }
    fn precision(&self) -> f64 {
        self.hit / (self.hit + self.wrong)
    }
}

fn trimmed(path: &str) -> &str {
    let mut path = path;
    while let Some(outer) = path.strip_suffix("/*") {
        path = outer;
    }
    path
}

#[test]
fn the_recorded_servers_are_judged_well_enough() {
    let Some(corpus) = corpus() else {
        println!("skipped: no shared/corpus beside the repository");
        return;
    };
    let seen = predictions(&corpus);
    let (mut sends, mut loses, mut sealed) = (Score::default(), Score::default(), Score::default());
    let mut programs_missed = Vec::new();
    for line in std::fs::read_to_string(corpus.join("labels.jsonl")).unwrap().lines() {
        let label: Json = serde_json::from_str(line).unwrap();
        let key = (label["server"].as_str().unwrap().to_owned(), label["tool"].as_str().unwrap().to_owned());
        let it = &seen[&key];
        if label["borderline"].as_bool() == Some(true) {
            continue;
        }
        let truth = label["exfiltrating"].as_bool().unwrap();
        sends.add(truth, it.exfiltrating);
        loses.add(label["destructive"].as_bool().unwrap(), it.destructive);
        if truth && matches!(label["exfil_via"].as_str(), Some("command" | "code")) && !it.exfiltrating {
            programs_missed.push(key.clone());
        }
        let destinations: Vec<&str> = label["args"]
            .as_object()
            .unwrap()
            .iter()
            .filter(|(_, kind)| kind.as_str().unwrap().starts_with("destination"))
            .map(|(path, _)| trimmed(path))
            .collect();
        if truth && !destinations.is_empty() {
            let covered = |d: &&str| {
                it.sinks
                    .iter()
                    .any(|s| d.strip_prefix(trimmed(s)).is_some_and(|r| r.is_empty() || r.starts_with('/')))
            };
            sealed.add(true, it.exfiltrating && destinations.iter().all(covered));
        }
    }
    assert!(sends.hit > 200.0, "the labels were read: {sends:?}");
    assert!(sends.recall() >= 0.92 && sends.precision() >= 0.85, "exfiltrating: {sends:?}");
    assert!(sealed.recall() >= 0.88, "sealed: {sealed:?}");
    assert!(loses.recall() >= 0.90 && loses.precision() >= 0.80, "destructive: {loses:?}");
    assert!(programs_missed.is_empty(), "shells and code: {programs_missed:?}");
}
