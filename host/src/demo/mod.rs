//! `bouncer demo`: the real proxy before an embedded mail server, driven by a script. It needs no key, no network and
//! no set-up, and it fails when anything came out otherwise than it says.
//!
//! Nothing here decides: the proxy is started as a process of its own, as a client would start it, and what is shown of
//! a verdict is read from the audit log that it wrote. The demo plays the client, the agent and the person.

mod check;
mod client;
mod folder;
mod report;
mod story;
mod upstream;

pub use upstream::upstream;

use folder::Folder;
use report::Report;
use std::io::{self, Write};
use std::process::ExitCode;

/// Why the demo broke off.
#[derive(Debug, thiserror::Error)]
enum DemoError {
    #[error("cannot write to the terminal: {0}")]
    Show(#[source] io::Error),
    #[error("cannot {what}: {source}")]
    System { what: String, source: io::Error },
    #[error("no answer to {0} within {1} seconds")]
    Silent(String, u64),
    #[error("the proxy ended before it answered {0}")]
    Ended(String),
    #[error("not what the protocol allows: {0}")]
    Odd(String),
}

/// Runs the demo and shows it on stdout. Success only when every verdict, every mail that left and every line of the
/// audit log was as told.
#[must_use]
pub fn run() -> ExitCode {
    let folder = match Folder::create() {
        Ok(folder) => folder,
        Err(error) => return broke_off(&error),
    };
    let mut report = Report::new(anstream::stdout());
    let faults = story::play(&folder, &mut report);
    match faults.and_then(|faults| report.end(&folder, &faults).map(|()| faults.is_empty())) {
        Ok(true) => {
            folder.tidy();
            ExitCode::SUCCESS
        }
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            let code = broke_off(&error);
            let mut err = anstream::stderr();
            let _ = writeln!(
                err,
                "hint: the audit log and the proxy's messages are in `{}`",
                folder.root().display()
            );
            code
        }
    }
}

fn broke_off(error: &DemoError) -> ExitCode {
    let _ = writeln!(anstream::stderr(), "error: the demo broke off: {error}");
    ExitCode::FAILURE
}
