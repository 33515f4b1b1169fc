//! Contracts: what each layer states of a tool, and the one contract that results when they are merged.

use crate::arg_path::ArgPath;
use crate::destination::Kind;
use regex::Regex;

/// Who states something of a tool, from the weakest voice to the strongest.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    /// Schema heuristics for a tool that nobody described.
    Heuristic,
    /// A policy module, by pack name.
    Pack(String),
    /// A policy file that came with a repository: it can only tighten.
    Project,
    /// The user's own policy file.
    User,
}

/// A layer and the place in it: `user policy, bouncer.toml:12`, `pack gmail 0.1.0`, `schema heuristics`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Said {
    /// The layer.
    pub layer: Layer,
    /// Where in it, for a person to find.
    pub place: String,
}

/// An argument (or several read together) that names who receives the call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sink {
    /// The argument; with more than one, their values are joined into one destination (`owner` + `repo`).
    pub params: Vec<ArgPath>,
    /// What stands between joined values: `/` for a repository.
    pub join: String,
    /// What kind of destination it is.
    pub kind: Kind,
}

/// What a user's file says of a destination that stands only inside an untrusted text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnTainted {
    /// The default.
    Deny,
    /// Looser; only a user's own file may say it.
    Ask,
}

/// How much is asked: see the design, section 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Profile {
    /// Destinations, and budgets for destructive tools.
    #[default]
    Standard,
    /// Also links and addresses inside content that come from untrusted text, and destructive, paying and
    /// password-setting targets that the user did not name.
    Strict,
    /// Also every write whose decisive arguments the user did not name.
    Paranoid,
}

/// What one layer states of one tool. A field left at its default says nothing.
#[derive(Debug, Clone, Default)]
pub struct Contract {
    /// Whether a call can carry data to a party that its arguments or the server's state choose.
    pub exfiltrating: Option<bool>,
    /// Whether a call can lose something for good.
    pub destructive: Option<bool>,
    /// A call reads, and changes what it reads: marks it as read, takes it off a queue. Asked about where the user did not
    /// name what is read; `destructive = false` of a layer that may loosen silences it.
    pub uses_up: bool,
    /// A call binds the user: it pays, books, orders, or sets a password. Only profiles from strict on ask about it.
    pub binds: bool,
    /// The arguments that name who receives it.
    pub sinks: Vec<Sink>,
    /// Arguments that are no sinks, whatever another layer thinks. Loosens.
    pub harmless: Vec<ArgPath>,
    /// Destinations that the user vouches for: exact values or finer patterns (`*@corp.com`). Loosens.
    pub trusted_destinations: Vec<String>,
    /// Arguments that name a file to be written.
    pub write_params: Vec<ArgPath>,
    /// Folders (absolute, as written otherwise) that `write_params` must lie in or equal. `None` says nothing, an empty
    /// list nothing either (the older system's packs are written so).
    pub allowed_path_prefixes: Option<Vec<String>>,
    /// Folders outside of which a write is asked about (heuristics, packs); `allowed_path_prefixes` denies instead.
    pub home_prefixes: Vec<String>,
    /// Patterns that the whole value of an argument must match.
    pub arg_patterns: Vec<(ArgPath, Regex)>,
    /// Calls per session; 0 forbids the tool. What is beyond a guessed one (heuristics) is asked about, else denied.
    pub max_calls: Option<u64>,
    /// Places in the tool's *output* that are a directory. Loosens.
    pub directories: Vec<ArgPath>,
    /// Whether the module that states this wants `evaluate` to be called for each call.
    pub evaluate: bool,
    /// What a destination that stands only in a text leads to.
    pub on_tainted: Option<OnTainted>,
    /// What a destination that is a whole field of an answer leads to: `true` denies instead of asking.
    pub deny_fields: bool,
    /// How much is asked about this tool.
    pub profile: Option<Profile>,
    /// Drop what weaker layers say of this tool. Loosens.
    pub replace: bool,
}

/// A contract, who states it, and whether what loosens in it takes effect.
#[derive(Debug, Clone)]
pub struct Stated {
    /// Who says it.
    pub said: Said,
    /// What is said.
    pub contract: Contract,
    /// The user wrote it, or granted it to this module by content hash.
    pub may_loosen: bool,
}
