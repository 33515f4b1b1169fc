//! Bouncer: a local MCP proxy that decides, with no model involved, whether a destination may receive a value.
//!
//! This library is what surrounds the pure decision core; see [`bouncer_core`] for how a call is decided.

pub mod audit;
pub mod cli;
pub mod frame;
pub mod home;
pub mod json;
pub mod judge;
pub mod layer;
pub mod paths;
pub mod pins;
pub mod policy;
#[cfg(unix)]
pub mod proxy;
pub mod session;
pub mod wrap;
