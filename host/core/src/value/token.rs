//! The text of a string: its escapes resolved.

use super::lex::error;
use super::{JsonError, JsonErrorKind};
use std::borrow::Cow;

/// A string token: what stands between its quotes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token<'a> {
    pub(super) raw: &'a [u8],
    /// All of the text that it stands in, where that is known to be UTF-8.
    pub(super) whole: Option<&'a str>,
    pub(super) offset: usize,
    pub(super) escaped: bool,
}

impl<'a> Token<'a> {
    /// What stands between the quotes, if it is UTF-8.
    #[inline]
    fn utf8(&self) -> Result<&'a str, std::str::Utf8Error> {
        match self.whole.and_then(|whole| whole.get(self.offset..self.offset + self.raw.len())) {
            Some(text) => Ok(text),
            None => std::str::from_utf8(self.raw),
        }
    }

    /// The text; a lone surrogate or a byte that is not UTF-8 is an error.
    #[inline]
    pub(crate) fn text(&self) -> Result<Cow<'a, str>, JsonError> {
        match self.utf8() {
            Ok(text) if !self.escaped => Ok(Cow::Borrowed(text)),
            text => self.unescaped(text),
        }
    }

    #[inline(never)]
    fn unescaped(&self, text: Result<&str, std::str::Utf8Error>) -> Result<Cow<'a, str>, JsonError> {
        let text = text.map_err(|e| {
            error(JsonErrorKind::NotUtf8, self.offset + e.valid_up_to(), "not UTF-8".to_owned())
        })?;
        unescape(text, false).map(Cow::Owned).ok_or_else(|| {
            error(JsonErrorKind::LoneSurrogate, self.offset, "lone surrogate in a string".to_owned())
        })
    }

    /// The text; what has no meaning becomes U+FFFD.
    pub(crate) fn text_lossy(&self) -> Cow<'a, str> {
        // Nearly all is sound, and to see that is several times as fast as to look for what is not.
        let text = self.utf8().map_or_else(|_| String::from_utf8_lossy(self.raw), Cow::Borrowed);
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
