use super::*;
use crate::pack::EMBEDDED;
use crate::sandbox::Sandbox;
use crate::sandbox::bindings::exports::bouncer::policy::rules as wit;

fn gmail() -> Module {
    let pack = EMBEDDED.iter().find(|pack| pack.name == "gmail").unwrap();
    Sandbox::new(None).unwrap().load("gmail", pack.component).unwrap()
}

/// An instance that has had a call with 1 KB of arguments.
fn used(module: &Module) -> Instance {
    let mut instance = module.inner.instantiate().unwrap();
    let body = "Dear all, here are the minutes of today's meeting. ".repeat(20);
    let call = wit::Call {
        server: "mail".into(),
        tool: "send_email".into(),
        arguments: format!(r#"{{"to":["ann@corp.example"],"subject":"Minutes","body":"{body}"}}"#),
        settings: "{}".into(),
    };
    let Instance { store, policy } = &mut instance;
    policy.bouncer_policy_rules().call_evaluate(store, &call, &[]).unwrap().unwrap();
    instance
}

/// Bytes of this process that are in memory.
#[cfg(target_os = "linux")]
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() * 1024
}

#[cfg(target_os = "linux")]
#[test]
fn an_instance_that_waits_holds_at_most_64_kib() {
    const INSTANCES: usize = 100;
    let module = gmail();
    drop(used(&module));
    // What other tests take meanwhile is counted too, so one quiet round of several is enough.
    let rounds = (0..8).map(|_| {
        let before = resident();
        let all: Vec<Instance> = (0..INSTANCES).map(|_| used(&module)).collect();
        let each = resident().saturating_sub(before) / INSTANCES;
        // Kept ones would make the next round look cheaper than it is.
        std::mem::forget(all);
        each
    });
    let rounds: Vec<usize> = rounds.collect();
    eprintln!("{} bytes each at best, of {rounds:?}", rounds.iter().min().unwrap());
    assert!(rounds.iter().any(|each| *each > 8 * 1024 && *each <= 64 * 1024), "{rounds:?} bytes");
}

/// Pages that this thread touched and the system had to give first.
#[cfg(target_os = "linux")]
fn faults() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
    let after_the_name = text.rsplit(')').next().unwrap();
    after_the_name.split_whitespace().nth(7).unwrap().parse().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn a_call_finds_the_pages_that_it_touches() {
    const CALLS: u64 = 50;
    let module = gmail();
    let arguments =
        format!(r#"{{"to":["ann@corp.example"],"subject":"x","body":"{}"}}"#, "a word ".repeat(140));
    let call = || {
        module.prepare();
        let before = faults();
        let outcome = module.evaluate(&Evaluation {
            server: "mail",
            tool: "send_email",
            arguments_json: &arguments,
            settings_json: "{}",
            destinations: &[],
        });
        assert!(matches!(outcome, ModuleOutcome::Answered { .. }), "{outcome:?}");
        faults() - before
    };
    let warm: u64 = (0..CALLS).map(|_| call()).sum();
    let all: u64 = (0..CALLS).map(|_| call()).sum();
    eprintln!("{warm} faults, then {all} in {CALLS} calls");
    // Fresh memory would be four and more for each call.
    assert!(all < CALLS, "{all} faults in {CALLS} calls");
}
