//! From a value in a policy file to the field of a contract that it fills.

use super::error::{Problem, nearest};
use super::keys::{KeySpec, SINK_KEYS, Shape};
use super::node::{Data, Node, Span};
use crate::paths::SEPARATORS;
use bouncer_core::arg_path::ArgPath;
use bouncer_core::contract::{Contract, OnTainted, Profile, Sink};
use bouncer_core::destination::{Kind, TrustPattern};
use regex::Regex;
use std::path::{Component, Path, PathBuf};

/// Longest time for an answer, in seconds: a day.
const MAX_TIMEOUT: i128 = 86_400;

/// The kinds of destination, for suggestions.
const KINDS: &[&str] = &[
    "email",
    "url",
    "host",
    "phone",
    "channel",
    "user",
    "repository",
    "account",
    "path",
    "reference",
    "unknown",
];

/// Reads values; collects what is wrong with them.
pub(crate) struct Values<'a> {
    /// What relative paths start from.
    pub(crate) base: &'a Path,
    pub(crate) problems: Vec<Problem>,
}

impl Values<'_> {
    fn wrong<T>(&mut self, node: &Node, what: &str, expected: &str) -> Option<T> {
        let label = format!("{expected}, found {}", node.data.kind());
        self.problems
            .push(Problem::new(node.span.clone(), format!("{what} has the wrong type")).label(label));
        None
    }

    /// A string.
    pub(crate) fn text(&mut self, node: &Node, what: &str) -> Option<String> {
        match &node.data {
            Data::Text(text) => Some(text.clone()),
            _ => self.wrong(node, what, "expected a string"),
        }
    }

    /// `true` or `false`.
    pub(crate) fn flag(&mut self, node: &Node, what: &str) -> Option<bool> {
        match node.data {
            Data::Bool(flag) => Some(flag),
            _ => self.wrong(node, what, &Shape::Flag.expected()),
        }
    }

    fn strings(&mut self, node: &Node, what: &str) -> Vec<(String, Span)> {
        let Data::List(items) = &node.data else {
            self.wrong::<()>(node, what, "expected a list of strings");
            return Vec::new();
        };
        items.iter().filter_map(|item| Some((self.text(item, what)?, item.span.clone()))).collect()
    }

    /// Entries of `trusted_destinations`, each checked to be a pattern that cannot be fooled.
    pub(crate) fn destinations(&mut self, node: &Node, what: &str) -> Vec<(String, Span)> {
        let entries = self.strings(node, &format!("`trusted_destinations` of {what}"));
        for (entry, span) in &entries {
            if let Err(reason) = TrustPattern::parse(entry) {
                self.problems.push(
                    Problem::new(
                        span.clone(),
                        format!("`{entry}` cannot be trusted as a destination: {reason}"),
                    )
                    .hint("an exact value, or `*@corp.com`, `*.corp.com`, `https://host/path/*`, `owner/*`"),
                );
            }
        }
        entries
    }

    fn arguments(&mut self, node: &Node, what: &str) -> Vec<ArgPath> {
        self.strings(node, what).into_iter().filter_map(|(text, span)| self.argument(&text, &span)).collect()
    }

    fn argument(&mut self, text: &str, span: &Span) -> Option<ArgPath> {
        ArgPath::parse(text)
            .map_err(|reason| {
                let title = format!("`{text}` does not name an argument: {reason}");
                self.problems.push(
                    Problem::new(span.clone(), title)
                        .hint("a name (`to`), a nested one (`a.b`), or `/files/*/path`"),
                );
            })
            .ok()
    }

    /// How much is asked.
    pub(crate) fn profile(&mut self, node: &Node, shape: Shape) -> Option<Profile> {
        self.word(node, "`profile`", shape).map(|word| match word.as_str() {
            "paranoid" => Profile::Paranoid,
            "strict" => Profile::Strict,
            _ => Profile::Standard,
        })
    }

    fn word(&mut self, node: &Node, what: &str, shape: Shape) -> Option<String> {
        let text = self.text(node, what)?;
        match shape {
            Shape::Word(words) if !words.contains(&text.as_str()) => {
                let problem = Problem::new(node.span.clone(), format!("{what} cannot be `{text}`"));
                self.problems.push(problem.label(shape.expected()));
                None
            }
            _ => Some(text),
        }
    }

    /// Seconds for an answer.
    pub(crate) fn timeout(&mut self, node: &Node) -> Option<u64> {
        match node.data {
            Data::Integer(seconds) if (1..=MAX_TIMEOUT).contains(&seconds) => u64::try_from(seconds).ok(),
            _ => self.wrong(node, "`ask_timeout`", "expected seconds, from 1 to 86400"),
        }
    }

    /// An absolute path without `.` and `..`: `~` is the home folder, relative ones start at the policy file's folder.
    pub(crate) fn resolve(&self, text: &str) -> PathBuf {
        let expanded = match text.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with(SEPARATORS) => {
                std::env::home_dir().map(|home| home.join(rest.trim_start_matches(SEPARATORS)))
            }
            _ => None,
        };
        let path = self.base.join(expanded.unwrap_or_else(|| PathBuf::from(text)));
        let mut plain = PathBuf::new();
        for part in path.components() {
            match part {
                Component::CurDir => {}
                Component::ParentDir => {
                    plain.pop();
                }
                other => plain.push(other),
            }
        }
        plain
    }

    /// The contract that says what one key of a tool says.
    pub(crate) fn contract(&mut self, spec: KeySpec, node: &Node, tool: &str) -> Option<Contract> {
        let what = format!("`{}` of {tool}", spec.name);
        let mut contract = Contract::default();
        match spec.shape {
            Shape::Flag => {
                let Data::Bool(flag) = node.data else {
                    return self.wrong(node, &what, &spec.shape.expected());
                };
                match spec.name {
                    "exfiltrating" => contract.exfiltrating = Some(flag),
                    "destructive" => contract.destructive = Some(flag),
                    _ => contract.replace = flag,
                }
            }
            Shape::Count => match node.data {
                // A number that does not fit must not become "nothing said".
                Data::Integer(count) if count >= 0 => match u64::try_from(count) {
                    Ok(count) => contract.max_calls = Some(count),
                    Err(_) => {
                        let problem = Problem::new(node.span.clone(), format!("{what} is too large"));
                        self.problems.push(problem.label(format!("expected at most {}", u64::MAX)));
                        return None;
                    }
                },
                _ => return self.wrong(node, &what, &spec.shape.expected()),
            },
            Shape::Word(_) => {
                let word = self.word(node, &what, spec.shape)?;
                match spec.name {
                    "tainted" => {
                        contract.on_tainted =
                            Some(if word == "ask" { OnTainted::Ask } else { OnTainted::Deny });
                    }
                    "fields" => contract.deny_fields = word == "deny",
                    _ => contract.profile = self.profile(node, spec.shape),
                }
            }
            Shape::Strings => self.lists(spec, node, tool, &what, &mut contract),
            Shape::Patterns => contract.arg_patterns = self.patterns(node, tool, &what),
            Shape::Sinks => contract.sinks = self.sinks(node, &what),
            Shape::Tables => return None,
        }
        Some(contract)
    }

    fn lists(&mut self, spec: KeySpec, node: &Node, tool: &str, what: &str, contract: &mut Contract) {
        match spec.name {
            "sink_params" => {
                let sink = |path| Sink { params: vec![path], join: String::new(), kind: Kind::Unknown };
                contract.sinks = self.arguments(node, what).into_iter().map(sink).collect();
            }
            "trusted_destinations" => {
                contract.trusted_destinations =
                    self.destinations(node, tool).into_iter().map(|(entry, _)| entry).collect();
            }
            "write_params" => contract.write_params = self.arguments(node, what),
            "harmless_params" => contract.harmless = self.arguments(node, what),
            "directories" => contract.directories = self.arguments(node, what),
            _ => {
                let mut prefixes = Vec::new();
                for (text, span) in self.strings(node, what) {
                    if text.trim().is_empty() {
                        self.problems.push(Problem::new(span, format!("{what} holds an empty path")));
                        continue;
                    }
                    prefixes.push(self.resolve(&text).to_string_lossy().into_owned());
                }
                // An empty list says nothing: the older system's packs are written so.
                contract.allowed_path_prefixes = (!prefixes.is_empty()).then_some(prefixes);
            }
        }
    }

    fn patterns(&mut self, node: &Node, tool: &str, what: &str) -> Vec<(ArgPath, Regex)> {
        let Data::Table(members) = &node.data else {
            self.wrong::<()>(node, what, &Shape::Patterns.expected());
            return Vec::new();
        };
        let mut patterns = Vec::new();
        for (key, value) in members {
            let what = format!("the pattern for argument `{}` of {tool}", key.name);
            let path = self.argument(&key.name, &key.span);
            let Some(text) = self.text(value, &what) else { continue };
            match full_match(&text) {
                Ok(regex) => patterns.extend(path.map(|path| (path, regex))),
                Err(reason) => self.problems.push(
                    Problem::new(value.span.clone(), format!("{what} is not a regular expression"))
                        .label(reason),
                ),
            }
        }
        patterns
    }

    fn sinks(&mut self, node: &Node, what: &str) -> Vec<Sink> {
        let Data::List(items) = &node.data else {
            self.wrong::<()>(node, what, &Shape::Sinks.expected());
            return Vec::new();
        };
        items.iter().filter_map(|item| self.sink(item, what)).collect()
    }

    fn sink(&mut self, node: &Node, what: &str) -> Option<Sink> {
        let Data::Table(members) = &node.data else {
            return self.wrong(node, what, &Shape::Sinks.expected());
        };
        let mut sink = Sink { params: Vec::new(), join: String::new(), kind: Kind::Unknown };
        for (key, value) in members {
            match key.name.as_str() {
                "param" => {
                    let text = self.text(value, "`param`")?;
                    sink.params.extend(self.argument(&text, &value.span));
                }
                "params" => sink.params.extend(self.arguments(value, "`params`")),
                "join" => sink.join = self.text(value, "`join`")?,
                "kind" => {
                    let word = self.text(value, "`kind`")?;
                    let Some(kind) = Kind::parse(&word) else {
                        let problem =
                            Problem::new(value.span.clone(), format!("unknown kind of destination `{word}`"));
                        let label = nearest(&word, KINDS.iter().copied())
                            .map(|near| format!("did you mean `{near}`?"));
                        let hint = format!("the kinds are {}", KINDS.join(", "));
                        self.problems.push(problem.label(label.unwrap_or_default()).hint(hint));
                        continue;
                    };
                    sink.kind = kind;
                }
                other => {
                    let names: Vec<&str> = SINK_KEYS.iter().map(|spec| spec.name).collect();
                    let problem = Problem::new(key.span.clone(), format!("unknown key `{other}` in {what}"));
                    self.problems.push(problem.hint(format!("the keys here are {}", names.join(", "))));
                }
            }
        }
        if sink.params.is_empty() {
            let problem = Problem::new(node.span.clone(), format!("a sink in {what} names no argument"));
            self.problems.push(problem.label("expected param = \"...\""));
            return None;
        }
        if sink.params.len() > 1 && sink.join.is_empty() {
            "/".clone_into(&mut sink.join);
        }
        Some(sink)
    }
}

/// Compiles a pattern so that it matches whole values only.
///
/// Checked alone first: a pattern such as `a)|(?:b` would otherwise close the group that anchors it.
fn full_match(text: &str) -> Result<Regex, String> {
    let reason = |error: &regex::Error| match error {
        regex::Error::CompiledTooBig(_) => "the compiled pattern is too large".to_owned(),
        other => {
            other.to_string().lines().next_back().unwrap_or_default().trim_start_matches("error: ").to_owned()
        }
    };
    Regex::new(text).map_err(|error| reason(&error))?;
    Regex::new(&format!(r"\A(?:{text})\z")).map_err(|_| {
        "the pattern cannot be anchored; a comment in it (`(?x)`) must end with a newline".to_owned()
    })
}
