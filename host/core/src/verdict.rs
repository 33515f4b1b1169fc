//! The two lattices that every decision is made in. Joining takes the larger, so nothing loosens.

use std::fmt;

/// What happens to a call. `Allow < Ask < Deny`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Forwarded upstream unchanged.
    Allow,
    /// A human is asked; anything but an explicit yes is a deny.
    Ask,
    /// Never forwarded.
    Deny,
}

impl Verdict {
    /// The stricter of the two.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        self.max(other)
    }

    /// The word used in audit lines and policy files.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What is known of a value's origin. `Trusted < Unproven < Tainted`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Trust {
    /// The user vouched for it, or it stands in a directory only they can write.
    Trusted,
    /// Nothing vouches for it and nothing speaks against it.
    Unproven,
    /// It came from text that somebody else wrote.
    Tainted,
}

impl Trust {
    /// The less trusted of the two.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        self.max(other)
    }

    /// The word used in audit lines and handed to policy modules.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Trusted => "trusted",
            Self::Unproven => "unproven",
            Self::Tainted => "tainted",
        }
    }
}

/// The contracts in the order in which they are checked; ties between verdicts go to the earlier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContractName {
    /// Is the tool the one that was recorded?
    Pinning,
    /// How often may it be called in a session?
    Budget,
    /// Are its arguments within the paths and patterns allowed?
    Constraint,
    /// What do the policy modules say?
    Policy,
    /// May these destinations receive this call?
    SinkGate,
    /// No contract objected.
    Default,
}

impl ContractName {
    /// The word used in audit lines.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pinning => "pinning",
            Self::Budget => "budget",
            Self::Constraint => "constraint",
            Self::Policy => "policy",
            Self::SinkGate => "sink_gate",
            Self::Default => "default",
        }
    }
}

impl fmt::Display for ContractName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
