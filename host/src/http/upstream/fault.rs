//! What the client hears where a server answered with a status instead of a message, or with nothing.
//!
//! Codes: the server's own where it sent a JSON-RPC error; otherwise -32603, since the ranges beside it are reserved.

use crate::http::side::Refused;
use crate::json::quoted;
use bouncer_core::call::Id;
use bouncer_core::line::server::{Kind, look};
use bouncer_core::value::Value;
use http::header::WWW_AUTHENTICATE;
use http::{HeaderMap, StatusCode};

const INTERNAL: i32 = -32603;
/// So much of what a server says with a status is passed on.
const MOST_SHOWN: usize = 2000;

/// An error as the answer to `id`. `data` is JSON.
pub(super) fn error(id: &Id, code: &str, message: &str, data: Option<&str>) -> Vec<u8> {
    let data = data.map(|data| format!(r#","data":{data}"#)).unwrap_or_default();
    let (id, message) = (id.json(), quoted(message));
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{message}{data}}}}}"#)
        .into_bytes()
}

/// The answer where there is none.
pub(super) fn silence(id: &Id, reason: &str) -> Vec<u8> {
    error(id, &INTERNAL.to_string(), &format!("[bouncer] {reason}"), None)
}

/// The answer to `id` for a refusing status: the server's own where its body is that, otherwise one that names the
/// status, the challenge, and what the server said.
pub(super) fn refused(id: &Id, status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Vec<u8> {
    let said = look(body);
    let is_answer = said.kind == Kind::Response && !said.is_odd();
    if is_answer && said.id.as_ref() == Some(id) && status != StatusCode::UNAUTHORIZED {
        return body.to_vec();
    }
    let challenges = challenges(headers);
    let named = format!("HTTP {} {}", status.as_u16(), status.canonical_reason().unwrap_or("(no reason)"));
    let mut message = format!("[bouncer] the server answered with {named}");
    for challenge in &challenges {
        message.push_str(&format!("; WWW-Authenticate: {challenge}"));
    }
    let error_of = said.whole().and_then(|whole| whole.get("error").cloned());
    let part = |key: &str| error_of.as_ref().and_then(|error| error.get(key));
    let words = match part("message").and_then(Value::as_str) {
        Some(words) => words.to_owned(),
        None => String::from_utf8_lossy(body.trim_ascii()).into_owned(),
    };
    if !words.is_empty() {
        let words: String = words.chars().take(MOST_SHOWN).collect();
        message.push_str(&format!(": {words}"));
    }
    if status == StatusCode::UNAUTHORIZED {
        message.push_str(
            "\nhint: Bouncer signs in nowhere by itself; put the `Authorization` header into the server's entry or `--header`",
        );
    }
    let code = match part("code") {
        Some(Value::Number(code)) if code.parse::<i32>().is_ok() => code.to_string(),
        _ => INTERNAL.to_string(),
    };
    let data = part("data").map_or_else(
        || {
            let list: Vec<String> = challenges.iter().map(|c| quoted(c)).collect();
            format!(r#"{{"httpStatus":{},"wwwAuthenticate":[{}]}}"#, status.as_u16(), list.join(","))
        },
        Value::to_json,
    );
    error(id, &code, &message, Some(&data))
}

fn challenges(headers: &HeaderMap) -> Vec<String> {
    headers
        .get_all(WWW_AUTHENTICATE)
        .iter()
        .map(|v| String::from_utf8_lossy(v.as_bytes()).into_owned())
        .collect()
}

/// The same for the other edge of the relay.
pub(super) fn aside(status: StatusCode, headers: &HeaderMap) -> Refused {
    Refused {
        status: status.as_u16(),
        challenges: headers.get_all(WWW_AUTHENTICATE).iter().cloned().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, body: &str) -> Value {
        let mut headers = HeaderMap::new();
        headers.insert(WWW_AUTHENTICATE, http::HeaderValue::from_static(r#"Bearer realm="x""#));
        let id = Id::from_json("\"a\"");
        let line = refused(&id, StatusCode::from_u16(status).unwrap(), &headers, body.as_bytes());
        Value::parse(&line, 32).unwrap()
    }

    fn text<'v>(answer: &'v Value, pointer: &str) -> &'v str {
        answer.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("{answer:?}"))
    }

    #[test]
    fn a_status_is_named_with_its_challenge_and_its_words() {
        let plain = answer(401, "who are \"you\"?\n");
        let message = text(&plain, "/error/message");
        for part in
            ["HTTP 401 Unauthorized", r#"WWW-Authenticate: Bearer realm="x""#, "who are \"you\"?", "hint:"]
        {
            assert!(message.contains(part), "{part} in {message}");
        }
        assert_eq!(text(&plain, "/error/data/wwwAuthenticate/0"), r#"Bearer realm="x""#);
        assert_eq!(plain.pointer("/id").and_then(Value::as_str), Some("a"));
        assert!(text(&answer(599, ""), "/error/message").contains("HTTP 599"));
    }

    #[test]
    fn an_error_of_the_servers_keeps_its_code() {
        let other = answer(
            400,
            r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"no session"}}"#,
        );
        assert_eq!(other.pointer("/error/code"), Some(&Value::Number("-32600".into())));
        let message = text(&other, "/error/message");
        assert!(message.contains("HTTP 400 Bad Request") && message.ends_with(": no session"), "{message}");
        let own = r#"{"jsonrpc":"2.0","id":"a","error":{"code":-32601,"message":"unknown","data":1e2}}"#;
        assert_eq!(answer(404, own), Value::parse(own.as_bytes(), 32).unwrap());
        assert_ne!(answer(401, own), Value::parse(own.as_bytes(), 32).unwrap());
    }
}
