//! Bouncer: a local MCP proxy that decides on each tool call whether its destination may receive the value.
//!
//! The deciding itself is `bouncer_core`; here is all that touches the world: processes, files, the client, Wasm.

pub mod home;
pub mod pack;
pub mod policy;
pub mod sandbox;
pub mod store;
