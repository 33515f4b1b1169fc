//! JSON Schemas that every client and model provider takes: one type a place, no `null` where a member can be left out, no
//! bare `true`.

use rmcp::model::JsonObject;
use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Value as Json, json};

/// A value of any shape, for a member that holds what somebody else wrote.
pub(in super::super) fn anything(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "anyOf": [
        { "type": "object" }, { "type": "array", "items": {} }, { "type": "string" }, { "type": "number" },
        { "type": "boolean" }, { "type": "null" }
    ] })
}

/// Says the same in the words that all understand.
pub(super) fn portable(schema: &JsonObject) -> JsonObject {
    let mut whole = Json::Object(schema.clone());
    simplify(&mut whole);
    match whole {
        Json::Object(schema) => schema,
        _ => JsonObject::new(),
    }
}

fn simplify(schema: &mut Json) {
    match schema {
        Json::Array(items) => items.iter_mut().for_each(simplify),
        Json::Object(members) => {
            // A member that can be left out is left out.
            if members.get("default").is_some_and(Json::is_null) {
                members.remove("default");
            }
            optional(members);
            members.values_mut().for_each(simplify);
        }
        _ => {}
    }
}

/// Takes `null` away beside another type.
fn optional(members: &mut JsonObject) {
    let null = json!({ "type": "null" });
    if let Some(Json::Array(types)) = members.get("type") {
        let types: Vec<Json> = types.iter().filter(|kind| **kind != "null").cloned().collect();
        match types.as_slice() {
            [one] => {
                members.insert("type".to_owned(), one.clone());
            }
            several => {
                let each = several.iter().map(|kind| json!({ "type": kind })).collect();
                members.remove("type");
                members.insert("anyOf".to_owned(), Json::Array(each));
            }
        }
    }
    let Some(Json::Array(choices)) = members.get("anyOf") else { return };
    if let [one, other] = choices.as_slice()
        && *other == null
        && let Some(one) = one.as_object().cloned()
    {
        members.remove("anyOf");
        for (key, value) in one {
            members.entry(key).or_insert(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_goes_where_a_member_can_be_left_out() {
        let schema = json!({ "properties": {
            "a": { "type": ["string", "null"], "default": null },
            "b": { "anyOf": [{ "$ref": "#/x" }, { "type": "null" }], "description": "d" },
            "c": { "type": ["object", "string", "null"] } } });
        let plain = portable(schema.as_object().unwrap());
        assert_eq!(
            Json::Object(plain),
            json!({ "properties": {
                "a": { "type": "string" },
                "b": { "description": "d", "$ref": "#/x" },
                "c": { "anyOf": [{ "type": "object" }, { "type": "string" }] } } })
        );
    }
}
