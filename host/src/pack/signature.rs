//! Signatures of packs, by minisign. What is signed is either the archive, or `pack.toml`: the manifest names the
//! component's hash, so its signature covers both.

use minisign_verify::{Error, PublicKey, Signature};

/// The largest signature file, in bytes.
pub const MAX_SIGNATURE: u64 = 8 * 1024;

/// Why a signature is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    /// The key cannot be read.
    #[error("this is no minisign public key")]
    Key,
    /// The signature cannot be read.
    #[error("this is no minisign signature")]
    Form,
    /// It was made with another key.
    #[error("it was made with another key")]
    OtherKey,
    /// It is of other bytes.
    #[error("it is not of these bytes")]
    OtherBytes,
    /// It was made in the older way, which hashes nothing first.
    #[error("it is of minisign's older kind; sign with `minisign -H`, or a newer minisign")]
    Older,
}

/// Whether this is a public key: the second line of minisign's `.pub` file.
///
/// # Errors
/// Where it is none.
pub fn check_key(key: &str) -> Result<(), SignatureError> {
    PublicKey::from_base64(key).map(drop).map_err(|_| SignatureError::Key)
}

/// Holds a signature against the key and the bytes that it should be of.
///
/// # Errors
/// Where it is not of these bytes by this key.
pub fn verify(key: &str, signature: &[u8], bytes: &[u8]) -> Result<(), SignatureError> {
    let key = PublicKey::from_base64(key).map_err(|_| SignatureError::Key)?;
    let text = std::str::from_utf8(signature).map_err(|_| SignatureError::Form)?;
    let signature = Signature::decode(text).map_err(|_| SignatureError::Form)?;
    key.verify(bytes, &signature, false).map_err(|error| match error {
        Error::UnexpectedKeyId => SignatureError::OtherKey,
        Error::UnexpectedAlgorithm | Error::UnsupportedLegacyMode => SignatureError::Older,
        Error::InvalidSignature => SignatureError::OtherBytes,
        _ => SignatureError::Form,
    })
}
