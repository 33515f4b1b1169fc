//! Text for terminals: what came from files and servers is shown without letting it steer the terminal.

use bouncer_core::shown::invisible;
use std::io::IsTerminal;

/// Control characters and those that reorder or hide text are written as `\u{..}`; tabs stay.
#[must_use]
pub(crate) fn shown(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut out, c| {
        if c != '\t' && invisible(c) {
            out.extend(c.escape_unicode())
        } else {
            out.push(c)
        }
        out
    })
}

/// The same for a text of several lines.
#[must_use]
pub(crate) fn shown_lines(text: &str) -> String {
    text.lines().map(shown).collect::<Vec<_>>().join("\n")
}

/// Whether stderr takes colours.
pub(crate) fn colour_on_stderr() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Whether stdout takes colours.
pub(crate) fn colour_on_stdout() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
