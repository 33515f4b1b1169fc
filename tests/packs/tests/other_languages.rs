//! A policy module in C: built where clang and wasm-ld are there, made a component, and held against its cases.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod common;

use bouncer::sandbox::{Sandbox, component};
use bouncer_core::tool::{ServerIdentity, Tool};
use bouncer_core::value::Value;
use common::run;
use std::process::Command;

/// The module with the world's description, as `wasm-tools component embed` puts it in.
fn described(mut module: Vec<u8>) -> Vec<u8> {
    let mut resolve = wit_parser::Resolve::default();
    let (package, _) = resolve.push_dir(bouncer_pack_tests::root().join("wit")).unwrap();
    let world = resolve.select_world(&[package], Some("policy")).unwrap();
    wit_component::embed_component_metadata(
        &mut module,
        &resolve,
        world,
        wit_component::StringEncoding::UTF8,
    )
    .unwrap();
    module
}

#[test]
fn a_module_in_c_is_one_like_any_other() {
    let folder = bouncer_pack_tests::root().join("docs/examples/c");
    let there = |program: &str| {
        Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
    };
    if !there("clang") || !there("wasm-ld") {
        assert!(std::env::var_os("CI").is_none(), "clang and wasm-ld are not installed (Debian: clang, lld)");
        eprintln!("skipped: clang and wasm-ld are not installed, so the example in C is not built");
        return;
    }
    let out = tempfile::tempdir().unwrap();
    let built = Command::new("sh").arg(folder.join("build.sh")).arg(out.path()).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let module = std::fs::read(out.path().join("confidential.wasm")).unwrap();
    let component = component::from_core_module(&described(module)).unwrap();
    assert!(component.len() < 8 * 1024, "{} bytes", component.len());
    let sandbox = Sandbox::new(None).unwrap();
    let module = sandbox.load("confidential", &component).unwrap();
    run(&module, &folder.join("cases.toml"), false, None);

    let tool = Tool::from_definition(Value::parse(br#"{"name":"send"}"#, 8).unwrap()).unwrap();
    let contracts = module.contracts(&ServerIdentity::default(), std::slice::from_ref(&tool), "{}").unwrap();
    assert!(contracts.len() == 1 && contracts[0].tool == "send" && contracts[0].contract.evaluate);
    assert!(contracts[0].contract.sinks.is_empty() && contracts[0].contract.max_calls.is_none());
    let many: Vec<Tool> = (0..300).map(|n| Tool { name: format!("t{n}"), ..tool.clone() }).collect();
    assert_eq!(module.contracts(&ServerIdentity::default(), &many, "{}").unwrap().len(), 300);
}
