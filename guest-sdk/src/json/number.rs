//! A number, as it was written.

use alloc::string::String;
use core::fmt;

/// A number, as it was written: `1e400` and `12345678901234567890123` lose nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number {
    text: String,
}

impl Number {
    /// A number of this text, which the caller knows to be one.
    pub(super) fn of(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }

    /// As it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The integer, where there is no fraction and no exponent and it fits.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        self.text.parse().ok()
    }

    /// The integer, where there is no sign, no fraction and no exponent and it fits.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        self.text.parse().ok()
    }

    /// The nearest floating point number; infinite where it is too large.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        self.text.parse().ok()
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
