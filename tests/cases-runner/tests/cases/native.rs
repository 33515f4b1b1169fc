//! The packs as native code, behind the same types as their components: what the sandbox does with bytes is done here
//! with values.

use bouncer::sandbox::Evaluation;
use bouncer_core::arg_path::ArgPath;
use bouncer_core::contract::{Contract, Sink};
use bouncer_core::decide::{ModuleFinding, ModuleOutcome, Weighed};
use bouncer_core::destination::{self, Kind};
use bouncer_core::evidence::{Evidence, Sighting};
use bouncer_core::tool::{ServerIdentity, Tool};
use bouncer_core::verdict::{Trust, Verdict};
use bouncer_guest::bindings::exports::bouncer::policy::rules::{self as wit, Guest};
use bouncer_guest::{Exported, Policy};
use regex::Regex;

type Contracts = fn(wit::Server, Vec<wit::Tool>, String) -> Result<Vec<wit::Contract>, String>;
type Evaluate = fn(wit::Call, Vec<wit::Destination>) -> Result<wit::Judgement, String>;

fn native<P: Policy>() -> (Contracts, Evaluate) {
    (<Exported<P> as Guest>::contracts, <Exported<P> as Guest>::evaluate)
}

fn of(pack: &str) -> (Contracts, Evaluate) {
    match pack {
        "filesystem" => native::<bouncer_pack_filesystem::Filesystem>(),
        "gdrive" => native::<bouncer_pack_gdrive::Drive>(),
        "github" => native::<bouncer_pack_github::GitHub>(),
        "gmail" => native::<bouncer_pack_gmail::Gmail>(),
        "slack" => native::<bouncer_pack_slack::Slack>(),
        other => panic!("no native policy for `{other}`"),
    }
}

const KINDS: [(Kind, wit::Kind); 11] = [
    (Kind::Email, wit::Kind::Email),
    (Kind::Url, wit::Kind::Url),
    (Kind::Host, wit::Kind::Host),
    (Kind::Phone, wit::Kind::Phone),
    (Kind::Channel, wit::Kind::Channel),
    (Kind::User, wit::Kind::User),
    (Kind::Repository, wit::Kind::Repository),
    (Kind::Account, wit::Kind::Account),
    (Kind::Path, wit::Kind::Path),
    (Kind::Reference, wit::Kind::Reference),
    (Kind::Unknown, wit::Kind::Unknown),
];

fn core_kind(kind: wit::Kind) -> Kind {
    KINDS.iter().find(|(_, guest)| *guest == kind).unwrap().0
}

fn guest_kind(kind: Kind) -> wit::Kind {
    KINDS.iter().find(|(core, _)| *core == kind).unwrap().1
}

/// What the pack states, by tool.
pub fn contracts(
    pack: &str,
    identity: &ServerIdentity,
    tools: &[Tool],
    settings: &str,
) -> Result<Vec<(String, Contract)>, String> {
    let server = wit::Server {
        name: identity.name.clone(),
        reported_name: identity.reported_name.clone(),
        reported_version: identity.reported_version.clone(),
        command: identity.command.clone(),
    };
    let tools = tools
        .iter()
        .map(|tool| wit::Tool { name: tool.name.clone(), definition: tool.definition.to_json() })
        .collect();
    let stated = of(pack).0(server, tools, settings.to_owned())?;
    Ok(stated.into_iter().map(|stated| (stated.tool.clone(), contract(stated))).collect())
}

fn paths(texts: &[String]) -> Vec<ArgPath> {
    texts.iter().map(|text| ArgPath::parse(text).unwrap()).collect()
}

fn contract(stated: wit::Contract) -> Contract {
    let sink =
        |sink: wit::Sink| Sink { params: paths(&sink.params), join: sink.join, kind: core_kind(sink.kind) };
    let pattern = |(path, pattern): &(String, String)| {
        (ArgPath::parse(path).unwrap(), Regex::new(&format!(r"\A(?:{pattern})\z")).unwrap())
    };
    Contract {
        exfiltrating: stated.exfiltrating,
        destructive: stated.destructive,
        sinks: stated.sinks.into_iter().map(sink).collect(),
        harmless: paths(&stated.harmless),
        trusted_destinations: stated.trusted_destinations,
        write_params: paths(&stated.write_params),
        arg_patterns: stated.arg_patterns.iter().map(pattern).collect(),
        max_calls: stated.max_calls,
        directories: paths(&stated.directories),
        evaluate: stated.evaluate,
        ..Contract::default()
    }
}

/// What the pack makes of one call.
pub fn evaluate(pack: &str, evaluation: &Evaluation<'_>) -> ModuleOutcome {
    let call = wit::Call {
        server: evaluation.server.to_owned(),
        tool: evaluation.tool.to_owned(),
        arguments: evaluation.arguments_json.to_owned(),
        settings: evaluation.settings_json.to_owned(),
    };
    let known = evaluation.destinations.iter().map(known).collect();
    let name = pack.to_owned();
    match of(pack).1(call, known) {
        Ok(judgement) => ModuleOutcome::Answered {
            pack: name,
            findings: judgement.findings.into_iter().map(finding).collect(),
            destinations: judgement
                .destinations
                .iter()
                .flat_map(|found| destination::read(core_kind(found.kind), &found.value, &found.argument))
                .collect(),
        },
        Err(text) => ModuleOutcome::Failed { pack: name, reason: format!("answered with an error: {text}") },
    }
}

fn known(Weighed { destination, evidence }: &Weighed) -> wit::Destination {
    wit::Destination {
        value: destination.raw.clone(),
        canonical: destination.canonical.clone(),
        kind: guest_kind(destination.kind),
        argument: destination.argument.clone(),
        trust: match evidence.trust() {
            Trust::Trusted => wit::Trust::Trusted,
            Trust::Unproven => wit::Trust::Unproven,
            Trust::Tainted => wit::Trust::Tainted,
        },
        seen: seen(evidence).map_or_else(String::new, |s| {
            format!("answer {} of {}/{} {}: {}", s.call, s.server, s.tool, s.pointer, s.excerpt)
        }),
    }
}

fn seen(evidence: &Evidence) -> Option<&Sighting> {
    let near = evidence.near.as_ref().or(evidence.composed.as_ref()).map(|(_, sighting)| sighting);
    evidence.text.as_ref().or(near).or(evidence.field.as_ref()).or(evidence.directory.as_ref())
}

fn finding(finding: wit::Finding) -> ModuleFinding {
    ModuleFinding {
        verdict: match finding.verdict {
            wit::Verdict::Pass => Verdict::Allow,
            wit::Verdict::Ask => Verdict::Ask,
            wit::Verdict::Deny => Verdict::Deny,
        },
        code: finding.code,
        text: finding.text,
        argument: finding.argument,
    }
}
