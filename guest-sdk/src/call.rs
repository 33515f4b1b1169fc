//! A call to be judged, with typed access to its arguments.

#[cfg(feature = "serde")]
use crate::Error;
use crate::Value;
use alloc::borrow::ToOwned as _;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
#[cfg(feature = "serde")]
use serde::de::DeserializeOwned;

/// A call to be judged. Arguments are named by JSON pointer (`/to`, `/message/subject`, `/files/0/path`); where a
/// function says *path*, `*` stands for each item of a list and `{}` for each value of an object as well.
#[derive(Debug, Clone)]
pub struct Call<'a> {
    server: &'a str,
    tool: &'a str,
    arguments: Value,
}

impl<'a> Call<'a> {
    /// A call with these arguments.
    #[must_use]
    pub fn new(server: &'a str, tool: &'a str, arguments: Value) -> Self {
        Self { server, tool, arguments }
    }

    /// The user's name for the server.
    #[must_use]
    pub fn server(&self) -> &str {
        self.server
    }

    /// The tool.
    #[must_use]
    pub fn tool(&self) -> &str {
        self.tool
    }

    /// All arguments.
    #[must_use]
    pub fn arguments(&self) -> &Value {
        &self.arguments
    }

    /// The argument at this pointer.
    #[must_use]
    pub fn get(&self, pointer: &str) -> Option<&Value> {
        self.arguments.pointer(pointer)
    }

    /// The string at this pointer; `None` where it is absent or no string.
    #[must_use]
    pub fn text(&self, pointer: &str) -> Option<&str> {
        self.get(pointer)?.as_str()
    }

    /// The boolean at this pointer; `None` where it is absent or no boolean.
    #[must_use]
    pub fn flag(&self, pointer: &str) -> Option<bool> {
        self.get(pointer)?.as_bool()
    }

    /// The integer at this pointer; `None` where it is absent or no integer in range.
    #[must_use]
    pub fn integer(&self, pointer: &str) -> Option<i64> {
        self.get(pointer)?.as_i64()
    }

    /// The argument at this pointer as any type that serde reads; `None` where it is absent or null.
    ///
    /// # Errors
    /// Where it does not fit the type.
    #[cfg(feature = "serde")]
    pub fn typed<T: DeserializeOwned>(&self, pointer: &str) -> Result<Option<T>, Error> {
        match self.get(pointer) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match T::deserialize(value) {
                Ok(value) => Ok(Some(value)),
                Err(error) => Err(Error::new(alloc::format!("argument `{pointer}`: {error}"))),
            },
        }
    }

    /// Every scalar at or below this path as text, lists and objects flattened; null is left out.
    ///
    /// ```
    /// use bouncer_guest::testing::{call, json};
    /// let call = call("send", json!({"to": ["a@x.io", ["b@x.io"]], "files": [{"path": "/a"}, {"path": "/b"}]}));
    /// assert_eq!(call.texts("/to"), ["a@x.io", "b@x.io"]);
    /// assert_eq!(call.texts("/files/*/path"), ["/a", "/b"]);
    /// ```
    #[must_use]
    pub fn texts(&self, path: &str) -> Vec<String> {
        self.leaves(path).into_iter().map(|(_, text)| text).collect()
    }

    /// As [`Self::texts`], each with its own JSON pointer. The path `""` gives every scalar of the call.
    #[must_use]
    pub fn leaves(&self, path: &str) -> Vec<(String, String)> {
        let mut found = Vec::new();
        let steps: Vec<&str> = path.split('/').skip(1).collect();
        walk(&self.arguments, &steps, &mut String::new(), &mut found);
        found
    }
}

/// Follows `steps`, then collects all scalars. The depth is bounded: the parser refuses more than 128 levels.
fn walk(value: &Value, steps: &[&str], pointer: &mut String, found: &mut Vec<(String, String)>) {
    let (step, rest) = match steps.split_first() {
        Some((step, rest)) => (Some(*step), rest),
        None => (None, steps),
    };
    let length = pointer.len();
    let text = match value {
        Value::Object(map) => {
            for (name, child) in map {
                crate::pointer::push(pointer, name);
                follow(child, step, "{}", rest, pointer, length, found);
            }
            return;
        }
        Value::Array(items) => {
            for (index, child) in items.iter().enumerate() {
                crate::pointer::push(pointer, &index.to_string());
                follow(child, step, "*", rest, pointer, length, found);
            }
            return;
        }
        Value::String(text) => text,
        Value::Number(number) => number.as_str(),
        Value::Bool(true) => "true",
        Value::Bool(false) => "false",
        Value::Null => return,
    };
    if step.is_none() {
        found.push((pointer.clone(), text.to_owned()));
    }
}

/// Goes on with a child whose own step was put at the end of `pointer`, where `step` asks for it.
fn follow(
    child: &Value,
    step: Option<&str>,
    any: &str,
    rest: &[&str],
    pointer: &mut String,
    length: usize,
    found: &mut Vec<(String, String)>,
) {
    if step.is_none_or(|step| step == any || pointer.get(length + 1..) == Some(step)) {
        walk(child, rest, pointer, found);
    }
    pointer.truncate(length);
}
