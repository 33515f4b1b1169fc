//! A project's `cases.toml`: calls, and what the rule is to make of them.

use crate::cli::Failure;
use crate::cli::input;
use crate::cli::text::shown;
use crate::sandbox::{Evaluation, Fault, Module};
use bouncer_core::contract::Contract;
use bouncer_core::decide::{ModuleOutcome, Weighed};
use bouncer_core::destination::{self, Destination, Kind};
use bouncer_core::evidence::Evidence;
use bouncer_core::tool::{ServerIdentity, Tool};
use bouncer_core::value::Value;
use bouncer_core::verdict::Verdict;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use std::fs;
use std::path::{Path, PathBuf};

const KINDS: &str = "email, url, host, phone, channel, user, repository, account, path, reference, unknown";

/// The name of the server in every case.
const SERVER: &str = "server";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    case: Vec<Case>,
    /// The server's list of tools. Without it each case's tool is one with the arguments of its call.
    tools: Option<PathBuf>,
}

/// The calls to try the rule on.
#[derive(Debug)]
pub(in crate::cli::pack) struct Cases {
    pub(in crate::cli::pack) all: Vec<Case>,
    /// The server's tools, where the file names a list of them.
    pub(in crate::cli::pack) tools: Option<Vec<Tool>>,
}

/// One call and what is to come of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::cli::pack) struct Case {
    pub(in crate::cli::pack) name: String,
    tool: String,
    arguments: String,
    #[serde(default = "no_settings")]
    settings: String,
    #[serde(default)]
    known: Vec<String>,
    verdict: String,
    #[serde(default)]
    finds: Vec<String>,
    #[serde(default)]
    receives: Vec<String>,
}

fn no_settings() -> String {
    "{}".to_owned()
}

/// What came of one call, in the words of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli::pack) struct Said {
    verdict: String,
    finds: Vec<String>,
    texts: Vec<String>,
    receives: Vec<String>,
}

/// The cases of a project.
pub(in crate::cli::pack) fn read(folder: &Path) -> Result<Cases, Failure> {
    let path = folder.join("cases.toml");
    let name = shown(&path.display().to_string());
    let text = fs::read_to_string(&path).map_err(|error| {
        Failure::usage(format!("cannot read `{name}`: {error}\nhint: it holds the calls to try the rule on"))
    })?;
    let file: File = toml::from_str(&text).map_err(|error| Failure::usage(format!("`{name}`: {error}")))?;
    if file.case.is_empty() {
        return Err(Failure::usage(format!("`{name}` has no case\nhint: `[[case]]` begins one")));
    }
    for case in &file.case {
        case.check()
            .map_err(|error| Failure::usage(format!("`{name}`, case `{}`: {error}", shown(&case.name))))?;
    }
    let tools = file.tools.map(|list| input::recorded(&folder.join(list))).transpose()?;
    Ok(Cases { all: file.case, tools: tools.map(|recorded| recorded.tools) })
}

impl Case {
    fn check(&self) -> Result<(), String> {
        for (key, text) in [("arguments", &self.arguments), ("settings", &self.settings)] {
            let parsed = serde_json::from_str::<serde_json::Map<String, Json>>(text);
            parsed.map_err(|error| format!("`{key}` is no JSON object: {error}"))?;
        }
        if !["pass", "ask", "deny", "fault"].contains(&self.verdict.as_str()) {
            return Err(format!("`verdict` is pass, ask, deny or fault, not `{}`", shown(&self.verdict)));
        }
        self.destinations().map(drop)
    }

    /// What the host found already.
    fn destinations(&self) -> Result<Vec<Destination>, String> {
        let mut all = Vec::new();
        for line in &self.known {
            let parts = line.split_once(' ').and_then(|(kind, rest)| {
                let (value, argument) = rest.rsplit_once(" at ")?;
                Some((Kind::parse(kind)?, value, argument))
            });
            let (kind, value, argument) = parts.ok_or_else(|| {
                format!("`{}` in `known` is not `KIND VALUE at /POINTER`; kinds: {KINDS}", shown(line))
            })?;
            all.extend(destination::read(kind, value, argument));
        }
        Ok(all)
    }

    /// The call as the native harness takes it.
    pub(in crate::cli::pack) fn handed_over(&self) -> Json {
        let known = self.destinations().unwrap_or_default();
        let destinations: Vec<Json> = known
            .iter()
            .map(|known| {
                json!({"value": known.raw, "canonical": known.canonical, "kind": known.kind.as_str(),
                    "argument": known.argument, "trust": "unproven", "seen": ""})
            })
            .collect();
        json!({"server": SERVER, "tool": self.tool, "arguments": self.arguments, "settings": self.settings,
            "destinations": destinations})
    }

    /// A tool with the arguments of this call.
    fn as_tool(&self) -> Option<Tool> {
        let given: Json = serde_json::from_str(&self.arguments).ok()?;
        let kind = |value: &Json| match value {
            Json::Null => json!({}),
            Json::Bool(_) => json!({"type": "boolean"}),
            Json::Number(_) => json!({"type": "number"}),
            Json::String(_) => json!({"type": "string"}),
            Json::Array(_) => json!({"type": "array"}),
            Json::Object(_) => json!({"type": "object"}),
        };
        let properties: serde_json::Map<String, Json> =
            given.as_object()?.iter().map(|(name, value)| (name.clone(), kind(value))).collect();
        let definition =
            json!({"name": self.tool, "inputSchema": {"type": "object", "properties": properties}});
        Tool::from_definition(Value::parse(definition.to_string().as_bytes(), 32).ok()?)
    }

    /// What the module states of the case's tool.
    fn stated(&self, module: &Module, tools: Option<&[Tool]>) -> Result<Option<Contract>, Fault> {
        let own: Vec<Tool> = self.as_tool().into_iter().collect();
        let server = ServerIdentity { name: SERVER.to_owned(), ..ServerIdentity::default() };
        let stated = module.contracts(&server, tools.unwrap_or(&own), &self.settings)?;
        Ok(stated.into_iter().find(|stated| stated.tool == self.tool).map(|stated| stated.contract))
    }

    /// Why the module would never be put the call; nothing where it would be.
    pub(in crate::cli::pack) fn never_asked(&self, module: &Module, tools: Option<&[Tool]>) -> Vec<String> {
        let tool = shown(&self.tool);
        if tools.is_some_and(|all| all.iter().all(|listed| listed.name != self.tool)) {
            return vec![format!("tool: `{tool}` is none of the listed tools")];
        }
        match self.stated(module, tools) {
            Ok(Some(contract)) if contract.evaluate => Vec::new(),
            Ok(_) => vec![format!(
                "contract: the rule states none with `evaluate` for `{tool}`, so it is never asked about this call"
            )],
            Err(_) if self.verdict == "fault" => Vec::new(),
            Err(fault) => vec![format!("contract: {}", shown(&fault.reason))],
        }
    }

    /// Puts the call to the module.
    pub(in crate::cli::pack) fn put_to(&self, module: &Module) -> ModuleOutcome {
        let known: Vec<Weighed> = self
            .destinations()
            .unwrap_or_default()
            .into_iter()
            .map(|destination| Weighed { destination, evidence: Evidence::default() })
            .collect();
        module.evaluate(&Evaluation {
            server: SERVER,
            tool: &self.tool,
            arguments_json: &self.arguments,
            settings_json: &self.settings,
            destinations: &known,
        })
    }

    /// Where the answer is not the one that the case wants: each difference on a line.
    pub(in crate::cli::pack) fn missed(&self, said: &Said) -> Vec<String> {
        let mut missed = Vec::new();
        if said.verdict != self.verdict {
            let why = said.texts.join("; ");
            let why = if why.is_empty() { String::new() } else { format!(" ({})", shown(&why)) };
            missed.push(format!("verdict: wanted {}, got {}{why}", self.verdict, said.verdict));
        }
        if said.finds != self.finds {
            missed.push(format!("finds: wanted {}, got {}", list(&self.finds), list(&said.finds)));
        }
        if said.receives != self.receives {
            missed.push(format!("receives: wanted {}, got {}", list(&self.receives), list(&said.receives)));
        }
        if !missed.is_empty() && self.known.is_empty() {
            missed.push("known: nothing, so the rule was handed no receivers".to_owned());
        }
        missed
    }
}

impl Said {
    pub(in crate::cli::pack) fn of(outcome: ModuleOutcome) -> Self {
        match outcome {
            ModuleOutcome::Answered { findings, destinations, .. } => {
                let strictest = findings.iter().map(|found| found.verdict).max();
                Self {
                    verdict: match strictest {
                        None | Some(Verdict::Allow) => "pass".to_owned(),
                        Some(verdict) => verdict.as_str().to_owned(),
                    },
                    finds: findings
                        .iter()
                        .map(|found| format!("{} at {}", found.code, found.argument))
                        .collect(),
                    texts: findings.into_iter().map(|found| found.text).collect(),
                    receives: destinations
                        .iter()
                        .map(|found| format!("{} {} at {}", found.kind, found.raw, found.argument))
                        .collect(),
                }
            }
            ModuleOutcome::Failed { reason, .. } => Self {
                verdict: "fault".to_owned(),
                finds: Vec::new(),
                texts: vec![reason],
                receives: Vec::new(),
            },
        }
    }

    /// Where the module's answer differs from the native one: each difference on a line.
    pub(in crate::cli::pack) fn differs(&self, module: &Self) -> Vec<String> {
        let both = [
            ("verdict", std::slice::from_ref(&self.verdict), std::slice::from_ref(&module.verdict)),
            ("finds", &self.finds, &module.finds),
            ("texts", &self.texts, &module.texts),
            ("receives", &self.receives, &module.receives),
        ];
        both.into_iter()
            .filter(|(_, native, module)| native != module)
            .map(|(what, native, module)| {
                format!("{what}: natively {}, as Wasm {}", list(native), list(module))
            })
            .collect()
    }
}

fn list(lines: &[String]) -> String {
    match lines {
        [] => "nothing".to_owned(),
        lines => lines.iter().map(|line| format!("`{}`", shown(line))).collect::<Vec<_>>().join(", "),
    }
}
