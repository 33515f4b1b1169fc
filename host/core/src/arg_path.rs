//! Where in a tool's arguments (or in its output) something stands.
//!
//! A pointer (`String`, RFC 6901) names one place in one value; an [`ArgPath`] is a pattern over places: `/to`,
//! `/files/*/path` (each item of the array `files`), `/env/{}` (each key's value of the map `env`).
//! In policy files a plain name is a top-level argument, and `a.b` is both the argument `a.b` and `b` in `a`.
#![allow(clippy::todo, missing_docs)]
use crate::value::Value;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArgPath {
    text: String,
}
impl ArgPath {
    /// A path from a pack or a policy file.
    pub fn parse(text: &str) -> Result<Self, String> {
        let _ = text;
        todo!()
    }
    pub fn as_str(&self) -> &str {
        &self.text
    }
    /// Every place in `root` that the path names, with its JSON pointer.
    pub fn select<'v>(&self, root: &'v Value) -> Vec<(String, &'v Value)> {
        let _ = root;
        todo!()
    }
    /// Whether the place `pointer` is the path's own or inside of it (array indices match `*` and are optional at the end).
    pub fn covers(&self, pointer: &str) -> bool {
        let _ = pointer;
        todo!()
    }
}
/// Every scalar leaf of `root` with its JSON pointer.
pub fn leaves(root: &Value) -> Vec<(String, &Value)> {
    let _ = root;
    todo!()
}
