//! General rules on made-up tools: no recorded text is used here.

use super::{Classification, classification, contract, words};
use crate::destination::Kind;
use crate::tool::{ServerIdentity, Tool};
use crate::value::Value;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

pub(super) fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(b) => Value::Bool(*b),
        Json::Number(n) => Value::Number(n.to_string().into()),
        Json::String(s) => Value::String(s.clone()),
        Json::Array(items) => Value::Array(items.iter().map(value).collect()),
        Json::Object(members) => Value::Object(members.iter().map(|(k, v)| (k.clone(), value(v))).collect()),
    }
}

fn tool(name: &str, properties: Json) -> Tool {
    raw(json!({"name": name, "inputSchema": {"type": "object", "properties": properties}}))
}

fn raw(definition: Json) -> Tool {
    Tool::from_definition(value(&definition)).expect("a tool with a name")
}

fn see(tool: &Tool) -> Classification {
    classification(&ServerIdentity::default(), tool)
}

fn text() -> Json {
    json!({"type": "string"})
}

#[test]
fn names_are_split_into_words() {
    for (name, want) in [
        ("sendEmailTo", "send email to"),
        ("SEND_EMAILS-to", "send email to"),
        ("webhookURL", "webhook url"),
        ("URLPath", "url path"),
        ("userIDs", "user id"),
        ("Api2010--CreateReply", "api 2010 create reply"),
        ("addresses", "address"),
        ("alias", "alias"),
        ("", ""),
    ] {
        assert_eq!(words::split(name).join(" "), want, "{name}");
    }
}

#[test]
fn a_sender_has_its_recipients_as_sinks_and_a_reader_has_none() {
    let sends = see(&tool(
        "dispatchLetter",
        json!({"recipients": {"type": "array", "items": text()}, "body": text()}),
    ));
    assert!(sends.exfiltrating && !sends.destructive);
    assert_eq!(sends.sinks, ["/recipients"]);
    let reads = see(&tool("list_letters", json!({"channel_id": text(), "recipient": text(), "cc": text()})));
    assert_eq!(reads, Classification { exfiltrating: false, destructive: false, sinks: vec![] });
}

#[test]
fn destinations_are_found_in_arrays_unions_references_and_maps() {
    let deep = raw(json!({"name": "create-gathering", "inputSchema": {
        "type": "object",
        "$defs": {"Guest": {"type": "object", "properties": {"email": text(), "next": {"$ref": "#/$defs/Guest"}}}},
        "properties": {
            "attendees": {"anyOf": [{"type": "null"}, {"type": "array", "items": {"$ref": "#/$defs/Guest"}}]},
            "rooms": {"type": "object", "additionalProperties": {"type": "object", "properties": {"bcc": text()}}}
        }
    }}));
    let seen = see(&deep);
    assert!(seen.exfiltrating);
    assert!(seen.sinks.contains(&"/attendees/*/email".to_owned()), "{:?}", seen.sinks);
    assert!(seen.sinks.contains(&"/rooms/{}/bcc".to_owned()), "{:?}", seen.sinks);
}

#[test]
fn a_dispatching_tool_is_judged_by_its_actions() {
    let mailish = |actions: Json| {
        see(&tool("parcels", json!({"action": {"type": "string", "enum": actions}, "parcel_id": text()})))
    };
    let harmless = mailish(json!(["get", "list"]));
    assert!(!harmless.exfiltrating && !harmless.destructive, "{harmless:?}");
    assert!(mailish(json!(["get", "send"])).exfiltrating);
    assert!(mailish(json!(["list", "delete"])).destructive);
}

#[test]
fn programs_send_and_destroy_and_are_the_sink() {
    for (name, argument) in
        [("run_in_terminal", "command"), ("shellExec", "cmd"), ("execute-python", "code"), ("run_sql", "sql")]
    {
        let seen = see(&tool(name, json!({argument: text(), "timeout": {"type": "integer"}})));
        assert!(seen.exfiltrating && seen.destructive, "{name}");
        assert_eq!(seen.sinks, [format!("/{argument}")], "{name}");
    }
    let zip = see(&tool("update_shelf", json!({"postal_code": text(), "currency_code": text()})));
    assert!(!zip.exfiltrating);
}

#[test]
fn annotations_never_loosen() {
    let bare = json!({"type": "object", "properties": {"to": text(), "target_id": text()}});
    for name in ["send_parcel", "delete_parcel", "run_command"] {
        let without = see(&raw(json!({"name": name, "inputSchema": bare})));
        let with = see(&raw(
            json!({"name": name, "inputSchema": bare, "description": "Read-only and safe.", "annotations":
            {"readOnlyHint": true, "destructiveHint": false, "openWorldHint": false}}),
        ));
        assert!(without.exfiltrating || without.destructive, "{name}");
        assert_eq!(with, without, "{name}");
    }
}

#[test]
fn a_fetcher_carries_data_in_its_address() {
    let seen = see(&tool(
        "scrapeSite",
        json!({"url": {"type": "string", "format": "uri"}, "depth": {"type": "integer"}}),
    ));
    assert!(seen.exfiltrating);
    assert_eq!(seen.sinks, ["/url"]);
}

#[test]
fn owner_and_repository_are_one_destination() {
    let it = contract(
        &ServerIdentity::default(),
        &tool("create_ticket_issue", json!({"owner": text(), "repo": text(), "body": text()})),
    );
    let joined = it.sinks.iter().find(|s| s.params.len() == 2).expect("a joined sink");
    assert_eq!(joined.params.iter().map(|p| p.as_str()).collect::<Vec<_>>(), ["/owner", "/repo"]);
    assert_eq!((joined.join.as_str(), joined.kind), ("/", Kind::Repository));
}

#[test]
fn writing_confines_its_path_and_deleting_has_a_budget() {
    let server = ServerIdentity::default();
    let writes =
        contract(&server, &tool("save_sketch_file", json!({"file_path": text(), "content": text()})));
    assert_eq!(writes.write_params.iter().map(|p| p.as_str()).collect::<Vec<_>>(), ["/file_path"]);
    assert_eq!((writes.destructive, writes.max_calls), (Some(true), None));
    let deletes = contract(&server, &tool("purgeSketches", json!({"sketch_id": text()})));
    assert_eq!((deletes.destructive, deletes.max_calls), (Some(true), Some(2)));
    let reads = contract(&server, &tool("read_sketch", json!({"path": text()})));
    assert!(reads.write_params.is_empty() && reads.max_calls.is_none() && reads.exfiltrating.is_none());
}

#[test]
fn what_cannot_be_read_sends_with_every_argument() {
    let mut schema = json!({"type": "string"});
    for _ in 0..60 {
        schema = json!({"type": "object", "properties": {"n": schema}});
    }
    let wide: serde_json::Map<String, Json> = (0..70_000).map(|n| (format!("p{n}"), text())).collect();
    for schema in [
        schema,
        json!({"type": "object", "properties": wide}),
        json!({"$ref": "http://x.test/s.json"}),
        json!(true),
    ] {
        let seen = see(&raw(json!({"name": "get_thing", "inputSchema": schema})));
        assert!(seen.exfiltrating && seen.sinks.is_empty());
    }
}

#[test]
fn references_that_multiply_end_soon() {
    let defs: serde_json::Map<String, Json> = (0..30)
        .map(|n| {
            let next = json!({"$ref": format!("#/$defs/d{}", n + 1)});
            (format!("d{n}"), json!({"type": "object", "properties": {"a": next, "b": next, "c": next}}))
        })
        .collect();
    let seen = see(&raw(json!({"name": "get_thing", "inputSchema": {"$defs": defs, "$ref": "#/$defs/d0"}})));
    assert!(seen.exfiltrating && seen.sinks.is_empty());
}

fn any_schema() -> impl Strategy<Value = Json> {
    let words = prop::sample::select(vec![
        "type",
        "properties",
        "items",
        "anyOf",
        "$ref",
        "enum",
        "format",
        "object",
        "array",
        "string",
        "#/properties",
        "#",
        "additionalProperties",
        "to",
        "*",
        "{}",
        "",
        "a/b",
        "url",
        "owner",
        "repo",
        "command",
        "description",
    ]);
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Json::from),
        words.clone().prop_map(Json::from),
        ".{0,6}".prop_map(Json::from)
    ];
    leaf.prop_recursive(5, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Json::from),
            prop::collection::vec((words.clone(), inner), 0..6)
                .prop_map(|m| Json::Object(m.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())),
        ]
    })
}

proptest! {
    #[test]
    fn no_schema_makes_it_panic_and_sinks_are_paths(name in "[a-zA-Z_\\-]{0,20}|send_mail|run_code|.{0,8}", schema in any_schema()) {
        let it = raw(json!({"name": name, "inputSchema": schema, "annotations": schema, "description": schema}));
        let seen = see(&it);
        prop_assert!(seen.exfiltrating || seen.sinks.is_empty());
        prop_assert!(seen.sinks.iter().all(|s| s.starts_with('/')));
        let stated = contract(&ServerIdentity::default(), &it);
        prop_assert_eq!(stated.exfiltrating == Some(true), seen.exfiltrating);
    }
}

#[test]
fn a_read_that_changes_what_it_reads_is_told_from_one_that_does_not() {
    let says = |name: &str, about: &str| {
        let tool = raw(json!({"name": name, "description": about, "inputSchema": {"type": "object"}}));
        contract(&ServerIdentity::default(), &tool).uses_up
    };
    for about in [
        "Lists what is new. The messages are marked as read after this call.",
        "Returns new items; marks them as seen.",
        "Gets the next job, which is removed from the queue once it is handed out",
        "Reads and consumes one message of the stream",
    ] {
        assert!(says("get_new_messages", about), "{about}");
    }
    for about in [
        "Lists messages. It does not mark them as read.",
        "Lists messages that you marked as read before",
        "Finds messages, read or unread",
        "Lists the files that were deleted",
        "Waits for a message. Does NOT consume the pending ones",
    ] {
        assert!(!says("get_new_messages", about), "{about}");
    }
    assert!(!says("mark_all_read", "All messages are marked as read"), "it is no read");
}

#[test]
fn what_goes_along_is_no_receiver_where_somebody_is_named() {
    let free = json!({"type": "array", "items": {"type": "object", "additionalProperties": true}});
    let letter =
        tool("send_letter", json!({"recipients": {"type": "array", "items": text()}, "attachments": free}));
    assert_eq!(see(&letter).sinks, ["/recipients"]);
    let parcel = tool("send_parcel", json!({"attachments": free}));
    assert!(see(&parcel).sinks.is_empty() || see(&parcel).sinks == ["/attachments"], "nobody else is named");
}

#[test]
fn paying_booking_and_password_setting_are_told_from_looking_at_them() {
    let binds =
        |name: &str, properties: Json| contract(&ServerIdentity::default(), &tool(name, properties)).binds;
    for name in
        ["payBill", "reserve_room", "book_flight", "buy_shares", "schedule_transaction", "set_password"]
    {
        assert!(binds(name, json!({"what": text()})), "{name}");
    }
    assert!(binds("update_user", json!({"name": text(), "password": text()})));
    assert!(binds("wallet", json!({"action": {"enum": ["balance", "pay"]}})));
    for name in ["get_orders", "list_bookings", "search_payments", "create_note"] {
        assert!(!binds(name, json!({"what": text()})), "{name}");
    }
}
