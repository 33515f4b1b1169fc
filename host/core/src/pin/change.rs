//! What kind of change a definition has been through, for the person who is to accept it.
//!
//! Does not decide: every change is refused until it is accepted, the harmless-looking ones too. What cannot be told
//! for certain to be narrower counts as wider.

use super::{Hash, same_number};
use crate::heuristic;
use crate::tool::{ServerIdentity, Tool};
use crate::value::Value;
use std::collections::BTreeSet;
use std::fmt;

/// How grave a change is; later ones are graver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Looks only: icons, white space, punctuation, the order of a set, the spelling of a number.
    Cosmetic,
    /// Takes less than before.
    Narrower,
    /// A member that is none of the others: an output schema, `_meta`, an extension.
    Other,
    /// Takes more than before.
    Wider,
    /// A hint of the server's about its own tool says something else.
    Hint,
    /// Words that a model reads are others.
    Text,
    /// An argument can name a receiver that did not before, or the tool sends that did not.
    Destination,
    /// Not recorded before.
    Added,
    /// Not listed any more.
    Removed,
}

impl Class {
    /// A stable word for programs.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Cosmetic => "cosmetic",
            Self::Narrower => "narrower_input",
            Self::Other => "other",
            Self::Wider => "wider_input",
            Self::Hint => "weaker_hint",
            Self::Text => "new_text",
            Self::Destination => "new_destination",
            Self::Added => "added",
            Self::Removed => "removed",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cosmetic => "cosmetic",
            Self::Narrower => "narrower input",
            Self::Other => "another member",
            Self::Wider => "wider input",
            Self::Hint => "weaker hint",
            Self::Text => "new text for the model",
            Self::Destination => "new destination",
            Self::Added => "added",
            Self::Removed => "removed",
        })
    }
}

/// One difference between two definitions.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// How grave.
    pub class: Class,
    /// Where, as a JSON pointer; of a destination, where the schema of the argument stands or else the whole.
    pub at: String,
}

/// A definition with more differences than this is shown as changed altogether.
const MOST: usize = 200;

/// Members whose strings a model reads, wherever they stand.
const TEXTS: [&str; 7] = ["description", "title", "name", "$comment", "examples", "default", "instructions"];

/// The differences between two definitions of one name, gravest first. Empty exactly where their hashes are the same.
#[must_use]
pub fn changes(old: &Value, new: &Value) -> Vec<Change> {
    if Hash::of(old) == Hash::of(new) {
        return Vec::new();
    }
    let mut walk = Walk { found: BTreeSet::new(), from: old };
    walk.value(old, new, &mut String::new(), Place::Definition);
    walk.destinations(old, new);
    if walk.found.is_empty() {
        // They differ, whatever was not looked at.
        walk.add(Class::Other, "");
    }
    let mut found: Vec<Change> = walk.found.into_iter().collect();
    found.sort_by(|a, b| b.class.cmp(&a.class).then_with(|| a.at.cmp(&b.at)));
    found
}

/// The changes in words for a refusal: each class once, gravest first, with the first place of each.
#[must_use]
pub fn in_words(changes: &[Change]) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut said = BTreeSet::new();
    for change in changes {
        if said.insert(change.class) {
            let at = if change.at.is_empty() { String::new() } else { format!(": {}", change.at) };
            words.push(format!("{}{at}", change.class));
        }
    }
    words.join("; ")
}

/// What a value is part of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The definition itself.
    Definition,
    /// The annotations.
    Annotations,
    /// A schema of what the tool takes.
    Input,
    /// `properties` and the like: each member is a schema.
    Schemas,
    /// Words.
    Words,
    /// Looks.
    Looks,
    /// Anything else.
    Else,
}

struct Walk<'a> {
    found: BTreeSet<Change>,
    from: &'a Value,
}

impl Walk<'_> {
    fn add(&mut self, class: Class, at: &str) {
        if self.found.len() < MOST {
            self.found.insert(Change { class, at: at.to_owned() });
        } else {
            self.found.insert(Change { class, at: String::new() });
        }
    }

    fn value(&mut self, old: &Value, new: &Value, at: &mut String, place: Place) {
        if Hash::of(old) == Hash::of(new) {
            return;
        }
        match (old, new) {
            (Value::Object(a), Value::Object(b)) => self.members(a, b, at, place),
            (Value::Array(a), Value::Array(b)) if place != Place::Input => self.items(a, b, at, place),
            (Value::Number(a), Value::Number(b)) if same_number(a, b) => self.add(Class::Cosmetic, at),
            (Value::String(a), Value::String(b)) if place == Place::Words => {
                self.add(if same_words(a, b) { Class::Cosmetic } else { Class::Text }, at);
            }
            _ => self.swapped(new, at, place),
        }
    }

    /// Another value altogether.
    fn swapped(&mut self, new: &Value, at: &str, place: Place) {
        self.add(class_of(place), at);
        if place != Place::Words && place != Place::Looks && has_words(new) {
            self.add(Class::Text, at);
        }
    }

    fn members(&mut self, old: &[(String, Value)], new: &[(String, Value)], at: &mut String, place: Place) {
        let names: BTreeSet<&str> = old.iter().chain(new).map(|(name, _)| name.as_str()).collect();
        let find = |members: &[(String, Value)], name: &str| {
            members.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone())
        };
        for name in names {
            let length = at.len();
            at.push('/');
            at.push_str(&name.replace('~', "~0").replace('/', "~1"));
            match (find(old, name), find(new, name)) {
                (Some(a), Some(b)) if place == Place::Input => self.keyword(name, &a, &b, at),
                (Some(a), Some(b)) => self.value(&a, &b, at, inner(place, name)),
                (None, Some(b)) => self.appeared(name, &b, at, place),
                (Some(_), None) => self.vanished(name, at, place),
                (None, None) => {}
            }
            at.truncate(length);
        }
    }

    fn items(&mut self, old: &[Value], new: &[Value], at: &mut String, place: Place) {
        for (i, item) in new.iter().enumerate() {
            let length = at.len();
            at.push_str(&format!("/{i}"));
            match old.get(i) {
                Some(before) => self.value(before, item, at, place),
                None => self.swapped(item, at, place),
            }
            at.truncate(length);
        }
        if old.len() > new.len() {
            self.add(class_of(place), at);
        }
    }

    fn appeared(&mut self, name: &str, new: &Value, at: &str, place: Place) {
        let inner = inner(place, name);
        match place {
            Place::Schemas => self.add(Class::Wider, at),
            Place::Input if TEXTS.contains(&name) => self.add(Class::Text, at),
            // A keyword that bounds what is taken; what is no such keyword is not known to.
            Place::Input if BOUNDS.contains(&name) => self.add(Class::Narrower, at),
            Place::Input if name == "additionalProperties" && new.as_bool() == Some(false) => {
                self.add(Class::Narrower, at);
            }
            Place::Input => self.add(Class::Wider, at),
            _ => self.add(class_of(inner), at),
        }
        if inner != Place::Words && inner != Place::Looks && has_words(new) {
            self.add(Class::Text, at);
        }
    }

    fn vanished(&mut self, name: &str, at: &str, place: Place) {
        let inner = inner(place, name);
        self.add(
            match (place, inner) {
                (_, Place::Words | Place::Looks) => Class::Cosmetic,
                // What is no property any more may still be taken, as one that nothing is said of.
                (Place::Schemas | Place::Input, _) => Class::Wider,
                _ => class_of(inner),
            },
            at,
        );
    }

    /// A keyword of an input schema that both have.
    fn keyword(&mut self, name: &str, old: &Value, new: &Value, at: &mut String) {
        if Hash::of(old) == Hash::of(new) {
            return;
        }
        match name {
            _ if TEXTS.contains(&name) => self.value(old, new, at, Place::Words),
            "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => {
                self.value(old, new, at, Place::Schemas);
            }
            "items"
            | "additionalProperties"
            | "propertyNames"
            | "contains"
            | "not"
            | "if"
            | "then"
            | "else"
                if old.as_object().is_some() && new.as_object().is_some() =>
            {
                self.value(old, new, at, Place::Input);
            }
            "additionalProperties" if new.as_bool() == Some(false) => self.add(Class::Narrower, at),
            "required" => self.set(old, new, at, Class::Narrower, Class::Wider),
            "enum" | "type" => {
                self.set(old, new, at, Class::Wider, Class::Narrower);
                if name == "enum" && has_new_sentence(old, new) {
                    self.add(Class::Text, at);
                }
            }
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => match (old.as_array(), new.as_array()) {
                (Some(a), Some(b)) if a.len() == b.len() => self.each(a, b, at),
                _ => self.swapped(new, at, Place::Input),
            },
            _ => {
                let (class, words) = (bound(name, old, new), has_words(new));
                self.add(class, at);
                if class != Class::Cosmetic && words && !BOUNDS.contains(&name) {
                    self.add(Class::Text, at);
                }
            }
        }
    }

    fn each(&mut self, old: &[Value], new: &[Value], at: &mut String) {
        for (i, (before, after)) in old.iter().zip(new).enumerate() {
            let length = at.len();
            at.push_str(&format!("/{i}"));
            self.value(before, after, at, Place::Input);
            at.truncate(length);
        }
    }

    /// Two sets: what `more` and `fewer` members mean.
    fn set(&mut self, old: &Value, new: &Value, at: &str, more: Class, fewer: Class) {
        let hashes = |value: &Value| -> BTreeSet<Hash> {
            match value {
                Value::Array(items) => items.iter().map(Hash::of).collect(),
                one => BTreeSet::from([Hash::of(one)]),
            }
        };
        let (before, after) = (hashes(old), hashes(new));
        let class = match (after.is_subset(&before), before.is_subset(&after)) {
            (true, true) => Class::Cosmetic,
            (true, false) => fewer,
            (false, true) => more,
            (false, false) => Class::Wider,
        };
        self.add(class, at);
    }

    /// What the heuristics take for a receiver now and did not before.
    fn destinations(&mut self, old: &Value, new: &Value) {
        if Hash::of(old.get("inputSchema").unwrap_or(&Value::Null))
            == Hash::of(new.get("inputSchema").unwrap_or(&Value::Null))
            && self.from.get("inputSchema").is_some()
            && old.get("description") == new.get("description")
        {
            return;
        }
        let see = |definition: &Value| {
            let tool = Tool::from_definition(definition.clone())?;
            Some(heuristic::classification(&ServerIdentity::default(), &tool))
        };
        let (Some(before), Some(after)) = (see(old), see(new)) else { return };
        if after.exfiltrating && !before.exfiltrating {
            self.add(Class::Destination, "");
        }
        for sink in after.sinks.iter().filter(|sink| !before.sinks.contains(sink)) {
            let place = schema_of(sink);
            let at = if new.pointer(&place).is_some() { place } else { String::new() };
            self.add(Class::Destination, &at);
        }
    }
}

/// Where the schema of an argument path (`/a/*/b`) stands in a plain schema.
fn schema_of(sink: &str) -> String {
    let mut place = "/inputSchema".to_owned();
    for segment in sink.split('/').skip(1) {
        match segment {
            "*" => place.push_str("/items"),
            "{}" => place.push_str("/additionalProperties"),
            name => {
                place.push_str("/properties/");
                place.push_str(name);
            }
        }
    }
    place
}

fn inner(place: Place, name: &str) -> Place {
    match (place, name) {
        (Place::Words | Place::Looks | Place::Annotations, "title") => Place::Words,
        (Place::Words | Place::Looks, _) => place,
        (_, "icons") => Place::Looks,
        (Place::Definition, "annotations") => Place::Annotations,
        (Place::Definition, "inputSchema") => Place::Input,
        (Place::Schemas, _) => Place::Input,
        (Place::Annotations, _) => Place::Annotations,
        (_, name) if TEXTS.contains(&name) => Place::Words,
        _ => Place::Else,
    }
}

const fn class_of(place: Place) -> Class {
    match place {
        Place::Words => Class::Text,
        Place::Looks => Class::Cosmetic,
        Place::Annotations => Class::Hint,
        Place::Input | Place::Schemas => Class::Wider,
        Place::Definition | Place::Else => Class::Other,
    }
}

/// Keywords that only ever bound what is taken.
const BOUNDS: [&str; 18] = [
    "maximum",
    "exclusiveMaximum",
    "maxLength",
    "maxItems",
    "maxProperties",
    "minimum",
    "exclusiveMinimum",
    "minLength",
    "minItems",
    "minProperties",
    "pattern",
    "format",
    "const",
    "enum",
    "required",
    "multipleOf",
    "uniqueItems",
    "type",
];

fn bound(name: &str, old: &Value, new: &Value) -> Class {
    let number = |value: &Value| match value {
        Value::Number(text) => text.parse::<f64>().ok().filter(|n| n.is_finite()),
        _ => None,
    };
    if let (Value::Number(a), Value::Number(b)) = (old, new)
        && same_number(a, b)
    {
        return Class::Cosmetic;
    }
    let (Some(before), Some(after)) = (number(old), number(new)) else { return Class::Wider };
    let is_upper = name.starts_with("max") || name == "exclusiveMaximum";
    let is_lower = name.starts_with("min") || name == "exclusiveMinimum";
    if (is_upper && after < before) || (is_lower && after > before) { Class::Narrower } else { Class::Wider }
}

/// Whether two texts are the same words: letters and digits in order, whatever stands between them. Text that hides
/// something is never the same.
fn same_words(old: &str, new: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect()
    };
    new.chars().all(|c| !super::finding::is_hidden(c)) && words(old) == words(new)
}

/// Whether a string in here, names of members left out, is more than one word.
fn has_words(value: &Value) -> bool {
    match value {
        Value::String(text) => text.split_whitespace().nth(1).is_some(),
        Value::Array(items) => items.iter().any(has_words),
        Value::Object(members) => {
            members.iter().any(|(name, value)| has_words(value) || name.split_whitespace().nth(1).is_some())
        }
        _ => false,
    }
}

fn has_new_sentence(old: &Value, new: &Value) -> bool {
    let known: BTreeSet<Hash> = old.as_array().unwrap_or_default().iter().map(Hash::of).collect();
    new.as_array().unwrap_or_default().iter().any(|item| has_words(item) && !known.contains(&Hash::of(item)))
}

#[cfg(test)]
#[path = "change_tests.rs"]
mod tests;
