//! `bouncer serve`: Bouncer asked what it would do and why, as an MCP server of its own on stdin and stdout.
//!
//! It stands beside the proxy, not in it: nothing of this can be reached through a wrapped server. It judges with the
//! engine that `run` uses and changes nothing: no call is made, logged, counted or remembered. What callers send is data:
//! no text of theirs makes it read a file. The SDK speaks the protocol's revisions, from 2024-11-05 to the stateless
//! 2026-07-28.

mod completion;
mod handler;
mod house;
mod lines;
mod packs;
mod pinned;
mod prompts;
mod recent;
mod resources;
mod tools;
mod untrusted;

use crate::home::Home;
use house::House;
use rmcp::service::ServerInitializeError;
use std::path::PathBuf;

/// Why it cannot serve.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ServeError {
    #[error("cannot start the server: {0}")]
    Start(std::io::Error),
    #[error("the client said nothing that a session can be opened with: {0}")]
    Opening(String),
}

/// Serves until the client closes stdin. `policy` is the user's policy file, where it is not the usual one.
pub(crate) fn run(home: Home, policy: Option<PathBuf>) -> Result<(), ServeError> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().build().map_err(ServeError::Start)?;
    let lines = lines::Lines::of_this_process().map_err(ServeError::Start)?;
    let server = handler::Server::new(House::new(home, policy));
    runtime.block_on(async {
        match rmcp::serve_server(server, lines).await {
            Ok(running) => {
                // However it ends: the client has gone.
                let _ = running.waiting().await;
                Ok(())
            }
            // A probe that looks and leaves.
            Err(
                ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::TransportError { .. },
            ) => Ok(()),
            Err(other) => Err(ServeError::Opening(other.to_string())),
        }
    })
}
