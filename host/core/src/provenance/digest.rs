//! What one answer says: told apart into fields and texts, folded and decoded. All that can be done without the index, so
//! that several answers can be digested at the same time and nobody who looks something up waits for it.

use super::fields::Field;
use super::fold::fold;
use super::store::Texts;
use super::{decode, prose, structure};
use crate::arg_path::ArgPath;
use crate::destination::{self, Kind};
use crate::value::Value;
use std::collections::BTreeSet;

/// Nesting of a value beyond which all strings are texts.
const DEPTH: usize = 128;

/// Bytes of pointers that the digest of one answer keeps. They are for people, and a long name may stand above a million
/// values: where there is no more room a place has none.
const POINTERS: usize = 32 << 20;
/// A longer pointer is not kept.
const LONGEST_POINTER: usize = 1 << 10;
/// About how many bytes the fields of one answer may take. Beyond, none is kept, which the index is told.
const FIELDS: usize = 512 << 20;

/// An answer as the index takes it (see [`super::Index::add`]). It depends on nothing but the answer.
#[derive(Debug, Default)]
pub struct Digest {
    pub(super) fields: Vec<Field>,
    pub(super) texts: Texts,
    /// There was more encoded text than is decoded.
    pub(super) cut: bool,
    /// There were more fields than are kept.
    pub(super) full: bool,
}

impl Digest {
    /// Of a text. If it is JSON or YAML it is told apart into fields; `directories` are granted places in it.
    #[must_use]
    pub fn of_text(text: &str, directories: &[ArgPath]) -> Self {
        let mut reading = Reading::new(directories);
        match structure::parse(text) {
            Some(value) => reading.value(&value, 0),
            None => reading.text(text, false),
        }
        reading.digest
    }

    /// Of a structured answer.
    #[must_use]
    pub fn of_value(value: &Value, directories: &[ArgPath]) -> Self {
        let mut reading = Reading::new(directories);
        reading.value(value, 0);
        reading.digest
    }
}

/// Walks through a value.
struct Reading<'d> {
    directories: &'d [ArgPath],
    /// JSON pointer to what is being read.
    pointer: String,
    digest: Digest,
    /// Fields that were seen: only the first sighting of a value is kept.
    seen: BTreeSet<Box<str>>,
    /// See [`POINTERS`].
    pointers: usize,
    /// See [`FIELDS`].
    fields: usize,
}

impl<'d> Reading<'d> {
    fn new(directories: &'d [ArgPath]) -> Self {
        Self {
            directories,
            pointer: String::new(),
            digest: Digest::default(),
            seen: BTreeSet::new(),
            pointers: 0,
            fields: 0,
        }
    }

    fn value(&mut self, value: &Value, depth: usize) {
        let at = self.pointer.len();
        match value {
            Value::Null | Value::Bool(_) => {}
            Value::Number(n) => self.field(n, self.in_directory()),
            Value::String(s) => self.string(s, depth),
            Value::Array(items) if depth < DEPTH => {
                for (i, item) in items.iter().enumerate() {
                    self.pointer.push_str(&format!("/{i}"));
                    self.value(item, depth + 1);
                    self.pointer.truncate(at);
                }
            }
            Value::Object(members) if depth < DEPTH => {
                for (key, item) in members {
                    self.pointer.push('/');
                    self.pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
                    // A key is a value too: people and channels are keys of maps.
                    if prose::is_prose("/key", key) {
                        self.text(key, false);
                    } else {
                        self.field(key, false);
                    }
                    self.value(item, depth + 1);
                    self.pointer.truncate(at);
                }
            }
            // Deeper than any program nests: its strings are texts.
            Value::Array(_) | Value::Object(_) => self.deep(value),
        }
    }

    fn deep(&mut self, value: &Value) {
        let mut stack = vec![value];
        while let Some(v) = stack.pop() {
            match v {
                Value::String(s) => self.text(s, false),
                Value::Number(n) => self.text(n, false),
                Value::Array(items) => stack.extend(items),
                Value::Object(members) => {
                    for (key, item) in members {
                        self.text(key, false);
                        stack.push(item);
                    }
                }
                Value::Null | Value::Bool(_) => {}
            }
        }
    }

    fn string(&mut self, s: &str, depth: usize) {
        if !prose::is_prose(&self.pointer, s) {
            return self.field(s, self.in_directory());
        }
        // Some servers wrap one whole answer, itself JSON or YAML, into a member.
        if depth <= 1
            && prose::is_wrapper(&self.pointer)
            && let Some(inner) = structure::parse(s)
        {
            return self.value(&inner, depth + 1);
        }
        // Nobody is named by a text, but a name may look like one: as a whole it is the entry that it is.
        if self.in_directory() {
            self.keep(Field::entry, s);
        }
        self.text(s, false);
    }

    fn in_directory(&self) -> bool {
        self.directories.iter().any(|d| d.covers(&self.pointer))
    }

    fn field(&mut self, value: &str, is_entry: bool) {
        if is_entry {
            self.keep(Field::entry, value);
        }
        if !self.seen.contains(value) && self.keep(Field::seen, value) {
            self.seen.insert(value.into());
        }
        // What stands *inside* a field is text. A plain word or one address has nothing inside.
        let plain = value.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !plain && destination::sure_kind(value).is_none_or(|(kind, _)| kind == Kind::Url) {
            self.text(value, true);
        }
    }

    fn text(&mut self, text: &str, field: bool) {
        let folded = fold(text);
        let variants = decode::variants(text, &folded);
        let pointer = kept(&self.pointer, &mut self.pointers);
        self.digest.texts.push(folded, variants.found, pointer, field);
        self.digest.cut |= variants.cut;
    }

    /// Keeps a field if there is room; whether there was.
    fn keep(&mut self, make: fn(&str, &str) -> Field, value: &str) -> bool {
        if self.fields > FIELDS {
            self.digest.full = true;
            return false;
        }
        let field = make(kept(&self.pointer, &mut self.pointers), value);
        self.fields += field.size();
        self.digest.fields.push(field);
        true
    }
}

/// The pointer as it is kept.
fn kept<'p>(pointer: &'p str, used: &mut usize) -> &'p str {
    if pointer.len() > LONGEST_POINTER || *used + pointer.len() > POINTERS {
        return "";
    }
    *used += pointer.len();
    pointer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_above_many_values_is_not_kept_for_each() {
        let items: Vec<String> = (0..2000).map(|n| format!("{n},\"a b {n}\"")).collect();
        let answer = format!(r#"{{"{}":[{}]}}"#, "k".repeat(50_000), items.join(","));
        let digest = Digest::of_text(&answer, &[]);
        let places: usize = digest.fields.iter().map(Field::size).sum::<usize>() + digest.texts.places();
        assert!(places < 2_000_000, "{places} bytes for {}", answer.len());
        assert!(!digest.full);
    }

    #[test]
    fn what_there_is_no_room_for_is_told() {
        let mut reading = Reading::new(&[]);
        reading.fields = FIELDS + 1;
        reading.value(&Value::String("x@corp.example".to_owned()), 0);
        reading.pointer = "/a".to_owned();
        reading.value(&Value::String("x@corp.example".to_owned()), 0);
        assert!(reading.digest.full && reading.digest.fields.is_empty());
        let mut index = super::super::Index::new();
        let source = super::super::Source { server: "s".into(), tool: "t".into() };
        index.add(&source, reading.digest);
        let other = destination::read(Kind::Email, "y@corp.example", "/to").remove(0);
        assert!(index.evidence(&other).unreliable.is_some(), "it may have been among them");
    }
}
