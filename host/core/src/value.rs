//! A JSON value that loses nothing: number text is kept, member order is kept, duplicate keys cannot exist.

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
