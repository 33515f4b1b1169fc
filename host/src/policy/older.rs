//! The older system's policy file: YAML, a mapping of tool name to policy, lowered to [`Node`]s.
//!
//! Built on the events of a YAML 1.2 parser. Words that the older system's YAML 1.1 reader took for booleans are
//! booleans here too. Anchors work within a limit; tags other than the core ones, several documents and complex
//! keys are refused.

use super::error::Problem;
use super::node::{Data, Key, Node, Span};
use saphyr_parser::{Event, Parser, ScalarStyle, StrInput, Tag};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Nodes that a file may have once its aliases are expanded.
const MAX_NODES: usize = 100_000;
const MAX_DEPTH: usize = 32;
/// The tags that a policy may hold; others (`!!python/...`) share their beginning.
const CORE: &[&str] = &["map", "seq", "str", "int", "float", "bool", "null"];

/// Parses YAML text.
pub(crate) fn parse(text: &str) -> Result<Node, Problem> {
    // A mark of the byte order is no part of the first key.
    let offset = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let body = text.get(offset..).unwrap_or_default();
    let starts: Vec<usize> =
        body.char_indices().map(|(at, _)| at + offset).chain(std::iter::once(text.len())).collect();
    let mut builder =
        Builder { events: Parser::new_from_str(body), starts, anchors: BTreeMap::new(), nodes: 0 };
    builder.document()
}

struct Builder<'i> {
    events: Parser<'i, StrInput<'i>>,
    /// Byte offset of each character: the parser counts characters.
    starts: Vec<usize>,
    anchors: BTreeMap<usize, (Node, usize)>,
    nodes: usize,
}

impl<'i> Builder<'i> {
    fn byte(&self, index: usize) -> usize {
        self.starts.get(index).or(self.starts.last()).copied().unwrap_or(0)
    }

    fn next(&mut self) -> Result<(Event<'i>, Span), Problem> {
        match self.events.next_event() {
            Some(Ok((event, span))) => {
                let span = self.byte(span.start.index())..self.byte(span.end.index());
                Ok((event, span))
            }
            Some(Err(error)) => {
                let at = self.byte(error.marker().index());
                let mut problem = Problem::new(at..at, "the file is not valid YAML");
                error.info().clone_into(&mut problem.label);
                Err(problem)
            }
            None => Ok((Event::StreamEnd, 0..0)),
        }
    }

    fn document(&mut self) -> Result<Node, Problem> {
        let mut root = None;
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::StreamEnd => break,
                Event::DocumentStart(_) if root.is_some() => {
                    return Err(Problem::new(
                        span,
                        "a policy file is one YAML document, and this starts a second",
                    ));
                }
                Event::Nothing | Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd => {}
                other => root = Some(self.node(other, span, 0)?),
            }
        }
        Ok(root.unwrap_or(Node { span: 0..0, data: Data::Null }))
    }

    fn node(&mut self, event: Event<'i>, span: Span, depth: usize) -> Result<Node, Problem> {
        self.count(1, &span)?;
        if depth > MAX_DEPTH {
            return Err(Problem::new(span, "the file is nested too deeply"));
        }
        let before = self.nodes;
        let (anchor, node) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                let data = scalar(&text, style, tag.as_deref(), &span)?;
                (anchor, Node { span, data })
            }
            Event::SequenceStart(anchor, tag) => {
                core_tag(tag, &span)?;
                (anchor, self.list(span, depth)?)
            }
            Event::MappingStart(anchor, tag) => {
                core_tag(tag, &span)?;
                (anchor, self.table(span, depth)?)
            }
            Event::Alias(anchor) => {
                let Some((node, size)) = self.anchors.get(&anchor).cloned() else {
                    return Err(Problem::new(span, "the alias names no finished value before it"));
                };
                self.count(size, &span)?;
                return Ok(node);
            }
            _ => return Err(Problem::new(span, "the YAML ends in the middle of a value")),
        };
        if anchor != 0 {
            let size = self.nodes.saturating_sub(before).saturating_add(1);
            self.anchors.insert(anchor, (node.clone(), size));
        }
        Ok(node)
    }

    fn count(&mut self, nodes: usize, span: &Span) -> Result<(), Problem> {
        self.nodes = self.nodes.saturating_add(nodes);
        if self.nodes > MAX_NODES {
            Err(Problem::new(span.clone(), "the file has too many values"))
        } else {
            Ok(())
        }
    }

    fn list(&mut self, start: Span, depth: usize) -> Result<Node, Problem> {
        let mut items = Vec::new();
        loop {
            let (event, span) = self.next()?;
            if event == Event::SequenceEnd {
                return Ok(Node { span: start.start..span.end.max(start.end), data: Data::List(items) });
            }
            items.push(self.node(event, span, depth + 1)?);
        }
    }

    fn table(&mut self, start: Span, depth: usize) -> Result<Node, Problem> {
        let mut members: Vec<(Key, Node)> = Vec::new();
        let mut names = BTreeSet::new();
        loop {
            let (event, span) = self.next()?;
            let name = match event {
                Event::MappingEnd => {
                    return Ok(Node {
                        span: start.start..span.end.max(start.end),
                        data: Data::Table(members),
                    });
                }
                Event::Scalar(text, ..) => text.into_owned(),
                _ => return Err(Problem::new(span, "a key must be a plain name")),
            };
            if name == "<<" {
                let problem = Problem::new(span, "merging tables with `<<` is not supported");
                return Err(problem.label("write the keys out, or name the whole table with an alias"));
            }
            if !names.insert(name.clone()) {
                return Err(Problem::new(span, format!("the key `{name}` is written twice")));
            }
            let key = Key { span, name };
            let (event, span) = self.next()?;
            members.push((key, self.node(event, span, depth + 1)?));
        }
    }
}

fn core_tag(tag: Option<Cow<'_, Tag>>, span: &Span) -> Result<(), Problem> {
    match tag {
        Some(tag) if !tag.is_yaml_core_schema() || !CORE.contains(&tag.suffix.as_str()) => Err(Problem::new(
            span.clone(),
            format!("the tag `{}{}` means nothing here", tag.handle, tag.suffix),
        )),
        _ => Ok(()),
    }
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>, span: &Span) -> Result<Data, Problem> {
    core_tag(tag.map(Cow::Borrowed), span)?;
    if style != ScalarStyle::Plain || tag.is_some_and(|tag| tag.suffix == "str") {
        return Ok(Data::Text(text.to_owned()));
    }
    Ok(match text {
        "" | "~" | "null" | "Null" | "NULL" => Data::Null,
        "true" | "True" | "TRUE" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => Data::Bool(true),
        "false" | "False" | "FALSE" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => Data::Bool(false),
        _ => {
            let digits = text.trim_start_matches(['-', '+']);
            if digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit()) {
                return Err(Problem::new(
                    span.clone(),
                    "a number that starts with 0 can be read in two ways",
                )
                .label("the older system took it for octal; write it without the 0"));
            } else if let Ok(number) = text.parse::<i128>() {
                Data::Integer(number)
            } else if text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'))
                && let Ok(number) = text.parse::<f64>()
            {
                Data::Float(number)
            } else {
                Data::Text(text.to_owned())
            }
        }
    })
}
