//! Bouncer: a local MCP proxy that decides where values may go.

pub mod sandbox;
