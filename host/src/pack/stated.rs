//! What the packs state of one server's tools, as layers for the core to merge.
//!
//! A pack that faults when it is asked says nothing of any tool, and silence must not pass for consent: every tool of
//! the server then waits for its word (`evaluate`), and [`PackStatements::faults`] says why that word is a fault.

use super::{GrantKind, Grants, Matched, Pack};
use bouncer_core::contract::{Contract, Layer, Said, Stated};
use bouncer_core::decide::ModuleOutcome;
use bouncer_core::tool::{ServerIdentity, Tool};
use std::collections::BTreeMap;

/// What the packs that are for a server state of its tools.
#[derive(Debug, Default)]
pub struct PackStatements {
    /// By tool name, in the order of the packs.
    pub by_tool: BTreeMap<String, Vec<Stated>>,
    /// Packs that could not say what they know of the server, and why. Every tool of the server is denied by them.
    pub faults: BTreeMap<String, String>,
}

impl PackStatements {
    /// The outcome of a pack that is not to be called since it faulted already; `None` for any other.
    #[must_use]
    pub fn failed(&self, pack: &str) -> Option<ModuleOutcome> {
        let reason = self.faults.get(pack)?.clone();
        Some(ModuleOutcome::Failed { pack: pack.to_owned(), reason })
    }
}

/// Asks every pack that is for this server. `settings` gives a pack's settings as JSON text, by pack name.
#[must_use]
pub fn stated(
    packs: &[Pack],
    identity: &ServerIdentity,
    tools: &[Tool],
    settings: &dyn Fn(&str) -> String,
) -> PackStatements {
    let mut statements = PackStatements::default();
    for pack in packs {
        let Some(matched) = pack.manifest.matched(identity) else { continue };
        let name = &pack.manifest.name;
        let effective = pack.effective(matched);
        let mut add = |tool: String, contract: Contract| {
            let said = said(pack, matched);
            let of_tool = statements.by_tool.entry(tool).or_default();
            of_tool.extend(layers(contract, &effective).map(|(contract, may_loosen)| Stated {
                said: said.clone(),
                contract,
                may_loosen,
            }));
        };
        match pack.module.contracts(identity, tools, &settings(name)) {
            Ok(contracts) => contracts.into_iter().for_each(|stated| add(stated.tool, stated.contract)),
            Err(fault) => {
                for tool in tools {
                    add(tool.name.clone(), Contract { evaluate: true, ..Contract::default() });
                }
                statements.faults.insert(name.clone(), fault.reason);
            }
        }
    }
    statements
}

fn said(pack: &Pack, matched: Matched) -> Said {
    let (name, version) = (&pack.manifest.name, &pack.manifest.version);
    let place = match matched {
        Matched::Command => format!("pack {name} {version}"),
        Matched::ReportedName => format!("pack {name} {version}, by the server's own name"),
    };
    Said { layer: Layer::Pack(name.clone()), place }
}

impl Pack {
    /// The kinds that take effect for a server that it was matched with so: granted, and asked for in the manifest.
    #[must_use]
    pub fn effective(&self, matched: Matched) -> Grants {
        let wanted = self.manifest.grants.kinds();
        if matched.may_loosen() { self.granted.and(&wanted) } else { Grants::default() }
    }
}

/// A contract as layers, each with whether it may loosen. With `harmless` granted, the pack's sinks also say which other
/// arguments are content, so it is one layer that may loosen. Without, what it says of sinks narrows nothing: it stands
/// in a layer that may not, and the other granted kinds stand beside it.
fn layers(contract: Contract, granted: &Grants) -> impl Iterator<Item = (Contract, bool)> {
    let contract = within(contract, granted);
    let (strict, loose) = if granted.is_empty() {
        (Some(contract), None)
    } else if granted.has(GrantKind::Harmless) {
        (None, Some(contract))
    } else {
        let no = |flag: Option<bool>| flag.filter(|yes| !yes);
        let loose = Contract {
            exfiltrating: no(contract.exfiltrating),
            destructive: no(contract.destructive),
            trusted_destinations: contract.trusted_destinations.clone(),
            directories: contract.directories.clone(),
            ..Contract::default()
        };
        (Some(within(contract, &Grants::default())), Some(loose))
    };
    strict.map(|contract| (contract, false)).into_iter().chain(loose.map(|contract| (contract, true)))
}

/// The contract without what loosens and was not granted. What only a user's own file may say is dropped in any case.
fn within(mut contract: Contract, granted: &Grants) -> Contract {
    if !granted.has(GrantKind::Harmless) {
        contract.harmless.clear();
    }
    if !granted.has(GrantKind::Directories) {
        contract.directories.clear();
    }
    if !granted.has(GrantKind::Vouch) {
        contract.trusted_destinations.clear();
    }
    if !granted.has(GrantKind::NotSending) {
        contract.exfiltrating = contract.exfiltrating.filter(|sends| *sends);
        contract.destructive = contract.destructive.filter(|destroys| *destroys);
    }
    contract.replace = false;
    contract.on_tainted = None;
    contract
}

#[cfg(test)]
#[path = "stated_tests.rs"]
mod tests;
