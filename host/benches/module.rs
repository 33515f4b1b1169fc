//! One `evaluate` of a built-in pack as Wasm: with an instance that was made ready beforehand, as in a running proxy,
//! and with one that has to be made first, as when calls come faster than the answers go out. The arguments are 1 KB.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use bouncer::pack::builtin_where;
use bouncer::sandbox::{Evaluation, Sandbox};
use bouncer_core::decide::{ModuleOutcome, Weighed};
use bouncer_core::destination::{Kind, read};
use bouncer_core::evidence::Evidence;
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};

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
}

criterion_group!(benches, module);
criterion_main!(benches);
