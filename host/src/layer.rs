//! Who states what of a tool: schema heuristics, packs and the user's policy, gathered for one server.
//!
//! The two traits are the seams to the policy files and to the packs. Merging is the core's matter.

use bouncer_core::contract::{Contract, Layer, Said, Stated};
use bouncer_core::decide::{ModuleOutcome, Weighed};
use bouncer_core::heuristic;
use bouncer_core::tool::{ServerIdentity, Tool};
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// The user's own word on a tool.
pub trait PolicySource: Send + Sync {
    /// What the policy states of one tool of one server.
    fn stated(&self, server: &str, tool: &str) -> Vec<Stated>;

    /// What it says of none of the server's `tools` although its writer may believe so, in words.
    fn strays(&self, _server: &str, _tools: &[&str]) -> Vec<String> {
        Vec::new()
    }
}

/// What all packs state of a server's tools.
#[derive(Debug, Default)]
pub struct PackStatements {
    /// By tool name.
    pub by_tool: BTreeMap<String, Vec<Stated>>,
    /// Packs that are for this server but failed to state anything, with the reason: every call of the server's is
    /// denied in their name.
    pub faults: BTreeMap<String, String>,
}

/// One call for one pack's `evaluate`.
#[derive(Debug, Clone, Copy)]
pub struct PackCall<'a> {
    /// The pack's name, as its statements gave it.
    pub pack: &'a str,
    /// The user's name for the server.
    pub server: &'a str,
    /// The tool.
    pub tool: &'a str,
    /// The arguments as JSON.
    pub arguments_json: &'a str,
    /// The call's destinations with what is known of them.
    pub destinations: &'a [Weighed],
}

/// The policy modules.
pub trait PackSource: Send + Sync {
    /// What the packs for this server state of its tools. Called once for each tool list.
    fn stated(&self, identity: &ServerIdentity, tools: &[Tool]) -> PackStatements;
    /// Runs one pack's `evaluate`. Never panics; a fault is [`ModuleOutcome::Failed`].
    fn evaluate(&self, call: PackCall<'_>) -> ModuleOutcome;
    /// The first digits of the hash of an installed pack that something is granted to; `None` for any other, whose word needs
    /// no grant.
    fn granted_hash(&self, _pack: &str) -> Option<String> {
        None
    }
    /// Makes ready, off the path of a call, what the next call will need.
    fn prepare(&self) {}
}

/// No policy file and no packs: heuristics alone.
#[derive(Debug, Clone, Copy)]
pub struct Nobody;

impl PolicySource for Nobody {
    fn stated(&self, _server: &str, _tool: &str) -> Vec<Stated> {
        Vec::new()
    }
}

impl PackSource for Nobody {
    fn stated(&self, _identity: &ServerIdentity, _tools: &[Tool]) -> PackStatements {
        PackStatements::default()
    }

    fn evaluate(&self, call: PackCall<'_>) -> ModuleOutcome {
        ModuleOutcome::Failed { pack: call.pack.to_owned(), reason: "the pack is not loaded".to_owned() }
    }
}

/// All layers.
#[derive(Clone)]
pub struct Layers {
    /// The user's policy.
    pub policy: Arc<dyn PolicySource>,
    /// Packs and custom rules.
    pub packs: Arc<dyn PackSource>,
}

impl Default for Layers {
    fn default() -> Self {
        Self { policy: Arc::new(Nobody), packs: Arc::new(Nobody) }
    }
}

impl fmt::Debug for Layers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Layers")
    }
}

impl Layers {
    /// What each layer states of each of `tools`, in their order, and the packs that failed, with the reason.
    #[must_use]
    pub fn gather(
        &self,
        identity: &ServerIdentity,
        tools: &[Tool],
        homes: &[String],
    ) -> (Vec<Vec<Stated>>, BTreeMap<String, String>) {
        let mut packs = self.packs.stated(identity, tools);
        let all = tools
            .iter()
            .map(|tool| {
                let mut stated = vec![heuristics(identity, tool, homes)];
                stated.extend(packs.by_tool.remove(&tool.name).unwrap_or_default());
                stated.extend(packs.faults.keys().map(|pack| failed(pack)));
                stated.extend(self.policy.stated(&identity.name, &tool.name));
                stated
            })
            .collect();
        (all, packs.faults)
    }
}

fn heuristics(identity: &ServerIdentity, tool: &Tool, homes: &[String]) -> Stated {
    let mut contract = heuristic::contract(identity, tool);
    if !contract.write_params.is_empty() && contract.home_prefixes.is_empty() {
        contract.home_prefixes = homes.to_vec();
    }
    let said = Said { layer: Layer::Heuristic, place: "schema heuristics".to_owned() };
    Stated { said, contract, may_loosen: false }
}

/// A pack that could not say what it knows of the tools must be asked about each call, and will fail each time.
fn failed(pack: &str) -> Stated {
    let said = Said { layer: Layer::Pack(pack.to_owned()), place: format!("pack {pack}") };
    Stated { said, contract: Contract { evaluate: true, ..Contract::default() }, may_loosen: false }
}

/// The folders in which a server may be expected to write: its working directory, the folders among its arguments,
/// and the temporary folder; resolved.
#[must_use]
pub fn homes(cwd: &Path, args: &[String]) -> Vec<String> {
    let among = args.iter().map(Path::new).filter(|p| p.is_absolute() && p.is_dir()).map(Path::to_owned);
    let mut out: Vec<String> = std::iter::once(cwd.to_owned())
        .chain(among)
        .chain(std::iter::once(std::env::temp_dir()))
        .filter_map(|p| crate::paths::real(&p).ok())
        // A server started in `/` has no home there: everything would lie in it.
        .filter(|p| p.parent().is_some())
        .filter_map(|p| p.to_str().map(str::to_owned))
        .collect();
    out.sort();
    out.dedup();
    out
}
