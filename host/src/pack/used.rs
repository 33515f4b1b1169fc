//! Which grants take part in a tool's contract, for the log: what an installed pack loosens and nobody stronger overrules.

use super::{GrantKind, Grants};
use bouncer_core::contract::{Layer, Said};
use bouncer_core::decide::Merged;
use std::collections::BTreeMap;

/// A granted pack that loosens something about a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantUse {
    /// Its name.
    pub pack: String,
    /// The first digits of its component's hash.
    pub sha256: String,
    /// The kinds that take part.
    pub kinds: Grants,
}

/// The grants that take part in this contract, of the packs that `hash_of` knows a hash for.
#[must_use]
pub fn uses(merged: &Merged, hash_of: &dyn Fn(&str) -> Option<String>) -> Vec<GrantUse> {
    let mut kinds: BTreeMap<String, Vec<GrantKind>> = BTreeMap::new();
    let mut add = |said: &[&Said], kind: GrantKind| {
        for one in said {
            if let Layer::Pack(name) = &one.layer {
                kinds.entry(name.clone()).or_default().push(kind);
            }
        }
    };
    // Sinks of a layer that narrows turn the other arguments into content.
    let narrowing = merged.sinks.iter().map(|(_, said)| said);
    let narrowing = narrowing.filter(|said| merged.narrowing.contains(&said.layer));
    add(
        &merged.harmless.iter().map(|(_, said)| said).chain(narrowing).collect::<Vec<_>>(),
        GrantKind::Harmless,
    );
    if !merged.exfiltrating {
        add(&merged.exfiltrating_said.iter().collect::<Vec<_>>(), GrantKind::NotSending);
    }
    if !merged.destructive {
        add(&merged.destructive_said.iter().collect::<Vec<_>>(), GrantKind::NotSending);
    }
    add(&merged.directories.iter().map(|(_, said)| said).collect::<Vec<_>>(), GrantKind::Directories);
    add(&merged.trusted.iter().map(|(_, said)| said).collect::<Vec<_>>(), GrantKind::Vouch);
    let with_hash = |(pack, kinds): (String, Vec<GrantKind>)| {
        let sha256 = hash_of(&pack)?;
        Some(GrantUse { pack, sha256, kinds: kinds.into_iter().collect() })
    };
    kinds.into_iter().filter_map(with_hash).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bouncer_core::arg_path::ArgPath;

    #[test]
    fn only_what_takes_part_is_named_and_only_of_packs_with_a_hash() {
        let said = |name: &str| Said { layer: Layer::Pack(name.to_owned()), place: String::new() };
        let path = || ArgPath::parse("/x").unwrap();
        let merged = Merged {
            exfiltrating: true,
            exfiltrating_said: vec![said("sends")],
            destructive_said: vec![said("a")],
            directories: vec![(path(), said("a")), (path(), said("builtin"))],
            ..Merged::default()
        };
        let used = uses(&merged, &|name| (name != "builtin").then(|| "0123".to_owned()));
        let kinds: Grants = [GrantKind::NotSending, GrantKind::Directories].into_iter().collect();
        assert_eq!(used, [GrantUse { pack: "a".to_owned(), sha256: "0123".to_owned(), kinds }]);
    }
}
