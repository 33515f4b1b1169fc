//! Bouncer: a local MCP proxy that decides on each tool call whether its destination may receive the value.

pub mod pack;
pub mod sandbox;
