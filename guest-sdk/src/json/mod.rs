//! JSON as a module reads it: a small document model that keeps what it was given.
//!
//! Numbers keep the digits that were written and members their order, natively as in the sandbox. It is no general
//! JSON library: there is no reader from streams, and what a module does not use (floating point, typed reading)
//! costs it no bytes, which is why the usual crates do not serve here.

#[cfg(feature = "serde")]
mod de;
mod from;
mod literal;
mod map;
mod number;
mod parse;
mod to_value;
mod write;

pub use map::{Map, Members};
pub use number::Number;
pub use to_value::ToValue;

use alloc::string::String;
use alloc::vec::Vec;

/// A JSON value.
///
/// ```
/// use bouncer_guest::{Value, json};
/// let value: Value = r#"{"to": ["a@x.io"], "limit": 1e400}"#.parse()?;
/// assert_eq!(value.pointer("/to/0").and_then(Value::as_str), Some("a@x.io"));
/// assert_eq!(value["limit"].to_string(), "1e400");
/// assert_eq!(value["to"], json!(["a@x.io"]));
/// # Ok::<(), bouncer_guest::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Value {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as it was written.
    Number(Number),
    /// A string.
    String(String),
    /// A list.
    Array(Vec<Value>),
    /// An object.
    Object(Map),
}

/// What `value[...]` gives where there is nothing.
static NOTHING: Value = Value::Null;

impl Value {
    /// The member of this name, or the item at this index.
    #[must_use]
    pub fn get<I: Index>(&self, index: I) -> Option<&Value> {
        index.of(self)
    }

    /// The value at this JSON pointer; `""` is the value itself.
    #[must_use]
    pub fn pointer(&self, pointer: &str) -> Option<&Value> {
        if pointer.is_empty() {
            return Some(self);
        }
        pointer.strip_prefix('/')?.split('/').try_fold(self, |value, step| match value {
            Self::Object(map) => map.get(&crate::pointer::name(step)),
            Self::Array(items) => items.get(item_index(step)?),
            _ => None,
        })
    }

    /// The text, where it is a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// The boolean, where it is one.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(flag) = self { Some(*flag) } else { None }
    }

    /// The integer, where it is a number without fraction and exponent that fits.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        self.as_number()?.as_i64()
    }

    /// The integer, where it is a number without sign, fraction and exponent that fits.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        self.as_number()?.as_u64()
    }

    /// The nearest floating point number, where it is a number; infinite where it is too large.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        self.as_number()?.as_f64()
    }

    /// The number, where it is one.
    #[must_use]
    pub fn as_number(&self) -> Option<&Number> {
        if let Self::Number(number) = self { Some(number) } else { None }
    }

    /// The items, where it is a list.
    #[must_use]
    pub fn as_array(&self) -> Option<&Vec<Value>> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// The members, where it is an object.
    #[must_use]
    pub fn as_object(&self) -> Option<&Map> {
        if let Self::Object(map) = self { Some(map) } else { None }
    }

    /// Whether it is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Whether it is a boolean.
    #[must_use]
    pub fn is_boolean(&self) -> bool {
        matches!(self, Self::Bool(_))
    }

    /// Whether it is a number.
    #[must_use]
    pub fn is_number(&self) -> bool {
        matches!(self, Self::Number(_))
    }

    /// Whether it is a string.
    #[must_use]
    pub fn is_string(&self) -> bool {
        matches!(self, Self::String(_))
    }

    /// Whether it is a list.
    #[must_use]
    pub fn is_array(&self) -> bool {
        matches!(self, Self::Array(_))
    }

    /// Whether it is an object.
    #[must_use]
    pub fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }
}

/// A step of a pointer as an index: digits without a leading zero.
fn item_index(step: &str) -> Option<usize> {
    let plain = step.bytes().all(|byte| byte.is_ascii_digit()) && (step == "0" || !step.starts_with('0'));
    if plain { step.parse().ok() } else { None }
}

/// What a value can be looked into with: the name of a member, or the index of an item.
pub trait Index {
    #[doc(hidden)]
    fn of(self, value: &Value) -> Option<&Value>;
}

impl Index for &str {
    fn of(self, value: &Value) -> Option<&Value> {
        value.as_object()?.get(self)
    }
}

impl Index for &String {
    fn of(self, value: &Value) -> Option<&Value> {
        value.as_object()?.get(self)
    }
}

impl Index for &&str {
    fn of(self, value: &Value) -> Option<&Value> {
        value.as_object()?.get(self)
    }
}

impl Index for usize {
    fn of(self, value: &Value) -> Option<&Value> {
        value.as_array()?.get(self)
    }
}

/// `null` where there is nothing.
impl<I: Index> core::ops::Index<I> for Value {
    type Output = Value;

    fn index(&self, index: I) -> &Value {
        self.get(index).unwrap_or(&NOTHING)
    }
}

#[cfg(test)]
mod tests;
