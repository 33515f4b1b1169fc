//! What the demo shows: plain words that fit 100 columns, with colour where the terminal takes it.

use super::DemoError;
use super::check::{self, Line};
use super::client::Asked;
use super::folder::{Folder, POLICY};
use super::story::Scene;
use anstyle::{AnsiColor, Style};
use serde_json::Value;
use std::io::Write;

const WIDTH: usize = 100;
/// Where the words of an outcome begin.
const INDENT: usize = 14;
const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const GOOD: Style = AnsiColor::Green.on_default().bold();
const DOUBT: Style = AnsiColor::Yellow.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();

/// Writes the demo for a person. Colours are always written; `anstream` takes them out where they are not wanted.
#[derive(Debug)]
pub(super) struct Report<W> {
    out: W,
}

impl<W: Write> Report<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out }
    }

    /// What is to come.
    pub(super) fn begin(&mut self) -> Result<(), DemoError> {
        self.line(&format!("{BOLD}Bouncer demo{BOLD:#}: one tool, one agent, three verdicts"))?;
        self.line("")?;
        self.words(
            0,
            "The real proxy stands before a small mail server that is part of this program. A script plays the client, \
             the agent and the person. No model takes part, and nothing leaves this machine. The policy file:",
        )?;
        self.line("")?;
        for line in POLICY.lines() {
            self.line(&format!("    {DIM}{line}{DIM:#}"))?;
        }
        self.line("")
    }

    /// A call, before it is made.
    pub(super) fn scene(&mut self, number: usize, scene: &Scene) -> Result<(), DemoError> {
        let to = scene.to.map_or_else(String::new, |to| format!(" to {to}"));
        self.line(&format!("{BOLD}{number}. {}{to}{BOLD:#}", scene.tool()))?;
        self.words(3, scene.intro)
    }

    /// What became of it: the new lines of the audit log, what the person was asked, what the agent was told.
    pub(super) fn outcome(
        &mut self,
        lines: &[Line],
        asked: &[Asked],
        result: &Value,
    ) -> Result<(), DemoError> {
        let mut asked = asked.iter();
        for line in lines {
            let contract = match line.contract.as_str() {
                "" | "default" => String::new(),
                contract => format!("  {DIM}{}{DIM:#}", plain(contract)),
            };
            let (style, verdict) = (style(&line.verdict), line.verdict.to_uppercase());
            self.line(&format!("   {style}{verdict}{style:#}{contract}"))?;
            if !line.reason.is_empty() {
                self.labelled("reason", &line.reason)?;
            }
            for evidence in &line.evidence {
                let known = format!(
                    "{}: {} ({})",
                    evidence.destination,
                    evidence.trust,
                    evidence.code.replace('_', " ")
                );
                self.labelled("evidence", &known)?;
                if let Some((place, excerpt)) = &evidence.seen {
                    // The reason mostly quotes it already.
                    let quoted = if line.reason.contains(excerpt) { "" } else { excerpt };
                    self.labelled("", format!("seen in {place}: {quoted}").trim_end_matches(": "))?;
                }
            }
            if line.verdict == "ask"
                && let Some(form) = asked.next()
            {
                self.labelled("question", &form.message)?;
                self.labelled("the person", &form.answer.join(", "))?;
            }
        }
        let told = check::text(result);
        let reason = told.strip_prefix("[bouncer blocked] ");
        let told = if reason.is_some_and(|reason| lines.iter().any(|line| line.reason == reason)) {
            "[bouncer blocked] and the reason above"
        } else {
            told
        };
        self.labelled("agent gets", told)?;
        self.line("")
    }

    /// What really left the server.
    pub(super) fn mails(&mut self, sent: &[String]) -> Result<(), DemoError> {
        self.line(&format!("{BOLD}What the mail server really sent{BOLD:#} (its own record)"))?;
        for (i, to) in sent.iter().enumerate() {
            self.words(3, &format!("mail {} to {}", i + 1, bouncer_core::shown::shown(to, 200)))?;
        }
        if sent.is_empty() {
            self.line("   nothing")?;
        }
        self.line("")
    }

    /// Whether all was as told, and where to read on.
    pub(super) fn end(&mut self, folder: &Folder, faults: &[String]) -> Result<(), DemoError> {
        if faults.is_empty() {
            self.line(&format!(
                "{GOOD}As it must be{GOOD:#}: the mails, the verdicts and the log were checked."
            ))?;
        } else {
            self.line(&format!("{BAD}This came out otherwise than it must:{BAD:#}"))?;
            for fault in faults {
                self.words(3, &format!("- {}", plain(fault)))?;
            }
        }
        self.line("Every verdict is a line of the audit log:")?;
        // On a line of its own, never broken, so that it can be copied.
        self.line(&format!("   {}", folder.audit().display()))
    }

    fn labelled(&mut self, label: &str, text: &str) -> Result<(), DemoError> {
        // Words of servers and of attackers may be among them.
        let lines: Vec<String> = text.lines().filter(|l| !l.is_empty()).map(plain).collect();
        let mut label = label;
        for text in lines {
            for line in wrap(&text, WIDTH - INDENT) {
                let space = " ".repeat(INDENT.saturating_sub(3 + label.len()));
                self.line(&format!("   {DIM}{label}{DIM:#}{space}{line}"))?;
                label = "";
            }
        }
        Ok(())
    }

    fn words(&mut self, indent: usize, text: &str) -> Result<(), DemoError> {
        for line in wrap(text, WIDTH - indent) {
            self.line(&format!("{}{line}", " ".repeat(indent)))?;
        }
        Ok(())
    }

    fn line(&mut self, text: &str) -> Result<(), DemoError> {
        writeln!(self.out, "{text}").map_err(DemoError::Show)
    }
}

fn style(verdict: &str) -> Style {
    match verdict {
        "allow" => GOOD,
        "ask" => DOUBT,
        _ => BAD,
    }
}

/// A line without what could steer a terminal; backticks stay.
fn plain(line: &str) -> String {
    let pieces: Vec<String> = line.split('`').map(|piece| bouncer_core::shown::shown(piece, 4000)).collect();
    pieces.join("`")
}

/// Lines of at most `width` characters, broken at spaces, and inside of a word only where it is longer than a line.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut length = 0;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let size = word.chars().count();
        if length > 0 && length + 1 + size > width {
            lines.push(std::mem::take(&mut line));
            length = 0;
        }
        if length > 0 {
            line.push(' ');
            length += 1;
        }
        for c in word.chars() {
            if length >= width {
                lines.push(std::mem::take(&mut line));
                length = 0;
            }
            line.push(c);
            length += 1;
        }
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::super::story::SCENES;
    use super::*;
    use serde_json::json;

    #[test]
    fn words_are_kept_whole_and_long_ones_are_cut() {
        assert_eq!(wrap("aa bb  cc", 5), ["aa bb", "cc"]);
        assert_eq!(wrap("a bcdefgh i", 3), ["a", "bcd", "efg", "h i"]);
        assert_eq!(wrap("", 3), [""]);
    }

    #[test]
    fn what_a_server_says_neither_steers_the_terminal_nor_runs_over_the_edge() {
        let mut out = Vec::new();
        let mut report = Report::new(anstream::StripStream::new(&mut out));
        let long = format!("`to.0` = `x@y.example`: {}\u{1b}[2J\u{202e}", "word ".repeat(60));
        let seen = Some(("mail/read_inbox, call 3".to_owned(), "z".repeat(300)));
        let evidence = check::Evidence { destination: "x@y.example".into(), seen, ..Default::default() };
        let line =
            Line { verdict: "ask".into(), reason: long.clone(), evidence: vec![evidence], ..Line::default() };
        let asked = Asked { message: format!("{long}\n\n{long}"), answer: vec!["allow once".into()] };
        report.begin().unwrap();
        report.scene(2, &SCENES[1]).unwrap();
        report.outcome(&[line], &[asked], &json!({"content": [{"type": "text", "text": long}]})).unwrap();
        report.mails(&["a\u{1b}[31m".to_owned()]).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
        assert!(text.contains("\\u{1b}[2J"), "shown, not hidden: {text}");
        assert!(text.contains("seen in mail/read_inbox, call 3:\n              zzz"), "{text}");
        assert!(text.contains("`to.0` = `x@y.example`"), "{text}");
        for line in text.lines() {
            assert!(line.chars().count() <= WIDTH, "{line}");
            assert_eq!(line, line.trim_end(), "{line:?}");
        }
    }
}
