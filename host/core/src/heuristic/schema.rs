//! A tool's input schema flattened into its leaves, each with the path that a contract uses for it.
//! Follows `properties`, `items`, `anyOf`, `oneOf`, `allOf`, local `$ref`s, maps and free objects; judges nothing.
//! Bounded: a schema that is too large or too deep comes back as incomplete, which callers must treat as unknown.

use super::words;
use crate::value::Value;
use std::collections::BTreeMap;

/// Schema nodes and members looked at before the walk gives up.
const MAX_WORK: usize = 60_000;
/// Nesting, combinators and references included.
const MAX_DEPTH: usize = 40;
/// Bytes of one description that are read.
const MAX_TEXT: usize = 4_000;

/// What can stand at a leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A text, or something that no type is given for.
    Text,
    /// A number.
    Number,
    /// A switch, or `null`.
    Switch,
    /// An object whose members the schema does not name.
    Free,
}

/// A scalar argument (or list of scalars), or an object of unknown members.
#[derive(Debug, Clone)]
pub(super) struct Leaf {
    /// `/a/*/b`, as [`crate::arg_path::ArgPath`] reads it.
    pub(super) path: String,
    /// The words of its own name.
    pub(super) name: Vec<String>,
    /// The words of the names around it, outermost first.
    pub(super) around: Vec<String>,
    /// Title and description, lower-cased.
    pub(super) text: String,
    /// `format`, lower-cased.
    pub(super) format: String,
    /// The values of `enum` and `const`.
    pub(super) choices: Vec<String>,
    /// What can stand here.
    pub(super) shape: Shape,
}

/// All leaves, in the order of their paths.
#[derive(Debug, Clone, Default)]
pub(super) struct Leaves {
    /// The leaves.
    pub(super) all: Vec<Leaf>,
    /// False where the schema was too large, too deep, or no schema: there may be arguments that `all` does not show.
    pub(super) complete: bool,
}

/// Flattens `schema`.
pub(super) fn leaves(schema: Option<&Value>) -> Leaves {
    let Some(root) = schema.filter(|s| s.as_object().is_some()) else {
        return Leaves { all: Vec::new(), complete: schema.is_none() };
    };
    let mut walk = Walk { root, work: MAX_WORK, complete: true, found: BTreeMap::new() };
    let top = Place { path: String::new(), name: Vec::new(), around: Vec::new(), depth: 0 };
    walk.visit(&[root], &top, &mut Vec::new());
    Leaves { all: walk.found.into_values().collect(), complete: walk.complete }
}

/// Where the walk is.
struct Place {
    path: String,
    name: Vec<String>,
    around: Vec<String>,
    depth: usize,
}

impl Place {
    /// The member `key`; `None` where its name cannot be told from a pattern, so that the whole object must stand for it.
    fn member(&self, key: &str) -> Option<Self> {
        if matches!(key, "" | "*" | "{}") {
            return None;
        }
        let escaped = key.replace('~', "~0").replace('/', "~1");
        let mut around = self.around.clone();
        around.extend(self.name.iter().cloned());
        // Deep nests keep their nearest names: enough to judge by, and bounded.
        let surplus = around.len().saturating_sub(32);
        around.drain(..surplus);
        Some(Self {
            path: format!("{}/{escaped}", self.path),
            name: words::split(key),
            around,
            depth: self.depth + 1,
        })
    }

    /// The same names one pattern step deeper.
    fn step(&self, pattern: &str) -> Self {
        Self {
            path: format!("{}/{pattern}", self.path),
            name: self.name.clone(),
            around: self.around.clone(),
            depth: self.depth + 1,
        }
    }
}

struct Walk<'v> {
    root: &'v Value,
    work: usize,
    complete: bool,
    found: BTreeMap<String, Leaf>,
}

impl<'v> Walk<'v> {
    fn spend(&mut self, amount: usize) -> bool {
        match self.work.checked_sub(amount.max(1)) {
            Some(left) => {
                self.work = left;
                true
            }
            None => {
                self.complete = false;
                false
            }
        }
    }

    /// Visits a place that all of `nodes` describe.
    fn visit(&mut self, nodes: &[&'v Value], place: &Place, refs: &mut Vec<&'v str>) {
        if place.depth > MAX_DEPTH {
            self.complete = false;
            self.leaf(&[], place, Shape::Free);
            return;
        }
        let held = refs.len();
        let mut parts: Vec<&'v Value> = Vec::new();
        let mut recursive = false;
        for node in nodes {
            self.gather(node, 0, &mut parts, refs, &mut recursive);
        }
        let mut members: BTreeMap<&'v str, Vec<&'v Value>> = BTreeMap::new();
        let mut items: Vec<&'v Value> = Vec::new();
        let mut map: Vec<&'v Value> = Vec::new();
        let mut free = recursive;
        let mut kinds: Vec<&'v str> = Vec::new();
        for part in &parts {
            for (key, value) in part.as_object().unwrap_or_default() {
                match key.as_str() {
                    "properties" => {
                        for (name, schema) in value.as_object().unwrap_or_default() {
                            if self.spend(1) {
                                members.entry(name).or_default().push(schema);
                            }
                        }
                    }
                    "items" | "prefixItems" | "contains" => match value {
                        Value::Array(list) => items.extend(list),
                        other => items.push(other),
                    },
                    "additionalProperties" | "unevaluatedProperties" => match value {
                        Value::Bool(true) => free = true,
                        Value::Object(list) if list.is_empty() => free = true,
                        Value::Object(_) => map.push(value),
                        _ => {}
                    },
                    "patternProperties" => {
                        map.extend(value.as_object().unwrap_or_default().iter().map(|(_, s)| s));
                    }
                    "type" => match value {
                        Value::Array(list) => kinds.extend(list.iter().filter_map(Value::as_str)),
                        other => kinds.extend(other.as_str()),
                    },
                    _ => {}
                }
            }
        }
        let is = |kind: &str| kinds.contains(&kind);
        let nested = !members.is_empty() || !map.is_empty();
        for (name, schemas) in &members {
            match place.member(name) {
                Some(inner) => self.visit(schemas, &inner, refs),
                None => free = true,
            }
        }
        if !map.is_empty() {
            self.visit(&map, &place.step("{}"), refs);
        }
        if !items.is_empty() && place.depth > 0 {
            self.visit(&items, &place.step("*"), refs);
        }
        let object = is("object") && members.is_empty() && map.is_empty();
        if place.depth > 0 {
            if is("string") || is("number") || is("integer") || is("boolean") {
                let shape = if is("string") {
                    Shape::Text
                } else if is("number") || is("integer") {
                    Shape::Number
                } else {
                    Shape::Switch
                };
                self.leaf(&parts, place, shape);
            } else if !nested && items.is_empty() && !(object || free) {
                let shape = if is("null") && kinds.len() == 1 { Shape::Switch } else { Shape::Text };
                self.leaf(&parts, place, if is("array") { Shape::Free } else { shape });
            }
            if object || (recursive && !nested) {
                self.leaf(&parts, place, Shape::Free);
            }
        }
        refs.truncate(held);
    }

    /// The schemas that apply at one place: `node`, what it refers to and what it combines.
    fn gather(
        &mut self,
        node: &'v Value,
        depth: usize,
        parts: &mut Vec<&'v Value>,
        refs: &mut Vec<&'v str>,
        recursive: &mut bool,
    ) {
        let members = node.as_object().unwrap_or_default();
        if depth > MAX_DEPTH {
            self.complete = false;
            return;
        }
        if !self.spend(members.len() / 8 + 1) {
            return;
        }
        parts.push(node);
        for (key, value) in members {
            match key.as_str() {
                "$ref" | "$dynamicRef" => {
                    let Some(target) = value.as_str() else { continue };
                    if refs.contains(&target) {
                        *recursive = true;
                    } else if let Some(found) = self.resolve(target) {
                        refs.push(target);
                        self.gather(found, depth + 1, parts, refs, recursive);
                    } else {
                        // A reference to another document: anything may stand here.
                        self.complete = false;
                        *recursive = true;
                    }
                }
                "anyOf" | "oneOf" | "allOf" => {
                    for option in value.as_array().unwrap_or_default() {
                        self.gather(option, depth + 1, parts, refs, recursive);
                    }
                }
                "then" | "else" | "if" => self.gather(value, depth + 1, parts, refs, recursive),
                "dependentSchemas" => {
                    for (_, option) in value.as_object().unwrap_or_default() {
                        self.gather(option, depth + 1, parts, refs, recursive);
                    }
                }
                _ => {}
            }
        }
    }

    /// The schema that a local reference (`#/$defs/x`) names.
    fn resolve(&mut self, target: &str) -> Option<&'v Value> {
        let pointer = target.strip_prefix('#')?;
        let mut node = self.root;
        for step in pointer.split('/').skip(1) {
            let key = step.replace("%24", "$").replace("~1", "/").replace("~0", "~");
            let width = node.as_object().map_or(1, |m| m.len() / 8 + 1);
            if !self.spend(width) {
                return None;
            }
            node = match node {
                Value::Array(items) => items.get(key.parse::<usize>().ok()?)?,
                other => other.get(&key)?,
            };
        }
        Some(node)
    }

    fn leaf(&mut self, parts: &[&'v Value], place: &Place, shape: Shape) {
        // A list of scalars is one leaf: the list itself.
        let mut path = place.path.as_str();
        while let Some(outer) = path.strip_suffix("/*") {
            path = outer;
        }
        let new = !self.found.contains_key(path);
        let leaf = self.found.entry(path.to_owned()).or_insert_with(|| Leaf {
            path: path.to_owned(),
            name: place.name.clone(),
            around: place.around.clone(),
            text: String::new(),
            format: String::new(),
            choices: Vec::new(),
            shape,
        });
        if !new && leaf.shape != Shape::Free {
            leaf.shape = if shape == Shape::Switch { leaf.shape } else { shape };
        }
        for part in parts {
            for (key, value) in part.as_object().unwrap_or_default() {
                match (key.as_str(), value) {
                    ("description" | "title", Value::String(text)) if leaf.text.len() < MAX_TEXT => {
                        self.work = self.work.saturating_sub(text.len().min(MAX_TEXT) / 256);
                        leaf.text.extend(text.chars().take(MAX_TEXT).flat_map(char::to_lowercase));
                        leaf.text.push('\n');
                    }
                    ("format", Value::String(text)) if leaf.format.is_empty() => {
                        leaf.format = text.chars().take(40).flat_map(char::to_lowercase).collect();
                    }
                    ("enum", Value::Array(list)) => {
                        let texts = list.iter().filter_map(Value::as_str);
                        leaf.choices.extend(texts.take(64).map(|t| t.chars().take(80).collect::<String>()));
                    }
                    ("const", Value::String(text)) => leaf.choices.push(text.chars().take(80).collect()),
                    _ => {}
                }
            }
        }
    }
}
