//! What a module is told of a server's tools.

use crate::Error;
use crate::Value;
use alloc::string::String;
use alloc::vec::Vec;

/// One tool as the server lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    name: String,
    definition: String,
}

impl Tool {
    /// A tool with its whole definition as JSON text.
    #[must_use]
    pub fn new(name: impl Into<String>, definition: impl Into<String>) -> Self {
        Self { name: name.into(), definition: definition.into() }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole definition (description, inputSchema, annotations ...), parsed anew at each call.
    ///
    /// # Errors
    /// Where the text is no JSON.
    pub fn definition(&self) -> Result<Value, Error> {
        self.definition.parse()
    }

    /// The names of its top-level arguments, as the input schema lists them.
    #[must_use]
    pub fn params(&self) -> Vec<String> {
        let Ok(definition) = self.definition() else { return Vec::new() };
        match definition.pointer("/inputSchema/properties") {
            Some(Value::Object(properties)) => properties.keys().cloned().collect(),
            _ => Vec::new(),
        }
    }
}
