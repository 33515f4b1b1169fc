//! `bouncer pack check`: what a host would refuse in a pack, and why; all of it at once.

use super::Failure;
use super::find::is_path;
use super::said::records;
use crate::cli::input::recorded;
use crate::cli::settings;
use crate::cli::text::{shown, shown_lines};
use crate::home::Home;
use crate::pack::{Examined, Manifest, Shelf, is_builtin};
use crate::sandbox::limits::FUEL;
use crate::sandbox::{Evaluation, Module, Sandbox};
use bouncer_core::decide::ModuleOutcome;
use bouncer_core::tool::{ServerIdentity, Tool};
use clap::Args;
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use std::io::{Read as _, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// As many problems are told; a module can be wrong about each of thousands of tools.
const MOST: usize = 100;

#[derive(Debug, Args)]
#[command(after_help = "\
Its contracts are asked for, and every tool that it wants to judge is judged, on the lists that are given and on what is \
recorded of your servers that it is for.
Exit codes: 0 nothing would be refused; 1 something would; 2 the command line or a list is wrong.")]
pub(in crate::cli) struct CheckArgs {
    /// A folder, an archive, or the name of an installed pack
    #[arg(value_name = "PATH|NAME")]
    pack: String,
    /// Recorded lists of tools, whichever servers they are of; may be given several times
    #[arg(long, value_name = "FILE")]
    tools: Vec<PathBuf>,
}

pub(super) fn run(args: &CheckArgs) -> Result<ExitCode, Failure> {
    let home = settings::home()?;
    let mut examined = examine(&home, &args.pack)?;
    let mut out = anstream::stdout();
    if let Some(manifest) = &examined.manifest {
        if is_path(&home, &args.pack) && is_builtin(&manifest.name) {
            examined.problems.push(format!(
                "a pack called `{}` is built in, so this one cannot be installed",
                manifest.name
            ));
        }
        let size = examined.component.as_ref().map_or(0, Vec::len);
        writeln!(out, "{} {}: component of {size} bytes", shown(&manifest.name), shown(&manifest.version))?;
    }
    if let (Some(component), Some(manifest)) = (&examined.component, &examined.manifest) {
        let sandbox = Sandbox::new(None).map_err(Failure::new)?;
        match sandbox.load(&manifest.name, component) {
            Ok(module) => asked(&mut out, &home, args, &module, manifest, &mut examined.problems)?,
            // Told already, unless it is only found by starting it.
            Err(error) if examined.problems.is_empty() => examined.problems.push(error.to_string()),
            Err(_) => {}
        }
    }
    if examined.problems.is_empty() {
        writeln!(out, "nothing in it would be refused")?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut err = anstream::stderr();
    for problem in examined.problems.iter().take(MOST) {
        writeln!(err, "error: {}", shown_lines(problem))?;
    }
    if let Some(more) = examined.problems.len().checked_sub(MOST).filter(|more| *more > 0) {
        writeln!(err, "and {more} more problems")?;
    }
    Ok(ExitCode::from(1))
}

fn examine(home: &Home, word: &str) -> Result<Examined, Failure> {
    if !is_path(home, word) {
        if is_builtin(word) {
            return Err(Failure::usage(format!("`{word}` is built in, and checked by Bouncer's own tests")));
        }
        let shelf = Shelf::load(home)?;
        let Some(installed) = shelf.named(word) else {
            return Err(super::grant::unknown(&shelf, word));
        };
        let mut examined = Examined::folder(&home.packs().join(word));
        // Its files may be sound and yet not those that were installed.
        if examined.problems.is_empty() {
            examined
                .problems
                .extend(installed.bundle.as_ref().err().map(|why| format!("the pack `{word}` {why}")));
        }
        return Ok(examined);
    }
    let path = Path::new(word);
    let meta = std::fs::metadata(path)
        .map_err(|error| Failure::usage(format!("cannot read `{}`: {error}", shown(word))))?;
    if meta.is_dir() {
        return Ok(Examined::folder(path));
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path)?;
    file.take(crate::pack::MAX_ARCHIVE + 1).read_to_end(&mut bytes)?;
    Ok(Examined::archive(&bytes, word))
}

/// Asks the module what it would be asked.
fn asked(
    out: &mut impl Write,
    home: &Home,
    args: &CheckArgs,
    module: &Module,
    manifest: &Manifest,
    problems: &mut Vec<String>,
) -> Result<(), Failure> {
    let mut lists: Vec<(String, ServerIdentity, Vec<Tool>)> = Vec::new();
    for file in &args.tools {
        let list = recorded(file)?;
        lists.push((shown(&file.display().to_string()), list.identity, list.tools));
    }
    for record in records(home)? {
        if manifest.is_for(&record.identity()) {
            lists.push((format!("`{}`", shown(record.key.name())), record.identity(), record.tools()));
        }
    }
    if lists.is_empty() {
        writeln!(
            out,
            "asked about no tool: no server that it is for is recorded, and no list was given; hint: --tools FILE"
        )?;
    }
    let mut unasked: BTreeSet<&str> = BTreeSet::new();
    for (place, identity, tools) in &lists {
        if !manifest.is_for(identity) {
            writeln!(out, "note: {place} is of a server that the pack is not for")?;
        }
        match module.contracts(identity, tools, "{}") {
            Err(fault) => problems.push(format!("its contracts for {place}: the module {}", fault.reason)),
            Ok(contracts) => {
                let wanted = manifest.grants.kinds();
                let judged: Vec<&str> = contracts
                    .iter()
                    .filter(|stated| stated.contract.evaluate)
                    .map(|stated| stated.tool.as_str())
                    .collect();
                let mut fuel = fuel_of(module);
                for stated in &contracts {
                    let kinds = crate::pack::loosening(&stated.contract);
                    unasked.extend(kinds.without(&wanted).iter().map(|kind| kind.as_str()));
                }
                for tool in tools.iter().filter(|tool| judged.contains(&tool.name.as_str())) {
                    problems.extend(judge(module, identity, tool, place, &mut fuel));
                }
                writeln!(
                    out,
                    "{place}: it states contracts for {} of {} tools and judges the calls of {}, with at most {}% of the fuel that a call has",
                    contracts.len(),
                    tools.len(),
                    judged.len(),
                    fuel.saturating_mul(100).div_ceil(FUEL)
                )?;
            }
        }
    }
    for kind in unasked {
        writeln!(
            out,
            "note: it states what only a grant of `{kind}` would let take effect, and `pack.toml` does not ask for that: it has no effect"
        )?;
    }
    Ok(())
}

/// What the last call used.
fn fuel_of(module: &Module) -> u64 {
    module.usage().map_or(0, |usage| usage.fuel)
}

/// What goes wrong when calls of this tool are judged: one without arguments, and one with each that its schema names.
fn judge(
    module: &Module,
    identity: &ServerIdentity,
    tool: &Tool,
    place: &str,
    fuel: &mut u64,
) -> Option<String> {
    for arguments in [json!({}), sample(tool)] {
        let outcome = module.evaluate(&Evaluation {
            server: &identity.name,
            tool: &tool.name,
            arguments_json: &arguments.to_string(),
            settings_json: "{}",
            destinations: &[],
        });
        *fuel = (*fuel).max(fuel_of(module));
        if let ModuleOutcome::Failed { reason, .. } = outcome {
            return Some(format!(
                "a call of `{}` of {place} with {arguments}: the module {reason}",
                tool.name
            ));
        }
    }
    None
}

/// Arguments of the types that the schema names.
fn sample(tool: &Tool) -> Json {
    let properties = tool.input_schema().and_then(|schema| schema.get("properties")?.as_object());
    let members = properties.into_iter().flatten().map(|(name, schema)| {
        let kind = schema.get("type").and_then(bouncer_core::value::Value::as_str);
        let value = match kind {
            Some("number" | "integer") => json!(1),
            Some("boolean") => json!(true),
            Some("array") => json!(["x"]),
            Some("object") => json!({}),
            _ => json!("x"),
        };
        (name.clone(), value)
    });
    Json::Object(members.collect())
}
