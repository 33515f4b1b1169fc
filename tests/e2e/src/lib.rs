//! What the end-to-end tests share: a raw client that speaks newline-delimited JSON-RPC and hides nothing, the
//! places of the real servers, and the rule for skipping. It asserts nothing about verdicts.

mod client;
mod http;
mod servers;

pub use client::{Client, Human};
pub use http::Listening;
pub use servers::{bouncer, npm_script, npm_server, python, repository_root, shared};
