//! Typed reading of a value with serde.

use super::{Map, Value};
use crate::Error;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;
use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error as _, Expected, IntoDeserializer,
    MapAccess, SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

impl serde::de::Error for Error {
    fn custom<T: fmt::Display>(text: T) -> Self {
        Self::new(text.to_string())
    }

    // The provided ones format floating point numbers, 20 KB of code in every module.
    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(alloc::format!("`{}`, expected {expected}", named(unexpected)))
    }

    fn invalid_value(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(unexpected, expected)
    }
}

fn named(unexpected: Unexpected<'_>) -> &str {
    match unexpected {
        Unexpected::Str(text) | Unexpected::Other(text) => text,
        Unexpected::Bool(true) => "true",
        Unexpected::Bool(false) => "false",
        Unexpected::Unsigned(_) | Unexpected::Signed(_) | Unexpected::Float(_) => "a number",
        Unexpected::Seq => "a list",
        Unexpected::Map => "an object",
        Unexpected::Unit | Unexpected::Option => "null",
        _ => "another value",
    }
}

fn unexpected(value: &Value) -> Unexpected<'_> {
    match value {
        Value::Null => Unexpected::Unit,
        Value::Bool(flag) => Unexpected::Bool(*flag),
        Value::Number(number) => Unexpected::Other(number.as_str()),
        Value::String(text) => Unexpected::Str(text),
        Value::Array(_) => Unexpected::Seq,
        Value::Object(_) => Unexpected::Map,
    }
}

impl<'de> IntoDeserializer<'de, Error> for &'de Value {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

fn integer<'de, V: Visitor<'de>>(value: &'de Value, visitor: V) -> Result<V::Value, Error> {
    match (value.as_u64(), value.as_i64()) {
        (Some(number), _) => visitor.visit_u64(number),
        (None, Some(number)) => visitor.visit_i64(number),
        (None, None) => Err(Error::invalid_type(unexpected(value), &visitor)),
    }
}

fn list<'de, V: Visitor<'de>>(items: &'de [Value], visitor: V) -> Result<V::Value, Error> {
    let mut access = SeqDeserializer::new(items.iter());
    let value = visitor.visit_seq(&mut access)?;
    access.end()?;
    Ok(value)
}

fn object<'de, V: Visitor<'de>>(map: &'de Map, visitor: V) -> Result<V::Value, Error> {
    let mut access = MapDeserializer::new(map.iter().map(|(name, value)| (name.as_str(), value)));
    let value = visitor.visit_map(&mut access)?;
    access.end()?;
    Ok(value)
}

/// Each hint has a method of its own instead of going by what the value is, so that a module carries only the code
/// for the types that it reads.
macro_rules! by_hint {
    ($($method:ident: $pattern:pat => $visit:expr;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            match self {
                $pattern => $visit(visitor),
                other => Err(Error::invalid_type(unexpected(other), &visitor)),
            }
        }
    )*};
}

macro_rules! integers {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            integer(self, visitor)
        }
    )*};
}

impl<'de> Deserializer<'de> for &'de Value {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Value::Null => visitor.visit_unit(),
            Value::Bool(flag) => visitor.visit_bool(*flag),
            Value::Number(number) if number.as_i64().is_none() && number.as_u64().is_none() => {
                self.deserialize_f64(visitor)
            }
            Value::Number(_) => integer(self, visitor),
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(items) => list(items, visitor),
            Value::Object(map) => object(map, visitor),
        }
    }

    integers!(
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_u8 deserialize_u16
        deserialize_u32 deserialize_u64
    );

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.as_f64() {
            Some(number) => visitor.visit_f64(number),
            None => Err(Error::invalid_type(unexpected(self), &visitor)),
        }
    }

    by_hint! {
        deserialize_bool: Value::Bool(flag) => |visitor: V| visitor.visit_bool(*flag);
        deserialize_char: Value::String(text) => |visitor: V| visitor.visit_borrowed_str(text);
        deserialize_str: Value::String(text) => |visitor: V| visitor.visit_borrowed_str(text);
        deserialize_string: Value::String(text) => |visitor: V| visitor.visit_borrowed_str(text);
        deserialize_identifier: Value::String(text) => |visitor: V| visitor.visit_borrowed_str(text);
        deserialize_seq: Value::Array(items) => |visitor: V| list(items, visitor);
        deserialize_map: Value::Object(map) => |visitor: V| object(map, visitor);
    }

    /// A policy without settings, `()`, is handed `{}`: a unit has no fields, as a struct without any.
    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Value::Null => visitor.visit_unit(),
            Value::Object(map) => match map.iter().next() {
                None => visitor.visit_unit(),
                Some((name, _)) => Err(Error::unknown_field(name, &[])),
            },
            other => Err(Error::invalid_type(unexpected(other), &visitor)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let (name, content) = match self {
            Value::String(name) => (name, None),
            Value::Object(map) if map.len() == 1 => match map.iter().next() {
                Some((name, content)) => (name, Some(content)),
                None => return Err(Error::invalid_type(Unexpected::Map, &visitor)),
            },
            other => return Err(Error::invalid_type(unexpected(other), &visitor)),
        };
        visitor.visit_enum(Variant { name, content })
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any!(i128 u128 bytes byte_buf);
}

struct Variant<'de> {
    name: &'de str,
    content: Option<&'de Value>,
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = Error;
    type Variant = Content<'de>;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Content<'de>), Error> {
        let name: serde::de::value::BorrowedStrDeserializer<'_, Error> =
            serde::de::value::BorrowedStrDeserializer::new(self.name);
        Ok((seed.deserialize(name)?, Content(self.content)))
    }
}

struct Content<'de>(Option<&'de Value>);

impl<'de> Content<'de> {
    fn value(self) -> Result<&'de Value, Error> {
        self.0.ok_or_else(|| Error::new("the variant needs a value: `{\"name\": value}`"))
    }
}

impl<'de> VariantAccess<'de> for Content<'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        match self.0 {
            None | Some(Value::Null) => Ok(()),
            Some(_) => Err(Error::new("the variant has no value")),
        }
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Error> {
        seed.deserialize(self.value()?)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.value()?.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.value()?.deserialize_map(visitor)
    }
}

/// So that a value can stand in settings, and be read from other formats in tests.
impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Value, E> {
        Ok(flag.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Deserialize::deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element::<Value>()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some((name, value)) = access.next_entry::<String, Value>()? {
            map.insert(name, value);
        }
        Ok(Value::Object(map))
    }
}
