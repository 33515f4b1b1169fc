//! A JSON value that loses nothing: number text is kept, member order is kept, duplicate keys cannot exist in what
//! [`Value::parse`] returns.
//!
//! Does not know messages: that is [`crate::line`].

pub(crate) mod lex;
mod open;
pub(crate) mod parse;
mod stop;
#[cfg(test)]
mod tests;
pub(crate) mod token;
pub(crate) mod write;

/// No parser of this module builds a deeper tree, whatever limit it is given: walking and dropping a tree recurses.
pub const MAX_DEPTH: usize = 512;

/// What kind of fault a JSON text has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonErrorKind {
    /// Not JSON.
    Syntax,
    /// More than whitespace follows the value.
    Trailing,
    /// A key stands twice in one object.
    DuplicateKey,
    /// More containers inside one another than allowed.
    TooDeep,
    /// Half of a surrogate pair, in an escape.
    LoneSurrogate,
    /// Bytes inside a string that are not UTF-8.
    NotUtf8,
}

/// Why a text is not a JSON value that can be judged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} at byte {offset}")]
pub struct JsonError {
    /// The kind of fault.
    pub kind: JsonErrorKind,
    /// The byte at which it was noticed, from 0.
    pub offset: usize,
    /// In words.
    pub what: String,
}

/// A parsed JSON value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// The digits as they were written: `1e400`, `-0` and `2^64` survive.
    Number(Box<str>),
    /// An unescaped string.
    String(String),
    /// An array.
    Array(Vec<Value>),
    /// Members in the order written; the parser refuses a repeated key.
    Object(Vec<(String, Value)>),
}

impl Value {
    /// An object without members.
    #[must_use]
    pub const fn empty_object() -> Self {
        Self::Object(Vec::new())
    }

    /// The member `key` of an object.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Self::Object(members) => members.iter().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        }
    }

    /// The value at an RFC 6901 JSON pointer: `` for the whole, `/a/0` for the first item of `a`.
    #[must_use]
    pub fn pointer(&self, pointer: &str) -> Option<&Value> {
        if pointer.is_empty() {
            return Some(self);
        }
        pointer.strip_prefix('/')?.split('/').try_fold(self, |value, segment| match value {
            Self::Object(_) => value.get(&segment.replace("~1", "/").replace("~0", "~")),
            Self::Array(items) => items.get(array_index(segment)?),
            _ => None,
        })
    }

    /// Whether an object in here has a key twice: only [`Value::parse_lenient`] makes such values.
    #[must_use]
    pub fn has_duplicate_keys(&self) -> bool {
        match self {
            Self::Array(items) => items.iter().any(Self::has_duplicate_keys),
            Self::Object(members) => {
                parse::repeated(members.iter().map(|(k, _)| k.as_str())).is_some()
                    || members.iter().any(|(_, v)| v.has_duplicate_keys())
            }
            _ => false,
        }
    }

    /// The text of a string value.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(s) => Some(s),
            _ => None,
        }
    }

    /// The items of an array value.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Value]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The members of an object value.
    #[must_use]
    pub fn as_object(&self) -> Option<&[(String, Value)]> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The value of a boolean.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(b) => Some(*b),
            _ => None,
        }
    }

    /// Absent for the sink gate: null, an empty string, or a list or object with nothing filled in it.
    #[must_use]
    pub fn is_unfilled(&self) -> bool {
        match self {
            Self::Null => true,
            Self::String(s) => s.trim().is_empty(),
            Self::Array(items) => items.iter().all(Self::is_unfilled),
            Self::Object(members) => members.iter().all(|(_, v)| v.is_unfilled()),
            Self::Bool(_) | Self::Number(_) => false,
        }
    }
}

/// An array index as RFC 6901 writes it: digits without a leading zero.
pub(crate) fn array_index(segment: &str) -> Option<usize> {
    let digits = !segment.is_empty() && segment.bytes().all(|b| b.is_ascii_digit());
    if !digits || (segment.len() > 1 && segment.starts_with('0')) { None } else { segment.parse().ok() }
}
