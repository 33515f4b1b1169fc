//! Makes a component out of the core module that cargo builds for `wasm32-unknown-unknown`.

use wasmparser::{Parser, Payload};
use wit_component::ComponentEncoder;

/// A core module that no component can be made of.
#[derive(Debug, thiserror::Error)]
#[error(
    "no component can be made of this module: {0}\nhint: build it with `bouncer-guest` for wasm32-unknown-unknown"
)]
pub struct ComponentError(String);

/// The component that a core module built with the guest SDK describes in its custom section, without names, notes on
/// the tools that made it and whatever else does nothing. The same module always gives the same bytes.
///
/// # Errors
/// Where it is no core module, describes no world, or does not export what its world says.
pub fn from_core_module(module: &[u8]) -> Result<Vec<u8>, ComponentError> {
    let module = without_custom_sections(module, |name| name.starts_with("component-type"))?;
    let component = ComponentEncoder::default()
        .validate(true)
        .module(&module)
        .and_then(|mut encoder| encoder.encode())
        .map_err(|error| ComponentError(format!("{error:#}")))?;
    without_custom_sections(&component, |_| false)
}

/// The bytes without the outermost custom sections, but for those to be kept.
fn without_custom_sections(bytes: &[u8], keep: fn(&str) -> bool) -> Result<Vec<u8>, ComponentError> {
    let invalid = |error: wasmparser::BinaryReaderError| ComponentError(error.to_string());
    let mut kept = Vec::with_capacity(bytes.len());
    let (mut depth, mut end) = (0_u32, 0);
    for payload in Parser::new(0).parse_all(bytes) {
        let payload = payload.map_err(invalid)?;
        let start = end;
        match &payload {
            Payload::Version { range, .. } => {
                depth += 1;
                end = range.end;
            }
            Payload::End(_) => depth = depth.saturating_sub(1),
            other => end = other.as_section().map_or(end, |(_, range)| range.end),
        }
        // What stands inside a nested module was copied with the section that holds it.
        let outermost = end > start && (depth == 1 || matches!(payload, Payload::Version { .. }));
        let dropped = matches!(&payload, Payload::CustomSection(section) if !keep(section.name()));
        end = end.max(start);
        if outermost && !dropped {
            kept.extend_from_slice(bytes.get(start..end).unwrap_or_default());
        }
    }
    Ok(kept)
}
