//! Packs from elsewhere: an archive at an `https` address, or the files of a pack in an OCI registry.
//!
//! A server is not believed in anything: what it sends is bounded in bytes and time, and counts only where its hash is the
//! one that the user or the registry's manifest named.

mod get;
mod oci;

pub use get::FetchError;

use super::{Bundle, MAX_ARCHIVE, PackError};
use std::time::Duration;

/// Everything together must be there by then.
const DEADLINE: Duration = Duration::from_secs(120);

/// What a registry gave.
#[derive(Debug)]
pub struct FromRegistry {
    /// The pack.
    pub bundle: Bundle,
    /// SHA-256 of the registry's manifest.
    pub digest: String,
}

/// Why nothing was taken from a registry.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// It could not be fetched.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// What it gave is no pack.
    #[error(transparent)]
    Pack(#[from] PackError),
}

/// The bytes at an `https` address.
///
/// # Errors
/// A [`FetchError`], among others for any other kind of address.
pub fn https(url: &str) -> Result<Vec<u8>, FetchError> {
    run(url, async {
        let client = get::Client::new(url, true)?;
        client.get(&get::address(url, false)?, &[], MAX_ARCHIVE).await?.success(url)
    })
}

/// The pack at `oci://REGISTRY/NAME:TAG` or `oci://REGISTRY/NAME@sha256:DIGEST`.
///
/// # Errors
/// A [`RegistryError`].
pub fn oci(source: &str) -> Result<FromRegistry, RegistryError> {
    let (files, digest) = run(source, oci::pull(source))?;
    Ok(FromRegistry { bundle: Bundle::new(files, source)?, digest })
}

fn run<T>(place: &str, work: impl Future<Output = Result<T, FetchError>>) -> Result<T, FetchError> {
    let failed = |why: String| FetchError::Failed { url: place.to_owned(), why };
    let runtime = crate::http::runtime().map_err(|error| failed(error.to_string()))?;
    runtime.block_on(async {
        match tokio::time::timeout(DEADLINE, work).await {
            Ok(done) => done,
            Err(_) => Err(failed(format!("it took longer than {} seconds", DEADLINE.as_secs()))),
        }
    })
}
