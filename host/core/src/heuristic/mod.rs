//! Contracts for tools that nobody described, from their names, schemas and descriptions.
//! Deliberately general: words and shapes, no list of tool or server names. What cannot be read is treated as a
//! tool that sends, with all its arguments as destinations. What a server says of its own tool can only tighten:
//! no annotation and no wording in a description makes a tool harmless.

mod judge;
mod loss;
mod programs;
mod schema;
mod sending;
mod sinks;
mod verbs;
mod words;

#[cfg(test)]
mod corpus_tests;
#[cfg(test)]
mod tests;

use crate::arg_path::ArgPath;
use crate::contract::{Contract, Profile, Sink};
use crate::tool::{ServerIdentity, Tool};

/// Calls per session of a tool that deletes.
const DELETING_CALLS: u64 = 2;

/// What the heuristics see in a tool, as plain data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Classification {
    /// A call can carry data to a party that its arguments, or the server's state, choose.
    pub exfiltrating: bool,
    /// A call can lose something for good.
    pub destructive: bool,
    /// Argument paths (`/a/*/b`, `/map/{}`) that name who receives it. Empty on a tool that sends: all arguments do.
    pub sinks: Vec<String>,
}

/// What the schema of `tool` suggests, with no module and no policy. The server's identity is not consulted yet:
/// names of servers and tools are for packs.
#[must_use]
pub fn classification(server: &ServerIdentity, tool: &Tool) -> Classification {
    let _ = server;
    let seen = judge::judge(tool);
    let mut sinks: Vec<String> = seen.sinks.into_iter().flat_map(|s| s.params).collect();
    sinks.sort();
    sinks.dedup();
    Classification { exfiltrating: seen.exfiltrating, destructive: seen.destructive, sinks }
}

/// What the schema of `tool` suggests, as a contract. Server-given annotations only tighten.
#[must_use]
pub fn contract(server: &ServerIdentity, tool: &Tool) -> Contract {
    let _ = server;
    let seen = judge::judge(tool);
    let mut sinks = Vec::with_capacity(seen.sinks.len());
    for sink in seen.sinks {
        let params: Result<Vec<ArgPath>, _> = sink.params.iter().map(|p| ArgPath::parse(p)).collect();
        match params {
            Ok(params) => sinks.push(Sink { params, join: sink.join.to_owned(), kind: sink.kind }),
            Err(_) => {
                // A path that cannot be written down: without declared sinks every argument is one.
                sinks.clear();
                break;
            }
        }
    }
    Contract {
        exfiltrating: seen.exfiltrating.then_some(true),
        destructive: seen.destructive.then_some(true),
        uses_up: seen.uses_up,
        binds: seen.binds,
        sinks,
        write_params: seen.writes.iter().filter_map(|p| ArgPath::parse(p).ok()).collect(),
        max_calls: seen.deletes.then_some(DELETING_CALLS),
        // A few deletions are enough to lose what matters: what the user did not name is asked about.
        profile: (seen.deletes && seen.destructive).then_some(Profile::Strict),
        ..Contract::default()
    }
}
