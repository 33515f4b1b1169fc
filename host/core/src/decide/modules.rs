//! What policy modules answered, as findings: they raise, they never lower; silence and faults deny.

use super::note::{Note, approved, digest, key};
use super::{ModuleFinding, ModuleOutcome};
use crate::call::Call;
use crate::destination::{Destination, read};
use crate::facts::Facts;
use crate::shown::{sentence, shown};
use crate::value::Value;
use crate::verdict::{ContractName, Verdict};

/// The findings of all modules, and the further destinations they found with the pack that did.
pub(super) fn outcomes(
    call: &Call,
    wanted: &[String],
    outcomes: Vec<ModuleOutcome>,
    facts: &Facts<'_>,
) -> (Vec<Note>, Vec<(String, Destination)>) {
    let mut notes = Vec::new();
    let mut found = Vec::new();
    let mut heard: Vec<String> = Vec::new();
    for outcome in outcomes {
        match outcome {
            ModuleOutcome::Failed { pack, reason } => {
                notes.push(failed(&pack, &reason));
                heard.push(pack);
            }
            ModuleOutcome::Answered { pack, findings, destinations } => {
                notes.extend(findings.iter().map(|f| note(call, &pack, f, facts)));
                for destination in destinations {
                    // The module's word for what it found is not taken for its canonical form.
                    let again = read(destination.kind, &destination.raw, &destination.argument);
                    let again = if again.is_empty() { vec![destination] } else { again };
                    found.extend(again.into_iter().map(|d| (pack.clone(), d)));
                }
                heard.push(pack);
            }
        }
    }
    for pack in wanted.iter().filter(|pack| !heard.contains(pack)) {
        notes.push(failed(pack, "it was not run"));
    }
    (notes, found)
}

fn failed(pack: &str, reason: &str) -> Note {
    let text = format!("policy module `{}` failed: {}", shown(pack, 80), sentence(reason, 300));
    Note::new(ContractName::Policy, Verdict::Deny, "module_failed", text)
}

/// An approval of a module's ask is bound to server, tool, pack, code and the value of the argument it is about (all
/// arguments where it names none, or one that is not there).
fn note(call: &Call, pack: &str, finding: &ModuleFinding, facts: &Facts<'_>) -> Note {
    let place = at(call.arguments(), &finding.argument);
    let value = format!("{:?}", place.unwrap_or(call.arguments()));
    let key = key(
        facts.server,
        call.tool(),
        "module",
        &digest([pack, finding.code.as_str(), finding.argument.as_str(), value.as_str()]),
    );
    let verdict = match finding.verdict {
        Verdict::Ask if approved(call.tool(), &key, facts) => Verdict::Allow,
        verdict => verdict,
    };
    let text = format!("{} (policy module `{}`)", sentence(&finding.text, 1000), shown(pack, 80));
    let mut note = Note::new(ContractName::Policy, verdict, shown(&finding.code, 64), text);
    note.finding.said.push(crate::contract::Said {
        layer: crate::contract::Layer::Pack(pack.to_owned()),
        place: format!("pack {pack}"),
    });
    let argument = if place.is_some() { finding.argument.as_str() } else { "" };
    note.question(key, argument, &finding.code)
}

fn at<'v>(root: &'v Value, pointer: &str) -> Option<&'v Value> {
    pointer.strip_prefix('/')?.split('/').try_fold(root, |at, key| match at {
        Value::Array(items) => items.get(key.parse::<usize>().ok()?),
        other => other.get(&key.replace("~1", "/").replace("~0", "~")),
    })
}
