//! Where in a tool's arguments (or in its output) something stands.
//!
//! A pointer (`String`, RFC 6901) names one place in one value; an [`ArgPath`] is a pattern over places: `/to`,
//! `/files/*/path` (each item of the array `files`), `/env/{}` (each key's value of the map `env`). `~1` is `/`, `~0`
//! is `~`. In policy files a plain name is a top-level argument, and `a.b` is both the argument `a.b` and `b` in `a`.
//! A `*` at the end also means the value itself where it is no array: models write one string where a list is due.

#[cfg(test)]
mod tests;

use crate::value::{Value, array_index};

/// A pattern over places.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArgPath {
    text: String,
    /// The ways to read the text: one for a pointer, several for a name with dots.
    readings: Vec<Vec<Segment>>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Segment {
    Key(String),
    /// `*`: each item of an array.
    Item,
    /// `{}`: each value of an object.
    Entry,
}

impl ArgPath {
    /// A path from a pack or a policy file.
    ///
    /// # Errors
    /// An empty path or segment, a bad escape, control characters, blanks around.
    pub fn parse(text: &str) -> Result<Self, String> {
        let bad = |why: &str| Err(format!("bad argument path `{}`: {why}", text.escape_debug()));
        if text.is_empty() {
            return bad("it is empty");
        }
        if text.trim() != text || text.chars().any(char::is_control) {
            return bad("blanks around it or control characters in it");
        }
        let readings = match text.strip_prefix('/') {
            Some(pointer) => match pointer.split('/').map(segment).collect() {
                Ok(segments) => vec![segments],
                Err(why) => return bad(why),
            },
            None => dotted(text),
        };
        Ok(Self { text: text.to_owned(), readings })
    }

    /// The path as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Every place in `root` that the path names, with its JSON pointer. An array or object that the path names is one
    /// place.
    #[must_use]
    pub fn select<'v>(&self, root: &'v Value) -> Vec<(String, &'v Value)> {
        let mut found: Vec<(String, &Value)> = Vec::new();
        for reading in &self.readings {
            walk(reading, String::new(), root, &mut found);
        }
        if self.readings.len() > 1 {
            found.sort_by(|(a, _), (b, _)| a.cmp(b));
            found.dedup_by(|(a, _), (b, _)| a == b);
        }
        found
    }

    /// Every scalar at or inside of the places that the path names, with its JSON pointer.
    #[must_use]
    pub fn select_leaves<'v>(&self, root: &'v Value) -> Vec<(String, &'v Value)> {
        let mut found: Vec<(String, &Value)> = Vec::new();
        for (pointer, value) in self.select(root) {
            collect(pointer, value, &mut found);
        }
        found
    }

    /// Whether the place `pointer` (RFC 6901) is one that the path names, or inside of one.
    #[must_use]
    pub fn covers(&self, pointer: &str) -> bool {
        let Some(places) = pointer.strip_prefix('/') else { return false };
        let places: Vec<String> = places.split('/').map(unescape).collect();
        self.readings.iter().any(|reading| {
            // A `*` at the end may also be the value itself.
            let needed = match reading.split_last() {
                Some((Segment::Item, before)) if places.len() == before.len() => before,
                _ => reading,
            };
            !needed.is_empty()
                && places.len() >= needed.len()
                && needed.iter().zip(&places).all(|(segment, place)| match segment {
                    Segment::Key(key) => key == place,
                    Segment::Item => array_index(place).is_some(),
                    Segment::Entry => true,
                })
        })
    }
}

impl std::fmt::Display for ArgPath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// Every scalar leaf of `root` (null included) with its JSON pointer.
#[must_use]
pub fn leaves(root: &Value) -> Vec<(String, &Value)> {
    let mut found = Vec::new();
    collect(String::new(), root, &mut found);
    found
}

fn segment(text: &str) -> Result<Segment, &'static str> {
    match text {
        "" => return Err("it has an empty segment"),
        "*" => return Ok(Segment::Item),
        "{}" => return Ok(Segment::Entry),
        _ => {}
    }
    let escapes_fine = text.split('~').skip(1).all(|after| after.starts_with(['0', '1']));
    if escapes_fine { Ok(Segment::Key(unescape(text))) } else { Err("`~` is not followed by 0 or 1") }
}

fn unescape(segment: &str) -> String {
    segment.replace("~1", "/").replace("~0", "~")
}

fn below(pointer: &str, key: &str) -> String {
    format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// How many dots are read in every way they can be; beyond, all of them or none of them separate.
const MAX_DOTS: usize = 5;

/// The readings of a plain name: each dot is a part of a key, or separates two.
fn dotted(text: &str) -> Vec<Vec<Segment>> {
    let parts: Vec<&str> = text.split('.').collect();
    let dots = parts.len() - 1;
    let whole = vec![Segment::Key(text.to_owned())];
    if dots == 0 || parts.iter().any(|part| part.is_empty()) {
        return vec![whole];
    }
    let segment = |key: String| match key.as_str() {
        "*" => Segment::Item,
        "{}" => Segment::Entry,
        _ => Segment::Key(key),
    };
    if dots > MAX_DOTS {
        return vec![whole, parts.into_iter().map(|part| segment(part.to_owned())).collect()];
    }
    (0..1_u32 << dots)
        .map(|cuts| {
            let mut keys: Vec<String> = Vec::new();
            for (i, part) in parts.iter().enumerate() {
                match keys.last_mut() {
                    Some(last) if i > 0 && cuts & (1 << (i - 1)) == 0 => {
                        last.push('.');
                        last.push_str(part);
                    }
                    _ => keys.push((*part).to_owned()),
                }
            }
            keys.into_iter().map(segment).collect()
        })
        .collect()
}

fn walk<'v>(segments: &[Segment], pointer: String, value: &'v Value, found: &mut Vec<(String, &'v Value)>) {
    let Some((first, rest)) = segments.split_first() else {
        found.push((pointer, value));
        return;
    };
    match (first, value) {
        (Segment::Key(key), Value::Object(members)) => {
            // Every member of that key: a lenient tree can have several.
            for (_, member) in members.iter().filter(|(k, _)| k == key) {
                walk(rest, below(&pointer, key), member, found);
            }
        }
        (Segment::Key(key), Value::Array(items)) => {
            if let Some(item) = array_index(key).and_then(|i| items.get(i)) {
                walk(rest, below(&pointer, key), item, found);
            }
        }
        (Segment::Item, Value::Array(items)) => {
            for (i, item) in items.iter().enumerate() {
                walk(rest, format!("{pointer}/{i}"), item, found);
            }
        }
        (Segment::Entry, Value::Object(members)) => {
            for (key, member) in members {
                walk(rest, below(&pointer, key), member, found);
            }
        }
        (Segment::Item, _) if rest.is_empty() && !pointer.is_empty() => found.push((pointer, value)),
        _ => {}
    }
}

fn collect<'v>(pointer: String, value: &'v Value, found: &mut Vec<(String, &'v Value)>) {
    match value {
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                collect(format!("{pointer}/{i}"), item, found);
            }
        }
        Value::Object(members) => {
            for (key, member) in members {
                collect(below(&pointer, key), member, found);
            }
        }
        _ => found.push((pointer, value)),
    }
}
