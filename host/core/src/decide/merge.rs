//! Merging what the layers state of one tool into one contract: the stricter wins, only what may loosen loosens.
//!
//! Nothing here looks at a call. Every field keeps who said it, for `explain`.

use super::schema::known_arguments;
use super::usual::Usual;
use crate::arg_path::ArgPath;
use crate::contract::{Contract, Layer, OnTainted, Profile, Said, Sink, Stated};
use crate::destination::TrustPattern;
use crate::resource::Resources;
use crate::tool::Tool;
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A pattern of `arg_patterns`, made to match whole values only.
#[derive(Debug, Clone)]
pub struct FullMatch {
    /// As the layer wrote it.
    pub written: String,
    /// Anchored on both ends; `None` where it cannot be anchored, and then nothing matches.
    pub regex: Option<Regex>,
}

/// The one contract of a tool that results from all layers, with who said each field.
#[derive(Debug, Clone, Default)]
pub struct Merged {
    /// Whether a call can carry data out.
    pub exfiltrating: bool,
    /// Who said so; empty for the default.
    pub exfiltrating_said: Vec<Said>,
    /// Whether a call can lose something for good.
    pub destructive: bool,
    /// Who said so; empty for the default.
    pub destructive_said: Vec<Said>,
    /// A call changes what it reads; who said so.
    pub uses_up: Vec<Said>,
    /// A call pays, books, orders, or sets a password; who said so.
    pub binds: Vec<Said>,
    /// All sinks of all layers; which of them `harmless` silences is decided place by place, see [`Merged::is_harmless`].
    pub sinks: Vec<(Sink, Said)>,
    /// The layers whose sinks, once one is filled, make the other arguments content: Bouncer's own heuristics and those
    /// that may loosen. Anybody else's sinks are gated too, but narrow nothing that others said.
    pub narrowing: BTreeSet<Layer>,
    /// Whether the narrowing layers by themselves make this a sending tool.
    pub exfiltrating_by_narrowing: bool,
    /// The other layers that do.
    pub exfiltrating_by_others: BTreeSet<Layer>,
    /// Arguments that a layer which may loosen calls no sinks.
    pub harmless: Vec<(ArgPath, Said)>,
    /// Destinations vouched for.
    pub trusted: Vec<(TrustPattern, Said)>,
    /// Arguments that name a file to be written.
    pub write_params: Vec<(ArgPath, Said)>,
    /// Each list must hold: a path below one of its folders. Else a deny.
    pub allowed_path_prefixes: Vec<(Vec<String>, Said)>,
    /// Each list must hold, else an ask. Empty where the user states `allowed_path_prefixes`.
    pub home_prefixes: Vec<(Vec<String>, Said)>,
    /// All must match.
    pub arg_patterns: Vec<(ArgPath, FullMatch, Said)>,
    /// Calls per session that somebody wrote down: what is beyond is denied.
    pub max_calls: Option<(u64, Said)>,
    /// Calls per session as guessed, where the user states no number: what is beyond is asked about.
    pub guessed_calls: Option<(u64, Said)>,
    /// Places in the output that are a directory.
    pub directories: Vec<(ArgPath, Said)>,
    /// The packs whose `evaluate` is called for each call, each once.
    pub evaluate: Vec<String>,
    /// What a destination that stands only in a text leads to: deny where `None`.
    pub on_tainted: Option<(OnTainted, Said)>,
    /// A destination that is a field of an answer is denied; who said so, empty where it is asked about.
    pub deny_fields: Vec<Said>,
    /// How much is asked.
    pub profile: Profile,
    /// Who set the profile; `None` for the default.
    pub profile_said: Option<Said>,
    /// The arguments that the pinned schema knows; `None` where there is no schema, and then none is known.
    pub known_arguments: Option<BTreeSet<String>>,
    /// Layers that were dropped since a stronger one said `replace`.
    pub replaced: Vec<Said>,
    /// What the server lists of its resources: for requests that call no tool.
    pub resources: Arc<Resources>,
    /// What is said of nearly every call; `None` in a contract of no tool in particular.
    pub usual: Option<Usual>,
}

impl Merged {
    /// Whether the place `pointer` is called harmless by a voice stronger than `than` (by anyone, for `None`).
    #[must_use]
    pub fn is_harmless(&self, pointer: &str, than: Option<&Layer>) -> bool {
        self.harmless.iter().any(|(path, said)| {
            than.is_none_or(|layer| rank(&said.layer) > rank(layer)) && path.covers(pointer)
        })
    }
}

/// How strong a voice is; two packs are equals.
pub(super) fn rank(layer: &Layer) -> u8 {
    match layer {
        Layer::Heuristic => 0,
        Layer::Pack(_) => 1,
        Layer::Project => 2,
        Layer::User => 3,
    }
}

/// A file from a repository never loosens and a heuristic has nobody to loosen, whatever the host marks them as.
fn loosens(stated: &Stated) -> bool {
    stated.may_loosen && matches!(stated.said.layer, Layer::Pack(_) | Layer::User)
}

fn is_user(stated: &Stated) -> bool {
    loosens(stated) && stated.said.layer == Layer::User
}

/// Merges layers field by field: the stricter wins, lists of sinks unite; what loosens counts only where `may_loosen`.
#[must_use]
pub fn merge(tool: &Tool, layers: &[Stated]) -> Merged {
    let floor = layers
        .iter()
        .filter(|s| loosens(s) && s.contract.replace)
        .map(|s| rank(&s.said.layer))
        .max()
        .unwrap_or_default();
    let (mut kept, dropped): (Vec<&Stated>, Vec<&Stated>) =
        layers.iter().partition(|s| rank(&s.said.layer) >= floor);
    kept.sort_by(|a, b| b.said.cmp_strength(&a.said));

    let mut merged = Merged {
        known_arguments: known_arguments(tool),
        usual: Some(Usual::of(&tool.name)),
        replaced: dropped.iter().map(|s| s.said.clone()).collect(),
        ..Merged::default()
    };
    (merged.exfiltrating, merged.exfiltrating_said) = flag(&kept, sends);
    let (narrow, others): (Vec<&Stated>, Vec<&Stated>) =
        kept.iter().partition(|s| loosens(s) || s.said.layer == Layer::Heuristic);
    merged.exfiltrating_by_narrowing = flag(&narrow, sends).0;
    merged.exfiltrating_by_others =
        others.iter().filter(|s| sends(&s.contract) == Some(true)).map(|s| s.said.layer.clone()).collect();
    // Who may loosen in some things, but names sinks where it may not, narrows nothing.
    let narrows = |layer: &Layer| !merged.exfiltrating_by_others.contains(layer);
    merged.narrowing = narrow.iter().map(|s| s.said.layer.clone()).filter(narrows).collect();
    (merged.destructive, merged.destructive_said) = flag(&kept, |c| c.destructive);
    if !kept.iter().any(|s| loosens(s) && s.contract.destructive == Some(false)) {
        merged.uses_up = kept.iter().filter(|s| s.contract.uses_up).map(|s| s.said.clone()).collect();
    }
    merged.binds = kept.iter().filter(|s| s.contract.binds).map(|s| s.said.clone()).collect();
    for stated in &kept {
        lists(&mut merged, stated);
    }
    if kept.iter().any(|s| is_user(s) && !empty_list(&s.contract)) {
        merged.home_prefixes.clear();
    }
    merged.max_calls = max_calls(&kept, |s| s.said.layer != Layer::Heuristic);
    if !kept.iter().any(|s| is_user(s) && s.contract.max_calls.is_some()) {
        merged.guessed_calls = max_calls(&kept, |s| s.said.layer == Layer::Heuristic);
    }
    if let Some((profile, said)) = profile(&kept) {
        merged.profile = profile;
        merged.profile_said = Some(said);
    }
    merged
}

impl Said {
    /// Stronger voices are greater; equals are ordered by name and place, so that a merge does not depend on order.
    fn cmp_strength(&self, other: &Said) -> std::cmp::Ordering {
        rank(&self.layer).cmp(&rank(&other.layer)).then_with(|| other.cmp(self))
    }
}

fn empty_list(contract: &Contract) -> bool {
    contract.allowed_path_prefixes.as_ref().is_none_or(Vec::is_empty)
}

/// Who names receivers says that there is something to receive.
fn sends(contract: &Contract) -> Option<bool> {
    if contract.sinks.is_empty() { contract.exfiltrating } else { contract.exfiltrating.or(Some(true)) }
}

/// A yes of anyone, unless the strongest voice above that may loosen says no. Among equals yes wins.
fn flag(kept: &[&Stated], read: impl Fn(&Contract) -> Option<bool>) -> (bool, Vec<Said>) {
    for level in (0..=3_u8).rev() {
        let says = |wanted: bool, who: fn(&Stated) -> bool| -> Vec<Said> {
            kept.iter()
                .filter(|s| rank(&s.said.layer) == level && read(&s.contract) == Some(wanted) && who(s))
                .map(|s| s.said.clone())
                .collect()
        };
        let yes = says(true, |_| true);
        if !yes.is_empty() {
            return (true, yes);
        }
        let no = says(false, loosens);
        if !no.is_empty() {
            return (false, no);
        }
    }
    (false, Vec::new())
}

fn lists(merged: &mut Merged, stated: &Stated) {
    let (contract, said) = (&stated.contract, &stated.said);
    for sink in &contract.sinks {
        // Kept for each layer that says it: `harmless` and narrowing depend on whose it is.
        if !merged.sinks.iter().any(|(s, by)| s == sink && by.layer == said.layer) {
            merged.sinks.push((sink.clone(), said.clone()));
        }
    }
    push_paths(&mut merged.write_params, &contract.write_params, said);
    if let Some(prefixes) = contract.allowed_path_prefixes.as_ref().filter(|list| !list.is_empty()) {
        merged.allowed_path_prefixes.push((prefixes.clone(), said.clone()));
    }
    if !contract.home_prefixes.is_empty() {
        merged.home_prefixes.push((contract.home_prefixes.clone(), said.clone()));
    }
    for (path, regex) in &contract.arg_patterns {
        let written = regex.as_str().to_owned();
        let regex = Regex::new(&format!(r"\A(?:{written})\z")).ok();
        merged.arg_patterns.push((path.clone(), FullMatch { written, regex }, said.clone()));
    }
    if let Layer::Pack(name) = &said.layer
        && contract.evaluate
        && !merged.evaluate.contains(name)
    {
        merged.evaluate.push(name.clone());
    }
    if contract.deny_fields {
        merged.deny_fields.push(said.clone());
    }
    if loosens(stated) {
        push_paths(&mut merged.harmless, &contract.harmless, said);
        push_paths(&mut merged.directories, &contract.directories, said);
        // An entry that cannot be read vouches for nothing.
        merged.trusted.extend(
            contract
                .trusted_destinations
                .iter()
                .filter_map(|entry| TrustPattern::parse(entry).ok())
                .map(|p| (p, said.clone())),
        );
    }
    if is_user(stated)
        && let Some(choice) = contract.on_tainted
        // Several entries of the user's own file: the stricter.
        && merged.on_tainted.as_ref().is_none_or(|(now, _)| *now == OnTainted::Ask)
    {
        merged.on_tainted = Some((choice, said.clone()));
    }
}

fn push_paths(into: &mut Vec<(ArgPath, Said)>, paths: &[ArgPath], said: &Said) {
    for path in paths {
        if !into.iter().any(|(p, s)| p == path && s.layer == said.layer) {
            into.push((path.clone(), said.clone()));
        }
    }
}

/// The user's own number, else the smallest that one of `whom` states.
fn max_calls(kept: &[&Stated], whom: fn(&Stated) -> bool) -> Option<(u64, Said)> {
    let smallest = |who: fn(&Stated) -> bool| {
        kept.iter()
            .filter(|s| who(s))
            .filter_map(|s| s.contract.max_calls.map(|n| (n, s.said.clone())))
            .min_by_key(|(n, _)| *n)
    };
    smallest(is_user).or_else(|| smallest(whom))
}

/// The user's own choice, else the strictest of all.
fn profile(kept: &[&Stated]) -> Option<(Profile, Said)> {
    let strictest = |who: fn(&Stated) -> bool| {
        kept.iter()
            .filter(|s| who(s))
            .filter_map(|s| s.contract.profile.map(|p| (p, s.said.clone())))
            .max_by_key(|(p, _)| *p)
    };
    strictest(is_user).or_else(|| strictest(|_| true))
}
