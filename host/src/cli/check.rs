//! `bouncer check`: what would become of a call, without making it.

use super::Failure;
use super::input::Asked;
use super::report;
use super::text::shown;
use crate::inquiry::Answer;
use bouncer_core::verdict::Verdict;
use clap::Args;
use std::io::Write;
use std::process::ExitCode;

#[derive(Debug, Args)]
#[command(after_help = "\
Exit codes: 0 allow; 10 ask; 11 deny; 2 the command line or one of the files is wrong; 1 Bouncer itself failed.
Nothing is called, logged or remembered: the session is empty but for --seen and --prompt.")]
pub(super) struct CheckArgs {
    #[command(flatten)]
    asked: Asked,
}

pub(super) fn run(args: &CheckArgs) -> Result<ExitCode, Failure> {
    let answer = args.asked.answer()?;
    let mut out = anstream::stdout();
    if args.asked.json {
        writeln!(out, "{}", report::to_json(&answer)?)?;
    } else {
        human(&mut out, &answer)?;
    }
    Ok(report::exit(answer.verdict))
}

fn human(out: &mut impl Write, answer: &Answer) -> Result<(), Failure> {
    report::headline(out, answer)?;
    if let Some(ruling) = &answer.ruling {
        for finding in &ruling.findings {
            let (Some(destination), Some(evidence)) = (&finding.destination, &finding.evidence) else {
                continue;
            };
            let style = report::style(finding.verdict.as_str());
            writeln!(
                out,
                "{style}{:5}{style:#}  {} = {}  ({}, {}: {})",
                finding.verdict.as_str(),
                shown(&destination.argument),
                shown(&destination.raw),
                destination.kind.as_str(),
                evidence.trust().as_str(),
                shown(&finding.code)
            )?;
            for line in report::evidence_lines(evidence) {
                writeln!(out, "       {line}")?;
            }
        }
        if answer.verdict == Verdict::Ask {
            for question in &ruling.questions {
                writeln!(out, "asks   {}", shown(&question.text))?;
            }
        }
    }
    report::notes(out, &answer.notes)
}
