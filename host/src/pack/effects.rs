//! What a pack would loosen on servers whose tools are recorded, if it were granted what it wants: in words, one line for
//! each thing. It says what the module states of the tools as they are recorded; of others it may state more of the same
//! kinds.

use super::{GrantKind, Grants, Pack};
use crate::pins::Recorded;
use bouncer_core::contract::Contract;
use bouncer_core::heuristic;
use bouncer_core::tool::{ServerIdentity, Tool};

/// One thing that a grant would loosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// The user's name for the server.
    pub server: String,
    /// Which grant it takes.
    pub kind: GrantKind,
    /// The tool.
    pub tool: String,
    /// What would be so, in words.
    pub text: String,
}

/// What is known of a pack on the recorded servers.
#[derive(Debug, Clone, Default)]
pub struct Effects {
    /// What would loosen, in the order of servers and tools.
    pub all: Vec<Effect>,
    /// The servers that it is for.
    pub servers: Vec<String>,
    /// Servers that only call themselves as it wants: there it tightens and never loosens.
    pub by_name_only: Vec<String>,
    /// Servers on whose tools it fails, and why.
    pub faults: Vec<(String, String)>,
}

impl Effects {
    /// Of this pack on these servers. `settings` are its own, as JSON text.
    #[must_use]
    pub fn of(pack: &Pack, records: &[Recorded], settings: &str) -> Self {
        let wanted = pack.manifest.grants.kinds();
        let mut effects = Self::default();
        for record in records {
            let identity = record.identity();
            let Some(matched) = pack.manifest.matched(&identity) else { continue };
            effects.servers.push(identity.name.clone());
            if !matched.may_loosen() {
                effects.by_name_only.push(identity.name.clone());
                continue;
            }
            let tools = record.tools();
            match pack.module.contracts(&identity, &tools, settings) {
                Err(fault) => effects.faults.push((identity.name.clone(), fault.reason)),
                Ok(contracts) => {
                    for stated in contracts {
                        let tool = tools.iter().find(|tool| tool.name == stated.tool);
                        let said = tool.map(|tool| loosened(&identity, tool, &stated.contract, &wanted));
                        effects.all.extend(said.into_iter().flatten());
                    }
                }
            }
        }
        effects.servers.sort();
        effects.servers.dedup();
        effects
    }
}

/// The kinds of grants that something in this contract needs to take effect.
#[must_use]
pub fn loosening(contract: &Contract) -> Grants {
    let no = contract.exfiltrating == Some(false) || contract.destructive == Some(false);
    let kinds = [
        (GrantKind::Harmless, !contract.harmless.is_empty()),
        (GrantKind::NotSending, no),
        (GrantKind::Directories, !contract.directories.is_empty()),
        (GrantKind::Vouch, !contract.trusted_destinations.is_empty()),
    ];
    kinds.into_iter().filter(|(_, stated)| *stated).map(|(kind, _)| kind).collect()
}

/// What a contract loosens of one tool.
fn loosened(server: &ServerIdentity, tool: &Tool, contract: &Contract, wanted: &Grants) -> Vec<Effect> {
    let mut all = Vec::new();
    let mut add = |kind: GrantKind, text: String| {
        if wanted.has(kind) {
            all.push(Effect { server: server.name.clone(), kind, tool: tool.name.clone(), text });
        }
    };
    for path in &contract.harmless {
        add(GrantKind::Harmless, format!("`{}` is no destination, whatever stands in it", path.as_str()));
    }
    if !contract.sinks.is_empty() {
        let sinks: Vec<String> = contract
            .sinks
            .iter()
            .flat_map(|sink| &sink.params)
            .map(|path| format!("`{}`", path.as_str()))
            .collect();
        add(
            GrantKind::Harmless,
            format!("where {} says who receives a call, the other arguments are content", sinks.join(", ")),
        );
    }
    let guessed = heuristic::contract(server, tool);
    let guessed_sending = guessed.exfiltrating == Some(true) || !guessed.sinks.is_empty();
    if contract.exfiltrating == Some(false) && guessed_sending {
        add(GrantKind::NotSending, "sends nothing, so its destinations are not asked about".to_owned());
    }
    if contract.destructive == Some(false) && (guessed.destructive == Some(true) || guessed.uses_up) {
        add(GrantKind::NotSending, "destroys nothing, so it has no guessed budget".to_owned());
    }
    for path in &contract.directories {
        add(
            GrantKind::Directories,
            format!("whom its answers list at `{}` may be sent to without a question", path.as_str()),
        );
    }
    for entry in &contract.trusted_destinations {
        add(GrantKind::Vouch, format!("may send to `{entry}` without a question"));
    }
    all
}
