//! Records and differences as a person reads them. Everything in them was written by others: what hides, reorders or
//! steers a terminal is written out.

use crate::pins::key::Launch;
use crate::pins::review::Difference;
use crate::pins::store::Entry;
use crate::pins::{Part, Recorded, ServerKey};
use anstyle::{AnsiColor, Style};
use bouncer_core::pin::change::Class;
use bouncer_core::pin::finding::{findings, is_hidden};
use bouncer_core::shown::shell_word;
use bouncer_core::value::Value;
use similar::{ChangeTag, TextDiff};
use std::collections::BTreeMap;
use std::io::{self, Write};

const BOLD: Style = Style::new().bold();
const RED: Style = AnsiColor::Red.on_default();
const GREEN: Style = AnsiColor::Green.on_default();
const YELLOW: Style = AnsiColor::Yellow.on_default();

/// One record, in a few lines.
pub(super) fn entry(out: &mut impl Write, entry: &Entry) -> io::Result<()> {
    let record = match &entry.record {
        Ok(record) => record,
        Err(error) => {
            let text = error.to_string();
            writeln!(out, "{RED}damaged{RED:#}  {}", entry.id)?;
            for line in text.lines() {
                writeln!(out, "  {}", visible(line))?;
            }
            return Ok(());
        }
    };
    heading(out, entry, record)?;
    let counts = Part::ALL.into_iter().filter(|part| record.knows(*part)).map(|part| counted(record, part));
    writeln!(out, "  {}", counts.collect::<Vec<_>>().join(", "))?;
    let accepted = record.accepted.as_deref().map_or_else(String::new, |at| format!(", accepted {at}"));
    writeln!(out, "  first seen {}, last seen {}{accepted}", record.first_seen, record.last_seen)?;
    for part in Part::ALL {
        for (name, definition) in record.definitions(part) {
            odd(out, part, name, definition)?;
        }
    }
    let pending = || Part::ALL.into_iter().flat_map(|part| record.pending(part));
    let gone = pending().filter(|(_, listed)| listed.is_none()).count();
    if gone > 0 {
        writeln!(out, "  {gone} not listed any more")?;
    }
    let waiting = pending().count() - gone;
    if waiting > 0 {
        let name = shell_word(record.key.name(), 80);
        writeln!(out, "  {YELLOW}{waiting} to look at{YELLOW:#}: `bouncer pins diff {name}`")?;
    }
    Ok(())
}

fn counted(record: &Recorded, part: Part) -> String {
    let count = record.definitions(part).count();
    match (part, count) {
        (Part::Instructions, 0) => "no instructions".to_owned(),
        (Part::Instructions, _) => "instructions".to_owned(),
        (part, 1) => format!("1 {}", part.one()),
        (part, count) => format!("{count} {}s", part.one()),
    }
}

fn odd(out: &mut impl Write, part: Part, name: &str, definition: &Value) -> io::Result<()> {
    for finding in findings(definition) {
        let what = if part == Part::Instructions {
            part.one().to_owned()
        } else {
            format!("{} `{}`", part.one(), visible(name))
        };
        writeln!(
            out,
            "  {YELLOW}odd{YELLOW:#}  {what} {}: {}: {}",
            visible(&finding.at),
            finding.rule.words(),
            visible(&finding.excerpt)
        )?;
    }
    Ok(())
}

/// Which server, in two lines.
pub(super) fn heading(out: &mut impl Write, entry: &Entry, record: &Recorded) -> io::Result<()> {
    writeln!(out, "{BOLD}{}{BOLD:#}  {}", visible(record.key.name()), visible(&launch(&record.key)))?;
    writeln!(out, "  id {}", entry.id)
}

/// How the server is launched, secrets left out.
pub(in crate::cli) fn launch(key: &ServerKey) -> String {
    match key.launch() {
        Launch::Url(url) => url.split(['?', '#']).next().unwrap_or_default().to_owned(),
        Launch::Command { words, folder } => {
            let mut hide_next = false;
            let words: Vec<String> = words
                .iter()
                .map(|word| {
                    if std::mem::take(&mut hide_next) && !word.starts_with('-') {
                        return "…".to_owned();
                    }
                    match word.split_once('=') {
                        Some((name, _)) if is_secret(name) => format!("{name}=…"),
                        None if word.starts_with('-') && is_secret(word) => {
                            hide_next = true;
                            word.clone()
                        }
                        _ => word.clone(),
                    }
                })
                .collect();
            let words = words.join(" ");
            match folder {
                Some(folder) if folder != "/" => format!("{words}  (in {folder})"),
                _ => words,
            }
        }
    }
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["token", "key", "secret", "passw", "auth", "credential"].iter().any(|word| name.contains(word))
}

/// What changed, one definition after another.
pub(super) fn differences(out: &mut impl Write, differences: &[Difference]) -> io::Result<()> {
    for one in differences {
        let (word, style) = match (&one.recorded, &one.listed) {
            (_, None) => ("removed", YELLOW),
            (None, Some(_)) => ("added", GREEN),
            (Some(_), Some(_)) => ("changed", RED),
        };
        writeln!(out)?;
        writeln!(out, "{style}{word:7}{style:#}  {} {BOLD}{}{BOLD:#}", one.part.one(), visible(&one.name))?;
        match (&one.recorded, &one.listed) {
            (Some(old), Some(new)) => changed(out, one, old, new)?,
            (None, Some(new)) => lines(out, "", &text_of(new))?,
            (_, None) => {}
        }
        if let Some(listed) = &one.listed {
            odd(out, one.part, &one.name, listed)?;
        }
    }
    writeln!(out)
}

fn changed(out: &mut impl Write, one: &Difference, old: &Value, new: &Value) -> io::Result<()> {
    let mut places: BTreeMap<&str, Vec<Class>> = BTreeMap::new();
    for change in &one.changes {
        places.entry(&change.at).or_default().push(change.class);
    }
    for (at, classes) in places {
        let words: Vec<String> = classes.iter().map(ToString::to_string).collect();
        writeln!(out, "  {}{}{}", words.join(", "), if at.is_empty() { "" } else { "  " }, visible(at))?;
        // Of the whole, only that it sends now; its parts follow.
        if at.is_empty() && one.part != Part::Instructions && classes == [Class::Destination] {
            writeln!(out, "    it can send now, and could not as recorded")?;
            continue;
        }
        let text = |value: &Value| value.pointer(at).map(text_of).unwrap_or_default();
        lines(out, &text(old), &text(new))?;
    }
    Ok(())
}

/// The lines that differ, each with a sign, and one line around them.
fn lines(out: &mut impl Write, old: &str, new: &str) -> io::Result<()> {
    let diff = TextDiff::from_lines(old, new);
    for group in diff.grouped_ops(1) {
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let (sign, style) = match change.tag() {
                ChangeTag::Delete => ('-', RED),
                ChangeTag::Insert => ('+', GREEN),
                ChangeTag::Equal => (' ', Style::new()),
            };
            let line = visible(change.value().trim_end_matches('\n'));
            writeln!(out, "    {style}{sign} {line}{style:#}")?;
        }
    }
    Ok(())
}

/// A value as text: words as they are, all else as indented JSON with sorted members.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => {
            let mut out = String::new();
            pretty(other, 0, &mut out);
            out
        }
    }
}

fn pretty(value: &Value, depth: usize, out: &mut String) {
    let indent = |depth: usize, out: &mut String| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth));
    };
    match value {
        Value::Array(items) if !items.is_empty() => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                out.push_str(if i > 0 { "," } else { "" });
                indent(depth + 1, out);
                pretty(item, depth + 1, out);
            }
            indent(depth, out);
            out.push(']');
        }
        Value::Object(members) if !members.is_empty() => {
            let mut members: Vec<&(String, Value)> = members.iter().collect();
            members.sort_by(|(a, _), (b, _)| a.cmp(b));
            out.push('{');
            for (i, (key, item)) in members.into_iter().enumerate() {
                out.push_str(if i > 0 { "," } else { "" });
                indent(depth + 1, out);
                out.push_str(&crate::json::quoted(key));
                out.push_str(": ");
                pretty(item, depth + 1, out);
            }
            indent(depth, out);
            out.push('}');
        }
        plain => out.push_str(&plain.to_json()),
    }
}

/// Text of others on one line of a terminal: what cannot be seen is written out.
pub(super) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) || (c.is_whitespace() && c != ' ') {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pins::review::Difference;
    use bouncer_core::pin::change::changes;
    use std::path::Path;

    fn key(words: &[&str]) -> ServerKey {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        ServerKey::command("m", &words, Path::new("/home/x"))
    }

    #[test]
    fn secrets_of_a_command_line_are_left_out() {
        for (words, shown) in [
            (&["npx", "-y", "p", "--api-key", "sk-1", "x"][..], "npx -y p --api-key … x"),
            (&["p", "--token=abc", "-v"], "p --token=… -v"),
            (&["env", "GITHUB_TOKEN=abc", "p"], "env GITHUB_TOKEN=… p"),
            (&["node", "server.js"], "node server.js  (in /home/x)"),
        ] {
            assert_eq!(launch(&key(words)), shown);
        }
        assert_eq!(launch(&ServerKey::url("m", "https://h/p?key=abc")), "https://h/p");
    }

    #[test]
    fn a_diff_shows_what_changed_and_what_hides() {
        let value = |text: &str| Value::parse(text.as_bytes(), 32).unwrap();
        let old = value(r#"{"name":"t","description":"one\ntwo\nthree","inputSchema":{"properties":{}}}"#);
        let new = value(
            r#"{"name":"t","description":"one\ntwo\u202e\u200b\nthree\u001b[2J","inputSchema":{"properties":{"to":{"type":"string"}}}}"#,
        );
        let one = Difference {
            part: Part::Tools,
            name: "t\u{202e}".to_owned(),
            changes: changes(&old, &new),
            recorded: Some(old),
            listed: Some(new),
        };
        let mut out = anstream::StripStream::new(Vec::new());
        differences(&mut out, &[one]).unwrap();
        let text = String::from_utf8(out.into_inner()).unwrap();
        for part in [
            "changed  tool t\\u{202e}",
            "new text for the model  /description",
            "    - two\n",
            "    + two\\u{202e}\\u{200b}\n",
            "    + three\\u{1b}[2J\n",
            "wider input",
            "/inputSchema/properties/to",
            "    +   \"type\": \"string\"",
            "hidden characters",
        ] {
            assert!(text.contains(part), "{part:?} in\n{text}");
        }
        assert!(text.chars().all(|c| c == '\n' || !is_hidden(c)));
    }
}
