//! Which arguments a tool's pinned `inputSchema` knows. Reads names only; it does not validate.

use crate::tool::Tool;
use crate::value::Value;
use std::collections::BTreeSet;

/// How deep `$ref`, `allOf` and the like are followed.
const MAX_DEPTH: usize = 8;

/// The names of the top-level properties, those of `allOf`, `anyOf`, `oneOf`, `if`/`then`/`else` and of local `$ref`s
/// included. `None` where the tool has no schema. `additionalProperties` and `patternProperties` make nothing known.
pub(super) fn known_arguments(tool: &Tool) -> Option<BTreeSet<String>> {
    let schema = tool.input_schema().filter(|s| s.as_object().is_some())?;
    let mut names = BTreeSet::new();
    collect(schema, schema, MAX_DEPTH, &mut names);
    Some(names)
}

fn collect(root: &Value, schema: &Value, depth: usize, names: &mut BTreeSet<String>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        names.extend(properties.iter().map(|(name, _)| name.clone()));
    }
    for word in ["allOf", "anyOf", "oneOf"] {
        for part in schema.get(word).and_then(Value::as_array).unwrap_or_default() {
            collect(root, part, depth, names);
        }
    }
    for word in ["if", "then", "else"] {
        if let Some(part) = schema.get(word) {
            collect(root, part, depth, names);
        }
    }
    if let Some(target) = schema.get("$ref").and_then(Value::as_str).and_then(|r| follow(root, r)) {
        collect(root, target, depth, names);
    }
}

fn follow<'v>(root: &'v Value, reference: &str) -> Option<&'v Value> {
    reference
        .strip_prefix("#/")?
        .split('/')
        .try_fold(root, |at, key| at.get(&key.replace("~1", "/").replace("~0", "~")))
}
