//! Contracts for tools that nobody described, from their names and schemas. Deliberately general: no lists of tool names.
#![allow(clippy::todo, missing_docs)]
use crate::contract::Contract;
use crate::tool::{ServerIdentity, Tool};

/// What the schema of `tool` suggests. Server-given annotations only tighten.
pub fn contract(server: &ServerIdentity, tool: &Tool) -> Contract {
    let _ = (server, tool);
    todo!()
}
