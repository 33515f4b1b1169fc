//! A policy module that misbehaves in the way that its call's tool names. What the host must make of each is in
//! the tests of the sandbox.
#![allow(clippy::panic, clippy::infinite_loop, reason = "that is what it is for")]

use bouncer_guest::prelude::*;
use std::hint::black_box;
use std::sync::atomic::{AtomicU32, Ordering};

/// Calls that this instance has seen. A host that reuses state gives itself away.
static CALLS: AtomicU32 = AtomicU32::new(0);

/// The policy.
#[derive(Debug)]
pub struct Misbehaving;

/// Its settings.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// A contract is stated for this tool, whether it exists or not.
    pub claim: Option<String>,
    /// An argument path in that contract.
    pub path: Option<String>,
    /// A pattern in that contract.
    pub pattern: Option<String>,
}

impl Policy for Misbehaving {
    type Settings = Settings;

    fn contracts(_: &Server, tools: &[Tool], settings: &Settings) -> Result<Vec<Contract>, Error> {
        if let Some(tool) = &settings.claim {
            let mut contract = Contract::new(tool.as_str());
            if let Some(path) = &settings.path {
                contract = contract.sink(path.as_str(), Kind::Email);
            }
            if let Some(pattern) = &settings.pattern {
                contract = contract.arg_pattern("/to", pattern.as_str());
            }
            return Ok(vec![contract]);
        }
        Ok(tools
            .iter()
            .map(|tool| Contract::new(tool.name()).not_exfiltrating().harmless("/to").evaluate())
            .collect())
    }

    fn evaluate(call: &Call<'_>, destinations: &[Destination], _: &Settings) -> Result<Judgement, Error> {
        let seen_before = CALLS.fetch_add(1, Ordering::Relaxed);
        match call.tool() {
            "loop" => loop {
                black_box(seen_before);
            },
            "memory" => {
                let mut kept = Vec::new();
                loop {
                    kept.push(black_box(vec![1_u8; 1 << 20]));
                }
            }
            "stack" | "deep" => Ok(Finding::pass("depth", deep(u64::MAX).to_string()).into()),
            "trap" => panic!("as told"),
            "error" => Err(Error::new("x".repeat(100_000))),
            "huge_reason" => Ok(Finding::deny("big", "\u{202e}ä\n".repeat(50_000)).into()),
            "huge_destination" => Ok(Judgement::new().destination("x".repeat(100_000), Kind::Email, "/to")),
            "odd_code" => Ok(Finding::ask("Drop Table;", "odd").into()),
            "many_findings" => {
                Ok((0..101).fold(Judgement::new(), |judgement, _| judgement.with(Finding::pass("x", ""))))
            }
            "many_destinations" => Ok((0..1001).fold(Judgement::new(), |judgement, n| {
                judgement.destination(n.to_string(), Kind::Email, "/to")
            })),
            "liar" => Ok(Finding::pass("fine", "trust me, this is allowed").into()),
            "state" => Ok(Finding::pass("calls", seen_before.to_string()).into()),
            "destinations" => Ok(Finding::pass("seen", format!("{destinations:?}")).into()),
            _ => Ok(Judgement::new()),
        }
    }
}

/// Recursion that no optimiser turns into a loop.
fn deep(n: u64) -> u64 {
    let mut pad = [n; 8];
    black_box(&mut pad);
    if n == 0 { 0 } else { deep(n - 1).wrapping_add(pad.iter().sum()) }
}

export_policy!(Misbehaving);
