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

/// Nesting of a value beyond which what lies deeper is taken as one text.
const DEPTH: usize = 128;

/// An answer as the index takes it (see [`super::Index::add`]). It depends on nothing but the answer.
#[derive(Debug, Default)]
pub struct Digest {
    pub(super) fields: Vec<Field>,
    pub(super) texts: Texts,
    /// There was more encoded text than is decoded.
    pub(super) cut: bool,
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
}

impl<'d> Reading<'d> {
    fn new(directories: &'d [ArgPath]) -> Self {
        Self { directories, pointer: String::new(), digest: Digest::default(), seen: BTreeSet::new() }
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
            self.digest.fields.push(Field::entry(&self.pointer, s));
        }
        self.text(s, false);
    }

    fn in_directory(&self) -> bool {
        self.directories.iter().any(|d| d.covers(&self.pointer))
    }

    fn field(&mut self, value: &str, is_entry: bool) {
        if is_entry {
            self.digest.fields.push(Field::entry(&self.pointer, value));
        }
        if !self.seen.contains(value) {
            self.seen.insert(value.into());
            self.digest.fields.push(Field::seen(&self.pointer, value));
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
        self.digest.texts.push(folded, variants.found, &self.pointer, field);
        self.digest.cut |= variants.cut;
    }
}
