//! Bouncer: a local MCP proxy that decides, with no model involved, whether a destination may receive a value.

pub mod audit;
pub mod frame;
pub mod json;
pub mod judge;
pub mod layer;
pub mod paths;
pub mod pins;
#[cfg(unix)]
pub mod proxy;
pub mod session;
