//! What may loosen, by kind: what a manifest wants, and what of it is granted.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

/// One kind of loosening.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, clap::ValueEnum,
)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum GrantKind {
    /// To call arguments no destinations.
    Harmless,
    /// To call tools not sending, or not destroying, that schema heuristics think are.
    NotSending,
    /// To name places in answers that only the user or their organisation can write.
    Directories,
    /// To vouch for destinations.
    Vouch,
}

impl GrantKind {
    /// Every kind, in the order in which they are shown.
    pub const ALL: [Self; 4] = [Self::Harmless, Self::NotSending, Self::Directories, Self::Vouch];

    /// As `pack.toml` and `grants.toml` spell it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Harmless => "harmless",
            Self::NotSending => "not_sending",
            Self::Directories => "directories",
            Self::Vouch => "vouch",
        }
    }

    /// What granting it means, for a person.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Harmless => "call arguments no destinations: what stands in them is not asked about",
            Self::NotSending => "call tools not sending or not destroying: their calls are not asked about",
            Self::Directories => {
                "name directories: whom such an answer lists may be sent to without a question"
            }
            Self::Vouch => "vouch for destinations: they may be sent to without a question",
        }
    }
}

/// A set of kinds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Grants(BTreeSet<GrantKind>);

impl Grants {
    /// Every kind.
    #[must_use]
    pub fn all() -> Self {
        GrantKind::ALL.into_iter().collect()
    }

    /// Whether this kind is among them.
    #[must_use]
    pub fn has(&self, kind: GrantKind) -> bool {
        self.0.contains(&kind)
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The kinds, in order.
    pub fn iter(&self) -> impl Iterator<Item = GrantKind> + '_ {
        self.0.iter().copied()
    }

    /// Those that are in both.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        self.iter().filter(|kind| other.has(*kind)).collect()
    }

    /// Those that are not in `other`.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        self.iter().filter(|kind| !other.has(*kind)).collect()
    }

    /// Those that are in either.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        self.iter().chain(other.iter()).collect()
    }
}

impl FromIterator<GrantKind> for Grants {
    fn from_iter<I: IntoIterator<Item = GrantKind>>(kinds: I) -> Self {
        Self(kinds.into_iter().collect())
    }
}

impl fmt::Display for Grants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("nothing");
        }
        let words: Vec<&str> = self.iter().map(GrantKind::as_str).collect();
        f.write_str(&words.join(", "))
    }
}
