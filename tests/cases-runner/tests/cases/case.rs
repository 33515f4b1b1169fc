//! What a case is, and where cases come from: `tests/cases/*.toml`, and the calls of `packs/*/cases.toml`, which here go
//! through the whole decision.

use bouncer::pack::{Manifest, Matched};
use bouncer_core::tool::ServerIdentity;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    defaults: Defaults,
    case: Vec<Raw>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Defaults {
    server: Option<Server>,
    tools: Option<String>,
    policy: Option<String>,
}

#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
struct Server {
    name: String,
    #[serde(default)]
    reported_name: String,
    #[serde(default)]
    command: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    name: String,
    server: Option<Server>,
    tools: Option<String>,
    recorded: Option<String>,
    #[serde(default)]
    packs: bool,
    policy: Option<String>,
    prompt: Option<String>,
    #[serde(default)]
    seen: Vec<Seen>,
    #[serde(default)]
    resolved: BTreeMap<String, String>,
    #[serde(default = "first")]
    attempts: u64,
    #[serde(default)]
    unlisted: bool,
    call: Call,
    expect: Expect,
}

fn first() -> u64 {
    1
}

/// An output before the call.
#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
pub struct Seen {
    pub server: String,
    pub tool: String,
    pub text: String,
}

/// The call; `arguments` is JSON text.
#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
pub struct Call {
    pub tool: String,
    pub arguments: String,
}

/// What must come out.
#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    pub verdict: String,
    pub contract: Option<String>,
    pub code: Option<String>,
    pub reason_contains: Option<String>,
    pub questions: Option<usize>,
    /// Only of a pack's case: the codes of what the pack finds; the verdict is the least that must come out.
    #[serde(skip)]
    pub found: Option<Vec<String>>,
}

/// One case, complete.
pub struct Case {
    /// File and name.
    pub title: String,
    pub identity: ServerIdentity,
    pub tools: Vec<Value>,
    pub packs: bool,
    pub policy: String,
    pub prompt: Option<String>,
    pub seen: Vec<Seen>,
    pub resolved: BTreeMap<String, String>,
    pub attempts: u64,
    pub call: Call,
    pub expect: Expect,
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

/// The tools that a real server was recorded to list; `None` where no recordings lie beside the repository.
fn recorded(server: &str) -> Option<Vec<Value>> {
    let folder = root().join("../shared/corpus/tools");
    folder.is_dir().then(|| {
        let path = folder.join(format!("{server}.json"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let list: Value = serde_json::from_str(&text).unwrap();
        list["tools"].as_array().unwrap().clone()
    })
}

/// All cases. Those that need recordings are left out where there are none, which is said.
pub fn all() -> Vec<Case> {
    let mut cases = rules();
    cases.extend(of_packs());
    cases
}

fn rules() -> Vec<Case> {
    let folder = root().join("tests/cases");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no case files in {}", folder.display());
    files.iter().flat_map(|path| of_file(path)).collect()
}

fn of_file(path: &Path) -> Vec<Case> {
    let stem = path.file_stem().unwrap().to_str().unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    let File { defaults, case } = toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut names: Vec<&str> = case.iter().map(|raw| raw.name.as_str()).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{stem}: a name stands twice");
    case.into_iter().filter_map(|raw| complete(stem, &defaults, raw)).collect()
}

fn complete(stem: &str, defaults: &Defaults, raw: Raw) -> Option<Case> {
    let title = format!("{stem}: {}", raw.name);
    let tools = match &raw.recorded {
        Some(server) => {
            let Some(tools) = recorded(server) else {
                eprintln!("skipped, no recorded tool lists beside the repository: {title}");
                return None;
            };
            tools
        }
        None => {
            let text = raw.tools.as_ref().or(defaults.tools.as_ref());
            serde_json::from_str(text.unwrap_or_else(|| panic!("{title}: no tools"))).unwrap()
        }
    };
    let listed = tools.iter().any(|tool| tool["name"] == raw.call.tool.as_str());
    assert_eq!(raw.unlisted, !listed, "{title}: is `{}` listed or not", raw.call.tool);
    let server = raw.server.or_else(|| defaults.server.clone());
    let (name, reported_name, command) = match server {
        Some(server) => (server.name, server.reported_name, server.command),
        None => ("mail".to_owned(), String::new(), Vec::new()),
    };
    Some(Case {
        title,
        identity: ServerIdentity { name, reported_name, reported_version: "1".to_owned(), command },
        tools,
        packs: raw.packs,
        policy: raw.policy.or_else(|| defaults.policy.clone()).unwrap_or_default(),
        prompt: raw.prompt,
        seen: raw.seen,
        resolved: raw.resolved,
        attempts: raw.attempts,
        call: raw.call,
        expect: raw.expect,
    })
}

#[derive(Deserialize)]
struct PackFile {
    case: Vec<PackCase>,
}

/// What the host is told (`known`) and what the pack names (`receives`) is for the pack's own test.
#[derive(Deserialize)]
struct PackCase {
    name: String,
    tool: String,
    arguments: String,
    settings: Option<String>,
    verdict: String,
    #[serde(default)]
    finds: Vec<String>,
}

/// Which recorded servers a pack's cases are about.
const SERVERS: [(&str, &[&str]); 5] = [
    ("filesystem", &["filesystem"]),
    ("gdrive", &["gdrive-ref", "google-workspace"]),
    ("github", &["github-ref", "github-official"]),
    ("gmail", &["gmail-gongrzhe", "google-workspace"]),
    ("slack", &["slack-ref", "slack-korotovsky"]),
];

fn of_packs() -> Vec<Case> {
    let mut cases = Vec::new();
    for (pack, servers) in SERVERS {
        let Some(lists) = servers.iter().map(|server| recorded(server)).collect::<Option<Vec<_>>>() else {
            eprintln!("skipped, no recorded tool lists beside the repository: the cases of the pack {pack}");
            continue;
        };
        let folder = root().join("packs").join(pack);
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
        let manifest = Manifest::parse(&read("pack.toml")).unwrap();
        let file: PackFile = toml::from_str(&read("cases.toml")).unwrap();
        for case in file.case {
            let has = |list: &&Vec<Value>| list.iter().any(|tool| tool["name"] == case.tool.as_str());
            let tools =
                lists.iter().find(has).unwrap_or_else(|| panic!("{pack}: no `{}` recorded", case.tool));
            cases.push(of_pack(&manifest, tools, case));
        }
    }
    cases
}

fn of_pack(manifest: &Manifest, tools: &[Value], case: PackCase) -> Case {
    let pack = &manifest.name;
    let package = manifest.servers.iter().flat_map(|server| &server.packages).next().unwrap();
    let identity = ServerIdentity {
        name: pack.clone(),
        command: ["npx", "-y", package].map(str::to_owned).into(),
        ..ServerIdentity::default()
    };
    assert_eq!(manifest.matched(&identity), Some(Matched::Command), "{pack}");
    let settings: Option<Value> = case.settings.map(|text| serde_json::from_str(&text).unwrap());
    let policy = settings.map(|settings| toml::to_string(&json!({"packs": {pack: settings}})).unwrap());
    let code = |find: &String| find.split(' ').next().unwrap().to_owned();
    Case {
        title: format!("pack {pack}: {}", case.name),
        identity,
        tools: tools.to_vec(),
        packs: true,
        policy: policy.unwrap_or_default(),
        prompt: None,
        seen: Vec::new(),
        resolved: BTreeMap::new(),
        attempts: 1,
        call: Call { tool: case.tool, arguments: case.arguments },
        expect: Expect {
            verdict: case.verdict.replace("pass", "allow"),
            contract: None,
            code: None,
            reason_contains: None,
            questions: None,
            found: Some(case.finds.iter().map(code).collect()),
        },
    }
}

impl Case {
    /// Makes the links of `resolved` below `root`, and moves the paths of the case there.
    pub fn settle_in(&mut self, root: &Path) {
        let tops: Vec<String> =
            self.resolved.keys().map(|from| format!("/{}/", from.split('/').nth(1).unwrap())).collect();
        let moved = |text: &str| {
            tops.iter().fold(text.to_owned(), |text, top| {
                let new = format!("{}{top}", root.display());
                if text.contains(&new) { text } else { text.replace(top, &new) }
            })
        };
        for (from, to) in &self.resolved {
            let link = PathBuf::from(moved(from));
            std::fs::create_dir_all(link.parent().unwrap()).unwrap();
            std::os::unix::fs::symlink(moved(to), &link).unwrap();
        }
        self.policy = moved(&self.policy);
        self.call.arguments = moved(&self.call.arguments);
    }
}
