//! Bouncer: a local MCP proxy that decides on each tool call whether its destination may receive the value.
//!
//! The deciding itself is `bouncer_core`; here is all that touches the world: processes, files, the client, Wasm.

pub mod audit;
pub mod cli;
pub mod demo;
pub mod frame;
pub mod home;
pub mod http;
mod inquiry;
pub mod json;
pub mod judge;
pub mod layer;
mod os;
pub mod pack;
mod parts;
pub mod paths;
pub mod pins;
pub mod policy;
pub mod proxy;
pub mod sandbox;
mod serve;
pub mod session;
pub mod store;
pub mod wrap;

#[cfg(not(any(unix, windows)))]
compile_error!("Bouncer knows how to start and end servers on Unix systems and on Windows only");
