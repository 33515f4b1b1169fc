//! The one place where a call is judged: facts, the native floor, the policy modules, the settlement.
//!
//! `run` and every command that explains or checks a verdict go through here. It reads the file system (to resolve path
//! arguments) and runs modules outside of the session's lock; it writes nothing and asks nobody.

mod requests;

use crate::layer::{Layers, PackCall};
use crate::pack::{GrantUse, uses};
use crate::paths;
use crate::pins::serve::Served;
use crate::pins::{Part, Pins};
use crate::session::{self, Broken, Session};
use bouncer_core::arg_path::ArgPath;
use bouncer_core::call::{Call, Method};
use bouncer_core::decide::{self, Judged, Merged, ModuleOutcome};
use bouncer_core::facts::Facts;
use bouncer_core::pin::Pin;
use bouncer_core::provenance::Source;
use bouncer_core::tool::{ServerIdentity, Tool};
use bouncer_core::value::Value;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Instant;

/// Judges the calls for one server.
#[derive(Debug)]
pub struct Judge {
    server: String,
    layers: Layers,
    session: Arc<Session>,
    cwd: PathBuf,
    home: Option<PathBuf>,
    homes: Vec<String>,
    pins: Mutex<(Pins, ServerIdentity)>,
    tools: RwLock<Arc<Tools>>,
    requests: RwLock<Arc<BTreeMap<Method, Merged>>>,
}

/// What is known of a server's tools, replaced as a whole when it lists them again.
#[derive(Debug, Default)]
struct Tools {
    by_name: BTreeMap<String, Known>,
    faults: BTreeMap<String, String>,
    unknown: Merged,
    /// How a tool stands that is not in the list.
    otherwise: Option<Pin>,
}

#[derive(Debug)]
struct Known {
    pin: Pin,
    contract: Merged,
    grants: Arc<[GrantUse]>,
    /// Where its answers come from, and the places in them that are a directory.
    source: Arc<Source>,
    directories: Arc<[ArgPath]>,
}

/// Where a server runs.
#[derive(Debug, Clone, Default)]
pub struct Place {
    /// Its working directory, absolute.
    pub cwd: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// The user's home folder.
    pub home: Option<PathBuf>,
}

/// What a call has been through before it is judged.
#[derive(Debug, Clone, Default)]
pub struct Before {
    /// When it had come from the client, where that is known: see [`Session::with`].
    pub came: Option<Instant>,
    /// The attempt that was counted for it, where it has been judged already.
    pub attempt: Option<u64>,
    /// What a human allowed for this one call, by question key.
    pub once: Vec<String>,
    /// A human was asked about this very call: nobody is asked twice.
    pub asked: bool,
}

/// A judged call, and the attempt that was counted for it.
#[derive(Debug)]
pub struct Verdicted {
    /// The call with its ruling.
    pub judged: Judged,
    /// To be handed back when the same call is judged again.
    pub attempt: u64,
    /// Whether policy modules ran, so that [`Judge::prepare`] has something to do.
    pub ran_modules: bool,
}

/// A call that could not be judged. It is refused.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// See [`Broken`].
    #[error(transparent)]
    Broken(#[from] Broken),
    /// A bug in Bouncer.
    #[error("an internal fault while judging the call")]
    Panicked,
}

impl Judge {
    /// A judge for the server that the user calls `server`.
    #[must_use]
    pub fn new(server: &str, layers: Layers, session: Arc<Session>, place: Place) -> Self {
        let requests = requests::contracts(server, &layers, &Arc::default());
        Self {
            requests: RwLock::new(Arc::new(requests)),
            server: server.to_owned(),
            homes: crate::layer::homes(&place.cwd, &place.args),
            layers,
            session,
            cwd: place.cwd,
            home: place.home,
            pins: Mutex::new((Pins::in_memory(), ServerIdentity::default())),
            tools: RwLock::new(Arc::new(Tools::default())),
        }
    }

    /// The session that this judge looks things up in.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The user's name for the server.
    #[must_use]
    pub fn server(&self) -> &str {
        &self.server
    }

    /// The same, with pins that are kept. Otherwise they live as long as the judge.
    #[must_use]
    pub fn with_pins(mut self, pins: Pins) -> Self {
        self.pins = Mutex::new((pins, ServerIdentity::default()));
        self
    }

    fn pins(&self) -> MutexGuard<'_, (Pins, ServerIdentity)> {
        self.pins.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the server's complete tool list: pins what is new to the first list, compares what is pinned, merges what
    /// every layer states of each tool. The contract is made from the pinned definition.
    pub fn set_tools(&self, identity: &ServerIdentity, tools: Vec<Tool>) {
        let mut pins = self.pins();
        pins.1.clone_from(identity);
        if self.tools().by_name.is_empty() {
            let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
            for stray in self.layers.policy.strays(&self.server, &names) {
                tracing::warn!("{stray}");
            }
        }
        let pinned = pins.0.compare(identity, tools);
        self.merge(&pins, pinned);
        drop(pins);
        self.layers.packs.prepare();
    }

    fn merge(&self, (pins, identity): &(Pins, ServerIdentity), pinned: Vec<(Tool, Pin)>) {
        let (tools, stands): (Vec<Tool>, Vec<Pin>) = pinned.into_iter().unzip();
        let (stated, faults) = self.layers.gather(identity, &tools, &self.homes);
        let mut by_name = BTreeMap::new();
        for ((tool, pin), stated) in tools.into_iter().zip(stands).zip(stated) {
            let contract = decide::merge(&tool, &stated);
            let grants = uses(&contract, &|pack| self.layers.packs.granted_hash(pack)).into();
            let source = self.named(&tool.name);
            let directories = contract.directories.iter().map(|(path, _)| path.clone()).collect();
            by_name.insert(tool.name, Known { pin, contract, grants, source, directories });
        }
        let otherwise = Some(pins.otherwise());
        let fresh = Arc::new(Tools { by_name, faults, unknown: Merged::default(), otherwise });
        *self.tools.write().unwrap_or_else(PoisonError::into_inner) = fresh;
    }

    /// The server lists no tools, or none that can be relied on: every tool is unknown.
    pub fn forget_tools(&self) {
        let mut pins = self.pins();
        pins.0.forget_listed();
        *self.tools.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(Tools::default());
    }

    /// Takes the complete list of prompts, of resource templates, or the instructions.
    pub fn see(&self, part: Part, listed: Vec<Value>) {
        self.pins().0.see(None, part, listed);
    }

    /// Whether an entry of a list is not what was recorded of it, and nobody has accepted that.
    pub fn has_changed(&self, part: Part, name: &str) -> bool {
        self.pins().0.has_changed(part, name)
    }

    /// The server says that this part is another list from now on.
    pub fn announced(&self, part: Part) {
        self.pins().0.announced(part);
    }

    /// Looks at a list on its way to the client: for each item what takes its place, and whether it told anything new.
    pub fn serve(&self, part: Part, items: &[Value]) -> Served {
        let mut pins = self.pins();
        let refreshed = pins.0.refresh();
        let served = pins.0.serve(part, items);
        if refreshed || (served.news && part == Part::Tools) {
            let pinned = pins.0.tools();
            self.merge(&pins, pinned);
        }
        served
    }

    /// Takes in what a person accepted meanwhile.
    fn refresh(&self) {
        let mut pins = self.pins();
        if pins.0.refresh() {
            let pinned = pins.0.tools();
            self.merge(&pins, pinned);
        }
    }

    fn tools(&self) -> Arc<Tools> {
        Arc::clone(&self.tools.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Where the answers of `tool` come from, or what else this server says something by.
    #[must_use]
    pub fn source(&self, tool: &str) -> Arc<Source> {
        let listed = self.tools().by_name.get(tool).map(|known| Arc::clone(&known.source));
        listed.unwrap_or_else(|| self.named(tool))
    }

    fn named(&self, tool: &str) -> Arc<Source> {
        Arc::new(Source { server: self.server.clone(), tool: tool.to_owned() })
    }

    /// The places in the answers of `tool` that are a directory, by a grant.
    #[must_use]
    pub fn directories(&self, tool: &str) -> Arc<[ArgPath]> {
        self.tools().by_name.get(tool).map(|known| Arc::clone(&known.directories)).unwrap_or_default()
    }

    /// The grants to installed packs that take part in what is said of `tool`.
    #[must_use]
    pub fn grants(&self, tool: &str) -> Arc<[GrantUse]> {
        self.tools().by_name.get(tool).map(|known| Arc::clone(&known.grants)).unwrap_or_default()
    }

    /// Judges one call.
    ///
    /// # Errors
    /// A [`Fault`]; the call is gone then and must be refused.
    pub fn judge(&self, call: Call, before: &Before) -> Result<Verdicted, Fault> {
        catch_unwind(AssertUnwindSafe(|| self.judge_unguarded(call, before))).unwrap_or(Err(Fault::Panicked))
    }

    fn judge_unguarded(&self, call: Call, before: &Before) -> Result<Verdicted, Fault> {
        let requests = (call.method() != Method::CallTool).then(|| self.requests());
        let of_request = requests.as_ref().and_then(|requests| requests.get(&call.method()));
        let at_first = self.tools();
        let refreshed;
        let mut tools = &at_first;
        let mut listed = tools.by_name.get_key_value(call.tool());
        if of_request.is_none() && !matches!(listed, Some((_, Known { pin: Pin::Known, .. }))) {
            self.refresh();
            refreshed = self.tools();
            tools = &refreshed;
            listed = tools.by_name.get_key_value(call.tool());
        }
        let (contract, pin) = match (of_request, listed) {
            (Some(contract), _) => (contract, &Pin::Known),
            (None, Some((_, known))) => (&known.contract, &known.pin),
            (None, None) => (&tools.unknown, tools.otherwise.as_ref().unwrap_or(&Pin::Unknown)),
        };
        let values = decide::paths_of(&call, contract);
        let resolved_paths = paths::resolve_all(&values, &self.cwd, self.home.as_deref());
        let server = self.server.as_str();
        let snapshot = Snapshot { server, pin, resolved_paths: &resolved_paths, once: &before.once };
        let counted = match (before.attempt, pin) {
            (Some(counted), _) => Some(counted),
            // Names that no server listed are not kept: a client could fill the memory with them.
            (None, Pin::Unknown | Pin::Unreadable { .. }) => Some(1),
            (None, _) if call.method() != Method::CallTool && contract.max_calls.is_none() => Some(1),
            (None, _) => None,
        };
        let unlisted = listed.is_none().then(|| call.tool().to_owned());
        let tool = listed.map_or(unlisted.as_deref().unwrap_or_default(), |(name, _)| name);
        let decide = |known: &mut session::Known, attempt: u64| {
            let facts = snapshot.facts(attempt, known);
            let floor = decide::floor(call, contract, &facts);
            // Without modules nothing has to be waited for: both halves see the same snapshot.
            let step = if floor.modules().is_empty() {
                Step::Settled(floor.settle(Vec::new(), contract, &facts))
            } else {
                Step::Floor(floor)
            };
            (step, attempt)
        };
        let (step, attempt) = match counted {
            Some(attempt) => self.session.with(before.came, |known| decide(known, attempt))?,
            None => {
                let budget = contract.max_calls.is_some();
                self.session.with_attempt(server, tool, budget, before.came, decide)?
            }
        };
        let floor = match step {
            Step::Settled(judged) => return Ok(Verdicted { judged, attempt, ran_modules: false }),
            Step::Floor(floor) => floor,
        };
        let outcomes = self.run_modules(&floor, &tools.faults);
        let settle =
            |known: &mut session::Known| floor.settle(outcomes, contract, &snapshot.facts(attempt, known));
        let judged = self.session.with(before.came, settle)?;
        Ok(Verdicted { judged, attempt, ran_modules: true })
    }

    fn run_modules(&self, floor: &decide::Floor, faults: &BTreeMap<String, String>) -> Vec<ModuleOutcome> {
        let arguments_json = floor.call().arguments().to_json();
        let run = |pack: &String| match faults.get(pack) {
            Some(reason) => ModuleOutcome::Failed { pack: pack.clone(), reason: reason.clone() },
            None => self.layers.packs.evaluate(PackCall {
                pack,
                server: &self.server,
                tool: floor.call().tool(),
                arguments_json: &arguments_json,
                destinations: floor.destinations(),
            }),
        };
        floor.modules().iter().map(run).collect()
    }

    /// Makes ready what the next call will need; to be called when nothing waits for an answer.
    pub fn prepare(&self) {
        self.layers.packs.prepare();
    }
}

/// How far a call is judged before its modules are run.
enum Step {
    Settled(Judged),
    Floor(decide::Floor),
}

/// What stays the same between the floor and the settlement.
struct Snapshot<'a> {
    server: &'a str,
    pin: &'a Pin,
    resolved_paths: &'a BTreeMap<String, String>,
    once: &'a [String],
}

impl<'a> Snapshot<'a> {
    fn facts<'b>(&'b self, attempts: u64, provenance: &'b session::Known) -> Facts<'b>
    where
        'a: 'b,
    {
        let Self { server, pin, resolved_paths, once } = *self;
        Facts { server, pin, attempts, resolved_paths, provenance, once }
    }
}
