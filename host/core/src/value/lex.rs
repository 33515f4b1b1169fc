//! The one place that walks over raw JSON bytes: strict RFC 8259 tokens, no tree, no recursion.
//!
//! Knows nothing of duplicate keys, depth or messages. Bytes inside strings need not be UTF-8 here; who needs text
//! asks [`Token::text`] or [`Token::text_lossy`].

use super::open::Open;
use super::stop::near_stop;
use super::token::Token;
use super::{JsonError, JsonErrorKind};

/// A position in JSON text.
#[derive(Debug, Clone)]
pub(crate) struct Lexer<'a> {
    bytes: &'a [u8],
    /// The same, where all of it is known to be UTF-8: so that not every token is checked for it again.
    text: Option<&'a str>,
    pos: usize,
    /// There were escapes in what was stepped over.
    pub(crate) escapes: bool,
    /// There were line breaks between the tokens.
    pub(crate) breaks: bool,
}

pub(crate) const fn error(kind: JsonErrorKind, offset: usize, what: String) -> JsonError {
    JsonError { kind, offset, what }
}

#[cold]
fn syntax(offset: usize, what: &str) -> JsonError {
    error(JsonErrorKind::Syntax, offset, what.to_owned())
}

impl<'a> Lexer<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, text: None, pos: 0, escapes: false, breaks: false }
    }

    /// Of text that was checked for UTF-8 as a whole.
    pub(crate) const fn of_text(text: &'a str) -> Self {
        Self { text: Some(text), ..Self::new(text.as_bytes()) }
    }

    pub(crate) const fn pos(&self) -> usize {
        self.pos
    }

    /// The bytes from `start` to here.
    pub(crate) fn since(&self, start: usize) -> &'a [u8] {
        self.bytes.get(start..self.pos).unwrap_or_default()
    }

    #[inline]
    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.pos).copied()
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.pos..).unwrap_or_default()
    }

    #[inline]
    pub(crate) fn skip_space(&mut self) {
        while let Some(space @ (b' ' | b'\t' | b'\n' | b'\r')) = self.peek() {
            self.breaks |= matches!(space, b'\n' | b'\r');
            self.pos += 1;
        }
    }

    /// Steps over the space before a value, and says where that begins.
    #[inline]
    pub(crate) fn value_start(&mut self) -> usize {
        self.skip_space();
        self.pos
    }

    /// Steps over `byte` if it is next.
    #[inline]
    pub(crate) fn take(&mut self, byte: u8) -> bool {
        let hit = self.peek() == Some(byte);
        self.pos += usize::from(hit);
        hit
    }

    /// Steps over `byte` or says what was expected.
    #[inline]
    pub(crate) fn expect(&mut self, byte: u8, what: &str) -> Result<(), JsonError> {
        if self.take(byte) { Ok(()) } else { Err(self.unexpected(what)) }
    }

    #[cold]
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
    #[inline]
    pub(crate) fn string(&mut self) -> Result<Token<'a>, JsonError> {
        let before = self.pos;
        let escaped = self.skip_string("expected a string")?;
        Ok(self.token(before, escaped))
    }

    /// The string that was stepped over from `before`.
    #[inline]
    fn token(&self, before: usize, escaped: bool) -> Token<'a> {
        let offset = before + 1;
        let raw = self.bytes.get(offset..self.pos - 1).unwrap_or_default();
        Token { raw, whole: self.text, offset, escaped }
    }

    /// Steps over a string. Whether it has escapes.
    #[inline]
    fn skip_string(&mut self, what: &str) -> Result<bool, JsonError> {
        self.expect(b'"', what)?;
        let rest = self.rest();
        match near_stop(rest) {
            Some(stop) if rest.get(stop) == Some(&b'"') => {
                self.pos += stop + 1;
                Ok(false)
            }
            _ => self.skip_long_string(),
        }
    }

    /// What follows the opening quote of a string that is long or has escapes.
    #[inline(never)]
    fn skip_long_string(&mut self) -> Result<bool, JsonError> {
        let mut escaped = false;
        loop {
            self.pos += self.plain()?;
            if self.take(b'"') {
                return Ok(escaped);
            }
            escaped = true;
            self.escapes = true;
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

    #[inline]
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
        self.skip_number()?;
        match self.text.and_then(|text| text.get(start..self.pos)) {
            Some(number) => Ok(number),
            None => std::str::from_utf8(self.since(start)).map_err(|_| syntax(start, "bad number")),
        }
    }

    fn skip_number(&mut self) -> Result<(), JsonError> {
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if !matches!(self.peek(), Some(b'.' | b'e' | b'E')) {
            return Ok(());
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
        Ok(())
    }

    /// `true`, `false` or `null`.
    pub(crate) fn literal(&mut self) -> Result<&'static str, JsonError> {
        let word = match self.peek() {
            Some(b't') => "true",
            Some(b'f') => "false",
            _ => "null",
        };
        if !self.rest().starts_with(word.as_bytes()) {
            return Err(self.unexpected("expected a value"));
        }
        self.pos += word.len();
        Ok(word)
    }

    /// Steps over one value of any depth, checking its syntax to the last byte.
    pub(crate) fn skip_value(&mut self) -> Result<&'a [u8], JsonError> {
        let start = self.value_start();
        match self.peek() {
            Some(b'{' | b'[') => self.skip_container()?,
            _ => self.skip_scalar()?,
        }
        Ok(self.since(start))
    }

    #[inline(always)]
    fn skip_scalar(&mut self) -> Result<(), JsonError> {
        match self.peek() {
            Some(b'"') => self.skip_string("expected a string").map(|_| ()),
            Some(b'-' | b'0'..=b'9') => self.skip_number(),
            _ => self.literal().map(|_| ()),
        }
    }

    fn skip_container(&mut self) -> Result<(), JsonError> {
        let mut open = Open::default();
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
                        self.skip_key()?;
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
                _ => self.skip_scalar().map(|()| true)?,
            };
            if closed && self.close(&mut open)? {
                return Ok(());
            }
        }
    }

    /// After a value: closes what ends here. Whether nothing is open any more.
    fn close(&mut self, open: &mut Open) -> Result<bool, JsonError> {
        while let Some(object) = open.inmost() {
            self.skip_space();
            if self.take(b',') {
                if object {
                    self.skip_space();
                    self.skip_key()?;
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

    /// A member's key and its colon. In line, as what a walk does for each value: called, they would hand their answers
    /// back through memory.
    #[inline(always)]
    pub(crate) fn key(&mut self) -> Result<Token<'a>, JsonError> {
        let before = self.pos;
        let escaped = self.skip_string("expected a key")?;
        let key = self.token(before, escaped);
        self.skip_colon()?;
        Ok(key)
    }

    #[inline(always)]
    fn skip_key(&mut self) -> Result<(), JsonError> {
        self.skip_string("expected a key")?;
        self.skip_colon()
    }

    #[inline]
    fn skip_colon(&mut self) -> Result<(), JsonError> {
        self.skip_space();
        self.expect(b':', "expected `:`")
    }
}
