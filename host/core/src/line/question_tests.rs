use super::*;
use crate::line::server::look;

fn mark(line: &str) -> String {
    let questions = look(line.as_bytes()).questions().unwrap();
    let marks: Vec<String> = (0..questions.len()).map(|i| format!("<\"{i}\">")).collect();
    String::from_utf8(marked(line.as_bytes(), &questions, &marks)).unwrap()
}

fn links(line: &str) -> Vec<Option<String>> {
    look(line.as_bytes()).questions().unwrap().into_iter().map(|q| q.link).collect()
}

#[test]
fn words_are_marked_and_nothing_else_changes() {
    let line = r#"{ "id":1e0,"id2":1, "jsonrpc":"2.0","id":7,"method":"elicitation/create" ,"params":{"x":1e400, "message" : "\ud800 hi","requestedSchema":{"a":"message"}},"y":[]}"#;
    let line = line.replace(r#""id":1e0,"#, "");
    assert_eq!(mark(&line), line.replace(r#""\ud800 hi"#, r#""<\"0\">\ud800 hi"#));
    let bare = r#"{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{}}"#;
    assert_eq!(mark(bare), bare.replace("{}", r#"{"message":"<\"0\">"}"#));
    let other = r#"{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"a":1}}"#;
    assert_eq!(mark(other), other.replace(r#"{"a""#, r#"{"message":"<\"0\">","a""#));
}

#[test]
fn questions_of_answers_that_need_input_and_of_errors_are_found() {
    let line = r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{
        "s":{"method":"roots/list","params":{"message":"no"}},
        "a":{"method":"elicitation/create","params":{"mode":"form","message":"A"}},
        "b":{"params":{"url":"https:\/\/x.example","message":"B","mode":"url"},"method":"elicitation\/create"}}}}"#;
    assert_eq!(links(line), [None, Some("https://x.example".to_owned())]);
    assert_eq!(mark(line), line.replace("\"A\"", "\"<\\\"0\\\">A\"").replace("\"B\"", "\"<\\\"1\\\">B\""));
    let line = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32042,"message":"m","data":{"elicitations":[ 1, {"mode":"url","elicitationId":"e","url":"https://x.example/a","message":"M"} ]}}}"#;
    assert_eq!(links(line), [Some("https://x.example/a".to_owned())]);
    assert_eq!(mark(line), line.replace("\"M\"", "\"<\\\"0\\\">M\""));
    let line = r#"{"jsonrpc":"2.0","method":"notifications/tasks","params":{"inputRequests":{"a":{"method":"elicitation/create","params":{"message":"A"}}}}}"#;
    assert_eq!(mark(line), line.replace("\"A\"", "\"<\\\"0\\\">A\""));
}

#[test]
fn what_a_model_is_to_answer_is_marked_in_its_system_prompt() {
    let line = r#"{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{"systemPrompt" : null,"messages":[]}}"#;
    assert_eq!(mark(line), line.replace("null", r#""<\"0\">""#));
    let line = r#"{"jsonrpc":"2.0","id":1,"result":{"inputRequests":{"s":{"method":"sampling\/createMessage","params":{"messages":[]}}}}}"#;
    assert_eq!(mark(line), line.replace(r#"{"messages""#, r#"{"systemPrompt":"<\"0\">","messages""#));
    let line = r#"{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{"systemPrompt":"a","systemPrompt":"b"}}"#;
    assert_eq!(look(line.as_bytes()).questions(), Err(Unclear));
}

#[test]
fn what_asks_nobody_is_left_alone() {
    for line in [
        r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"elicitation/create inputRequests"}]}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"inputRequests":null,"x":{"a":1,"a":2}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"elicitations","data":[]}}"#,
        "words",
        // Odd in other places than the question's: not the matter here.
        r#"{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2,"Method":"elicitation/create \u0041"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"elicitations","data":1,"data":2}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"inputRequests":{"a":{"method":"elicitation/other","method":"x"}}}}"#,
    ] {
        assert_eq!(mark(line), line);
    }
}

#[test]
fn what_could_be_read_in_two_ways_is_not_shown() {
    for params in [
        r#"{"message":"a","message":"b"}"#,
        r#"{"message":"a","Message":"b"}"#,
        r#"{"message":["a"]}"#,
        r#"{"message":"a","mode":"url"}"#,
        r#"{"message":"a","mode":"url","url":7}"#,
        r#"{"message":"a","url":"https://a.example","url":"https://b.example"}"#,
        r#"{"message":"a","url":"https://a.example","URL":"https://b.example"}"#,
        r#"["a"]"#,
        "7",
    ] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{params}}}"#);
        assert_eq!(look(line.as_bytes()).questions(), Err(Unclear), "{params}");
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":1,"result":{{"inputRequests":{{"a":{{"method":"elicitation/create","params":{params}}}}}}}}}"#
        );
        assert_eq!(look(line.as_bytes()).questions(), Err(Unclear), "{params}");
    }
    for line in [
        r#"{"jsonrpc":"2.0","id":1,"result":{"inputRequests":{"a":{"method":"elicitation/create"}},"inputrequests":{"a":{"method":"elicitation/create"}}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"inputRequests":{"a":{"method":"x","method":"elicitation/create","params":{}}}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":{"elicitations":[{"url":"https:\/\/a.example","Url":"b"}]}}}"#,
    ] {
        assert_eq!(look(line.as_bytes()).questions(), Err(Unclear), "{line}");
    }
    let escaped = r#"{"jsonrpc":"2.0","id":1,"result":{"\u0069nputRequests":{"a":{"m\u0065thod":"elicit\u0061tion\/create","params":{"message":"A"}}}}}"#;
    assert_eq!(mark(escaped), escaped.replace("\"A\"", "\"<\\\"0\\\">A\""));
    for odd in [
        r#"[{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{}}]"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"elicitation\/create"}"#,
        r#"{"jsonrpc":"2.0","id":1.5,"method":"elicitation/create"}"#,
    ] {
        assert!(look(odd.as_bytes()).may_ask(), "{odd}");
    }
    assert!(!look(br#"[{"text":"about elicitation/create"}]"#).may_ask());
}
