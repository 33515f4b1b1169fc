//! What a component needs and offers, read before it is compiled: the empty linker is the sandbox, so whatever
//! imports a function is refused here, by the import's name.

use super::limits::COMPONENT_BYTES;
use wasmparser::component_types::{ComponentEntityType, ComponentInstanceTypeId};
use wasmparser::types::{Types, TypesRef};
use wasmparser::{Encoding, Parser, Payload, Validator, WasmFeatures};

/// The interface that a module exports.
pub const RULES: &str = "bouncer:policy/rules@0.1.0";
const FUNCTIONS: [&str; 2] = ["contracts", "evaluate"];

/// Why a module is not loaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// Larger than any honest policy.
    #[error("the component has {0} bytes, more than the {COMPONENT_BYTES} allowed")]
    TooLarge(usize),
    /// Not WebAssembly, or cut short.
    #[error("this is no valid WebAssembly component: {0}")]
    Invalid(String),
    /// A core module.
    #[error(
        "this is a core module, no component\nhint: `bouncer pack build` makes a component of a module written with `bouncer-guest`; any other, `wasm-tools component new FILE -o COMPONENT`"
    )]
    CoreModule,
    /// It wants something from outside.
    #[error("the component imports `{0}`: a policy module may import nothing")]
    Import(String),
    /// It is of another world.
    #[error(
        "the component does not export `{0}`: it is no module of the world `bouncer:policy/policy@0.1.0`"
    )]
    MissingExport(String),
    /// It exports the names, but with other types, or does not start.
    #[error("the component cannot be started: {0}")]
    Start(String),
}

/// Checks that a component imports no function and exports the policy world's functions.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn check(component: &[u8]) -> Result<(), LoadError> {
    if component.len() > COMPONENT_BYTES {
        return Err(LoadError::TooLarge(component.len()));
    }
    let invalid = |error: wasmparser::BinaryReaderError| LoadError::Invalid(error.to_string());
    if Parser::is_core_wasm(component) {
        return Err(LoadError::CoreModule);
    }
    let types =
        Validator::new_with_features(WasmFeatures::default()).validate_all(component).map_err(invalid)?;
    for name in import_names(component).map_err(invalid)? {
        check_import(&types, &name)?;
    }
    check_exports(types.as_ref())
}

/// Everything that the sandbox refuses in a component, for whoever wrote it: each import, and each export that is missing.
#[must_use]
pub fn problems(component: &[u8]) -> Vec<LoadError> {
    let first = match check(component) {
        Ok(()) => return Vec::new(),
        Err(first) => first,
    };
    let (Ok(types), Ok(names)) = (
        Validator::new_with_features(WasmFeatures::default()).validate_all(component),
        import_names(component),
    ) else {
        return vec![first];
    };
    if Parser::is_core_wasm(component) || component.len() > COMPONENT_BYTES {
        return vec![first];
    }
    let imports = names.iter().filter_map(|name| check_import(&types, name).err());
    imports.chain(check_exports(types.as_ref()).err()).take(MOST_PROBLEMS).collect()
}

/// A component may import as many names as it has bytes.
const MOST_PROBLEMS: usize = 50;

/// What a component that was checked exports: each interface with its functions.
#[must_use]
pub fn exports(component: &[u8]) -> Vec<String> {
    let Ok(types) = Validator::new_with_features(WasmFeatures::default()).validate_all(component) else {
        return Vec::new();
    };
    let types = types.as_ref();
    let mut names = Vec::new();
    for payload in Parser::new(0).parse_all(component).flatten() {
        let Payload::ComponentExportSection(section) = payload else { continue };
        for export in section.into_iter().flatten() {
            let name = export.name.name;
            match types.component_item_for_export(name).map(|item| item.ty) {
                Some(ComponentEntityType::Instance(id)) => {
                    let functions = types.get(id).into_iter().flat_map(|instance| instance.exports.iter());
                    let functions = functions
                        .filter(|(_, item)| matches!(item.ty, ComponentEntityType::Func(_)))
                        .map(|(function, _)| format!("{name}#{function}"));
                    names.extend(functions);
                }
                Some(_) => names.push(name.to_owned()),
                // Of a component inside of this one.
                None => {}
            }
        }
    }
    names.truncate(MOST_PROBLEMS);
    names
}

/// The names that the outermost component imports.
fn import_names(component: &[u8]) -> Result<Vec<String>, wasmparser::BinaryReaderError> {
    let mut names = Vec::new();
    let mut depth = 0_u32;
    for payload in Parser::new(0).parse_all(component) {
        match payload? {
            Payload::Version { encoding: Encoding::Component | Encoding::Module, .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::ComponentImportSection(section) if depth == 1 => {
                for import in section {
                    names.push(import?.name.name.to_owned());
                }
            }
            _ => {}
        }
    }
    Ok(names)
}

fn check_import(types: &Types, name: &str) -> Result<(), LoadError> {
    let types = types.as_ref();
    match types.component_item_for_import(name).map(|item| item.ty) {
        Some(ComponentEntityType::Type { .. }) => Ok(()),
        Some(ComponentEntityType::Instance(id)) => match function_in(types, id, 0) {
            Some(function) => Err(LoadError::Import(format!("{name}#{function}"))),
            None => Ok(()),
        },
        _ => Err(LoadError::Import(name.to_owned())),
    }
}

/// The first export of an instance that is not a mere type. Nesting that deep is answered as if there were one.
fn function_in(types: TypesRef<'_>, id: ComponentInstanceTypeId, depth: u32) -> Option<String> {
    types.get(id)?.exports.iter().find_map(|(name, item)| match item.ty {
        ComponentEntityType::Type { .. } => None,
        ComponentEntityType::Instance(_) if depth > 32 => Some(name.clone()),
        ComponentEntityType::Instance(inner) => {
            function_in(types, inner, depth + 1).map(|function| format!("{name}#{function}"))
        }
        _ => Some(name.clone()),
    })
}

fn check_exports(types: TypesRef<'_>) -> Result<(), LoadError> {
    let Some(ComponentEntityType::Instance(rules)) =
        types.component_item_for_export(RULES).map(|item| item.ty)
    else {
        return Err(LoadError::MissingExport(RULES.to_owned()));
    };
    for function in FUNCTIONS {
        let export = types.get(rules).and_then(|instance| instance.exports.get(function)).map(|item| item.ty);
        if !matches!(export, Some(ComponentEntityType::Func(_))) {
            return Err(LoadError::MissingExport(format!("{RULES}#{function}")));
        }
    }
    Ok(())
}
