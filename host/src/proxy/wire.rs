//! The few messages that Bouncer writes itself, as JSON text without newline.

use crate::json::quoted;
use bouncer_core::call::{Call, Id};
use bouncer_core::ruling::Question;
use bouncer_core::value::Value;

/// What a human may choose. Only the last two allow.
pub(crate) const CHOICES: [&str; 3] = ["deny", ONCE, SESSION];
pub(crate) const ONCE: &str = "allow once";
pub(crate) const SESSION: &str = "allow for this session";

/// So much of a call's arguments is shown to a person.
const MOST_SHOWN: usize = 600;

/// A JSON-RPC error. An unknown id is `null`.
pub(crate) fn error(id: Option<&Id>, code: i32, message: &str) -> String {
    let id = id.map_or("null", Id::json);
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{}}}}}"#, quoted(message))
}

/// The result that a blocked call gets: a tool error, so that the agent can recover.
pub(crate) fn blocked(id: &Id, reason: &str, modern: bool) -> String {
    let text = quoted(&format!("[bouncer blocked] {reason}"));
    let kind = if modern { r#","resultType":"complete""# } else { "" };
    let id = id.json();
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":{text}}}],"isError":true{kind}}}}}"#
    )
}

/// So much of what a question is about is shown among the arguments again.
const MOST_AGAIN: usize = 48;

/// The name of the form's field for question number `i` of `n`.
pub(crate) fn field(i: usize, n: usize) -> String {
    if n == 1 { "decision".to_owned() } else { format!("decision_{}", i + 1) }
}

/// `params` of an elicitation: one required choice for each question, and no default that allows.
/// The call's arguments` are shown after the questions, cut: what a person allows must be before their eyes.
pub(crate) fn form(server: &str, call: &Call, questions: &[Question]) -> String {
    let mut message =
        format!("Bouncer: the agent wants to call `{}` on `{}`.", shown(call.tool()), shown(server));
    let mut properties = String::new();
    let mut required = String::new();
    for (i, question) in questions.iter().enumerate() {
        let name = field(i, questions.len());
        let number = if questions.len() == 1 { String::new() } else { letter(i) };
        message.push_str(&format!("\n\n{number}{}", shown(&question.text)));
        if i > 0 {
            properties.push(',');
            required.push(',');
        }
        let title = quoted(&format!("{number}{}", shown(&question.subject)));
        let choices = CHOICES.map(quoted).join(",");
        properties.push_str(&format!(
            r#""{name}":{{"type":"string","title":{title},"enum":[{choices}],"default":"deny"}}"#
        ));
        required.push_str(&quoted(&name));
    }
    message.push_str("\n\nIts arguments: ");
    let asked: Vec<&str> = questions.iter().map(|q| q.argument.as_str()).filter(|a| !a.is_empty()).collect();
    message.push_str(&shown(&excerpt(&brief(call.arguments(), "", &asked).to_json())));
    format!(
        r#"{{"message":{},"requestedSchema":{{"type":"object","properties":{{{properties}}},"required":[{required}]}}}}"#,
        quoted(&message)
    )
}

/// The arguments with what the questions are about cut to its beginning: the questions have shown as much of it as helps,
/// and the rest of a name or a text that somebody else wrote may be there to persuade.
fn brief(value: &Value, pointer: &str, asked: &[&str]) -> Value {
    match value {
        Value::String(text) if asked.contains(&pointer) && text.chars().count() > MOST_AGAIN => {
            let head: String = text.chars().take(MOST_AGAIN).collect();
            Value::String(format!("{head}\u{2026}"))
        }
        Value::Array(items) => Value::Array(
            items.iter().enumerate().map(|(i, item)| brief(item, &format!("{pointer}/{i}"), asked)).collect(),
        ),
        Value::Object(members) => Value::Object(
            members
                .iter()
                .map(|(key, member)| {
                    let place = format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"));
                    (key.clone(), brief(member, &place, asked))
                })
                .collect(),
        ),
        other => other.clone(),
    }
}

/// Questions are lettered: numbers in a question are the call's own values. There are fewer of them than letters.
fn letter(i: usize) -> String {
    ('a'..='z').nth(i).map_or_else(String::new, |letter| format!("{letter}) "))
}

/// The request that asks a human, to the client (until revision 2025-11-25).
pub(crate) fn elicitation(id: &str, form: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{},"method":"elicitation/create","params":{form}}}"#, quoted(id))
}

/// The answer that asks a human, from revision 2026-07-28 on.
pub(crate) fn input_required(id: &Id, key: &str, form: &str, state: &str) -> String {
    let form = form.replacen('{', r#"{"mode":"form","#, 1);
    format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{{"resultType":"input_required","inputRequests":{{{}:{{"method":"elicitation/create","params":{form}}}}},"requestState":{}}}}}"#,
        id.json(),
        quoted(key),
        quoted(state)
    )
}

/// Withdraws a question.
pub(crate) fn cancelled(id: &str, reason: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{},"reason":{}}}}}"#,
        quoted(id),
        quoted(reason)
    )
}

/// Cancels a request in the client's stead.
pub(crate) fn cancelled_call(id: &Id, reason: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{},"reason":{}}}}}"#,
        id.json(),
        quoted(reason)
    )
}

/// Tells the client that its call is not forgotten. `token` is JSON.
pub(crate) fn progress(token: &str, step: u32) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":0.{step:06},"message":"waiting for a human to decide"}}}}"#
    )
}

/// Text of others as it may stand in a message to a person: what cannot be seen is shown.
pub(crate) fn shown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars().take(2000) {
        if c == '\n' || c == '\t' {
            out.push(' ');
        } else if c.is_control() || is_invisible(c) {
            out.push_str(&format!("<U+{:04X}>", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

/// The beginning and the end of a long text, with a note of what is left out.
fn excerpt(text: &str) -> String {
    let length = text.chars().count();
    if length <= MOST_SHOWN {
        return text.to_owned();
    }
    let head: String = text.chars().take(MOST_SHOWN / 2).collect();
    let tail: String = text.chars().skip(length - MOST_SHOWN / 2).collect();
    format!("{head} [{} characters left out] {tail}", length - MOST_SHOWN / 2 * 2)
}

fn is_invisible(c: char) -> bool {
    matches!(u32::from(c),
        0xAD | 0x34F | 0x61C | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180B..=0x180F | 0x200B..=0x200F | 0x2028..=0x202E
        | 0x2060..=0x206F | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFFB | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(subject: &str) -> Question {
        Question {
            key: "k".into(),
            argument: "/to".into(),
            subject: subject.into(),
            text: format!("send to `{subject}`"),
        }
    }

    fn call(arguments: &str) -> Call {
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"send","arguments":{arguments}}}}}"#
        );
        match bouncer_core::line::scan(line.into_bytes(), &bouncer_core::line::Limits::default()) {
            Ok(bouncer_core::line::ClientLine::Call(call)) => call,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_person_sees_both_ends_of_long_arguments() {
        let arguments =
            format!(r#"{{"path":"/x/.bashrc","content":"{}","to":"eve\u202e"}}"#, "y".repeat(5000));
        let form = form("files", &call(&arguments), &[question("x")]);
        let form: serde_json::Value = serde_json::from_str(&form).unwrap();
        let message = form["message"].as_str().unwrap();
        assert!(message.contains("/x/.bashrc") && message.contains("eve<U+202E>"), "{message}");
        assert!(message.contains("characters left out") && message.chars().count() < 1000);
    }

    #[test]
    fn what_is_asked_about_does_not_go_on_to_persuade_among_the_arguments() {
        let name = format!("general {} say yes and write to eve@evil.example", "x".repeat(60));
        let form =
            form("chat", &call(&format!(r#"{{"to":"{name}","body":"hello"}}"#)), &[question("general x")]);
        assert!(form.contains("general xxx") && form.contains("hello"), "{form}");
        assert!(!form.contains("evil.example"), "{form}");
    }

    #[test]
    fn a_form_is_never_empty_and_never_allows_by_default() {
        for n in 1..4 {
            let questions: Vec<_> = (0..n).map(|i| question(&format!("{i}@x\u{202e}.io"))).collect();
            let form: serde_json::Value =
                serde_json::from_str(&form("mail", &call("{}"), &questions)).unwrap();
            let schema = &form["requestedSchema"];
            assert_eq!(schema["required"].as_array().unwrap().len(), n);
            for name in schema["required"].as_array().unwrap() {
                let field = &schema["properties"][name.as_str().unwrap()];
                assert_eq!(field["default"], "deny");
                assert_eq!(field["enum"][0], "deny");
                assert!(field["title"].as_str().unwrap().contains("<U+202E>"));
            }
        }
    }

    #[test]
    fn messages_are_json() {
        let id = Id::from_json("\"a\"");
        let form = form("m", &call("{}"), &[question("x")]);
        for text in [
            error(None, -32600, "x\n\""),
            error(Some(&id), -32700, ""),
            blocked(&id, "why\n\u{1}", true),
            elicitation("b-1", &form),
            input_required(&id, "k", &form, "s"),
            cancelled("b-1", "late"),
            progress("\"t\"", 3),
        ] {
            let value: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert_eq!(value["jsonrpc"], "2.0");
        }
        assert!(!blocked(&id, "x", false).contains("resultType"));
        assert!(input_required(&id, "k", &form, "s").contains(r#""mode":"form""#));
    }
}
