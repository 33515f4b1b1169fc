//! Why a module could not answer. The host denies the call and shows the text; there is nothing else to it.

use alloc::string::String;
use core::fmt;

/// Why a module could not answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    text: String,
}

impl Error {
    /// An error with this text: lowercase, no full stop.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl core::error::Error for Error {}

impl From<String> for Error {
    fn from(text: String) -> Self {
        Self { text }
    }
}

impl From<&str> for Error {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}
