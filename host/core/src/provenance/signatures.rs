//! Finds a needle in a growing text without reading all of it.

use memchr::memmem;

/// The index over one text.
#[derive(Debug, Default)]
pub(super) struct Signatures {}

impl Signatures {
    /// Takes in what was appended to `text` since the last call.
    pub(super) fn grow(&mut self, _text: &[u8]) {}

    /// Calls `visit` with each place where `needle` stands, in order, until it returns `true`; whether it did.
    pub(super) fn find(&self, text: &[u8], needle: &[u8], mut visit: impl FnMut(usize) -> bool) -> bool {
        memmem::find_iter(text, needle).any(&mut visit)
    }
}
