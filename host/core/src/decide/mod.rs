//! The decision: all contracts evaluated into one ruling; the strictest wins.
//!
//! [`merge`] makes one contract of what the layers state; [`paths_of`] names what the host has to resolve; [`floor`]
//! evaluates the native contracts; [`Floor::settle`] adds what the policy modules found and the sink gate's word on
//! every destination. Nothing here asks anybody, runs a module, or touches the disk.

mod budget;
mod constraint;
mod gather;
mod merge;
mod modules;
mod note;
mod path;
mod profile;
mod requests;
mod schema;
mod settle;
mod sink_gate;
mod usual;

#[cfg(test)]
mod tests;

use crate::call::{Call, Method};
use crate::destination::Destination;
use crate::evidence::Evidence;
use crate::facts::Facts;
use crate::permit::Permit;
use crate::ruling::Ruling;
use crate::value::Value;
use crate::verdict::Verdict;
use gather::{Gathered, Why};
use note::Note;

pub use constraint::paths_of;
pub use merge::{FullMatch, Merged, merge};
pub use note::destination_key;
pub use usual::Usual;

/// A destination with what is known of it.
#[derive(Debug, Clone)]
pub struct Weighed {
    /// The destination.
    pub destination: Destination,
    /// What is known of it, allowlist and approvals included.
    pub evidence: Evidence,
}

/// The native contracts' findings; modules still to come. Owns the call.
#[derive(Debug)]
pub struct Floor {
    call: Call,
    notes: Vec<Note>,
    gathered: Vec<Gathered>,
    weighed: Vec<Weighed>,
    modules: Vec<String>,
}

/// What one module did with one call.
#[derive(Debug, Clone)]
pub enum ModuleOutcome {
    /// It answered.
    Answered {
        /// The pack's name.
        pack: String,
        /// What it found.
        findings: Vec<ModuleFinding>,
        /// Destinations that it found inside arguments. They are looked up natively.
        destinations: Vec<Destination>,
    },
    /// It trapped, ran out of fuel or time, or answered nonsense: the call is denied, the module named.
    Failed {
        /// The pack's name.
        pack: String,
        /// What happened.
        reason: String,
    },
}

/// One thing that a module found.
#[derive(Debug, Clone)]
pub struct ModuleFinding {
    /// What it would do; an allow is a pass, and outvotes nobody.
    pub verdict: Verdict,
    /// A stable word for programs.
    pub code: String,
    /// One sentence for a person.
    pub text: String,
    /// JSON pointer of the argument it is about; empty for the call as a whole.
    pub argument: String,
}

/// Evaluates the native contracts and finds the call's destinations.
#[must_use]
pub fn floor(call: Call, contract: &Merged, facts: &Facts<'_>) -> Floor {
    let is_tool = call.method() == Method::CallTool;
    let mut notes = Vec::new();
    if is_tool {
        notes.push(budget::pinning(call.tool(), contract, facts));
    }
    budget::budget(call.tool(), contract, facts, &mut notes);
    constraint::constraint(&call, contract, facts, &mut notes);
    let mut gathered = match contract.exfiltrating {
        false => Vec::new(),
        true if is_tool => gather::gather(&call, contract),
        true => requests::gather(&call, contract),
    };
    sink_gate::whole_names(&call, contract, facts, &mut gathered);
    let weighed = gathered
        .iter()
        .map(|one| sink_gate::look_up(one.destination.clone(), call.tool(), contract, facts))
        .collect();
    Floor { call, notes, gathered, weighed, modules: contract.evaluate.clone() }
}

impl Floor {
    /// The call that is judged.
    #[must_use]
    pub fn call(&self) -> &Call {
        &self.call
    }

    /// The destinations found natively; empty where the tool does not send.
    #[must_use]
    pub fn destinations(&self) -> &[Weighed] {
        &self.weighed
    }

    /// The packs whose `evaluate` must be called, each exactly once; a missing outcome is a failed one.
    #[must_use]
    pub fn modules(&self) -> &[String] {
        &self.modules
    }

    /// The ruling, once the modules have answered. `contract` and `facts` are those that `floor` saw.
    #[must_use]
    pub fn settle(mut self, outcomes: Vec<ModuleOutcome>, contract: &Merged, facts: &Facts<'_>) -> Judged {
        let (notes, found) = modules::outcomes(&self.call, &self.modules, outcomes, facts);
        self.notes.extend(notes);
        for (pack, destination) in found {
            let known = |g: &Gathered| g.destination == destination && g.why == Why::Declared;
            if self.gathered.iter().any(known) {
                continue;
            }
            self.weighed.push(sink_gate::look_up(destination.clone(), self.call.tool(), contract, facts));
            self.gathered.push(Gathered { destination, why: Why::Module(pack), said: Vec::new() });
        }
        self.notes.extend(sink_gate::sink_gate(&self.call, contract, facts, &self.gathered, &self.weighed));
        if self.call.method() == Method::CallTool {
            self.notes.extend(profile::profile(&self.call, contract, facts, &self.weighed));
        }
        Judged { call: self.call, ruling: settle::settle(self.notes) }
    }
}

/// A call with its ruling. The permit comes out only where the ruling is allow.
#[derive(Debug)]
pub struct Judged {
    call: Call,
    ruling: Ruling,
}

impl Judged {
    /// The call that was judged.
    #[must_use]
    pub fn call(&self) -> &Call {
        &self.call
    }

    /// The decision and its reasons.
    #[must_use]
    pub fn ruling(&self) -> &Ruling {
        &self.ruling
    }

    /// The key to the upstream.
    ///
    /// # Errors
    /// Where the ruling is not allow: the call back, to be asked about (and judged again with new facts) or refused.
    #[expect(
        clippy::result_large_err,
        reason = "once a call; the refused call is the common next step, not an error path"
    )]
    pub fn permit(self) -> Result<(Permit, Ruling), (Call, Ruling)> {
        if self.ruling.verdict == Verdict::Allow {
            Ok((Permit { bytes: self.call.bytes }, self.ruling))
        } else {
            Err((self.call, self.ruling))
        }
    }
}

/// A scalar as text: strings as they are, numbers as written, booleans by their word; nothing for null, lists, objects.
fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(text) => Some(text.to_string()),
        Value::Bool(true) => Some("true".to_owned()),
        Value::Bool(false) => Some("false".to_owned()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
