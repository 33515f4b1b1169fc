use super::*;
use bouncer_guest::testing::{call, json};

fn codes(tool: &str, arguments: Value) -> Vec<String> {
    let judgement = Trackers::evaluate(&call(tool, arguments), &[], &()).unwrap();
    judgement.findings().iter().map(|found| format!("{} {}", found.code(), found.argument())).collect()
}

#[test]
fn a_person_is_told_by_the_name_of_the_field() {
    for fields in [
        json!("{\"assignee\": null}"),
        json!({"Request participants": ["1"]}),
        json!({"customfield_1": [{"accountId": "1"}]}),
        json!({"customfield_1": {"account_id": "1"}}),
        json!("{\"update\": {\"\\u0061ssignee\": [{\"set\": {}}]}}"),
        json!({"security": {"id": "1"}}),
        json!({"customfield_10035": [{"id": "5b10a2844c20165700ede21g"}]}),
        json!({"customfield_10035": {"name": "mallory"}}),
        json!({"customfield_10035": "712020:4562bcc8-c436-4f95-b7c0-4f8ce89dca5e"}),
        json!({"update": {"customfield_1": [{"set": [{"id": "712020:4562bcc8"}]}]}}),
        json!({"Reviewer": {"name": "mallory"}}),
        json!({"Product Owner": [{"name": "mallory"}]}),
        json!({"techLead": "mallory"}),
        json!({"CC": ["mallory"]}),
        json!({"description": "[~accountid:5b10] see"}),
        json!({"comment": [{"add": {"body": "[~mallory] see"}}]}),
    ] {
        let found = codes("jira_update_issue", json!({"issue_key": "P-1", "fields": (fields.clone())}));
        assert_eq!(found, ["person_in_fields /fields"], "{fields}");
    }
    assert_eq!(
        codes(
            "jira_batch_create_issues",
            json!({"issues": "[{\"project_key\": \"P\", \"assignee\": \"a\"}]"})
        ),
        ["person_in_fields /issues"]
    );
}

#[test]
fn words_in_a_field_name_nobody() {
    for fields in [
        json!("{\"description\": \"security: watch the reporter's assignee\"}"),
        json!({"description": "{\"assignee\": 1}", "labels": ["security"]}),
        json!({"customfield_10035": {"value": "High"}, "customfield_2": {"id": "10020"}, "customfield_3": 5}),
        json!({"customfield_4": [{"value": "A", "child": {"id": "7"}}], "customfield_5": "words of all kinds"}),
        json!({"Lead time": 3, "account": "x", "accessible": true, "description": "~3 days [x]"}),
        json!({"priority": {"name": "High"}, "fixVersions": [{"name": "1.0"}]}),
        json!(""),
        json!(" "),
        json!("{}"),
        json!("null"),
        json!(null),
    ] {
        let arguments = json!({"issue_key": "P-1", "additional_fields": (fields.clone())});
        assert!(codes("jira_transition_issue", arguments).is_empty(), "{fields}");
    }
    let issues = "[{\"project_key\": \"P\", \"summary\": \"security watch\"}]";
    assert!(codes("jira_batch_create_issues", json!({"issues": issues})).is_empty());
}

#[test]
fn fields_that_cannot_be_read_are_asked_about() {
    for fields in ["assignee=1", "{\"a\": NaN}", "{'a': 1}", "\"{\\\"assignee\\\": 1}\""] {
        let found = codes("jira_create_customer_request", json!({"request_field_values": fields}));
        assert_eq!(found, ["unread_fields /request_field_values"], "{fields}");
    }
    assert_eq!(
        codes("jira_batch_create_issues", json!({"issues": "P"})),
        ["unread_issues /issues", "unread_fields /issues"]
    );
}
