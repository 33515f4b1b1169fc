//! Entries of servers that are reached by URL: reading one, and its way into an entry that launches Bouncer and back.
//!
//! The members that say where the server is move into the kept original, each as the text that it was. In the places
//! where they stood comes what launches Bouncer, so that undoing gives back the same bytes.

use super::ORIGINAL;
use super::edit::{Splice, Style, Wrapper, quoted, span, with_comma};
use crate::http::target::{Remote, Transport};
use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;

/// The members that hold a URL, and which transport that means in the clients that use them.
const URLS: [(&str, Transport); 3] =
    [("url", Transport::Either), ("serverUrl", Transport::Either), ("httpUrl", Transport::Streamable)];
/// Members by which a client signs in or makes headers itself, which it does not do for a program.
const BY_THE_CLIENT: [&str; 4] = ["oauth", "auth", "authProviderType", "headersHelper"];

/// What the names of editors' own variables begin with.
const OF_THE_CLIENT: [&str; 3] = ["workspaceFolder", "userHome", "pathSeparator"];

/// Whether an entry, or a kept original, names a URL.
pub(super) fn is_remote(object: &Object<'_>) -> bool {
    url_of(object).is_some()
}

fn url_of<'o, 'a>(object: &'o Object<'a>) -> Option<(&'o ObjectProp<'a>, Transport)> {
    URLS.iter().find_map(|(key, transport)| object.get(key).map(|property| (property, *transport)))
}

/// Where the server of an entry is. `Err` says why Bouncer cannot speak to it in the client's stead.
pub(super) fn read(object: &Object<'_>) -> Result<Remote, String> {
    let (property, transport) = url_of(object).ok_or("it has no `url`")?;
    let url = match &property.value {
        Value::StringLit(url) if !url.value.trim().is_empty() => url.value.clone().into_owned(),
        _ => return Err(format!("its `{}` is not a string", property.name.as_str())),
    };
    let transport = match object.get("type").map(|property| &property.value) {
        None | Some(Value::NullKeyword(_)) => transport,
        Some(Value::StringLit(kind)) => match kind.value.to_ascii_lowercase().as_str() {
            "http" | "streamable-http" | "streamablehttp" | "streamable_http" => Transport::Streamable,
            "sse" => Transport::Sse,
            "remote" | "stdio" => transport,
            other => return Err(format!("its `type` is `{other}`, which Bouncer does not speak")),
        },
        Some(_) => return Err("its `type` is not a string".to_owned()),
    };
    let headers = match object.get("headers").map(|property| &property.value) {
        None | Some(Value::NullKeyword(_)) => Vec::new(),
        Some(Value::Object(headers)) => headers
            .properties
            .iter()
            .map(|property| {
                let value = property.value.as_string_lit()?.value.clone().into_owned();
                Some((property.name.as_str().to_owned(), value))
            })
            .collect::<Option<_>>()
            .ok_or("its `headers` are not all strings")?,
        Some(_) => return Err("its `headers` are not an object".to_owned()),
    };
    if let Some(key) = BY_THE_CLIENT.iter().find(|key| object.get(key).is_some()) {
        return Err(format!(
            "its client signs in to it by itself (`{key}`), which it cannot do through Bouncer\nhint: put the header \
             (`Authorization`) into the entry's `headers`, and wrap it then"
        ));
    }
    let texts = std::iter::once(&url).chain(headers.iter().map(|(_, value)| value));
    if let Some(of_the_client) = texts.flat_map(|text| placeholders(text)).find(|name| !is_variable(name)) {
        return Err(format!("it holds `${{{of_the_client}}}`, which only its client can fill in"));
    }
    Ok(Remote { url, transport, headers })
}

fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    text.split("${").skip(1).filter_map(|rest| rest.split_once('}').map(|(inside, _)| inside))
}

fn is_variable(inside: &str) -> bool {
    let name = inside.split_once(":-").map_or(inside, |(name, _)| name);
    let name = name.strip_prefix("env:").unwrap_or(name);
    let of_the_client = OF_THE_CLIENT.iter().any(|prefix| name.starts_with(prefix));
    !name.is_empty() && !of_the_client && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// What turns an entry with a URL into one that launches Bouncer.
pub(super) fn wrap(text: &str, object: &Object<'_>, name: &str, wrapper: &Wrapper) -> Vec<Splice> {
    let Some((url, _)) = url_of(object).filter(|_| read(object).is_ok()) else { return Vec::new() };
    let style = Style::of(text, object);
    let raw = |property: &ObjectProp<'_>| text.get(span(property.range())).unwrap_or_default().to_owned();
    let (kind, headers) = (object.get("type"), object.get("headers"));
    let members: Vec<String> = [kind, Some(url), headers].into_iter().flatten().map(&raw).collect();
    let original = format!("\"{ORIGINAL}\": {{ {} }}", members.join(", "));
    let program = quoted(&wrapper.program);
    let args = style.strings(&wrapper.args(name));
    let mut launch = format!("\"command\": {program},{}\"args\": {args}", style.between);
    let mut splices = Vec::new();
    match headers {
        Some(headers) => splices.push((span(headers.range()), original)),
        None => launch.push_str(&format!(",{}{original}", style.between)),
    }
    splices.push((span(url.range()), launch));
    if let Some(kind) = kind {
        splices.push((span(kind.value.range()), "\"stdio\"".to_owned()));
    }
    splices
}

/// What turns it back.
pub(super) fn unwrap(text: &str, object: &Object<'_>, kept: &Object<'_>) -> Vec<Splice> {
    let Some((url, _)) = url_of(kept) else { return Vec::new() };
    let raw = |property: &ObjectProp<'_>| text.get(span(property.range())).unwrap_or_default().to_owned();
    let mut splices = Vec::new();
    if let Some(command) = object.get("command") {
        splices.push((span(command.range()), raw(url)));
    }
    if object.get("args").is_some() {
        splices.push((with_comma(text, object, "args"), String::new()));
    }
    match (object.get(ORIGINAL), kept.get("headers")) {
        (Some(original), Some(headers)) => splices.push((span(original.range()), raw(headers))),
        _ => splices.push((with_comma(text, object, ORIGINAL), String::new())),
    }
    if let (Some(now), Some(kind)) = (object.get("type"), kept.get("type")) {
        let kind = text.get(span(kind.value.range())).unwrap_or_default().to_owned();
        splices.push((span(now.value.range()), kind));
    }
    splices
}
