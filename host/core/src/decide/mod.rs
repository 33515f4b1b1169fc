//! The decision: all contracts evaluated into one ruling; the strictest wins.
#![allow(clippy::todo, missing_docs)]
use crate::call::Call;
use crate::contract::{Said, Sink, Stated};
use crate::destination::Destination;
use crate::evidence::Evidence;
use crate::facts::Facts;
use crate::permit::Permit;
use crate::ruling::Ruling;
use crate::tool::Tool;
use crate::verdict::Verdict;

/// The one contract of a tool that results from all layers, with who said each field.
#[derive(Debug, Clone, Default)]
pub struct Merged {
    pub exfiltrating: bool,
    pub destructive: bool,
    pub sinks: Vec<(Sink, Said)>,
    // ... owned by the decide module: harmless, trusted (TrustPattern, Said), write_params, allowed_path_prefixes, home_prefixes, arg_patterns,
    // max_calls, directories, evaluate: Vec<pack name>, on_tainted, deny_fields, profile, known argument names from the schema
}
/// Merges layers field by field: the stricter wins, lists of sinks unite; what loosens counts only where `may_loosen`.
pub fn merge(tool: &Tool, layers: &[Stated]) -> Merged {
    let _ = (tool, layers);
    todo!()
}

/// The path values of a call that the host has to resolve before `floor` (see `Facts::resolved_paths`).
pub fn paths_of(call: &Call, contract: &Merged) -> Vec<String> {
    let _ = (call, contract);
    todo!()
}

/// A destination with what is known of it.
#[derive(Debug, Clone)]
pub struct Weighed {
    pub destination: Destination,
    pub evidence: Evidence,
}

/// The native contracts' findings; modules still to come. Owns the call.
#[derive(Debug)]
pub struct Floor {
    call: Call,
}
/// What one module did with one call.
#[derive(Debug, Clone)]
pub enum ModuleOutcome {
    /// It answered.
    Answered { pack: String, findings: Vec<ModuleFinding>, destinations: Vec<Destination> },
    /// It trapped, ran out of fuel or time, or answered nonsense: the call is denied, the module named.
    Failed { pack: String, reason: String },
}
#[derive(Debug, Clone)]
pub struct ModuleFinding {
    pub verdict: Verdict,
    pub code: String,
    pub text: String,
    pub argument: String,
}

pub fn floor(call: Call, contract: &Merged, facts: &Facts<'_>) -> Floor {
    let _ = (contract, facts);
    Floor { call }
}
impl Floor {
    pub fn call(&self) -> &Call {
        &self.call
    }
    pub fn destinations(&self) -> &[Weighed] {
        todo!()
    }
    /// The packs whose `evaluate` must be called, each exactly once; a missing outcome is a failed one.
    pub fn modules(&self) -> &[String] {
        todo!()
    }
    pub fn settle(self, outcomes: Vec<ModuleOutcome>, contract: &Merged, facts: &Facts<'_>) -> Judged {
        let _ = (outcomes, contract, facts);
        todo!()
    }
}
/// A call with its ruling. The permit comes out only where the ruling is allow.
#[derive(Debug)]
pub struct Judged {
    call: Call,
    ruling: Ruling,
}
impl Judged {
    pub fn call(&self) -> &Call {
        &self.call
    }
    pub fn ruling(&self) -> &Ruling {
        &self.ruling
    }
    /// The key to the upstream, or the call back to be asked about (judged again with new facts) or refused.
    pub fn permit(self) -> Result<(Permit, Ruling), (Call, Ruling)> {
        todo!()
    }
}
