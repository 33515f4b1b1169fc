//! A loaded module. Each call gets an instance that no other call has used or will use.

use super::bindings::{Policy, PolicyPre};
use super::engine::{DEADLINE_TICKS, Wasm};
use super::limits::{self, State};
use super::{Evaluation, Fault, LoadError, PackContract, Usage, convert};
use bouncer_core::decide::ModuleOutcome;
use bouncer_core::tool::{ServerIdentity, Tool};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use wasmtime::component::{Component, Linker};
use wasmtime::{Store, Trap};

/// A loaded policy module. Cheap to clone; calls from several threads run side by side.
#[derive(Clone)]
pub struct Module {
    inner: Arc<Inner>,
}

struct Inner {
    name: String,
    wasm: Arc<Wasm>,
    pre: PolicyPre<State>,
    bench: Mutex<Bench>,
}

/// An instance that waits for its one call, and one that has had it: both making and dropping cost more than
/// a call, so both happen in [`Module::prepare`].
#[derive(Default)]
struct Bench {
    spare: Option<Instance>,
    spent: Option<Instance>,
}

struct Instance {
    store: Store<State>,
    policy: Policy,
}

impl std::fmt::Debug for Module {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Module").field("name", &self.inner.name).finish_non_exhaustive()
    }
}

impl Module {
    pub(super) fn new(name: &str, wasm: Arc<Wasm>, component: &Component) -> Result<Self, LoadError> {
        // Empty, and it stays so.
        let linker = Linker::new(&wasm.engine);
        let pre = linker
            .instantiate_pre(component)
            .and_then(PolicyPre::new)
            .map_err(|error| LoadError::Start(format!("{error:#}")))?;
        let inner = Inner { name: name.to_owned(), wasm, pre, bench: Mutex::default() };
        // The first instance shows whether the exports have the world's types, and is the first call's.
        let first = inner.instantiate().map_err(LoadError::Start)?;
        inner.bench().spare = Some(first);
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The name it was loaded under.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// Makes the next call's instance ready and drops the last one's: to be called off the path, after an answer.
    pub fn prepare(&self) {
        let spent = self.inner.bench().spent.take();
        drop(spent);
        if self.inner.bench().spare.is_none() {
            // Where it fails, the call that needs it fails too and says why.
            if let Ok(instance) = self.inner.instantiate() {
                self.inner.bench().spare = Some(instance);
            }
        }
    }

    /// What the last call used; `None` before the first, and after [`Self::prepare`].
    #[must_use]
    pub fn usage(&self) -> Option<Usage> {
        let bench = self.inner.bench();
        let store = &bench.spent.as_ref()?.store;
        let left = store.get_fuel().ok()?;
        Some(Usage { fuel: store.data().fuel.saturating_sub(left), memory: store.data().memory })
    }

    /// What the module states of a server's tools.
    ///
    /// # Errors
    /// Where it trapped, ran over a limit, answered with an error, or stated something that cannot be read.
    pub fn contracts(
        &self,
        identity: &ServerIdentity,
        tools: &[Tool],
        settings_json: &str,
    ) -> Result<Vec<PackContract>, Fault> {
        let answer = || {
            let server = convert::server(identity);
            let listed = convert::tools(tools);
            let bytes = listed.iter().map(|tool| tool.name.len() + tool.definition.len()).sum::<usize>();
            let stated = self.inner.run(bytes + settings_json.len(), |Instance { store, policy }| {
                policy.bouncer_policy_rules().call_contracts(store, &server, &listed, settings_json)
            })?;
            convert::contracts(stated, tools)
        };
        guarded(answer).map_err(|reason| Fault { pack: self.inner.name.clone(), reason })
    }

    /// What the module makes of one call; a fault is an outcome as well.
    #[must_use]
    pub fn evaluate(&self, evaluation: &Evaluation<'_>) -> ModuleOutcome {
        let pack = self.inner.name.clone();
        let answer = || {
            let call = convert::call(evaluation);
            let destinations = convert::destinations(evaluation.destinations);
            let texts = destinations
                .iter()
                .map(|d| d.value.len() + d.canonical.len() + d.argument.len() + d.seen.len());
            let bytes = call.arguments.len() + call.settings.len() + texts.sum::<usize>();
            let judgement = self.inner.run(bytes, |Instance { store, policy }| {
                policy.bouncer_policy_rules().call_evaluate(store, &call, &destinations)
            })?;
            convert::judgement(judgement)
        };
        match guarded(answer) {
            Ok((findings, destinations)) => ModuleOutcome::Answered { pack, findings, destinations },
            Err(reason) => ModuleOutcome::Failed { pack, reason },
        }
    }
}

/// A bug in the engine must not take the proxy down with it: it is the module's fault as far as the call goes.
fn guarded<T>(answer: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(answer)).unwrap_or_else(|_| Err("broke its host".to_owned()))
}

impl Inner {
    fn bench(&self) -> std::sync::MutexGuard<'_, Bench> {
        // A bench is whole at any time: a panic elsewhere does not spoil it.
        self.bench.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn instantiate(&self) -> Result<Instance, String> {
        self.wasm.start_clock();
        let mut store = Store::new(&self.wasm.engine, State::default());
        store.limiter(|state| state);
        store.set_hostcall_fuel(limits::ANSWER_BYTES);
        arm(&mut store, 0)?;
        match self.pre.instantiate(&mut store) {
            Ok(policy) => Ok(Instance { store, policy }),
            Err(error) => Err(explain(&error, store.data())),
        }
    }

    /// Runs one call on an instance of its own.
    fn run<T>(
        &self,
        bytes: usize,
        call: impl FnOnce(&mut Instance) -> wasmtime::Result<Result<T, String>>,
    ) -> Result<T, String> {
        let spare = self.bench().spare.take();
        let mut instance = match spare {
            Some(instance) => instance,
            None => self.instantiate()?,
        };
        arm(&mut instance.store, bytes)?;
        let answer = call(&mut instance);
        let answer = match answer {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(text)) => Err(format!("answered with an error: {}", convert::clean(&text))),
            Err(error) => Err(explain(&error, instance.store.data())),
        };
        let before = self.bench().spent.replace(instance);
        drop(before);
        answer
    }
}

/// Fuel and deadline anew: the time since it was made ready does not count.
fn arm(store: &mut Store<State>, bytes: usize) -> Result<(), String> {
    store.set_epoch_deadline(DEADLINE_TICKS);
    let fuel = limits::fuel_for(bytes);
    store.data_mut().fuel = fuel;
    store.set_fuel(fuel).map_err(|error| error.to_string())
}

/// What went wrong, in words.
fn explain(error: &wasmtime::Error, state: &State) -> String {
    if state.memory_refused {
        return format!("wanted more than its {} MiB of memory", limits::MEMORY_BYTES / (1024 * 1024));
    }
    match error.downcast_ref::<Trap>() {
        Some(Trap::OutOfFuel) => "used up its fuel".to_owned(),
        Some(Trap::Interrupt) => format!("took longer than {} seconds", limits::WALL_SECONDS),
        Some(Trap::StackOverflow) => "overflowed its stack".to_owned(),
        Some(Trap::UnreachableCodeReached) => "panicked".to_owned(),
        Some(trap) => format!("trapped: {trap}"),
        None => format!("answered nonsense: {}", convert::clean(&error.root_cause().to_string())),
    }
}
