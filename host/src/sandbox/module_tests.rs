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
