//! Makes a component out of the core module that cargo builds for `wasm32-unknown-unknown`.

use wit_component::ComponentEncoder;

/// A core module that no component can be made of.
#[derive(Debug, thiserror::Error)]
#[error(
    "no component can be made of this module: {0}\nhint: build it with `bouncer-guest` for wasm32-unknown-unknown"
)]
pub struct ComponentError(String);

/// The component that a core module built with the guest SDK describes in its custom section.
///
/// # Errors
/// Where it is no core module, describes no world, or does not export what its world says.
pub fn from_core_module(module: &[u8]) -> Result<Vec<u8>, ComponentError> {
    ComponentEncoder::default()
        .validate(true)
        .module(module)
        .and_then(|mut encoder| encoder.encode())
        .map_err(|error| ComponentError(format!("{error:#}")))
}
