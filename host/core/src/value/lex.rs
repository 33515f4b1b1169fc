//! The one place that walks over raw JSON bytes: strict RFC 8259 tokens, no tree, no recursion.
//!
//! Knows nothing of duplicate keys, depth or messages. Bytes inside strings need not be UTF-8 here; who needs text
//! asks [`Token::text`] or [`Token::text_lossy`].

use super::{JsonError, JsonErrorKind};
use std::borrow::Cow;

/// A position in JSON text.
#[derive(Debug, Clone)]
pub(crate) struct Lexer<'a> {
    bytes: &'a [u8],
    pos: usize,
}

/// A string token: what stands between its quotes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token<'a> {
    raw: &'a [u8],
    offset: usize,
    escaped: bool,
}

pub(crate) const fn error(kind: JsonErrorKind, offset: usize, what: String) -> JsonError {
    JsonError { kind, offset, what }
}

fn syntax(offset: usize, what: &str) -> JsonError {
    error(JsonErrorKind::Syntax, offset, what.to_owned())
}

impl<'a> Lexer<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, pos: 0 }
    }

    pub(crate) const fn pos(&self) -> usize {
        self.pos
    }

    /// The bytes from `start` to here.
    pub(crate) fn since(&self, start: usize) -> &'a [u8] {
        self.bytes.get(start..self.pos).unwrap_or_default()
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.pos).copied()
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.pos..).unwrap_or_default()
    }

    pub(crate) fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.pos += 1;
        }
    }

    /// Steps over `byte` if it is next.
    pub(crate) fn take(&mut self, byte: u8) -> bool {
        let hit = self.peek() == Some(byte);
        self.pos += usize::from(hit);
        hit
    }

    /// Steps over `byte` or says what was expected.
    pub(crate) fn expect(&mut self, byte: u8, what: &str) -> Result<(), JsonError> {
        if self.take(byte) { Ok(()) } else { Err(self.unexpected(what)) }
    }

    pub(crate) fn unexpected(&self, what: &str) -> JsonError {
        match self.peek() {
            None => syntax(self.pos, "unexpected end"),
            Some(_) => syntax(self.pos, what),
        }
    }

    /// Only whitespace may follow.
    pub(crate) fn end(&mut self) -> Result<(), JsonError> {
        self.skip_space();
        if self.peek().is_none() {
            return Ok(());
        }
        Err(error(JsonErrorKind::Trailing, self.pos, "something follows the value".to_owned()))
    }

    /// A string, from its opening quote.
    pub(crate) fn string(&mut self) -> Result<Token<'a>, JsonError> {
        self.expect(b'"', "expected a string")?;
        let start = self.pos;
        let mut escaped = false;
        loop {
            self.pos += self.plain()?;
            if self.take(b'"') {
                let raw = self.bytes.get(start..self.pos - 1).unwrap_or_default();
                return Ok(Token { raw, offset: start, escaped });
            }
            escaped = true;
            self.escape()?;
        }
    }

    /// How many bytes of a string come before its next escape or its end.
    fn plain(&self) -> Result<usize, JsonError> {
        let rest = self.rest();
        if let Some(stop) = near_stop(rest) {
            return Ok(stop);
        }
        let Some(stop) = memchr::memchr2(b'"', b'\\', rest) else {
            return Err(syntax(self.bytes.len(), "unterminated string"));
        };
        let plain = rest.get(..stop).unwrap_or_default();
        // Without a branch for each byte, so that it can be vectorised.
        if plain.iter().fold(false, |bad, b| bad | (*b < 0x20)) {
            return Err(syntax(self.pos, "raw control byte in a string"));
        }
        Ok(stop)
    }

    fn escape(&mut self) -> Result<(), JsonError> {
        self.pos += 1;
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.pos += 1,
            Some(b'u') => {
                self.pos += 1;
                for _ in 0..4 {
                    if !self.peek().is_some_and(|b| b.is_ascii_hexdigit()) {
                        return Err(self.unexpected("bad \\u escape"));
                    }
                    self.pos += 1;
                }
            }
            _ => return Err(self.unexpected("bad escape")),
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), JsonError> {
        let start = self.pos;
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.pos += 1;
        }
        if self.pos == start { Err(self.unexpected("expected a digit")) } else { Ok(()) }
    }

    /// A number, as written.
    pub(crate) fn number(&mut self) -> Result<&'a str, JsonError> {
        let start = self.pos;
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            if !self.take(b'+') {
                self.take(b'-');
            }
            self.digits()?;
        }
        std::str::from_utf8(self.since(start)).map_err(|_| syntax(start, "bad number"))
    }

    /// `true`, `false` or `null`.
    pub(crate) fn literal(&mut self) -> Result<&'static str, JsonError> {
        for word in ["true", "false", "null"] {
            if self.rest().starts_with(word.as_bytes()) {
                self.pos += word.len();
                return Ok(word);
            }
        }
        Err(self.unexpected("expected a value"))
    }

    /// Steps over one value of any depth, checking its syntax to the last byte.
    pub(crate) fn skip_value(&mut self) -> Result<&'a [u8], JsonError> {
        self.skip_space();
        let start = self.pos;
        // One entry for each open container: whether it is an object.
        let mut open: Vec<bool> = Vec::new();
        loop {
            self.skip_space();
            let closed = match self.peek() {
                Some(b'{') => {
                    self.pos += 1;
                    self.skip_space();
                    if self.take(b'}') {
                        true
                    } else {
                        open.push(true);
                        self.key()?;
                        false
                    }
                }
                Some(b'[') => {
                    self.pos += 1;
                    self.skip_space();
                    if self.take(b']') {
                        true
                    } else {
                        open.push(false);
                        false
                    }
                }
                Some(b'"') => self.string().map(|_| true)?,
                Some(b'-' | b'0'..=b'9') => self.number().map(|_| true)?,
                _ => self.literal().map(|_| true)?,
            };
            if closed && self.close(&mut open)? {
                return Ok(self.since(start));
            }
        }
    }

    /// After a value: closes what ends here. Whether nothing is open any more.
    fn close(&mut self, open: &mut Vec<bool>) -> Result<bool, JsonError> {
        while let Some(&object) = open.last() {
            self.skip_space();
            if self.take(b',') {
                if object {
                    self.skip_space();
                    self.key()?;
                }
                return Ok(false);
            }
            let (end, what) =
                if object { (b'}', "expected `,` or `}`") } else { (b']', "expected `,` or `]`") };
            self.expect(end, what)?;
            open.pop();
        }
        Ok(true)
    }

    /// A member's key and its colon.
    pub(crate) fn key(&mut self) -> Result<Token<'a>, JsonError> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("expected a key"));
        }
        let key = self.string()?;
        self.skip_space();
        self.expect(b':', "expected `:`")?;
        Ok(key)
    }
}

/// Where a string goes no further, if that is near: most strings are short, and for those a search costs more to start
/// than to do. Control bytes are left to the search.
fn near_stop(rest: &[u8]) -> Option<usize> {
    const NEAR: usize = 24;
    let near = rest.get(..NEAR).unwrap_or(rest);
    let stop = near.iter().position(|b| matches!(b, b'"' | b'\\') || *b < 0x20)?;
    near.get(stop).is_some_and(|b| *b >= 0x20).then_some(stop)
}

impl<'a> Token<'a> {
    /// The text; a lone surrogate or a byte that is not UTF-8 is an error.
    pub(crate) fn text(&self) -> Result<Cow<'a, str>, JsonError> {
        let text = std::str::from_utf8(self.raw).map_err(|e| {
            error(JsonErrorKind::NotUtf8, self.offset + e.valid_up_to(), "not UTF-8".to_owned())
        })?;
        if !self.escaped {
            return Ok(Cow::Borrowed(text));
        }
        match unescape(text, false) {
            Some(text) => Ok(Cow::Owned(text)),
            None => {
                Err(error(JsonErrorKind::LoneSurrogate, self.offset, "lone surrogate in a string".to_owned()))
            }
        }
    }

    /// The text; what has no meaning becomes U+FFFD.
    pub(crate) fn text_lossy(&self) -> Cow<'a, str> {
        // Nearly all is sound, and to see that is several times as fast as to look for what is not.
        let text =
            std::str::from_utf8(self.raw).map_or_else(|_| String::from_utf8_lossy(self.raw), Cow::Borrowed);
        if self.escaped { Cow::Owned(unescape(&text, true).unwrap_or_default()) } else { text }
    }
}

/// Resolves the escapes of a string whose syntax was checked. `None` for a lone surrogate, unless `lossy`.
fn unescape(text: &str, lossy: bool) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        let (plain, after) = rest.split_at_checked(at)?;
        out.push_str(plain);
        let mut chars = after.chars();
        chars.next();
        let kind = chars.next()?;
        rest = chars.as_str();
        match kind {
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            't' => out.push('\t'),
            'u' => {
                let (unit, after) = unit(rest)?;
                rest = after;
                if let Some(c) = char::from_u32(unit) {
                    out.push(c);
                    continue;
                }
                let low = rest.strip_prefix("\\u").and_then(self::unit);
                match low {
                    Some((low, after)) if unit < 0xDC00 && (0xDC00..0xE000).contains(&low) => {
                        let code = 0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                        out.push(char::from_u32(code)?);
                        rest = after;
                    }
                    _ if lossy => out.push(char::REPLACEMENT_CHARACTER),
                    _ => return None,
                }
            }
            same => out.push(same),
        }
    }
    out.push_str(rest);
    Some(out)
}

/// Four hexadecimal digits, and what follows them.
fn unit(text: &str) -> Option<(u32, &str)> {
    let digits = text.get(..4)?;
    Some((u32::from_str_radix(digits, 16).ok()?, text.get(4..)?))
}
