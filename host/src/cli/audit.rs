//! `bouncer audit`: the log of verdicts, filtered, followed, counted.

use super::{Failure, settings, text};
use crate::audit::read::{self, Counts, parse};
use clap::{Args, Subcommand};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

#[derive(Debug, Subcommand)]
pub(super) enum AuditCommand {
    /// Show the last verdicts
    Tail {
        #[command(flatten)]
        filter: Filter,
        /// How many
        #[arg(short = 'n', long, default_value_t = 20)]
        lines: usize,
        /// Go on as new ones are written
        #[arg(short, long)]
        follow: bool,
        /// Print the lines as they are in the log
        #[arg(long)]
        json: bool,
    },
    /// Count verdicts by contract, server and tool
    Summary {
        #[command(flatten)]
        filter: Filter,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Clone, Args)]
pub(super) struct Filter {
    /// Only `allow`, `ask` or `deny`
    #[arg(long, value_parser = ["allow", "ask", "deny"])]
    verdict: Option<String>,
    /// Only this tool
    #[arg(long)]
    tool: Option<String>,
    /// Only this server
    #[arg(long)]
    server: Option<String>,
    /// Only this session
    #[arg(long)]
    session: Option<String>,
    /// Only from this time on: 90m, 12h or 2d ago, or the beginning of a time in UTC: 2026-11-30T09
    #[arg(long, value_name = "TIME", value_parser = read::moment)]
    since: Option<String>,
    /// Only before this time
    #[arg(long, value_name = "TIME", value_parser = read::moment)]
    until: Option<String>,
    /// Another log than the one in Bouncer's folder
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

impl Filter {
    fn path(&self) -> Result<PathBuf, Failure> {
        self.log.clone().map_or_else(|| Ok(settings::home()?.audit()), Ok)
    }

    fn lines(&self) -> read::Filter {
        let Self { verdict, tool, server, session, since, until, log: _ } = self.clone();
        read::Filter { verdict, tool, server, session, since, until }
    }
}

pub(super) fn run(command: &AuditCommand) -> Result<ExitCode, Failure> {
    match command {
        AuditCommand::Tail { filter, lines, follow, json } => tail(filter, *lines, *follow, *json),
        AuditCommand::Summary { filter, json } => summary(filter, *json),
    }
}

fn open(filter: &Filter) -> Result<BufReader<File>, Failure> {
    let path = filter.path()?;
    let file = File::open(&path).map_err(|error| {
        Failure::new(format!(
            "cannot read the log `{}`: {error}\nhint: it is written by `bouncer run`",
            path.display()
        ))
    })?;
    Ok(BufReader::with_capacity(1 << 20, file))
}

fn tail(filter: &Filter, count: usize, follow: bool, json: bool) -> Result<ExitCode, Failure> {
    let (mut log, wanted) = (open(filter)?, filter.lines());
    let mut last: VecDeque<Vec<u8>> = VecDeque::new();
    let mut buffer = Vec::new();
    while log.read_until(b'\n', &mut buffer)? > 0 {
        if !buffer.ends_with(b"\n") && follow {
            break;
        }
        if parse(&buffer).is_some_and(|line| wanted.takes(&line)) {
            last.push_back(std::mem::take(&mut buffer));
            if last.len() > count {
                last.pop_front();
            }
        }
        buffer.clear();
    }
    for bytes in &last {
        show(bytes, json)?;
    }
    if !follow {
        return Ok(ExitCode::SUCCESS);
    }
    loop {
        // What stands in the buffer is the beginning of a line that is still being written.
        if log.read_until(b'\n', &mut buffer)? == 0 || !buffer.ends_with(b"\n") {
            std::thread::sleep(Duration::from_millis(200));
            continue;
        }
        if parse(&buffer).is_some_and(|line| wanted.takes(&line)) {
            show(&buffer, json)?;
        }
        buffer.clear();
    }
}

fn show(bytes: &[u8], json: bool) -> Result<(), Failure> {
    let mut out = anstream::stdout();
    if json {
        out.write_all(bytes.trim_ascii_end())?;
        return Ok(writeln!(out)?);
    }
    let Some(line) = parse(bytes) else { return Ok(()) };
    let style = match &*line.verdict {
        "allow" => anstyle::AnsiColor::Green,
        "ask" => anstyle::AnsiColor::Yellow,
        _ => anstyle::AnsiColor::Red,
    }
    .on_default();
    let reason = if line.reason.is_empty() {
        String::new()
    } else {
        format!(": {}", text::shown(&line.reason.replace('\n', "; ")))
    };
    let granted = |one: &read::Granted| format!("{}@{} {}", one.pack, one.sha256, one.kinds.join(" "));
    let grants: Vec<String> = line.grants.iter().flatten().map(granted).collect();
    let grants = if grants.is_empty() {
        String::new()
    } else {
        format!("  [granted: {}]", text::shown(&grants.join(", ")))
    };
    writeln!(
        out,
        "{}  {style}{:5}{style:#}  {}/{}  {}{reason}{grants}",
        text::shown(&line.ts),
        text::shown(&line.verdict),
        text::shown(&line.server),
        text::shown(&line.tool),
        text::shown(&line.contract),
    )?;
    Ok(())
}

fn summary(filter: &Filter, json: bool) -> Result<ExitCode, Failure> {
    let counts = Counts::of(open(filter)?, &filter.lines(), |_| {})?;
    let mut out = anstream::stdout();
    if json {
        writeln!(out, "{}", serde_json::to_string_pretty(&counts).map_err(Failure::new)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(out, "{} verdicts, {} lines that could not be read", counts.lines, counts.unreadable)?;
    for (title, map) in [("verdict", &counts.verdicts), ("contract", &counts.contracts)] {
        for (key, count) in map {
            writeln!(out, "  {title:9} {count:>8}  {}", text::shown(key))?;
        }
    }
    for (tool, verdicts) in &counts.tools {
        let verdicts: Vec<String> =
            verdicts.iter().map(|(verdict, count)| format!("{verdict} {count}")).collect();
        writeln!(out, "  {}: {}", text::shown(tool), text::shown(&verdicts.join(", ")))?;
    }
    Ok(ExitCode::SUCCESS)
}
