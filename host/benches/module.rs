//! One `evaluate` of a built-in pack as Wasm: with an instance that was made ready beforehand, as in a running proxy;
//! with one that has to be made first, as when calls come faster than the answers go out; and, to compare with, again and
//! again on one instance that keeps its state, which the host never does. The arguments are 1 KB. Then what it takes to load
//! it, at the first start and at later ones.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use bouncer::pack::builtin_where;
use bouncer::sandbox::{Evaluation, Sandbox};
use bouncer_core::decide::{ModuleOutcome, Weighed};
use bouncer_core::destination::{Kind, read};
use bouncer_core::evidence::Evidence;
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};

const COMPONENT: &[u8] = include_bytes!("../../packs/gmail/gmail.wasm");

/// 1 KB of arguments.
fn arguments() -> String {
    let body = "Dear all, here are the minutes of today's meeting about nothing in particular. ".repeat(12);
    format!(r#"{{"to":["Ann <ann@corp.com>, bob@corp.com"],"subject":"Minutes","body":"{body}"}}"#)
}

fn module(criterion: &mut Criterion) {
    let sandbox = Sandbox::new(None).unwrap();
    let packs = builtin_where(&sandbox, |manifest| manifest.name == "gmail").unwrap();
    let module = &packs.first().unwrap().module;
    let destinations: Vec<Weighed> = read(Kind::Email, "ann@corp.com", "/to/0")
        .into_iter()
        .map(|destination| Weighed { destination, evidence: Evidence::default() })
        .collect();
    let arguments = arguments();
    let evaluate = || {
        let outcome = module.evaluate(&Evaluation {
            server: "mail",
            tool: "send_email",
            arguments_json: &arguments,
            settings_json: "{}",
            destinations: &destinations,
        });
        assert!(matches!(outcome, ModuleOutcome::Answered { .. }), "{outcome:?}");
        outcome
    };
    criterion.bench_function("module/ready instance", |b| {
        b.iter_batched(|| module.prepare(), |()| evaluate(), BatchSize::PerIteration);
    });
    criterion.bench_function("module/fresh instance", |b| b.iter(evaluate));
    let mut reused = reused::Reused::new(COMPONENT, &arguments);
    criterion.bench_function("module/one instance for all calls", |b| b.iter(|| reused.evaluate()));
}

/// The engine without any of the host's: one instance for all calls.
mod reused {
    use wasmtime::component::{Component, Linker};
    use wasmtime::{Config, Engine, Store};

    wasmtime::component::bindgen!({ path: "../wit", world: "policy" });
    use exports::bouncer::policy::rules::{Call, Destination, Kind, Trust};

    pub(crate) struct Reused {
        store: Store<()>,
        policy: Policy,
        call: Call,
        destinations: Vec<Destination>,
    }

    impl Reused {
        pub(crate) fn new(component: &[u8], arguments: &str) -> Self {
            let mut config = Config::new();
            config.consume_fuel(true).epoch_interruption(true);
            let engine = Engine::new(&config).unwrap();
            let component = Component::from_binary(&engine, component).unwrap();
            let mut store = Store::new(&engine, ());
            arm(&mut store);
            let policy = Policy::instantiate(&mut store, &component, &Linker::new(&engine)).unwrap();
            let call = Call {
                server: "mail".into(),
                tool: "send_email".into(),
                arguments: arguments.into(),
                settings: "{}".into(),
            };
            let destination = Destination {
                value: "ann@corp.com".into(),
                canonical: "ann@corp.com".into(),
                kind: Kind::Email,
                argument: "/to/0".into(),
                trust: Trust::Unproven,
                seen: String::new(),
            };
            Self { store, policy, call, destinations: vec![destination] }
        }

        pub(crate) fn evaluate(&mut self) {
            arm(&mut self.store);
            let rules = self.policy.bouncer_policy_rules();
            rules.call_evaluate(&mut self.store, &self.call, &self.destinations).unwrap().unwrap();
        }
    }

    fn arm(store: &mut Store<()>) {
        store.set_epoch_deadline(10);
        store.set_fuel(1_000_000_000).unwrap();
    }
}

/// Compiling a pack's module, and taking it from the cache: both with their first instance.
fn load(criterion: &mut Criterion) {
    let dir = tempfile::tempdir().unwrap();
    let cached = || Sandbox::new(Some(dir.path().join("modules"))).unwrap();
    cached().load("gmail", COMPONENT).unwrap();
    assert_eq!(cached().cache_problem(), None);
    let load = |sandbox: Sandbox| sandbox.load("gmail", COMPONENT).unwrap();
    criterion.bench_function("module/from the cache", |b| {
        b.iter_batched(cached, load, BatchSize::PerIteration);
    });
    criterion.bench_function("module/compiled", |b| {
        b.iter_batched(|| Sandbox::new(None).unwrap(), load, BatchSize::PerIteration);
    });
}

criterion_group!(benches, module, load);
criterion_main!(benches);
