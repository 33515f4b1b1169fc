//! The core modules of every policy in `policies/` and every hostile guest in `tests/hostile/`, built from source with
//! the pinned toolchain, so that tests can run them and compare them with what is committed.
//!
//! The bytes depend on the sources, `Cargo.lock` and the toolchain, not on where the checkout lies.

include!(concat!(env!("OUT_DIR"), "/built.rs"));

/// The core module of this package, by its name in `Cargo.toml`.
#[must_use]
pub fn core_module(package: &str) -> Option<&'static [u8]> {
    BUILT.iter().find(|(name, _)| *name == package).map(|(_, bytes)| *bytes)
}

/// The packages that were built, in the order of their folders.
pub fn names() -> impl Iterator<Item = &'static str> {
    BUILT.iter().map(|(name, _)| *name)
}
