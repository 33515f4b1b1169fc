//! The change to a file as a person reads it.

use similar::{ChangeTag, TextDiff};
use std::fmt::Write as _;
use std::path::Path;

/// A unified diff with three lines around each change; styled where `colour` is set.
#[must_use]
pub fn unified(path: &Path, old: &str, new: &str, colour: bool) -> String {
    let red = anstyle::AnsiColor::Red.on_default();
    let green = anstyle::AnsiColor::Green.on_default();
    let mut out = format!("--- {0}\n+++ {0} (as it would be)\n", path.display());
    let diff = TextDiff::from_lines(old, new);
    for hunk in diff.unified_diff().context_radius(3).iter_hunks() {
        let _ = writeln!(out, "{}", hunk.header());
        for change in hunk.iter_changes() {
            let (sign, style) = match change.tag() {
                ChangeTag::Delete => ('-', red),
                ChangeTag::Insert => ('+', green),
                ChangeTag::Equal => (' ', anstyle::Style::new()),
            };
            let line = change.value().trim_end_matches(['\r', '\n']);
            let line = crate::cli::text::shown(line);
            let _ = if colour && sign != ' ' {
                writeln!(out, "{style}{sign}{line}{style:#}")
            } else {
                writeln!(out, "{sign}{line}")
            };
        }
    }
    out
}
