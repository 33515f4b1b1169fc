//! The built-in and installed packs with what each says of its tools, and the user's own word beside them.

use super::house::{House, Wrong};
use super::untrusted::visible;
use crate::cli::show::{FieldView, fields};
use crate::pack::{EMBEDDED, GrantKind, Manifest, Pack, PackSource, builtin_where, stated};
use crate::policy::Policy;
use bouncer_core::contract::Stated;
use bouncer_core::decide;
use bouncer_core::tool::{ServerIdentity, Tool};
use bouncer_core::value::Value;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// A pack.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct PackView {
    pub(super) name: String,
    version: String,
    summary: String,
    /// Of its component, which its grants are bound to.
    sha256: String,
    /// `builtin`: it stands in the binary and carries its grants. `installed`: the user did that.
    source: &'static str,
    /// The servers it is for.
    servers: Vec<ServerView>,
    /// What it may loosen, each with the reason that it gives.
    grants: BTreeMap<&'static str, String>,
    /// What it was checked against.
    checked: Vec<String>,
    /// What it says of each tool, as far as the tool's arguments are those that it knows.
    contracts: Vec<ToolView>,
}

/// What a server is recognised by: any of these.
#[derive(Debug, Serialize, JsonSchema)]
struct ServerView {
    packages: Vec<String>,
    commands: Vec<String>,
    /// The server's name for itself; what loosens takes no effect then.
    reported_names: Vec<String>,
}

/// What is said of one tool.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ToolView {
    /// Only on this server.
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<String>,
    tool: String,
    fields: Vec<FieldView>,
}

/// The user's own word.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct UserView {
    path: String,
    exists: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ask_timeout: Option<u64>,
    /// Vouched for whatever the tool.
    trusted_destinations: Vec<String>,
    /// The tools that it speaks of.
    tools: Vec<ToolView>,
    /// The packs that it sets something for.
    pack_settings: BTreeMap<String, serde_json::Value>,
    /// Rules of the user's own in WebAssembly.
    modules: Vec<String>,
}

/// The names of the built-in packs.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    EMBEDDED.iter().map(|pack| pack.name)
}

/// The names of the installed packs; none where they cannot be read, which every question that needs them is told.
pub(super) fn installed(house: &House) -> Vec<String> {
    house.shelf().map(|shelf| shelf.packs.into_iter().map(|pack| pack.name).collect()).unwrap_or_default()
}

/// The names of all packs.
pub(super) fn all_names(house: &House) -> Vec<String> {
    names().map(str::to_owned).chain(installed(house)).collect()
}

/// Every built-in pack.
pub(super) fn builtin_views(house: &House) -> Result<Vec<PackView>, Wrong> {
    let policy = house.policy()?;
    let packs = builtin_where(house.sandbox()?, |_| true).map_err(Wrong::new)?;
    packs.iter().map(|pack| view(pack, &policy)).collect()
}

/// Every pack whose name contains `filter`, built in or installed.
pub(super) fn views(house: &House, filter: &str) -> Result<Vec<PackView>, Wrong> {
    let policy = house.policy()?;
    let sandbox = house.sandbox()?;
    let mut packs = builtin_where(sandbox, |manifest| manifest.name.contains(filter)).map_err(Wrong::new)?;
    for installed in house.shelf()?.packs.iter().filter(|pack| pack.name.contains(filter)) {
        let wrong = |why| Wrong(format!("the pack `{}` {why}", installed.name));
        packs.push(installed.pack(sandbox).map_err(wrong)?);
    }
    packs.iter().map(|pack| view(pack, &policy)).collect()
}

/// One pack, by its whole name.
pub(super) fn view_of(house: &House, name: &str) -> Result<Option<PackView>, Wrong> {
    Ok(views(house, name)?.into_iter().find(|pack| pack.name == name))
}

fn named(name: &str) -> Option<Tool> {
    let name = ("name".to_owned(), Value::String(name.to_owned()));
    Tool::from_definition(Value::Object(vec![name]))
}

fn all_visible(texts: &[String]) -> Vec<String> {
    texts.iter().map(|text| visible(text)).collect()
}

fn view(pack: &Pack, policy: &Policy) -> Result<PackView, Wrong> {
    let manifest = &pack.manifest;
    let tools: Vec<Tool> = manifest.tools.iter().filter_map(|tool| named(tool)).collect();
    let said =
        stated(std::slice::from_ref(pack), &its_server(manifest), &tools, &|name| policy.settings(name));
    if let Some(reason) = said.faults.get(&manifest.name) {
        return Err(Wrong(format!(
            "the pack `{}` fails, so every call of its servers is denied: {reason}",
            manifest.name
        )));
    }
    let contract = |tool: &Tool| {
        let of_tool: &[Stated] = said.by_tool.get(&tool.name).map(Vec::as_slice).unwrap_or_default();
        ToolView { server: None, tool: tool.name.clone(), fields: fields(&decide::merge(tool, of_tool)) }
    };
    let server = |entry: &crate::pack::ServerMatch| ServerView {
        packages: all_visible(&entry.packages),
        commands: all_visible(&entry.commands),
        reported_names: all_visible(entry.reported_name.as_slice()),
    };
    let grant = |kind: GrantKind| {
        let why = manifest.grants.why(kind).filter(|_| pack.granted.has(kind));
        why.map(|why| (kind.as_str(), visible(why)))
    };
    Ok(PackView {
        name: manifest.name.clone(),
        version: manifest.version.clone(),
        summary: visible(&manifest.summary),
        sha256: pack.sha256.clone(),
        source: if pack.source == PackSource::Builtin { "builtin" } else { "installed" },
        servers: manifest.servers.iter().map(server).collect(),
        grants: GrantKind::ALL.into_iter().filter_map(grant).collect(),
        checked: all_visible(&manifest.checked),
        contracts: tools.iter().map(contract).collect(),
    })
}

/// A server that the pack is for, started as its first entry says.
fn its_server(manifest: &Manifest) -> ServerIdentity {
    let packages = manifest.servers.iter().flat_map(|entry| &entry.packages);
    let commands = manifest.servers.iter().flat_map(|entry| &entry.commands);
    let launched = packages.map(|package| vec!["npx".to_owned(), "-y".to_owned(), package.clone()]);
    let launched = launched.chain(commands.map(|command| vec![command.clone()]));
    let server =
        |command| ServerIdentity { name: manifest.name.clone(), command, ..ServerIdentity::default() };
    let all = launched.map(server);
    all.into_iter().find(|server| manifest.is_for(server)).unwrap_or_default()
}

/// What the user's policy says.
pub(super) fn user(house: &House) -> Result<UserView, Wrong> {
    let policy = house.policy()?;
    let path = house.policy_path();
    let of_tool = |(server, tool): (Option<&str>, &str)| {
        let defined = named(tool)?;
        let said = policy.stated(server.unwrap_or_default(), tool);
        let fields = fields(&decide::merge(&defined, &said));
        Some(ToolView { server: server.map(str::to_owned), tool: tool.to_owned(), fields })
    };
    Ok(UserView {
        exists: path.symlink_metadata().is_ok(),
        path: path.to_string_lossy().into_owned(),
        profile: policy.profile().map(|profile| format!("{profile:?}").to_lowercase()),
        ask_timeout: policy.ask_timeout(),
        trusted_destinations: policy.trusted().map(|(entry, _)| entry.to_owned()).collect(),
        tools: policy.tools().filter_map(of_tool).collect(),
        pack_settings: policy.packs.clone(),
        modules: policy.modules().iter().map(|path| path.to_string_lossy().into_owned()).collect(),
    })
}
