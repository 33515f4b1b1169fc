//! From the tree of a policy file to a [`Policy`]: which tables there are, and whose tools they speak of.
//!
//! Reads on after a problem, so that one run names them all; whoever calls this drops the policy if there is any.

use super::error::{Problem, nearest};
use super::keys::{KeySpec, MODULE_KEYS, SERVER_KEYS, Shape, TOOL_KEYS, TOP_KEYS};
use super::node::{Data, Key, Node};
use super::stated::{Origin, Policy, Rule, Statement};
use super::value::Values;
use super::{Format, file, older};
use std::collections::BTreeSet;
use std::path::Path;

/// Reads text in `format`. The policy counts only where there are no problems.
pub(crate) fn read(
    text: &str,
    format: Format,
    base: &Path,
    name: &Path,
    origin: Origin,
) -> (Policy, Vec<Problem>) {
    let mut reader = Reader {
        lines: text.match_indices('\n').map(|(at, _)| at).collect(),
        described: BTreeSet::new(),
        older: format == Format::OlderYaml,
        policy: Policy::named(origin, name),
        values: Values { base, problems: Vec::new() },
    };
    match if reader.older { older::parse(text) } else { file::parse(text) } {
        Ok(root) if reader.older => reader.older_root(&root),
        Ok(root) => reader.root(&root),
        Err(problem) => reader.values.problems.push(problem),
    }
    (reader.policy, reader.values.problems)
}

struct Reader<'a> {
    /// Offsets of the ends of lines.
    lines: Vec<usize>,
    /// Whose rules were read: server and tool.
    described: BTreeSet<(Option<String>, String)>,
    older: bool,
    policy: Policy,
    values: Values<'a>,
}

impl Reader<'_> {
    fn problem(&mut self, problem: Problem) {
        self.values.problems.push(problem);
    }

    fn line(&self, key: &Key) -> usize {
        self.line_at(key.span.start)
    }

    fn line_at(&self, offset: usize) -> usize {
        self.lines.partition_point(|end| *end < offset) + 1
    }

    /// The members of a table with the spec of each; what is no table or no known key becomes a problem.
    fn members<'n>(
        &mut self,
        node: &'n Node,
        what: &str,
        keys: &'static [KeySpec],
    ) -> Vec<(&'n Key, KeySpec, &'n Node)> {
        let known: Vec<&KeySpec> = keys.iter().filter(|key| key.older || !self.older).collect();
        let mut members = Vec::new();
        for (key, value) in self.table(node, what) {
            if let Some(spec) = known.iter().find(|spec| spec.name == key.name) {
                members.push((key, **spec, value));
                continue;
            }
            let names: Vec<&str> = known.iter().map(|spec| spec.name).collect();
            let mut problem = Problem::new(key.span.clone(), format!("unknown key `{}` in {what}", key.name));
            problem = match nearest(&key.name, names.iter().copied()) {
                Some(near) => problem.label(format!("did you mean `{near}`?")),
                None if self.older && TOOL_KEYS.iter().any(|spec| spec.name == key.name) => {
                    problem.label("this key needs the TOML format")
                }
                None => problem.label("not a key of a policy file"),
            };
            self.problem(problem.hint(format!("the keys here are {}", names.join(", "))));
        }
        members
    }

    fn table<'n>(&mut self, node: &'n Node, what: &str) -> &'n [(Key, Node)] {
        match &node.data {
            Data::Table(members) => members,
            Data::Null if self.older => &[],
            other => {
                let title = format!("{what} must be a table");
                let label = format!("expected a table, found {}", other.kind());
                self.problem(Problem::new(node.span.clone(), title).label(label));
                &[]
            }
        }
    }

    fn root(&mut self, root: &Node) {
        for (key, spec, value) in self.members(root, "the policy file", TOP_KEYS) {
            match spec.name {
                "profile" => {
                    let line = self.line(key);
                    self.policy.profile =
                        self.values.profile(value, spec.shape).map(|profile| (profile, line));
                }
                "ask_timeout" => self.policy.ask_timeout = self.values.timeout(value),
                "trusted_destinations" => self.trusted(value),
                "serve_audit_values" => {
                    let flag = self.values.flag(value, "`serve_audit_values`");
                    self.policy.serve_audit_values = flag.unwrap_or_default();
                }
                "tools" => self.tools(value, None),
                "servers" => {
                    for (name, server) in self.table(value, "`servers`").iter() {
                        let what = format!("server `{}`", name.name);
                        for (_, _, tools) in self.members(server, &what, SERVER_KEYS) {
                            self.tools(tools, Some(&name.name));
                        }
                    }
                }
                "packs" => {
                    for (name, settings) in self.table(value, "`packs`").iter() {
                        self.table(settings, &format!("pack `{}`", name.name));
                        self.policy.packs.insert(name.name.clone(), settings.to_json());
                        self.policy.packs_at.insert(name.name.clone(), name.span.start);
                    }
                }
                "pack_keys" => self.pack_keys(key, value),
                _ => self.modules(key, value),
            }
        }
    }

    fn pack_keys(&mut self, key: &Key, node: &Node) {
        if self.policy.origin == Origin::Project {
            let problem =
                Problem::new(key.span.clone(), "a policy file of a project cannot say whose packs are taken");
            self.problem(problem.hint("put the keys into your own policy file"));
            return;
        }
        for (name, value) in self.table(node, "`pack_keys`").iter() {
            let Some(public) = self.values.text(value, &format!("the key of pack `{}`", name.name)) else {
                continue;
            };
            if crate::pack::check_key(&public).is_err() {
                let problem = Problem::new(value.span.clone(), "this is no minisign public key");
                self.problem(problem.label("expected the second line of the publisher's `minisign.pub`"));
                continue;
            }
            self.policy.pack_keys.insert(name.name.clone(), public);
        }
    }

    fn older_root(&mut self, root: &Node) {
        self.tools(root, None);
    }

    fn trusted(&mut self, value: &Node) {
        for (entry, span) in self.values.destinations(value, "the policy file") {
            let line = self.line_at(span.start);
            self.policy.trusted.push((entry, line));
        }
    }

    fn tools(&mut self, node: &Node, server: Option<&str>) {
        for (key, value) in self.table(node, "`tools`").iter() {
            let (server, tool) = match (server, key.name.split_once('/')) {
                (Some(server), _) => (Some(server.to_owned()), key.name.clone()),
                // The part before the slash is always a server, never part of a tool's name: another server could
                // otherwise call a tool `mail/send` and be given what the user said of `send` on `mail`.
                (None, Some((server, tool))) if !self.older => (Some(server.to_owned()), tool.to_owned()),
                (None, _) => (None, key.name.clone()),
            };
            if tool.is_empty() || server.as_deref() == Some("") {
                self.problem(Problem::new(key.span.clone(), format!("`{}` names no tool", key.name)));
                continue;
            }
            if !self.described.insert((server.clone(), tool.clone())) {
                self.problem(Problem::new(key.span.clone(), format!("the tool `{tool}` is described twice")));
                continue;
            }
            let statements = self.tool(value, &key.name);
            self.policy.rules.push(Rule { server, tool, at: key.span.start, statements });
        }
    }

    fn tool(&mut self, node: &Node, name: &str) -> Vec<Statement> {
        let what = format!("tool `{name}`");
        let mut statements = Vec::new();
        for (key, spec, value) in self.members(node, &what, TOOL_KEYS) {
            if self.older && matches!(value.data, Data::Null) {
                continue;
            }
            if let Some(contract) = self.values.contract(spec, value, &what) {
                statements.push(Statement {
                    key: key.name.clone(),
                    line: self.line(key),
                    at: key.span.start,
                    contract,
                });
            }
        }
        statements
    }

    fn modules(&mut self, key: &Key, node: &Node) {
        let Data::List(items) = &node.data else {
            self.problem(
                Problem::new(node.span.clone(), "`modules` must be a list of tables")
                    .label("expected [[modules]]"),
            );
            return;
        };
        if self.policy.origin == Origin::Project {
            self.problem(
                Problem::new(key.span.clone(), "a policy file of a project cannot add modules")
                    .hint("name the module in your own policy file"),
            );
            return;
        }
        for item in items {
            let members = self.members(item, "a module", MODULE_KEYS);
            let path = members.iter().find(|(_, spec, _)| spec.name == "path");
            let Some(path) = path.and_then(|(_, _, node)| self.values.text(node, "`path`")) else {
                if path.is_none() {
                    let problem = Problem::new(item.span.clone(), "a module needs a `path`");
                    self.problem(problem.label("expected path = \"rule.wasm\""));
                }
                continue;
            };
            if path.trim().is_empty() {
                self.problem(Problem::new(item.span.clone(), "the `path` of a module is empty"));
                continue;
            }
            let path = self.values.resolve(&path);
            if let Some((_, _, settings)) = members.iter().find(|(_, spec, _)| spec.shape == Shape::Tables) {
                self.table(settings, "`settings`");
                self.policy.module_settings.insert(path.clone(), settings.to_json());
            }
            self.policy.modules.push(path);
            self.policy.modules_at.push(item.span.start);
        }
    }
}
