//! Whole fields of structured answers, by every form in which a look-up may name them.

use super::fold::fold;
use crate::destination::{self, Destination, Kind};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry::Vacant;

/// Characters of a field kept for its excerpt.
const EXCERPT: usize = 160;

/// Where a field stood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) call: u64,
    pub(super) pointer: Box<str>,
    /// The value as sent, cut to what an excerpt shows.
    pub(super) value: Box<str>,
}

/// A field on its way into the table: the forms under which it is to be found.
#[derive(Debug)]
pub(super) struct Field {
    pointer: Box<str>,
    value: Box<str>,
    keys: Vec<String>,
    entries: Vec<(Kind, String)>,
}

impl Field {
    /// A field of any answer.
    pub(super) fn seen(pointer: &str, value: &str) -> Self {
        Self { keys: keys(value), ..Self::without_forms(pointer, value) }
    }

    /// An exact entry of a granted directory.
    pub(super) fn entry(pointer: &str, value: &str) -> Self {
        let entries =
            KINDS.into_iter().filter_map(|kind| Some((kind, destination::canonical(kind, value)?))).collect();
        Self { entries, ..Self::without_forms(pointer, value) }
    }

    /// About how many bytes it takes.
    pub(super) fn size(&self) -> usize {
        let forms = self.keys.iter().chain(self.entries.iter().map(|(_, form)| form));
        256 + self.pointer.len() + self.value.len() + forms.map(|form| form.len() + 64).sum::<usize>()
    }

    fn without_forms(pointer: &str, value: &str) -> Self {
        let shown: String = value.chars().take(EXCERPT).collect();
        Self { pointer: pointer.into(), value: shown.into(), keys: Vec::new(), entries: Vec::new() }
    }
}

/// The first sighting of each value.
#[derive(Debug, Default)]
pub(super) struct Fields {
    /// By folded form: fields of any answer. Only ever weighs as *seen in a field*.
    seen: BTreeMap<Box<str>, Place>,
    /// By kind and canonical form, exactly: entries of granted directories.
    entries: BTreeMap<(Kind, Box<str>), Place>,
    bytes: usize,
    /// Values were left out because the table was full.
    pub(super) full: bool,
    limit: usize,
}

const KINDS: [Kind; 11] = [
    Kind::Email,
    Kind::Url,
    Kind::Host,
    Kind::Phone,
    Kind::Channel,
    Kind::User,
    Kind::Repository,
    Kind::Account,
    Kind::Path,
    Kind::Reference,
    Kind::Unknown,
];

impl Fields {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Records a field of answer number `call`.
    pub(super) fn add(&mut self, field: Field, call: u64) {
        if self.bytes > self.limit {
            self.full = true;
            return;
        }
        let Field { pointer, value, keys, entries } = field;
        let place = Place { call, pointer, value };
        let size = place.pointer.len() + place.value.len() + 96;
        for key in keys {
            if let Vacant(vacant) = self.seen.entry(key.into()) {
                self.bytes += vacant.key().len() + size;
                vacant.insert(place.clone());
            }
        }
        for (kind, canonical) in entries {
            if let Vacant(vacant) = self.entries.entry((kind, canonical.into())) {
                self.bytes += vacant.key().1.len() + size;
                vacant.insert(place.clone());
            }
        }
    }

    /// The directory entry that is exactly this destination.
    pub(super) fn directory(&self, d: &Destination) -> Option<&Place> {
        self.entries.get(&(d.kind, Box::from(d.canonical.as_str())))
    }

    /// A field that is this destination.
    pub(super) fn field(&self, d: &Destination) -> Option<&Place> {
        let forms = [fold(&d.canonical), fold(&d.raw), fold(destination::bare_name(&d.raw))];
        forms.iter().find_map(|f| self.seen.get(f.as_str()))
    }

    /// A field that names this host, by itself or in a URL.
    pub(super) fn host(&self, host: &str) -> Option<&Place> {
        self.seen.get(host)
    }
}

/// The forms under which a value is found again.
fn keys(value: &str) -> Vec<String> {
    let mut out = vec![fold(value), fold(destination::bare_name(value))];
    for kind in FORMS.into_iter().filter(|kind| may_have_a_form(*kind, value)) {
        out.extend(destination::canonical(kind, value).map(|c| fold(&c)));
    }
    if value.contains('@') {
        out.extend(
            destination::read(Kind::Email, value, "")
                .into_iter()
                .filter(|d| d.kind == Kind::Email)
                .map(|d| d.canonical),
        );
    }
    if value.contains(['.', ':']) && !value.contains(['@', ' ']) {
        out.extend(destination::canonical(Kind::Url, value).map(|c| fold(&c)));
        out.extend(destination::url_parts(value).map(|p| p.host));
    }
    out.retain(|k| !k.is_empty());
    out.sort();
    out.dedup();
    out
}

/// Kinds whose canonical form may be another than the folded text.
const FORMS: [Kind; 5] = [Kind::Email, Kind::Phone, Kind::Account, Kind::Repository, Kind::Path];

/// Whether the canonical form may be another: most values are words, and reading each as every kind takes longer than all
/// else that is done with them.
fn may_have_a_form(kind: Kind, value: &str) -> bool {
    let digit = || value.bytes().any(|b| b.is_ascii_digit());
    !value.is_ascii()
        || match kind {
            Kind::Email => value.contains(['@', '%']),
            Kind::Phone | Kind::Account => digit(),
            Kind::Repository => value.contains(['/', ':']) || value.trim_end().ends_with(".git"),
            Kind::Path => value.contains('/'),
            _ => true,
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_left_out_is_the_folded_text(value in "[aG1 ./:@%~#<>|\"+-]{0,12}|[a-z.]{0,6}\\.git ?|[ -~\u{e9}\u{ff20}]{0,20}") {
            let usual = [fold(&value), fold(destination::bare_name(&value))];
            for kind in FORMS {
                let form = destination::canonical(kind, &value).map(|c| fold(&c)).filter(|f| !usual.contains(f));
                prop_assert!(form.is_none() || may_have_a_form(kind, &value), "{:?} {:?}", kind, form);
            }
        }
    }
}
