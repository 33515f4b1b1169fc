//! `bouncer pack bench`: what a call costs with this module in its way.

use super::Failure;
use super::author::{cases, project::Project};
use super::build::build;
use crate::cli::text::shown;
use crate::sandbox::{Sandbox, Usage};
use clap::Args;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Calls of each case that are timed, after as many that are not.
const CALLS: usize = 200;

#[derive(Debug, Args)]
#[command(after_help = "\
Each call of cases.toml is made 200 times on an instance of its own that was made ready before, as when servers run. Fuel is \
about one unit for each instruction; the same call always uses the same.")]
pub(in crate::cli) struct BenchArgs {
    /// The project's folder
    #[arg(value_name = "DIR", default_value = ".")]
    dir: PathBuf,
}

pub(super) fn run(args: &BenchArgs) -> Result<ExitCode, Failure> {
    let project = Project::open(&args.dir)?;
    let cases = cases::read(&project.folder)?;
    let built = build(&project)?;
    let sandbox = Sandbox::new(None).map_err(Failure::new)?;
    let start = Instant::now();
    let module = sandbox.load("module", &built.component).map_err(Failure::new)?;
    let compiled = start.elapsed();
    let mut out = anstream::stdout();
    writeln!(out, "size {} bytes; compiled in {}, once, then kept", built.component.len(), time(compiled))?;
    writeln!(out, "{:>10} {:>10} {:>10}  case", "p50", "fuel", "memory")?;
    for case in &cases.all {
        let mut times = Vec::with_capacity(CALLS);
        let mut usage = None;
        for round in 0..CALLS * 2 {
            module.prepare();
            let start = Instant::now();
            let outcome = std::hint::black_box(case.put_to(&module));
            if round >= CALLS {
                times.push(start.elapsed());
            }
            usage = module.usage();
            drop(outcome);
        }
        times.sort_unstable();
        let Usage { fuel, memory } = usage.unwrap_or(Usage { fuel: 0, memory: 0 });
        let half = times.get(CALLS / 2).copied().unwrap_or_default();
        writeln!(
            out,
            "{:>10} {fuel:>10} {:>10}  {}",
            time(half),
            format!("{} KiB", memory / 1024),
            shown(&case.name)
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

fn time(time: Duration) -> String {
    let nanos = time.as_nanos();
    match nanos {
        0..10_000 => format!("{nanos} ns"),
        10_000..10_000_000 => format!("{} µs", nanos / 1_000),
        _ => format!("{} ms", nanos / 1_000_000),
    }
}
