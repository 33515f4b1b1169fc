//! A person's word before something is changed: typed at a terminal, or given beforehand with `--yes`.

use super::Failure;
use std::io::{BufRead, IsTerminal, Write};

/// That there is somebody to ask.
///
/// # Errors
/// Where standard input is no terminal.
pub(super) fn askable() -> Result<(), Failure> {
    if std::io::stdin().is_terminal() {
        return Ok(());
    }
    Err(Failure::usage(
        "nobody to ask, so nothing was changed\nhint: run it in a terminal, or pass --yes after looking",
    ))
}

/// Asks; anything but a yes is a no.
///
/// # Errors
/// Where there is nobody to ask.
pub(super) fn agreed(out: &mut impl Write, question: &str) -> Result<bool, Failure> {
    askable()?;
    write!(out, "{question} [y/N] ")?;
    out.flush()?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}
