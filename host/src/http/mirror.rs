//! Which arguments of a server's tools are repeated in headers (`x-mcp-header`, revision 2026-07-28), learnt from the
//! lists of tools that pass by. A tool whose annotations break a rule has none.

use bouncer_core::value::Value;
use std::collections::BTreeMap;

/// More tools, headers or levels than this are not learnt.
const MOST_TOOLS: usize = 20_000;
const MOST_HEADERS: usize = 64;
const MOST_DEPTH: usize = 16;

type Headers = Vec<(String, Vec<String>)>;

/// By tool: the header's own part of its name, and where its argument is.
#[derive(Debug, Default)]
pub(crate) struct Mirrors {
    tools: BTreeMap<String, Headers>,
}

impl Mirrors {
    /// Takes in the result of a `tools/list`, one page of it.
    pub(crate) fn learn(&mut self, result: &Value) {
        for tool in result.get("tools").and_then(Value::as_array).unwrap_or_default() {
            let Some(name) = tool.get("name").and_then(Value::as_str) else { continue };
            let mut headers = Headers::new();
            let schema = tool.get("inputSchema").unwrap_or(&Value::Null);
            let valid = walk(schema, &mut Vec::new(), &mut headers) && is_unique(&headers);
            if !valid {
                tracing::warn!(
                    "the tool `{}` has an `x-mcp-header` that is against the rules",
                    name.escape_debug()
                );
            }
            if valid && !headers.is_empty() && self.tools.len() < MOST_TOOLS {
                self.tools.insert(name.to_owned(), headers);
            } else {
                self.tools.remove(name);
            }
        }
    }

    /// The headers of a tool.
    pub(crate) fn of(&self, tool: &str) -> impl Iterator<Item = (&str, &[String])> {
        let headers = self.tools.get(tool).map(Vec::as_slice).unwrap_or_default();
        headers.iter().map(|(header, path)| (header.as_str(), path.as_slice()))
    }
}

/// Goes through `properties` only: an annotation elsewhere cannot be reached for certain.
fn walk(schema: &Value, path: &mut Vec<String>, headers: &mut Headers) -> bool {
    if path.len() > MOST_DEPTH || headers.len() > MOST_HEADERS {
        return false;
    }
    for (key, property) in schema.get("properties").and_then(Value::as_object).unwrap_or_default() {
        path.push(key.clone());
        if let Some(header) = property.get("x-mcp-header") {
            let kind = property.get("type").and_then(Value::as_str);
            match header.as_str() {
                Some(header)
                    if is_token(header) && matches!(kind, Some("string" | "integer" | "boolean")) =>
                {
                    headers.push((header.to_ascii_lowercase(), path.clone()));
                }
                _ => return false,
            }
        }
        if !walk(property, path, headers) {
            return false;
        }
        path.pop();
    }
    true
}

fn is_unique(headers: &Headers) -> bool {
    headers
        .iter()
        .enumerate()
        .all(|(i, (header, _))| !headers.iter().take(i).any(|(other, _)| other == header))
}

fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 128
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_that_break_a_rule_count_for_nothing() {
        for property in [
            r#""a":{"type":"number","x-mcp-header":"A"}"#,
            r#""a":{"type":"string","x-mcp-header":"A b"}"#,
            r#""a":{"type":"string","x-mcp-header":""}"#,
            r#""a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}"#,
            r#""a":{"type":"string","x-mcp-header":7}"#,
        ] {
            let list =
                format!(r#"{{"tools":[{{"name":"t","inputSchema":{{"properties":{{{property}}}}}}}]}}"#);
            let mut mirrors = Mirrors::default();
            mirrors.learn(&Value::parse(list.as_bytes(), 64).unwrap());
            assert_eq!(mirrors.of("t").count(), 0, "{property}");
        }
    }
}
