//! What a policy that can be read says, but is perhaps not meant so: what loosens, and what has no effect.

use super::error::{nearest, place_of};
use super::stated::{Policy, Rule, Statement};
use crate::pack::{EMBEDDED, is_builtin};
use bouncer_core::contract::OnTainted;

/// One thing to look at, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Warning {
    /// From 1.
    pub(crate) line: usize,
    /// From 1, in characters.
    pub(crate) column: usize,
    pub(crate) text: String,
}

/// Warnings that are given; a text of nothing else would drown its reader.
const MOST: usize = 100;

/// The warnings on a policy that was read from `text`, in the order of the text. `installed` are the names of the packs
/// that are there beside the built-in ones.
pub(crate) fn warnings(policy: &Policy, text: &str, installed: &[String]) -> Vec<Warning> {
    let mut found: Vec<(usize, String)> = Vec::new();
    for rule in &policy.rules {
        of_rule(rule, &mut found);
    }
    for (name, at) in &policy.packs_at {
        if is_builtin(name) || installed.contains(name) {
            continue;
        }
        let known = EMBEDDED.iter().map(|pack| pack.name).chain(installed.iter().map(String::as_str));
        let near = nearest(name, known);
        let hint = near.map(|near| format!(": did you mean `{near}`?")).unwrap_or_default();
        found.push((*at, format!("no pack is called `{name}`, neither built in nor installed{hint}")));
    }
    for (path, at) in policy.modules.iter().zip(&policy.modules_at) {
        found.push((*at, format!("the module `{}` is named here, and was not looked at", path.display())));
    }
    if policy.serve_audit_values {
        let at = text.find("serve_audit_values").unwrap_or_default();
        found.push((at, "loosens: an agent may read what recorded calls carried".to_owned()));
    }
    found.sort();
    let place = |(at, text_of): (usize, String)| {
        let (line, column) = place_of(text, at);
        Warning { line, column, text: text_of }
    };
    found.into_iter().take(MOST).map(place).collect()
}

fn of_rule(rule: &Rule, found: &mut Vec<(usize, String)>) {
    let tool = &rule.tool;
    let of = |key: &str| rule.statements.iter().find(|statement| statement.key == key);
    if rule.statements.is_empty() {
        found.push((rule.at, format!("the table of `{tool}` says nothing")));
    }
    for statement in &rule.statements {
        if let Some(what) = loosens(statement) {
            found.push((statement.at, format!("loosens `{tool}`: {what}")));
        }
    }
    let sends = of("exfiltrating").and_then(|said| said.contract.exfiltrating);
    for key in ["sink_params", "sinks", "trusted_destinations"] {
        if sends == Some(false)
            && let Some(useless) = of(key)
        {
            let text = format!("`{key}` has no effect where `exfiltrating` is false, as it is for `{tool}`");
            found.push((useless.at, text));
        }
    }
    let prefixes = of("allowed_path_prefixes").filter(|said| said.contract.allowed_path_prefixes.is_some());
    if let (Some(prefixes), None) = (prefixes, of("write_params")) {
        let text = format!(
            "`allowed_path_prefixes` of `{tool}` stands without `write_params`: where no pack says which arguments are paths, every call is denied"
        );
        found.push((prefixes.at, text));
    }
}

/// In what way it takes something back that other layers say.
fn loosens(statement: &Statement) -> Option<&'static str> {
    let contract = &statement.contract;
    match statement.key.as_str() {
        "exfiltrating" if contract.exfiltrating == Some(false) => Some("its calls are taken to send nothing"),
        "destructive" if contract.destructive == Some(false) => Some("its calls are taken to lose nothing"),
        "replace" if contract.replace => Some("what packs and heuristics say of it is dropped"),
        "harmless_params" if !contract.harmless.is_empty() => Some("these arguments are never destinations"),
        "directories" if !contract.directories.is_empty() => {
            Some("what stands there in its answers vouches for itself")
        }
        "tainted" if contract.on_tainted == Some(OnTainted::Ask) => {
            Some("a destination that stands only in a text is asked about instead of denied")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Format;
    use std::path::Path;

    fn found(text: &str) -> Vec<(usize, usize, String)> {
        let policy = Policy::parse(text, Format::Toml, Path::new("/"), Path::new("policy")).unwrap();
        warnings(&policy, text, &["own".to_owned()]).into_iter().map(|w| (w.line, w.column, w.text)).collect()
    }

    #[test]
    fn what_loosens_and_what_has_no_effect_is_named_with_its_place() {
        let text = "[tools.a]\n  exfiltrating = false\nsink_params = [\"to\"]\n[tools.b]\n[packs.own]\n[packs.gmial]\n[tools.c]\nallowed_path_prefixes = [\"x\"]\n";
        let places: Vec<_> = found(text).iter().map(|(line, column, _)| (*line, *column)).collect();
        assert_eq!(places, [(2, 3), (3, 1), (4, 8), (6, 8), (8, 1)]);
        assert!(found(text)[3].2.contains("did you mean `gmail`"));
    }

    #[test]
    fn what_only_tightens_is_quiet() {
        let text = "profile = \"strict\"\n[tools.a]\nexfiltrating = true\nsink_params = [\"to\"]\ntrusted_destinations = [\"a@x.io\"]\nmax_calls = 2\n";
        assert_eq!(found(text), []);
    }
}
