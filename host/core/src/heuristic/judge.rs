//! Puts the evidence of one tool together: its name's verb, its arguments, its text, its dispatch values.

use super::loss;
use super::programs::{self, Program};
use super::schema::{self, Leaf, Leaves, Shape};
use super::sending::{self, Reason};
use super::sinks::{self, Weight};
use super::verbs::{self, Doing};
use super::words::{self, any, last};
use crate::destination::Kind;
use crate::tool::Tool;

/// One destination of a call, named by one argument or by several joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SeenSink {
    pub(super) params: Vec<String>,
    pub(super) join: &'static str,
    pub(super) kind: Kind,
}

/// The judgement on one tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) exfiltrating: bool,
    pub(super) destructive: bool,
    pub(super) deletes: bool,
    pub(super) binds: bool,
    /// Reading changes what is read.
    pub(super) uses_up: bool,
    pub(super) sinks: Vec<SeenSink>,
    pub(super) writes: Vec<String>,
}

/// An argument with what it may be.
#[derive(Debug)]
pub(super) struct Argument<'a> {
    pub(super) leaf: &'a Leaf,
    pub(super) sink: Option<(Kind, Weight)>,
    pub(super) program: Option<Program>,
}

/// Everything that is known of a tool, read once.
#[derive(Debug)]
pub(super) struct Evidence<'a> {
    pub(super) name: Vec<String>,
    pub(super) doing: Doing,
    /// Description and title, lower-cased.
    pub(super) about: String,
    pub(super) arguments: Vec<Argument<'a>>,
    /// The words of each value of an argument that chooses what is done.
    pub(super) actions: Vec<Vec<String>>,
}

/// Bytes of a tool's description that are read.
const MAX_ABOUT: usize = 8_000;

/// Judges `tool`.
pub(super) fn judge(tool: &Tool) -> Seen {
    let leaves = schema::leaves(tool.input_schema());
    let evidence = gather(tool, &leaves);
    let reason = sending::reason(&evidence);
    let destroying = loss::destructive(&evidence, tool);
    let mut seen = Seen {
        exfiltrating: reason.is_some() || !leaves.complete,
        destructive: destroying || !leaves.complete && evidence.doing != Doing::Read,
        deletes: evidence.doing == Doing::Destroy && verbs::deletes(&evidence.name),
        uses_up: loss::uses_up(&evidence),
        binds: loss::binds(&evidence),
        sinks: Vec::new(),
        writes: writes(&evidence),
    };
    // A schema that was not read to its end may hide a destination: then all arguments are destinations.
    if let (Some(reason), true) = (reason, leaves.complete) {
        seen.sinks = pick(&evidence, reason);
    }
    seen
}

fn gather<'a>(tool: &Tool, leaves: &'a Leaves) -> Evidence<'a> {
    let name = words::split(&tool.name);
    let doing = verbs::doing(&name);
    let title = tool.definition.get("title").and_then(|t| t.as_str()).unwrap_or_default();
    let about: String = title
        .chars()
        .chain(['\n'])
        .chain(tool.description().chars())
        .take(MAX_ABOUT)
        .flat_map(char::to_lowercase)
        .collect();
    let from_too = leaves.all.iter().any(|l| l.name.len() <= 2 && any(&l.name, &["from", "source"]));
    let arguments = leaves
        .all
        .iter()
        .map(|leaf| Argument {
            leaf,
            sink: sinks::read(leaf, from_too),
            program: programs::read(leaf, &name, doing, &about),
        })
        .collect();
    let actions = leaves.all.iter().filter(|l| dispatches(l)).flat_map(values).collect();
    Evidence { name, doing, about, arguments, actions }
}

/// Whether an argument chooses what a tool does.
fn dispatches(leaf: &Leaf) -> bool {
    let one = leaf.name.len() <= 2;
    one && leaf.path.matches('/').count() <= 2
        && last(
            &leaf.name,
            &["action", "operation", "method", "mode", "op", "command", "verb", "act", "task", "do"],
        )
}

/// The values of a dispatching argument: its `enum`, or else the words quoted or listed in its description.
fn values(leaf: &Leaf) -> Vec<Vec<String>> {
    if leaf.choices.is_empty() {
        let first = leaf.text.split(['(', '\n']).next().unwrap_or_default();
        let quoted = leaf.text.split(['"', '\'', '`']).skip(1).step_by(2).take(24);
        let listed = first.split([',', ':', '.', '|', '/']).filter(|t| t.split_whitespace().count() <= 2);
        return quoted.filter(|t| t.len() < 40).chain(listed.take(24)).map(words::split).collect();
    }
    leaf.choices.iter().map(|c| words::split(c)).collect()
}

/// Local paths that a writing tool is given.
fn writes(evidence: &Evidence<'_>) -> Vec<String> {
    let writing = match evidence.doing {
        Doing::Write | Doing::Destroy | Doing::Unknown | Doing::Run => true,
        Doing::Read | Doing::Fetch => {
            any(&evidence.name, &["download", "export", "save", "screenshot", "convert"])
        }
        _ => any(&evidence.name, &["save", "start", "record"]),
    };
    let remote = evidence
        .arguments
        .iter()
        .any(|a| any(&a.leaf.name, &["repo", "repository", "bucket", "drive", "branch"]));
    if !writing || remote {
        return Vec::new();
    }
    let is_path = |leaf: &Leaf| {
        leaf.shape == Shape::Text
            && leaf.choices.is_empty()
            && (last(
                &leaf.name,
                &["path", "directory", "dir", "folder", "filename", "filepath", "destination"],
            ) || last(&leaf.name, &["file"]) && !any(&leaf.name, &["id"]))
            && !any(&leaf.name, &["json", "url", "remote", "key", "id"])
    };
    evidence.arguments.iter().map(|a| a.leaf).filter(|l| is_path(l)).map(|l| l.path.clone()).collect()
}

/// Names of what goes along with a message, whatever its members are.
const CARRIED: &[&str] = &["attachment", "file", "image", "photo", "picture", "video", "document", "media"];

/// The arguments that name who receives, for a tool that sends because of `reason`.
fn pick(evidence: &Evidence<'_>, reason: Reason) -> Vec<SeenSink> {
    let mut picked = Vec::new();
    let (owner, repo) = (top(evidence, &["owner"]), top(evidence, &["repo", "repository"]));
    let mut joined: Vec<&str> = Vec::new();
    if let (Some(owner), Some(repo)) = (owner, repo) {
        picked.push(SeenSink {
            params: vec![owner.to_owned(), repo.to_owned()],
            join: "/",
            kind: Kind::Repository,
        });
        joined = vec![owner, repo];
    }
    let mut plain: Vec<(&Leaf, Kind, Weight)> = Vec::new();
    for argument in &evidence.arguments {
        let leaf = argument.leaf;
        if joined.contains(&leaf.path.as_str()) {
            continue;
        }
        if argument.program.is_some() {
            plain.push((leaf, Kind::Unknown, Weight::Sure));
        } else if let Some((kind, weight)) = argument.sink {
            let fits = match reason {
                Reason::Load => weight == Weight::Sure || matches!(kind, Kind::Url | Kind::Host),
                _ => true,
            };
            if fits {
                plain.push((leaf, kind, weight));
            }
        } else if leaf.shape == Shape::Free && reason != Reason::Load {
            plain.push((leaf, Kind::Unknown, Weight::Likely));
        } else if reason == Reason::Load && sending::takes_address(leaf) {
            plain.push((leaf, Kind::Url, Weight::Sure));
        }
    }
    let named = |(_, kind, weight): &(&Leaf, Kind, Weight)| {
        *weight == Weight::Sure
            || *weight == Weight::Likely && *kind != Kind::Account && *kind != Kind::Unknown
    };
    let parties = !picked.is_empty() || plain.iter().any(named);
    // What was prepared earlier, what is passed on, and who is let in are parties too.
    let prepared = evidence.doing == Doing::Send && any(&evidence.name, &["draft", "forward", "resend"])
        || any(&evidence.name, &["member", "owner", "admin", "install", "upgrade"]);
    let targets_too = reason == Reason::Discussion || prepared || !parties;
    for (leaf, kind, weight) in plain {
        // Where somebody is named, what is handed to them is content.
        let handed = leaf.shape == Shape::Free && kind == Kind::Unknown && weight != Weight::Sure;
        if parties && handed && last(&leaf.name, CARRIED) {
            continue;
        }
        if weight > Weight::Target || targets_too {
            picked.push(SeenSink { params: vec![leaf.path.clone()], join: "", kind });
        }
    }
    picked
}

fn top<'e>(evidence: &'e Evidence<'_>, names: &[&str]) -> Option<&'e str> {
    let here = |l: &Leaf| {
        l.name.len() == 1
            && last(&l.name, names)
            && l.path.matches('/').count() == 1
            && l.shape == Shape::Text
    };
    evidence.arguments.iter().map(|a| a.leaf).find(|l| here(l)).map(|l| l.path.as_str())
}
