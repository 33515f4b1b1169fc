//! `bouncer policy show`: the one contract of each tool that results from all layers, and who said each field.

use super::input::Upstream;
use super::text::shown;
use super::{Failure, report};
use crate::inquiry::Scene;
use crate::inquiry::view::{self, SaidView};
use crate::layer;
use crate::policy::Policy;
use bouncer_core::contract::{OnTainted, Profile, Said};
use bouncer_core::decide::{self, Merged};
use bouncer_core::tool::Tool;
use bouncer_core::value::Value;
use clap::Args;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use std::io::Write;
use std::process::ExitCode;

#[derive(Debug, Args)]
#[command(after_help = "\
Without --tools, the tools are those that the policy file and the packs speak of.
Exit codes: 0 success; 2 the command line or one of the files is wrong; 1 Bouncer itself failed.")]
pub(super) struct ShowArgs {
    #[command(flatten)]
    upstream: Upstream,
    /// Only this tool
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// One field of a contract.
struct Row<'a> {
    field: &'static str,
    value: Json,
    said: Vec<&'a Said>,
    /// What is printed where nobody said it.
    silent: &'static str,
}

pub(super) fn run(args: &ShowArgs) -> Result<ExitCode, Failure> {
    let server = args
        .upstream
        .server
        .as_deref()
        .ok_or_else(|| Failure::usage("`--server` is missing\nhint: see --help"))?;
    let (mut scene, policy) = args.upstream.scene(server)?;
    let contracts = contracts(&mut scene, &policy, args.tool.as_deref());
    let mut out = anstream::stdout();
    if args.json {
        let tools = contracts.iter().map(|(tool, merged)| to_json(tool, merged));
        let tools: Vec<Json> = tools.collect::<Result<_, _>>()?;
        writeln!(out, "{}", json!({ "server": server, "tools": tools, "notes": scene.notes }))?;
        return Ok(ExitCode::SUCCESS);
    }
    print(&mut out, &contracts)?;
    report::notes(&mut out, &scene.notes)?;
    Ok(ExitCode::SUCCESS)
}

/// The contract of each tool of the scene's server, or of the one named so.
pub(super) fn contracts(scene: &mut Scene, policy: &Policy, only: Option<&str>) -> Vec<(Tool, Merged)> {
    let server = scene.identity.name.clone();
    let listed = scene.tools.take();
    let mut tools = listed.unwrap_or_else(|| {
        let mut names: BTreeSet<String> =
            scene.layers.packs.stated(&scene.identity, &[]).by_tool.into_keys().collect();
        let of_server = |(only, _): &(Option<&str>, &str)| only.is_none_or(|name| name == server);
        names.extend(policy.tools().filter(of_server).map(|(_, tool)| tool.to_owned()));
        scene.notes.push(
            "no list of tools was given: what schema heuristics say is from the names alone; hint: `--tools`"
                .to_owned(),
        );
        names.into_iter().filter_map(named).collect()
    });
    if let Some(only) = only {
        tools.retain(|tool| tool.name == only);
    }
    let homes = layer::homes(&scene.place.cwd, &scene.place.args);
    let (stated, faults) = scene.layers.gather(&scene.identity, &tools, &homes);
    scene.notes.extend(
        faults.iter().map(|(pack, why)| format!("the pack `{pack}` failed, so every call is denied: {why}")),
    );
    let merged: Vec<Merged> =
        tools.iter().zip(&stated).map(|(tool, stated)| decide::merge(tool, stated)).collect();
    tools.into_iter().zip(merged).collect()
}

/// Each tool with its contract, and who said each field.
pub(super) fn print(out: &mut impl Write, contracts: &[(Tool, Merged)]) -> Result<(), Failure> {
    if contracts.is_empty() {
        writeln!(out, "no tool to show")?;
    }
    for (tool, merged) in contracts {
        writeln!(out, "{}", shown(&tool.name))?;
        for row in rows(merged) {
            let said: Vec<String> = row.said.iter().map(|said| report::said(said)).collect();
            let said =
                if said.is_empty() { row.silent.to_owned() } else { format!("  ({})", said.join("; ")) };
            writeln!(out, "  {:22} {}{said}", row.field, shown(&plain(&row.value)))?;
        }
    }
    Ok(())
}

fn named(name: String) -> Option<Tool> {
    Tool::from_definition(Value::Object(vec![("name".to_owned(), Value::String(name))]))
}

fn plain(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn to_json(tool: &Tool, merged: &Merged) -> Result<Json, Failure> {
    let fields = serde_json::to_value(fields(merged)).map_err(Failure::new)?;
    Ok(json!({ "tool": tool.name, "fields": fields }))
}

/// One field of a contract as programs read it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FieldView {
    field: &'static str,
    #[schemars(schema_with = "value")]
    value: Json,
    /// Which layers said so; empty where nobody did.
    said: Vec<SaidView>,
}

fn value(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "anyOf": [
        { "type": "boolean" }, { "type": "integer" }, { "type": "string" },
        { "type": "array", "items": { "type": "string" } }
    ] })
}

/// Every field of a contract.
pub(crate) fn fields(merged: &Merged) -> Vec<FieldView> {
    let view = |row: Row<'_>| FieldView {
        field: row.field,
        value: row.value,
        said: row.said.into_iter().map(SaidView::of).collect(),
    };
    rows(merged).into_iter().map(view).collect()
}

/// What somebody said of a tool, one line for each field, without who; what loosens is marked.
pub(super) fn lines(merged: &Merged) -> BTreeSet<String> {
    let loosens = |row: &Row<'_>| match row.field {
        "exfiltrating" | "destructive" => row.value == json!(false),
        field => ["harmless_param", "trusted_destination", "directory"].contains(&field),
    };
    let line = |row: &Row<'_>| {
        let mark = if loosens(row) { "  (where granted)" } else { "" };
        format!("{} {}{mark}", row.field, plain(&row.value))
    };
    rows(merged).iter().filter(|row| !row.said.is_empty() || row.silent.is_empty()).map(line).collect()
}

fn rows(merged: &Merged) -> Vec<Row<'_>> {
    let mut rows: Vec<Row<'_>> = Vec::new();
    let flag = |field, value: bool, said| Row {
        field,
        value: json!(value),
        said,
        silent: "  (nobody says otherwise)",
    };
    rows.push(flag("exfiltrating", merged.exfiltrating, merged.exfiltrating_said.iter().collect()));
    rows.push(flag("destructive", merged.destructive, merged.destructive_said.iter().collect()));
    if !merged.binds.is_empty() {
        rows.push(flag("binds", true, merged.binds.iter().collect()));
    }
    if !merged.uses_up.is_empty() {
        rows.push(flag("uses_up", true, merged.uses_up.iter().collect()));
    }
    let mut push = |field, value: Json, said| rows.push(Row { field, value, said: vec![said], silent: "" });
    for (sink, said) in &merged.sinks {
        let params: Vec<&str> = sink.params.iter().map(|param| param.as_str()).collect();
        push(
            "sink",
            json!(format!("{} ({})", params.join(&format!(" {} ", sink.join)), sink.kind.as_str())),
            said,
        );
    }
    for (path, said) in &merged.harmless {
        push("harmless_param", json!(path.as_str()), said);
    }
    for (entry, said) in &merged.trusted {
        push("trusted_destination", json!(entry.as_str()), said);
    }
    for (path, said) in &merged.write_params {
        push("write_param", json!(path.as_str()), said);
    }
    for (list, said) in &merged.allowed_path_prefixes {
        push("allowed_path_prefixes", json!(list), said);
    }
    for (list, said) in &merged.home_prefixes {
        push("asked_outside_of", json!(list), said);
    }
    for (path, pattern, said) in &merged.arg_patterns {
        push("arg_pattern", json!(format!("{} = {}", path.as_str(), pattern.written)), said);
    }
    if let Some((calls, said)) = &merged.max_calls {
        push("max_calls", json!(calls), said);
    }
    if let Some((calls, said)) = &merged.guessed_calls {
        push("asked_beyond_calls", json!(calls), said);
    }
    for (path, said) in &merged.directories {
        push("directory", json!(path.as_str()), said);
    }
    if let Some((choice, said)) = &merged.on_tainted {
        let word = match choice {
            OnTainted::Deny => "deny",
            OnTainted::Ask => "ask",
        };
        push("tainted", json!(word), said);
    }
    for said in &merged.deny_fields {
        push("fields", json!("deny"), said);
    }
    if let Some(said) = &merged.profile_said {
        let word = match merged.profile {
            Profile::Standard => "standard",
            Profile::Strict => "strict",
            Profile::Paranoid => "paranoid",
        };
        push("profile", json!(word), said);
    }
    for said in &merged.replaced {
        push("dropped by replace", json!(view::layer(&said.layer)), said);
    }
    for pack in &merged.evaluate {
        rows.push(Row { field: "evaluated by", value: json!(pack), said: Vec::new(), silent: "" });
    }
    rows
}
