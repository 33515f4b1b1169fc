//! What is recorded of one server: each definition as it was first seen or last accepted, and what the server lists
//! otherwise since. No files here.

use super::key::{Launch, ServerKey};
use bouncer_core::tool::{ServerIdentity, Tool};
use bouncer_core::value::Value;
use std::collections::BTreeMap;

/// What a server tells of itself that a model or a client acts on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// `tools/list`
    Tools,
    /// `prompts/list`
    Prompts,
    /// `resources/templates/list`
    Templates,
    /// `instructions` of the answer to `initialize` or `server/discover`: one entry with an empty name, or none.
    Instructions,
}

/// Definitions of one part by name.
pub type Definitions = BTreeMap<String, Value>;

/// What differs from the record: the definition as the server lists it now; `None` where it lists it no more.
pub type Pending = BTreeMap<String, Option<Value>>;

/// The record of one server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// Which server, by the user's configuration.
    pub key: ServerKey,
    /// `serverInfo.name` when it was last seen; empty where unknown.
    pub reported_name: String,
    /// `serverInfo.version` when it was last seen; empty where unknown.
    pub reported_version: String,
    /// When the record was begun: RFC 3339, UTC.
    pub first_seen: String,
    /// When a session last used it, within an hour: RFC 3339, UTC.
    pub last_seen: String,
    /// When a person last accepted a change, if ever: RFC 3339, UTC.
    pub accepted: Option<String>,
    pub(super) pinned: BTreeMap<Part, Definitions>,
    pub(super) pending: BTreeMap<Part, Pending>,
}

impl Part {
    /// All parts, in the order in which they are shown.
    pub const ALL: [Self; 4] = [Self::Tools, Self::Prompts, Self::Templates, Self::Instructions];

    /// The word for it in files and in JSON output.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Prompts => "prompts",
            Self::Templates => "resource_templates",
            Self::Instructions => "instructions",
        }
    }

    /// One of it, for people.
    #[must_use]
    pub const fn one(self) -> &'static str {
        match self {
            Self::Tools => "tool",
            Self::Prompts => "prompt",
            Self::Templates => "resource template",
            Self::Instructions => "instructions",
        }
    }

    /// The request that lists it; `None` for instructions.
    #[must_use]
    pub const fn method(self) -> Option<&'static str> {
        match self {
            Self::Tools => Some("tools/list"),
            Self::Prompts => Some("prompts/list"),
            Self::Templates => Some("resources/templates/list"),
            Self::Instructions => None,
        }
    }

    /// The member of the answer that holds the definitions.
    #[must_use]
    pub const fn member(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Prompts => "prompts",
            Self::Templates => "resourceTemplates",
            Self::Instructions => "instructions",
        }
    }

    /// The part that a request lists.
    #[must_use]
    pub fn listed_by(method: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|part| part.method() == Some(method))
    }

    /// What a definition of this part is told apart by; `None` where it has no such member.
    #[must_use]
    pub fn name_of(self, definition: &Value) -> Option<String> {
        match self {
            Self::Tools | Self::Prompts => definition.get("name")?.as_str().map(str::to_owned),
            Self::Templates => definition.get("uriTemplate")?.as_str().map(str::to_owned),
            Self::Instructions => definition.as_str().map(|_| String::new()),
        }
    }
}

impl Recorded {
    /// A record that knows nothing yet. `now` is RFC 3339, UTC.
    #[must_use]
    pub fn new(key: ServerKey, now: String) -> Self {
        Self {
            key,
            reported_name: String::new(),
            reported_version: String::new(),
            last_seen: now.clone(),
            first_seen: now,
            accepted: None,
            pinned: BTreeMap::new(),
            pending: BTreeMap::new(),
        }
    }

    /// The server's identity, as packs and rules are chosen by it.
    #[must_use]
    pub fn identity(&self) -> ServerIdentity {
        let command = match self.key.launch() {
            Launch::Command { words, .. } => words.clone(),
            Launch::Url(_) => Vec::new(),
        };
        ServerIdentity {
            name: self.key.name().to_owned(),
            reported_name: self.reported_name.clone(),
            reported_version: self.reported_version.clone(),
            command,
        }
    }

    /// The recorded tools, by name. Empty where none were listed, or no list was complete yet: see [`Self::knows`].
    #[must_use]
    pub fn tools(&self) -> Vec<Tool> {
        self.definitions(Part::Tools).filter_map(|(_, tool)| Tool::from_definition(tool.clone())).collect()
    }

    /// The recorded prompts, by name.
    #[must_use]
    pub fn prompts(&self) -> Vec<Value> {
        self.definitions(Part::Prompts).map(|(_, definition)| definition.clone()).collect()
    }

    /// The recorded resource templates, by URI template.
    #[must_use]
    pub fn resource_templates(&self) -> Vec<Value> {
        self.definitions(Part::Templates).map(|(_, definition)| definition.clone()).collect()
    }

    /// The recorded instructions; `None` where the server gave none.
    #[must_use]
    pub fn instructions(&self) -> Option<&str> {
        self.definitions(Part::Instructions).next()?.1.as_str()
    }

    /// Whether this part was seen at all.
    #[must_use]
    pub fn knows(&self, part: Part) -> bool {
        self.pinned.contains_key(&part)
    }

    /// The recorded definitions of a part, by name.
    pub fn definitions(&self, part: Part) -> impl Iterator<Item = (&str, &Value)> {
        self.pinned.get(&part).into_iter().flatten().map(|(name, definition)| (name.as_str(), definition))
    }

    /// One recorded definition.
    #[must_use]
    pub fn definition(&self, part: Part, name: &str) -> Option<&Value> {
        self.pinned.get(&part)?.get(name)
    }

    /// What the server lists otherwise than recorded, and nobody has accepted: the definition as it was last listed,
    /// `None` where it was not listed any more.
    pub fn pending(&self, part: Part) -> impl Iterator<Item = (&str, Option<&Value>)> {
        self.pending.get(&part).into_iter().flatten().map(|(name, listed)| (name.as_str(), listed.as_ref()))
    }

    /// Whether nothing waits for a person.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.pending.values().all(BTreeMap::is_empty)
    }

    pub(super) fn to_value(&self) -> Value {
        let text = |text: &str| Value::String(text.to_owned());
        let pinned = self.pinned.iter().map(|(part, definitions)| {
            (part.word().to_owned(), Value::Array(definitions.values().cloned().collect()))
        });
        let pending = self.pending.iter().map(|(part, pending)| {
            let items = pending.iter().map(|(name, listed)| {
                let listed = listed.clone().unwrap_or(Value::Null);
                Value::Object(vec![("name".to_owned(), text(name)), ("listed".to_owned(), listed)])
            });
            (part.word().to_owned(), Value::Array(items.collect()))
        });
        let accepted = self.accepted.as_deref().map_or(Value::Null, text);
        let members = [
            ("key", self.key.to_value()),
            ("reported_name", text(&self.reported_name)),
            ("reported_version", text(&self.reported_version)),
            ("first_seen", text(&self.first_seen)),
            ("last_seen", text(&self.last_seen)),
            ("accepted", accepted),
            ("pinned", Value::Object(pinned.collect())),
            ("pending", Value::Object(pending.collect())),
        ];
        Value::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    /// `None` where anything is missing, of another type, or stands twice.
    pub(super) fn from_value(value: &Value) -> Option<Self> {
        let text = |key: &str| value.get(key)?.as_str().map(str::to_owned);
        let accepted = match value.get("accepted")? {
            Value::Null => None,
            other => Some(other.as_str()?.to_owned()),
        };
        let part_of = |word: &str| Part::ALL.into_iter().find(|part| part.word() == word);
        let mut pinned = BTreeMap::new();
        for (word, list) in value.get("pinned")?.as_object()? {
            let part = part_of(word)?;
            let mut definitions = Definitions::new();
            for definition in list.as_array()? {
                if definitions.insert(part.name_of(definition)?, definition.clone()).is_some() {
                    return None;
                }
            }
            pinned.insert(part, definitions);
        }
        let mut pending = BTreeMap::new();
        for (word, list) in value.get("pending")?.as_object()? {
            let part = part_of(word)?;
            let mut items = Pending::new();
            for item in list.as_array()? {
                let name = item.get("name")?.as_str()?.to_owned();
                let listed = match item.get("listed")? {
                    Value::Null => None,
                    listed => Some(listed.clone()),
                };
                if listed.as_ref().is_some_and(|l| part.name_of(l).as_ref() != Some(&name))
                    || items.insert(name, listed).is_some()
                {
                    return None;
                }
            }
            pending.insert(part, items);
        }
        Some(Self {
            key: ServerKey::from_value(value.get("key")?)?,
            reported_name: text("reported_name")?,
            reported_version: text("reported_version")?,
            first_seen: text("first_seen")?,
            last_seen: text("last_seen")?,
            accepted,
            pinned,
            pending,
        })
    }
}
