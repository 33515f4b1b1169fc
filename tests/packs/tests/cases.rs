//! Every pack's `cases.toml`, natively and as Wasm: both must say what the case says.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail by panicking")]

use bouncer::pack::{Pack, builtin};
use bouncer::sandbox::{Evaluation, Sandbox};
use bouncer_core::decide::{ModuleOutcome, Weighed};
use bouncer_core::destination::{self, Kind};
use bouncer_core::evidence::Evidence;
use bouncer_core::tool::{ServerIdentity, Tool};
use bouncer_core::value::Value;
use bouncer_guest::{Call, Destination, Judgement, Policy, Trust, Verdict, testing};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    case: Vec<Case>,
}

/// `finds` holds `code at /pointer`, `receives` holds `kind value at /pointer`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    tool: String,
    arguments: String,
    #[serde(default = "empty")]
    settings: String,
    /// What the host found already: `kind value at /pointer`.
    #[serde(default)]
    known: Vec<String>,
    verdict: String,
    #[serde(default)]
    finds: Vec<String>,
    #[serde(default)]
    receives: Vec<String>,
}

fn empty() -> String {
    "{}".into()
}

/// What one run gave, in the words of a case.
#[derive(Debug, PartialEq)]
struct Said {
    verdict: String,
    finds: Vec<String>,
    texts: Vec<String>,
    receives: Vec<String>,
}

fn destinations(lines: &[String]) -> Vec<destination::Destination> {
    let split = |line: &String| {
        let (kind, rest) = line.split_once(' ').unwrap();
        let (value, argument) = rest.rsplit_once(" at ").unwrap();
        destination::read(Kind::parse(kind).unwrap(), value, argument)
    };
    lines.iter().flat_map(split).collect()
}

fn guest_kind(kind: Kind) -> bouncer_guest::Kind {
    KINDS.iter().find(|(core, _)| *core == kind).unwrap().1
}

fn core_kind(kind: bouncer_guest::Kind) -> Kind {
    KINDS.iter().find(|(_, guest)| *guest == kind).unwrap().0
}

const KINDS: [(Kind, bouncer_guest::Kind); 11] = [
    (Kind::Email, bouncer_guest::Kind::Email),
    (Kind::Url, bouncer_guest::Kind::Url),
    (Kind::Host, bouncer_guest::Kind::Host),
    (Kind::Phone, bouncer_guest::Kind::Phone),
    (Kind::Channel, bouncer_guest::Kind::Channel),
    (Kind::User, bouncer_guest::Kind::User),
    (Kind::Repository, bouncer_guest::Kind::Repository),
    (Kind::Account, bouncer_guest::Kind::Account),
    (Kind::Path, bouncer_guest::Kind::Path),
    (Kind::Reference, bouncer_guest::Kind::Reference),
    (Kind::Unknown, bouncer_guest::Kind::Unknown),
];

fn described(found: &[destination::Destination]) -> Vec<String> {
    found.iter().map(|found| format!("{} {} at {}", found.kind, found.raw, found.argument)).collect()
}

fn natively<P: Policy>(case: &Case) -> Said {
    let settings = testing::settings::<P>(&case.settings.parse().unwrap()).unwrap();
    let known: Vec<Destination> = destinations(&case.known)
        .into_iter()
        .map(|known| Destination {
            value: known.raw,
            canonical: known.canonical,
            kind: guest_kind(known.kind),
            argument: known.argument,
            trust: Trust::Unproven,
            seen: String::new(),
        })
        .collect();
    let call = Call::new("server", &case.tool, case.arguments.parse().unwrap());
    let judgement: Judgement = P::evaluate(&call, &known, &settings).unwrap();
    let found: Vec<_> = judgement
        .destinations()
        .iter()
        .flat_map(|(value, kind, argument)| destination::read(core_kind(*kind), value, argument))
        .collect();
    Said {
        verdict: match judgement.verdict() {
            Verdict::Pass => "pass",
            Verdict::Ask => "ask",
            Verdict::Deny => "deny",
        }
        .into(),
        finds: judgement
            .findings()
            .iter()
            .map(|found| format!("{} at {}", found.code(), found.argument()))
            .collect(),
        texts: judgement.findings().iter().map(|found| found.text().to_owned()).collect(),
        receives: described(&found),
    }
}

fn as_wasm(pack: &Pack, case: &Case) -> Said {
    let known: Vec<Weighed> = destinations(&case.known)
        .into_iter()
        .map(|destination| Weighed { destination, evidence: Evidence::default() })
        .collect();
    let outcome = pack.module.evaluate(&Evaluation {
        server: "server",
        tool: &case.tool,
        arguments_json: &case.arguments,
        settings_json: &case.settings,
        destinations: &known,
    });
    let ModuleOutcome::Answered { findings, destinations, .. } = outcome else {
        panic!("{}: {outcome:?}", case.name);
    };
    let strictest = findings.iter().map(|found| found.verdict).max();
    Said {
        verdict: strictest.map_or("pass", |verdict| verdict.as_str()).replace("allow", "pass"),
        finds: findings.iter().map(|found| format!("{} at {}", found.code, found.argument)).collect(),
        texts: findings.into_iter().map(|found| found.text).collect(),
        receives: described(&destinations),
    }
}

fn run(pack: &Pack, native: fn(&Case) -> Said) {
    let path = bouncer_pack_tests::folder(&pack.manifest.name).join("cases.toml");
    let cases: Cases = toml::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert!(cases.case.len() >= 8, "{} has only {} cases", path.display(), cases.case.len());
    for case in &cases.case {
        let (natively, wasm) = (native(case), as_wasm(pack, case));
        assert_eq!(natively, wasm, "{}: native and Wasm differ", case.name);
        assert_eq!(natively.verdict, case.verdict, "{}: {natively:?}", case.name);
        assert_eq!(natively.finds, case.finds, "{}", case.name);
        assert_eq!(natively.receives, case.receives, "{}", case.name);
    }
    let verdicts = |verdict: &str| cases.case.iter().any(|case| case.verdict == verdict);
    assert!(verdicts("pass") && verdicts("ask"), "{} shows no pass or no ask", path.display());
}

#[test]
fn every_case_holds_natively_and_as_wasm() {
    for pack in builtin(&Sandbox::new(None).unwrap()).unwrap() {
        let native = match pack.manifest.name.as_str() {
            "filesystem" => natively::<bouncer_pack_filesystem::Filesystem>,
            "gdrive" => natively::<bouncer_pack_gdrive::Drive>,
            "github" => natively::<bouncer_pack_github::GitHub>,
            "gmail" => natively::<bouncer_pack_gmail::Gmail>,
            "slack" => natively::<bouncer_pack_slack::Slack>,
            "boards" => natively::<bouncer_pack_boards::Boards>,
            "browsers" => natively::<bouncer_pack_browsers::Browsers>,
            "chat" => natively::<bouncer_pack_chat::Chat>,
            "databases" => natively::<bouncer_pack_databases::Databases>,
            "google-workspace" => natively::<bouncer_pack_google_workspace::Workspace>,
            "mail-senders" => natively::<bouncer_pack_mail_senders::MailSenders>,
            "microsoft-365" => natively::<bouncer_pack_microsoft_365::Graph>,
            "notion" => natively::<bouncer_pack_notion::Notion>,
            "payments" => natively::<bouncer_pack_payments::Payments>,
            "shells" => natively::<bouncer_pack_shells::Shells>,
            "trackers" => natively::<bouncer_pack_trackers::Trackers>,
            "web" => natively::<bouncer_pack_web::Web>,
            other => panic!("no native policy for `{other}`"),
        };
        run(&pack, native);
    }
}

fn send_email() -> Vec<Tool> {
    let definition = r#"{"name":"send_email","inputSchema":{"type":"object","properties":{"to":{"type":"array"},"cc":{},"bcc":{},"subject":{},"body":{}}}}"#;
    let read = r#"{"name":"read_email","inputSchema":{"type":"object","properties":{"messageId":{"type":"string"}}}}"#;
    [definition, read]
        .into_iter()
        .map(|text| Tool::from_definition(Value::parse(text.as_bytes(), 32).unwrap()).unwrap())
        .collect()
}

fn server(command: &[&str], reported_name: &str) -> ServerIdentity {
    ServerIdentity {
        name: "mail".into(),
        reported_name: reported_name.into(),
        reported_version: "1".into(),
        command: command.iter().map(|word| (*word).to_owned()).collect(),
    }
}

#[test]
fn a_pack_speaks_for_its_server_and_loosens_only_by_the_command() {
    let packs = builtin(&Sandbox::new(None).unwrap()).unwrap();
    let tools = send_email();
    let stated =
        |identity: &ServerIdentity| bouncer::pack::stated(&packs, identity, &tools, &|_| "{}".into());
    let own = stated(&server(&["npx", "-y", "@gongrzhe/server-gmail-autoauth-mcp"], "gmail"));
    let said = |tool: &str| &own.by_tool.get(tool).unwrap()[0];
    assert_eq!(said("send_email").contract.exfiltrating, Some(true));
    assert_eq!(said("send_email").contract.sinks.len(), 3);
    assert_eq!(said("read_email").contract.exfiltrating, Some(false));
    assert!(said("read_email").may_loosen && own.faults.is_empty());
    // A server that only calls itself so gets what tightens.
    let impostor = stated(&server(&["node", "evil.js"], "gmail"));
    assert_eq!(impostor.by_tool.get("send_email").unwrap()[0].contract.exfiltrating, Some(true));
    let read = &impostor.by_tool.get("read_email").unwrap()[0];
    assert_eq!((read.contract.exfiltrating, read.may_loosen), (None, false));
    // The same tool names on another server are another server's tools.
    assert!(stated(&server(&["npx", "other-mail"], "other")).by_tool.is_empty());
}

#[test]
fn a_pack_that_faults_denies_every_tool_of_its_server() {
    let packs = builtin(&Sandbox::new(None).unwrap()).unwrap();
    let tools = send_email();
    let identity = server(&["npx", "-y", "@gongrzhe/server-gmail-autoauth-mcp"], "gmail");
    let stated = bouncer::pack::stated(&packs, &identity, &tools, &|_| r#"{"no_such_setting": 1}"#.into());
    assert!(stated.faults.get("gmail").unwrap().contains("no_such_setting"));
    assert!(tools.iter().all(|tool| stated.by_tool.get(&tool.name).unwrap()[0].contract.evaluate));
    assert!(matches!(stated.failed("gmail"), Some(ModuleOutcome::Failed { .. })));
    assert!(stated.failed("slack").is_none());
}
