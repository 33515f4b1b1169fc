//! The members of an object.

use super::Value;
use alloc::string::String;
use alloc::vec::Vec;

/// The members of an object, in the order in which they were written. Bouncer hands over no object in which a name
/// stands twice; where a text has one all the same, the last is found and a walk meets both.
#[derive(Debug, Clone, Default, Eq)]
pub struct Map {
    members: Vec<(String, Value)>,
}

impl Map {
    /// Without members.
    #[must_use]
    pub const fn new() -> Self {
        Self { members: Vec::new() }
    }

    /// The member of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.members.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Whether there is a member of this name.
    #[must_use]
    pub fn contains_key(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Puts a member in, in the place of one of the same name.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<Value>) -> Option<Value> {
        let (name, value) = (name.into(), value.into());
        match self.members.iter_mut().rev().find(|(known, _)| *known == name) {
            Some((_, old)) => Some(core::mem::replace(old, value)),
            None => {
                self.members.push((name, value));
                None
            }
        }
    }

    pub(super) fn push(&mut self, name: String, value: Value) {
        self.members.push((name, value));
    }

    /// How many members there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The names.
    pub fn keys(&self) -> impl Iterator<Item = &String> {
        self.iter().map(|(name, _)| name)
    }

    /// The values.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.iter().map(|(_, value)| value)
    }

    /// The members.
    #[must_use]
    pub fn iter(&self) -> Members<'_> {
        Members(self.members.iter())
    }
}

/// The members of a [`Map`], in their order.
#[derive(Debug, Clone)]
pub struct Members<'a>(core::slice::Iter<'a, (String, Value)>);

impl<'a> Iterator for Members<'a> {
    type Item = (&'a String, &'a Value);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(name, value)| (name, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl ExactSizeIterator for Members<'_> {}

/// The order of the members does not count.
impl PartialEq for Map {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().all(|(name, value)| other.get(name) == Some(value))
    }
}

impl<'a> IntoIterator for &'a Map {
    type Item = (&'a String, &'a Value);
    type IntoIter = Members<'a>;

    fn into_iter(self) -> Members<'a> {
        Members(self.members.iter())
    }
}

impl IntoIterator for Map {
    type Item = (String, Value);
    type IntoIter = alloc::vec::IntoIter<(String, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        self.members.into_iter()
    }
}

impl<K: Into<String>, V: Into<Value>> FromIterator<(K, V)> for Map {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(members: I) -> Self {
        let mut map = Self::new();
        for (name, value) in members {
            map.insert(name, value);
        }
        map
    }
}
