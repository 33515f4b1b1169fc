//! From text to a value. What is no JSON (RFC 8259) is an error.

use super::{Map, Number, Value};
use crate::Error;
use alloc::string::String;
use alloc::vec::Vec;
use core::str::FromStr;

/// Lists and objects in one another.
const DEPTH: u32 = 128;

impl FromStr for Value {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let mut parser = Parser { text, at: 0 };
        let value = parser.value(DEPTH).filter(|_| parser.peek().is_none());
        value.ok_or_else(|| Error::new("the text is no JSON, or nests too deep"))
    }
}

/// Nothing tells where it went wrong: what a module is handed was written by the host.
struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The next byte that is no white space.
    fn peek(&mut self) -> Option<u8> {
        while matches!(self.byte(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
        self.byte()
    }

    /// Whether the next byte is this one, which is then taken.
    fn take(&mut self, byte: u8) -> bool {
        let found = self.byte() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn value(&mut self, depth: u32) -> Option<Value> {
        match self.peek()? {
            b'"' => self.string().map(Value::String),
            b'{' => self.object(depth.checked_sub(1)?),
            b'[' => self.array(depth.checked_sub(1)?),
            b'n' => self.word("null", Value::Null),
            b't' => self.word("true", Value::Bool(true)),
            b'f' => self.word("false", Value::Bool(false)),
            _ => self.number(),
        }
    }

    fn word(&mut self, word: &str, value: Value) -> Option<Value> {
        let rest = self.text.as_bytes().get(self.at..)?;
        rest.starts_with(word.as_bytes()).then(|| {
            self.at += word.len();
            value
        })
    }

    fn array(&mut self, depth: u32) -> Option<Value> {
        let mut items = Vec::new();
        self.at += 1;
        if self.peek()? != b']' {
            loop {
                items.push(self.value(depth)?);
                self.peek();
                if !self.take(b',') {
                    break;
                }
            }
        }
        self.take(b']').then_some(Value::Array(items))
    }

    fn object(&mut self, depth: u32) -> Option<Value> {
        let mut map = Map::new();
        self.at += 1;
        if self.peek()? != b'}' {
            loop {
                if self.peek()? != b'"' {
                    return None;
                }
                let name = self.string()?;
                self.peek();
                if !self.take(b':') {
                    return None;
                }
                map.push(name, self.value(depth)?);
                self.peek();
                if !self.take(b',') {
                    break;
                }
            }
        }
        self.take(b'}').then_some(Value::Object(map))
    }

    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while self.byte().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }

    fn number(&mut self) -> Option<Value> {
        let start = self.at;
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _ = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        Some(Value::Number(Number::of(self.text.get(start..self.at)?)))
    }

    fn string(&mut self) -> Option<String> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let start = self.at;
            let rest = self.text.as_bytes().get(start..)?;
            let plain = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20))?;
            self.at = start + plain;
            let piece = self.text.get(start..self.at)?;
            if self.take(b'"') {
                if out.is_empty() {
                    return Some(piece.into());
                }
                out.push_str(piece);
                return Some(out);
            }
            out.push_str(piece);
            // A control character, where it is no escape.
            if !self.take(b'\\') {
                return None;
            }
            out.push(self.escape()?);
        }
    }

    fn escape(&mut self) -> Option<char> {
        let byte = self.byte()?;
        self.at += 1;
        Some(match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let mut code = self.hex()?;
                if (0xd800..0xdc00).contains(&code) && self.take(b'\\') && self.take(b'u') {
                    let low = self.hex()?.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
                    code = 0x10000 + ((code - 0xd800) << 10) + low;
                }
                // Half a pair is no character.
                char::from_u32(code)?
            }
            _ => return None,
        })
    }

    fn hex(&mut self) -> Option<u32> {
        let mut code = 0;
        for _ in 0..4 {
            code = code * 16 + char::from(self.byte()?).to_digit(16)?;
            self.at += 1;
        }
        Some(code)
    }
}
