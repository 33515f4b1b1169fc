//! A policy file as a tree with the place of every key and value, whatever syntax it was written in.
//!
//! Both syntaxes are lowered to this tree, so that there is one reader of meanings ([`super::read`]) and every
//! complaint can name line and column. It does not know which keys exist.

use std::ops::Range;

/// Byte range in the file's text.
pub(crate) type Span = Range<usize>;

/// A value and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) span: Span,
    pub(crate) data: Data,
}

/// A key of a table and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Key {
    pub(crate) span: Span,
    pub(crate) name: String,
}

/// What a value is.
#[derive(Debug, Clone)]
pub(crate) enum Data {
    Null,
    Bool(bool),
    /// Decimal digits; other radixes are converted.
    Integer(i128),
    Float(f64),
    Text(String),
    /// A TOML date, which no key takes.
    Date(String),
    List(Vec<Node>),
    Table(Vec<(Key, Node)>),
}

impl Data {
    /// What it is, for "expected ..., found ...".
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Bool(_) => "a boolean",
            Self::Integer(n) if *n < 0 => "one below 0",
            Self::Integer(_) => "a whole number",
            Self::Float(_) => "a number with a fraction",
            Self::Text(_) => "a string",
            Self::Date(_) => "a date",
            Self::List(_) => "a list",
            Self::Table(_) => "a table",
        }
    }
}

impl Node {
    /// The same value as JSON, for settings that are handed to a module.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        use serde_json::Value;
        match &self.data {
            Data::Null => Value::Null,
            Data::Bool(b) => Value::Bool(*b),
            Data::Integer(i) => i64::try_from(*i)
                .map(Value::from)
                .or_else(|_| u64::try_from(*i).map(Value::from))
                .unwrap_or_else(|_| Value::String(i.to_string())),
            Data::Float(f) => serde_json::Number::from_f64(*f).map_or(Value::Null, Value::Number),
            Data::Text(text) | Data::Date(text) => Value::String(text.clone()),
            Data::List(items) => Value::Array(items.iter().map(Self::to_json).collect()),
            Data::Table(members) => Value::Object(
                members.iter().map(|(key, value)| (key.name.clone(), value.to_json())).collect(),
            ),
        }
    }
}
