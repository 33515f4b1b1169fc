//! What would change a verdict, by the code of the finding that led to it: lines for the policy file, where there are any.
//!
//! Proposes nothing that would not help: an entry for `trusted_destinations` is tried on the destination first.

use super::text::shown;
use crate::json::quoted;
use bouncer_core::contract::{Layer, Said};
use bouncer_core::destination::TrustPattern;
use bouncer_core::ruling::Finding;
use bouncer_core::verdict::Verdict;
use serde_json::{Value as Json, json};

/// One finding that stands in the way of a call.
#[derive(Debug, Default)]
pub(super) struct Matter<'a> {
    pub(super) contract: &'a str,
    pub(super) code: &'a str,
    /// Whether a yes would do.
    pub(super) asked: bool,
    /// Where it is about an argument, its pointer.
    pub(super) argument: Option<&'a str>,
    /// An entry of `trusted_destinations` that vouches for the destination.
    pub(super) entry: Option<String>,
    /// The folder that a path leads to.
    pub(super) folder: Option<String>,
    pub(super) said: &'a [Said],
}

/// A way to another verdict.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) text: String,
    /// Keys for the tool's table in the policy file.
    pub(super) keys: Vec<String>,
}

impl<'a> Matter<'a> {
    pub(super) fn of(finding: &'a Finding) -> Self {
        let destination = finding.destination.as_ref();
        let entry = destination.and_then(|d| {
            let helps = |text: &&str| TrustPattern::parse(text).is_ok_and(|pattern| pattern.vouches(d));
            [d.canonical.as_str(), d.raw.as_str()].into_iter().find(helps).map(str::to_owned)
        });
        let folder = destination
            .filter(|_| finding.code == "outside_home")
            .and_then(|d| Some(std::path::Path::new(&d.canonical).parent()?.to_str()?.to_owned()));
        Self {
            contract: finding.contract.as_str(),
            code: &finding.code,
            asked: finding.verdict == Verdict::Ask,
            argument: destination.map(|d| d.argument.as_str()),
            entry,
            folder,
            said: &finding.said,
        }
    }

    /// From the evidence of an audit line, which does not hold the canonical form.
    pub(super) fn recorded(evidence: &'a Json) -> Self {
        let text = |key: &str| evidence.get(key).and_then(Json::as_str);
        let plain = |raw: &&str| !raw.contains('*') && TrustPattern::parse(raw).is_ok();
        Self {
            contract: text("contract").unwrap_or_default(),
            code: text("code").unwrap_or_default(),
            asked: text("verdict") == Some("ask"),
            argument: text("argument"),
            entry: text("destination").filter(plain).map(str::to_owned),
            folder: None,
            said: &[],
        }
    }

    /// An argument as policy files name it: list items of any number, a plain name at the top.
    fn param(&self) -> Option<String> {
        let pointer = self.argument.filter(|pointer| !pointer.is_empty())?;
        let number = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
        let parts: Vec<&str> =
            pointer.split('/').skip(1).map(|part| if number(part) { "*" } else { part }).collect();
        match parts.as_slice() {
            [one] if !one.contains(['~', '.']) => Some((*one).to_owned()),
            parts => Some(format!("/{}", parts.join("/"))),
        }
    }

    /// What would lead to another verdict.
    pub(super) fn changes(&self) -> Vec<Change> {
        let change = |text: &str, keys: &[String]| Change { text: text.to_owned(), keys: keys.to_vec() };
        let list = |key: &str, entry: &str| format!("{key} = [{}]", toml(entry));
        let users = self.said.iter().find(|said| said.layer == Layer::User);
        let place = users.map(|said| shown(&said.place));
        let vouch = |text: &str| -> Vec<Change> {
            let entry = self.entry.iter();
            entry.map(|entry| change(text, &[list("trusted_destinations", entry)])).collect()
        };
        match self.code {
            "unknown_tool" => vec![change(
                "nothing in a policy file: the server has to list the tool when a session starts",
                &[],
            )],
            "changed_tool" => vec![change(
                "nothing in a policy file: look at the new definition, then start a new session, which records it",
                &[],
            )],
            "forbidden" | "budget_exceeded" | "beyond_budget" => vec![change(
                "a larger number of your own counts instead of anybody else's",
                &["max_calls = 10".to_owned()],
            )],
            "outside_prefix" | "pattern_mismatch" => vec![match place {
                Some(place) => change(&format!("change the rule in your own file, {place}"), &[]),
                None => change(
                    "another value; or, where that rule is none of yours, to drop what all others say of this tool and write it anew",
                    &["replace = true".to_owned()],
                ),
            }],
            "outside_home" => vec![
                change("a yes of yours, for this place", &[]),
                change(
                    "folders of your own count instead of the guessed ones; what lies elsewhere is denied then",
                    &self
                        .folder
                        .iter()
                        .map(|folder| list("allowed_path_prefixes", folder))
                        .collect::<Vec<_>>(),
                ),
            ],
            "no_write_params" => {
                vec![change("say which arguments are paths", &[r#"write_params = ["path"]"#.to_owned()])]
            }
            "not_a_path" | "bad_path" | "unresolved_path" => {
                vec![change("nothing in a policy file: another value of the argument", &[])]
            }
            "module_failed" => vec![change(
                "nothing in a policy file lets a module that fails pass; mend the module, or take its rule out where it is yours",
                &[],
            )],
            "tainted_destination" | "composed_destination" | "tainted_link" => {
                let mut all = vouch(
                    "if you know this destination from elsewhere than the text it stands in (it was most likely written by somebody else)",
                );
                all.push(change("name it in a prompt of your own", &[]));
                if self.code == "tainted_destination" {
                    let asks = [r#"tainted = "ask""#.to_owned()];
                    all.push(change("to be asked about such destinations instead", &asks));
                }
                all
            }
            "unknown_destination"
            | "near_destination"
            | "field_destination"
            | "directory_and_text"
            | "unreliable" => {
                let mut all = vouch("to vouch for this destination");
                let yes =
                    if self.asked { "a yes of yours when you are asked, or its name" } else { "its name" };
                all.push(change(&format!("{yes} in a prompt of your own"), &[]));
                if let Some(param) = self.param() {
                    all.push(change(
                        "if this argument does not say who receives the call; where none is left that does, all others are asked about",
                        &[list("harmless_params", &param)],
                    ));
                }
                all
            }
            "unproven_values" => {
                let mut all = vec![change("if the tool sends nothing", &["exfiltrating = false".to_owned()])];
                if let Some(param) = self.param() {
                    let param = toml(&param);
                    all.push(change(
                        "say which argument names the receiver, and of what kind: only that one is asked about then",
                        &[format!("sinks = [{{ param = {param}, kind = \"unknown\" }}]")],
                    ));
                    all.push(change(
                        "or say which ones do not name any: each that the finding lists",
                        &[format!("harmless_params = [{param}]")],
                    ));
                }
                all
            }
            "no_destination" => vec![
                change("fill in whom it is for", &[]),
                change("if the tool sends nothing", &["exfiltrating = false".to_owned()]),
            ],
            "uses_up" => vec![
                change("name what is read in a prompt of your own, or say yes when you are asked", &[]),
                change("if nothing is lost by it", &["destructive = false".to_owned()]),
            ],
            "not_named_by_user" | "no_target" | "tainted_content" => vec![
                change("name it in a prompt of your own, or say yes when you are asked", &[]),
                change("to be asked less about this tool", &[r#"profile = "standard""#.to_owned()]),
            ],
            _ if self.contract == "policy" => {
                let packs: Vec<String> = self.said.iter().map(super::report::said).collect();
                let by = if packs.is_empty() { "a policy module".to_owned() } else { packs.join(", ") };
                vec![change(&format!("other arguments, or other settings of the module: {by}"), &[])]
            }
            _ => Vec::new(),
        }
    }
}

/// A TOML string that shows all of itself: what hides or reorders text is escaped.
fn toml(text: &str) -> String {
    let mut out = String::new();
    for c in quoted(text).chars() {
        let code = u32::from(c);
        match c.len_utf8() > 1 && shown(c.encode_utf8(&mut [0; 4])).starts_with('\\') {
            true if code > 0xffff => out.push_str(&format!("\\U{code:08x}")),
            true => out.push_str(&format!("\\u{code:04x}")),
            false => out.push(c),
        }
    }
    out
}

/// The head of the tool's table in the policy file.
pub(super) fn table(server: &str, tool: &str) -> String {
    let key = |name: &str| {
        let bare = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
        if bare { name.to_owned() } else { toml(name) }
    };
    format!("[servers.{}.tools.{}]", key(server), key(tool))
}

pub(super) fn to_json(changes: &[Change], server: &str, tool: &str) -> Json {
    let lines = |change: &Change| {
        (!change.keys.is_empty()).then(|| format!("{}\n{}\n", table(server, tool), change.keys.join("\n")))
    };
    changes.iter().map(|change| json!({ "text": change.text, "toml": lines(change) })).collect()
}
