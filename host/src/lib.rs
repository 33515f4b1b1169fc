//! Bouncer: a local MCP proxy that decides on each tool call whether its destination may receive the value.
//!
//! The deciding itself is `bouncer_core`; here is all that touches the world: processes, files, the client, Wasm.

pub mod audit;
pub mod cli;
pub mod demo;
pub mod frame;
pub mod home;
#[cfg(unix)]
pub mod http;
#[cfg(unix)]
mod inquiry;
pub mod json;
pub mod judge;
pub mod layer;
pub mod pack;
pub mod paths;
pub mod pins;
pub mod policy;
#[cfg(unix)]
pub mod proxy;
pub mod sandbox;
#[cfg(unix)]
mod serve;
pub mod session;
#[cfg(target_os = "linux")]
mod start_pages;
pub mod store;
pub mod wrap;

#[cfg(not(unix))]
compile_error!(
    "the proxy needs process groups, signals and `poll`: Bouncer builds for Linux, macOS and other Unix systems"
);
