//! Components from WebAssembly text, for what no Rust guest can be made to do: nonsense at the level of the ABI.
#![allow(clippy::expect_used, reason = "only tests use it")]

pub mod wit;

use std::path::Path;
use wit_component::{StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

/// A component of the policy world whose core module is this text.
///
/// # Panics
/// Where the text is no module of that world.
#[must_use]
pub fn component_from_wat(core_module: &str) -> Vec<u8> {
    let mut resolve = Resolve::default();
    let wit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../wit");
    let (package, _) = resolve.push_dir(wit).expect("the world can be read");
    let world = resolve.select_world(&[package], Some("policy")).expect("the world is there");
    let mut module = wat::parse_str(core_module).expect("the text is WebAssembly");
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).expect("the world fits");
    bouncer::sandbox::component::from_core_module(&module).expect("the module fits the world")
}

/// A core module whose `evaluate` has this body (result: address of the answer), with this much memory in pages and
/// these further items. `contracts` answers with an empty list.
#[must_use]
pub fn core_module(evaluate: &str, pages: u32, items: &str) -> String {
    format!(
        r#"(module
  (memory (export "memory") {pages})
  (global $next (mut i32) (i32.const 4096))
  {items}
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
    (local $at i32)
    (local.set $at (global.get $next))
    (global.set $next (i32.and (i32.add (i32.add (local.get $at) (local.get 3)) (i32.const 7)) (i32.const -8)))
    (local.get $at))
  (func (export "bouncer:policy/rules@0.1.0#contracts")
    (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)
    (i32.const 64))
  (func (export "bouncer:policy/rules@0.1.0#evaluate")
    (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)
    {evaluate}))"#
    )
}
