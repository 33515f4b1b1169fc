//! What can stand as a value in [`json!`](crate::json): taken by reference, so that it can be used again.

use super::{Map, Number, Value};
use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

/// What can stand as a value in [`json!`](crate::json).
pub trait ToValue {
    /// It as a JSON value.
    fn to_value(&self) -> Value;
}

macro_rules! by_clone {
    ($($kind:ty)*) => {$(
        impl ToValue for $kind {
            fn to_value(&self) -> Value {
                Value::from(self.clone())
            }
        }
    )*};
}

by_clone!(bool char u8 u16 u32 u64 usize i8 i16 i32 i64 isize f64 String Number Map Value Cow<'_, str>);

impl ToValue for f32 {
    fn to_value(&self) -> Value {
        Value::from(f64::from(*self))
    }
}

impl ToValue for str {
    fn to_value(&self) -> Value {
        Value::from(self)
    }
}

impl<T: ToValue + ?Sized> ToValue for &T {
    fn to_value(&self) -> Value {
        (**self).to_value()
    }
}

impl<T: ToValue + ?Sized> ToValue for Box<T> {
    fn to_value(&self) -> Value {
        (**self).to_value()
    }
}

impl<T: ToValue> ToValue for Option<T> {
    fn to_value(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::to_value)
    }
}

impl<T: ToValue> ToValue for [T] {
    fn to_value(&self) -> Value {
        Value::Array(self.iter().map(T::to_value).collect())
    }
}

impl<T: ToValue, const N: usize> ToValue for [T; N] {
    fn to_value(&self) -> Value {
        self.as_slice().to_value()
    }
}

impl<T: ToValue> ToValue for Vec<T> {
    fn to_value(&self) -> Value {
        self.as_slice().to_value()
    }
}

impl<K: AsRef<str>, T: ToValue> ToValue for BTreeMap<K, T> {
    fn to_value(&self) -> Value {
        Value::Object(self.iter().map(|(name, value)| (name.as_ref(), value.to_value())).collect())
    }
}
