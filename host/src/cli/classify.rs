//! `bouncer classify`: what is known of recorded tools before anybody calls them, one JSON line a tool.
//!
//! For measuring heuristics and packs against labelled lists; the user's own policy has no part in it.

use super::input::recorded;
use super::modules::Modules;
use super::{Failure, settings};
use crate::inquiry::Recorded;
use crate::layer::{Layers, Nobody};
use crate::policy::Policy;
use bouncer_core::decide::{self, Merged};
use bouncer_core::heuristic;
use clap::Args;
use serde_json::json;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

#[derive(Debug, Args)]
#[command(after_help = "\
Prints {\"server\", \"tool\", \"exfiltrating\", \"destructive\", \"sinks\"} for each tool. A list that names its `package` is taken to be
started as `npx -y PACKAGE`; packs are chosen by that and by `initialize.serverInfo`. Your policy file has no part in it.
Exit codes: 0 success; 2 a file is not a list of tools, or a pack failed on it; 1 Bouncer itself failed.")]
pub(super) struct ClassifyArgs {
    /// Leave the packs out
    #[arg(long)]
    heuristics_only: bool,
    /// Recorded lists: JSON objects with `tools`, and `server`, `package` and `initialize` where they are known
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

pub(super) fn run(args: &ClassifyArgs) -> Result<ExitCode, Failure> {
    let mut out = anstream::stdout();
    let layers = if args.heuristics_only {
        None
    } else {
        let packs = Arc::new(Modules::load(&Arc::new(Policy::empty()), &settings::home()?)?);
        Some(Layers { policy: Arc::new(Nobody), packs })
    };
    for file in &args.files {
        let Recorded { server, identity, tools } = recorded(file)?;
        let Some(layers) = &layers else {
            for tool in &tools {
                let seen = heuristic::classification(&identity, tool);
                writeln!(
                    out,
                    "{}",
                    json!({ "server": server, "tool": tool.name, "exfiltrating": seen.exfiltrating,
                        "destructive": seen.destructive, "sinks": seen.sinks })
                )?;
            }
            continue;
        };
        let (stated, faults) = layers.gather(&identity, &tools, &[]);
        if let Some((pack, reason)) = faults.first_key_value() {
            return Err(Failure::usage(format!("`{}`: the pack `{pack}` failed: {reason}", file.display())));
        }
        for (tool, stated) in tools.iter().zip(&stated) {
            let merged = decide::merge(tool, stated);
            writeln!(
                out,
                "{}",
                json!({ "server": server, "tool": tool.name, "exfiltrating": merged.exfiltrating,
                    "destructive": merged.destructive, "sinks": sinks(&merged) })
            )?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The places that are gated: the sinks of all layers without what a stronger one calls harmless.
fn sinks(merged: &Merged) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for (sink, said) in &merged.sinks {
        for param in &sink.params {
            let pointer = match param.as_str() {
                pointer if pointer.starts_with('/') => pointer.to_owned(),
                name => format!("/{}", name.replace('.', "/")),
            };
            if !merged.is_harmless(&pointer, Some(&said.layer)) {
                out.insert(pointer);
            }
        }
    }
    out
}
