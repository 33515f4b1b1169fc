//! The `bouncer` binary.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_ansi(false).init();
    let mut name = None;
    let mut command: Vec<OsString> = Vec::new();
    let mut args = std::env::args_os().skip(1);
    while let Some(arg) = args.next() {
        match arg.to_str() {
            Some("--upstream-name") => name = args.next().and_then(|n| n.into_string().ok()),
            Some("--") => command = args.by_ref().collect(),
            _ => {}
        }
    }
    let home = std::env::var_os("BOUNCER_HOME").map(PathBuf::from).unwrap_or_default();
    let mut options = bouncer::proxy::RunOptions::new(
        name.as_deref().unwrap_or("server"),
        command,
        home.join("audit.jsonl"),
    );
    if let Some(seconds) = std::env::var("BOUNCER_ASK_TIMEOUT").ok().and_then(|s| s.parse().ok()) {
        options.ask_timeout = Duration::from_secs_f64(seconds);
    }
    bouncer::proxy::run(options)
}
