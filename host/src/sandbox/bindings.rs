//! The host's side of the world in `wit/`, generated.
#![allow(missing_docs, unreachable_pub, clippy::all)]

wasmtime::component::bindgen!({
    path: "../wit",
    world: "policy",
});
