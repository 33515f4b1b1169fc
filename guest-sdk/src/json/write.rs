//! From a value to text, without white space.

use super::Value;
use core::fmt::{self, Write as _};

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(true) => f.write_str("true"),
            Self::Bool(false) => f.write_str("false"),
            Self::Number(number) => f.write_str(number.as_str()),
            Self::String(text) => string(text, f),
            Self::Array(items) => {
                f.write_char('[')?;
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        f.write_char(',')?;
                    }
                    item.fmt(f)?;
                }
                f.write_char(']')
            }
            Self::Object(map) => {
                f.write_char('{')?;
                for (index, (name, value)) in map.iter().enumerate() {
                    if index > 0 {
                        f.write_char(',')?;
                    }
                    string(name, f)?;
                    f.write_char(':')?;
                    value.fmt(f)?;
                }
                f.write_char('}')
            }
        }
    }
}

fn string(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            c if c < ' ' => {
                let digit = |value: u32| char::from_digit(value & 15, 16).unwrap_or('0');
                f.write_str("\\u00")?;
                f.write_char(digit(u32::from(c) >> 4))?;
                f.write_char(digit(u32::from(c)))?;
            }
            c => f.write_char(c)?,
        }
    }
    f.write_char('"')
}
