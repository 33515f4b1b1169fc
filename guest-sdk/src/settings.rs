//! A policy's settings: any type that serde reads, or one that reads itself.

use crate::{Error, Value};
#[cfg(not(feature = "serde"))]
use alloc::string::ToString as _;

/// The settings of a policy: `()` for none, or any type with serde's `Deserialize` and a default. Where the crate's
/// feature `serde` is off, [`Value`] and whatever implements this trait by hand.
pub trait Settings: Default {
    /// The settings that this value holds.
    ///
    /// # Errors
    /// Where it does not fit; the module's calls are then denied.
    fn read(value: &Value) -> Result<Self, Error>;
}

#[cfg(feature = "serde")]
impl<T: serde::de::DeserializeOwned + Default> Settings for T {
    fn read(value: &Value) -> Result<Self, Error> {
        T::deserialize(value)
    }
}

#[cfg(not(feature = "serde"))]
impl Settings for () {
    fn read(value: &Value) -> Result<Self, Error> {
        match value.as_object() {
            Some(map) if map.is_empty() => Ok(()),
            _ => Err(Error::new(alloc::format!(
                "there are no settings, and these were given: `{}`",
                value.to_string()
            ))),
        }
    }
}

#[cfg(not(feature = "serde"))]
impl Settings for Value {
    fn read(value: &Value) -> Result<Self, Error> {
        Ok(value.clone())
    }
}
