//! Text for terminals: what came from files and servers is shown without letting it steer the terminal.

use std::io::IsTerminal;

/// Control characters and those that reorder or hide text are written as `\u{..}`; tabs stay.
#[must_use]
pub(crate) fn shown(text: &str) -> String {
    text.chars()
        .map(|c| {
            let hides = matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}');
            if (c.is_control() && c != '\t') || hides { c.escape_unicode().to_string() } else { c.to_string() }
        })
        .collect()
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
