//! A rule against data that leaves inside of an address: a long or random query, path, fragment or host name.

mod find;

use bouncer_guest::prelude::*;

/// Settings of the rule: lengths in bytes, randomness in bits per character.
#[derive(Debug, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Longest query and fragment together.
    pub max_query: usize,
    /// Longest path.
    pub max_path: usize,
    /// Longest single part of a path.
    pub max_segment: usize,
    /// Longest label of a host name.
    pub max_label: usize,
    /// Most labels of a host name.
    pub max_labels: usize,
    /// A part of at least 20 bytes with more bits per character than this is random; English has about 4, base64 6.
    pub max_entropy: f64,
    /// Hosts that are left alone, with everything below them.
    pub hosts: Vec<String>,
    /// Whether what is beyond a limit is refused in the place of being asked about.
    pub deny: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_query: 100,
            max_path: 200,
            max_segment: 80,
            max_label: 30,
            max_labels: 5,
            max_entropy: 4.3,
            hosts: Vec::new(),
            deny: false,
        }
    }
}

/// The rule.
#[derive(Debug)]
pub struct UrlLimits;

impl Policy for UrlLimits {
    type Settings = Settings;

    fn contracts(_: &Server, tools: &[Tool], _: &Settings) -> Result<Vec<Contract>, Error> {
        Ok(tools.iter().map(|tool| Contract::new(tool.name()).evaluate()).collect())
    }

    fn evaluate(call: &Call<'_>, _: &[Destination], settings: &Settings) -> Result<Judgement, Error> {
        let mut judgement = Judgement::new();
        for (pointer, text) in call.leaves("") {
            let names = pointer.rsplit('/').find(|step| step.bytes().any(|b| !b.is_ascii_digit()));
            look(&text, is_link(names.unwrap_or_default()), &pointer, settings, &mut judgement);
        }
        names(call.arguments(), settings, &mut judgement);
        Ok(judgement)
    }
}

/// An address may be the name of a member as well; which one it is has no pointer that every reader writes alike.
fn names(value: &Value, settings: &Settings, judgement: &mut Judgement) {
    match value {
        Value::Object(map) => map.iter().for_each(|(name, child)| {
            look(name, false, "", settings, judgement);
            names(child, settings, judgement);
        }),
        Value::Array(items) => items.iter().for_each(|item| names(item, settings, judgement)),
        _ => {}
    }
}

fn look(text: &str, link: bool, pointer: &str, settings: &Settings, judgement: &mut Judgement) {
    // More than that says nothing new.
    let mut judge = |address: &str| match beyond(address, settings) {
        Some(why) if judgement.findings().len() < 50 => {
            let start: String = address.chars().take(60).collect();
            let text = format!("`{start}` can carry data: {why}");
            let finding = finding(settings, text).at(pointer);
            if !judgement.findings().contains(&finding) {
                judgement.push(finding);
            }
            true
        }
        _ => false,
    };
    // One and the same address is not to be shown twice.
    if !find::whole(text, link).is_some_and(|address| judge(&address)) {
        let all = find::addresses(text, |address| {
            judge(address);
        });
        if !all {
            let text = "it holds more beginnings of addresses than are looked at, and each can carry data";
            judgement.push(finding(settings, text.to_owned()).at(pointer));
        }
    }
}

fn finding(settings: &Settings, text: String) -> Finding {
    if settings.deny {
        Finding::deny("url_carries_data", text)
    } else {
        Finding::ask("url_carries_data", text)
    }
}

/// Whether an argument of this name is an address, and nothing but one.
fn is_link(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["url", "uri", "href", "link", "endpoint", "webhook"].iter().any(|word| name.contains(word))
}

/// The first limit that an address is beyond.
fn beyond(address: &str, settings: &Settings) -> Option<String> {
    let rest = find::after_scheme(address)?;
    // A browser ends the host at a backslash, other readers do not: only what all of them read alike is a host of the user's.
    let written = address.split_once("://").map_or("", |(_, rest)| rest);
    let written = written.split(['/', '?', '#']).next().unwrap_or_default();
    let one_reading = !written.is_empty()
        && written.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_' | b':'));
    let (authority, rest) = rest.split_at_checked(rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len()))?;
    // No reader finds a host in it.
    if authority.contains(|c: char| c <= ' ') {
        return None;
    }
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = host
        .rsplit_once(':')
        .filter(|(_, port)| port.bytes().all(|b| b.is_ascii_digit()))
        .map_or(host, |(host, _)| host);
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let below = |known: &String| {
        let known = known.to_ascii_lowercase();
        host == known || host.strip_suffix(&known).is_some_and(|rest| rest.ends_with('.'))
    };
    if one_reading && settings.hosts.iter().any(below) {
        return None;
    }
    let (path, query) = rest.split_at_checked(rest.find(['?', '#']).unwrap_or(rest.len()))?;
    let parts = || path.split(['/', '\\']);
    let long = |what: &str, length: usize, most: usize| {
        (length > most).then(|| format!("its {what} is {length} bytes long, more than {most}"))
    };
    if authority.contains('@') || written.contains('@') {
        return Some("it holds a name and a password".to_owned());
    }
    // A name's dots may be written otherwise.
    let labels: Vec<&str> = host.split(['.', '\u{3002}', '\u{ff0e}', '\u{ff61}']).collect();
    let numbers = host.starts_with('[')
        || labels.len() <= 4 && labels.iter().all(|label| label.bytes().all(|b| b.is_ascii_digit()));
    if !numbers && labels.len() > settings.max_labels {
        return Some(format!("its host name has {} parts, more than {}", labels.len(), settings.max_labels));
    }
    labels
        .iter()
        .find_map(|label| long("host name", label.len(), settings.max_label))
        .or_else(|| long("query", query.len().saturating_sub(1), settings.max_query))
        .or_else(|| long("path", path.len(), settings.max_path))
        .or_else(|| parts().find_map(|part| long("path", part.len(), settings.max_segment)))
        .or_else(|| {
            let parts = parts().chain(query.split(['?', '#', '&', '='])).chain(labels.iter().copied());
            let random = |part: &str| part.len() >= 20 && entropy(part) > settings.max_entropy;
            parts.into_iter().find(|part| random(part)).map(|_| "a part of it looks random".to_owned())
        })
}

fn entropy(text: &str) -> f64 {
    let mut counts = std::collections::BTreeMap::new();
    for c in text.chars() {
        *counts.entry(c).or_insert(0_u32) += 1;
    }
    let all: f64 = counts.values().map(|count| f64::from(*count)).sum();
    counts.values().map(|count| f64::from(*count) / all).map(|share| -share * share.log2()).sum()
}

export_policy!(UrlLimits);

#[cfg(test)]
mod tests;
