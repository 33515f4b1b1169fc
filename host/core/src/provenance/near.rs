//! What comes close to a destination that was not seen itself: evidence for a question, never for a deny.

use super::Index;
use super::fold::fold;
use super::token::{self, Reading};
use crate::destination::{self, Destination, Kind};
use crate::evidence::{Place, Sighting};
use crate::shown::shown;

/// Occurrences that are looked at; more say nothing new.
const LOOKS: usize = 256;

/// The nearest thing that was seen, in words, and where.
pub(super) fn near(index: &Index, d: &Destination) -> Option<(String, Sighting)> {
    let special = match d.kind {
        Kind::Email => assembled(index, &d.canonical),
        Kind::Host => under(index, &d.canonical),
        Kind::Url => destination::url_parts(&d.canonical).and_then(|p| host(index, &p.host)),
        _ => None,
    };
    special.or_else(|| one_edit(index, &fold(&d.canonical)))
}

/// Local part and domain both stand in one text.
fn assembled(index: &Index, address: &str) -> Option<(String, Sighting)> {
    let (local, domain) = address.rsplit_once('@')?;
    let mut out = None;
    let mut looks = 0;
    index.texts.find(domain, |hit| {
        looks += 1;
        let whole = token::read(Kind::Host, hit.before(), domain, hit.after());
        let related = whole == Reading::Itself || whole == Reading::Related;
        if related && stands_in(hit.segment, local) {
            out = Some((
                format!("`{}` and `{}` both stand in one text", shown(local, 80), shown(domain, 80)),
                index.sighting(hit, Place::Text),
            ));
        }
        out.is_some() || looks >= LOOKS
    });
    out.or_else(|| host(index, domain))
}

fn stands_in(text: &str, word: &str) -> bool {
    memchr::memmem::find_iter(text.as_bytes(), word.as_bytes()).take(LOOKS).any(|at| {
        let before = text.get(..at).unwrap_or("");
        let after = text.get(at + word.len()..).unwrap_or("");
        !before.chars().next_back().is_some_and(char::is_alphanumeric)
            && !after.chars().next().is_some_and(char::is_alphanumeric)
    })
}

/// The host itself, also inside an address or as the end of a longer name.
fn host(index: &Index, name: &str) -> Option<(String, Sighting)> {
    let mut out = None;
    let mut looks = 0;
    index.texts.find(name, |hit| {
        looks += 1;
        if token::read(Kind::Host, hit.before(), name, hit.after()) != Reading::Nothing {
            out = Some((format!("`{}` stands in a text", shown(name, 80)), index.sighting(hit, Place::Text)));
        }
        out.is_some() || looks >= LOOKS
    });
    out.or_else(|| under(index, name))
}

/// A domain above the host stands in a text.
fn under(index: &Index, name: &str) -> Option<(String, Sighting)> {
    destination::parents(name).find_map(|parent| {
        let mut out = None;
        let mut looks = 0;
        index.texts.find(parent, |hit| {
            looks += 1;
            if token::read(Kind::Host, hit.before(), parent, hit.after()) == Reading::Itself
                || hit.before().ends_with('@')
            {
                out = Some((
                    format!("`{}`, the domain above it, stands in a text", shown(parent, 80)),
                    index.sighting(hit, Place::Text),
                ));
            }
            out.is_some() || looks >= LOOKS
        });
        out
    })
}

/// One letter changed, left out, added or swapped: one half of the value is then still whole.
fn one_edit(index: &Index, value: &str) -> Option<(String, Sighting)> {
    let chars: Vec<char> = value.chars().collect();
    if chars.len() < 10 || chars.len() > 256 {
        return None;
    }
    let (a, b) = chars.split_at(chars.len() / 2);
    let (first, second): (String, String) = (a.iter().collect(), b.iter().collect());
    let mut out = None;
    let mut try_half = |half: &str, ahead: bool| {
        let mut looks = 0;
        index.texts.find(half, |hit| {
            looks += 1;
            // The other half, with one letter more or less, stands before or after.
            let rest = if ahead { second.chars().count() } else { first.chars().count() };
            for n in rest.saturating_sub(1)..=rest + 1 {
                let (candidate, alone) = if ahead {
                    let other: String = hit.after().chars().take(n).collect();
                    let left = hit.after().chars().nth(n);
                    (format!("{half}{other}"), !left.is_some_and(char::is_alphanumeric))
                } else {
                    let mut other: Vec<char> = hit.before().chars().rev().take(n).collect();
                    other.reverse();
                    let left = hit.before().chars().rev().nth(n);
                    (
                        format!("{}{half}", other.iter().collect::<String>()),
                        !left.is_some_and(char::is_alphanumeric),
                    )
                };
                if alone && candidate != value && within_one(&candidate, value) {
                    out = Some((
                        format!("`{}`, one letter away, stands in a text", shown(&candidate, 120)),
                        index.sighting(hit, Place::Text),
                    ));
                    break;
                }
            }
            out.is_some() || looks >= LOOKS
        })
    };
    if !try_half(&first, true) {
        try_half(&second, false);
    }
    out
}

/// Whether one insertion, deletion, substitution or swap of neighbours makes the one the other.
pub(super) fn within_one(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let same = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let (a, b) = (a.get(same..).unwrap_or(&[]), b.get(same..).unwrap_or(&[]));
    let same = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    let (a, b) = (a.get(..a.len() - same).unwrap_or(&[]), b.get(..b.len() - same).unwrap_or(&[]));
    match (a, b) {
        ([] | [_], [] | [_]) => true,
        ([x, y], [u, v]) => x == v && y == u,
        _ => false,
    }
}
