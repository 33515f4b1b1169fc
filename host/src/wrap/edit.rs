//! Changing entries in place: ranges of the text are replaced, all else stays byte for byte.

use super::config::{Config, EntryKind, servers, with_ast};
use super::{ORIGINAL, WrapError, remote};
use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;
use std::ops::Range;

/// One replacement.
pub(super) type Splice = (Range<usize>, String);

/// What an entry launches once it is wrapped.
#[derive(Debug, Clone)]
pub struct Wrapper {
    /// Absolute path of the `bouncer` program.
    pub program: String,
    /// Absolute path of the client configuration.
    pub config: String,
    /// Absolute path of the policy file, where one was named.
    pub policy: Option<String>,
}

impl Wrapper {
    pub(super) fn args(&self, name: &str) -> Vec<String> {
        let mut args: Vec<String> =
            ["run", "--config", &self.config, "--upstream-name", name].map(str::to_owned).to_vec();
        if let Some(policy) = &self.policy {
            args.extend(["--policy".to_owned(), policy.clone()]);
        }
        args
    }
}

/// The text with the named entries wrapped. What is wrapped already keeps its original; only its launch is brought up to
/// date, so that wrapping twice changes nothing.
pub fn wrap(config: &Config, names: &[String], wrapper: &Wrapper) -> Result<String, WrapError> {
    splice_entries(config, |name, object| {
        if !names.iter().any(|wanted| wanted == name) {
            return Vec::new();
        }
        wrap_entry(&config.text, object, name, wrapper)
    })
}

/// The text with every wrapped entry launching its original again.
pub fn unwrap(config: &Config, names: &[String]) -> Result<String, WrapError> {
    splice_entries(config, |name, object| {
        if !names.iter().any(|wanted| wanted == name) {
            return Vec::new();
        }
        unwrap_entry(&config.text, object)
    })
}

/// The names of the entries that are launched through Bouncer.
#[must_use]
pub fn wrapped_names(config: &Config) -> Vec<String> {
    let wrapped = config
        .entries
        .iter()
        .filter(|entry| matches!(entry.kind, EntryKind::Wrapped(_) | EntryKind::WrappedRemote(_)));
    wrapped.map(|entry| entry.name.clone()).collect()
}

fn splice_entries(
    config: &Config,
    edit: impl Fn(&str, &Object<'_>) -> Vec<Splice>,
) -> Result<String, WrapError> {
    let mut splices = with_ast(&config.path, &config.text, |root| {
        let servers = servers(root).ok_or_else(|| WrapError::NoServers { path: config.path.clone() })?;
        Ok(servers
            .properties
            .iter()
            .filter_map(|property| Some((property.name.as_str(), property.value.as_object()?)))
            .flat_map(|(name, object)| edit(name, object))
            .collect::<Vec<_>>())
    })?;
    splices.sort_by_key(|(range, _)| range.start);
    let mut text = String::with_capacity(config.text.len() + 1024);
    let mut at = 0;
    for (range, new) in splices {
        text.push_str(config.text.get(at..range.start).unwrap_or_default());
        text.push_str(&new);
        at = range.end;
    }
    text.push_str(config.text.get(at..).unwrap_or_default());
    // What was made must read as what was meant; a file that does not is never written.
    super::config::Config::parse(&config.path, text.clone())?;
    Ok(text)
}

fn wrap_entry(text: &str, object: &Object<'_>, name: &str, wrapper: &Wrapper) -> Vec<Splice> {
    let Some(command) = object.get("command") else { return remote::wrap(text, object, name, wrapper) };
    let style = Style::of(text, object);
    let args = style.strings(&wrapper.args(name));
    let mut splices = Vec::new();
    let raw = |range: jsonc_parser::common::Range| text.get(range.start..range.end).unwrap_or_default();

    let mut original = format!("\"command\": {}", raw(command.value.range()));
    let after = match object.get("args") {
        Some(old) => {
            original.push_str(&format!(", \"args\": {}", raw(old.value.range())));
            splices.push((span(old.value.range()), args));
            // Behind whichever of the two comes last, so that the pair stays together.
            span(old.range()).end.max(span(command.range()).end)
        }
        None => {
            let end = span(command.range()).end;
            splices.push((end..end, format!(",{}\"args\": {args}", style.between)));
            end
        }
    };
    splices.push((span(command.value.range()), quoted(&wrapper.program)));
    if object.get(ORIGINAL).is_none() {
        splices.push((after..after, format!(",{}\"{ORIGINAL}\": {{ {original} }}", style.between)));
    }
    // What is wrapped already: leave alone what says the same in other spacing.
    splices.retain(|(range, new)| {
        range.is_empty() || !same_json(text.get(range.clone()).unwrap_or_default(), new)
    });
    splices
}

fn unwrap_entry(text: &str, object: &Object<'_>) -> Vec<Splice> {
    let Some(original) = object.get(ORIGINAL) else { return Vec::new() };
    let Value::Object(kept) = &original.value else { return Vec::new() };
    if remote::is_remote(kept) {
        return merge_overlaps(remote::unwrap(text, object, kept));
    }
    let mut splices = vec![(with_comma(text, object, ORIGINAL), String::new())];
    for key in ["command", "args"] {
        let raw = kept.get(key).map(|property| {
            let range = property.value.range();
            text.get(range.start..range.end).unwrap_or_default().to_owned()
        });
        match (object.get(key), raw) {
            (Some(now), Some(raw)) => splices.push((span(now.value.range()), raw)),
            (Some(_), None) => splices.push((with_comma(text, object, key), String::new())),
            _ => {}
        }
    }
    merge_overlaps(splices)
}

/// The range of a member with the comma that must go with it.
pub(super) fn with_comma(text: &str, object: &Object<'_>, key: &str) -> Range<usize> {
    let Some(at) = object.properties.iter().position(|property| property.name.as_str() == key) else {
        return 0..0;
    };
    let own = object.properties.get(at).map(|property| span(property.range())).unwrap_or_default();
    match at.checked_sub(1).and_then(|before| object.properties.get(before)) {
        // From the end of the member before, comma and white space included: that is how it was put there.
        Some(before) => span(before.range()).end..own.end,
        None => match object.properties.get(at + 1) {
            Some(next) => own.start..span(next.range()).start,
            None => {
                let rest = text.get(own.end..).unwrap_or_default();
                let comma = rest
                    .find(|c: char| !c.is_whitespace())
                    .filter(|at| rest.as_bytes().get(*at) == Some(&b','));
                own.start..comma.map_or(own.end, |comma| own.end + comma + 1)
            }
        },
    }
}

/// Two neighbouring removals may share an edge or overlap; one splice must not start inside of another.
fn merge_overlaps(mut splices: Vec<Splice>) -> Vec<Splice> {
    splices.sort_by_key(|(range, _)| (range.start, range.end));
    let mut merged: Vec<Splice> = Vec::new();
    for (range, new) in splices {
        match merged.last_mut() {
            Some((last, text)) if range.start < last.end => {
                last.end = last.end.max(range.end);
                text.push_str(&new);
            }
            _ => merged.push((range, new)),
        }
    }
    merged
}

pub(super) fn span(range: jsonc_parser::common::Range) -> Range<usize> {
    range.start..range.end
}

pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn same_json(old: &str, new: &str) -> bool {
    let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
    matches!((read(old), read(new)), (Some(old), Some(new)) if old == new)
}

/// How the entry is laid out: what stands between two of its members, and how a list is written.
pub(super) struct Style {
    pub(super) between: String,
}

impl Style {
    pub(super) fn of(text: &str, object: &Object<'_>) -> Self {
        let first = object.properties.first().map(|property| property.range().start).unwrap_or_default();
        let before = text.get(object.range.start..first).unwrap_or_default();
        let between = match before.rfind('\n') {
            Some(newline) => {
                let indent: String = before
                    .get(newline + 1..)
                    .unwrap_or_default()
                    .chars()
                    .take_while(|c| *c == ' ' || *c == '\t')
                    .collect();
                let newline = if before.contains("\r\n") { "\r\n" } else { "\n" };
                format!("{newline}{indent}")
            }
            None => " ".to_owned(),
        };
        Self { between }
    }

    pub(super) fn strings(&self, items: &[String]) -> String {
        let items: Vec<String> = items.iter().map(|item| quoted(item)).collect();
        format!("[{}]", items.join(", "))
    }
}
