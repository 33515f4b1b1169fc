//! The only key to an upstream server. No other crate can make one.
//!
//! ```compile_fail
//! let forged = bouncer_core::permit::Permit { bytes: b"{}".to_vec() };
//! ```

/// Bytes that may be written to the upstream server: one line without its newline.
#[derive(Debug)]
pub struct Permit {
    pub(crate) bytes: Vec<u8>,
}

impl Permit {
    /// Gives up the bytes to be written. The permit is spent.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}
