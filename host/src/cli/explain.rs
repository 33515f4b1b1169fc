//! `bouncer explain`: each contract in order, what it looked at, who said so, and what would change the verdict.
//!
//! For a call as `check` takes it, or for a line of the audit log. All of it is what the ruling or the line holds.

use super::advice::{self, Change, Matter};
use super::input::Asked;
use super::text::shown;
use super::{Failure, report, settings};
use crate::inquiry::Answer;
use bouncer_core::verdict::{ContractName, Verdict};
use clap::Args;
use serde_json::value::RawValue;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Args)]
#[command(after_help = "\
Exit codes: 0 explained, whatever the verdict; 2 the command line or one of the files is wrong; 1 Bouncer itself failed.
With --line, server, tool and arguments are those of the line. What the session had seen by then is not replayed: the recorded
verdict, reason and evidence are shown as they stand in the line, and the call is looked at anew without them.")]
pub(super) struct ExplainArgs {
    /// A line of the audit log, from 1
    #[arg(long, value_name = "N", conflicts_with_all = ["tool", "args", "server"])]
    line: Option<u64>,
    /// Another log than the one in Bouncer's folder
    #[arg(long, value_name = "FILE", requires = "line")]
    log: Option<PathBuf>,
    #[command(flatten)]
    asked: Asked,
}

/// An audit line. Lines of other versions may lack any member, or hold something else there.
#[derive(Debug)]
struct Line {
    /// The arguments as they are written: which digits a number has counts.
    args: String,
    members: serde_json::Map<String, Json>,
}

impl Line {
    fn text(&self, key: &str) -> &str {
        self.members.get(key).and_then(Json::as_str).unwrap_or_default()
    }

    fn evidence(&self) -> &[Json] {
        self.members.get("evidence").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default()
    }
}

const ORDER: [(ContractName, &str); 5] = [
    (ContractName::Pinning, "nothing to say"),
    (ContractName::Budget, "nothing to say"),
    (ContractName::Constraint, "no argument is confined to folders, and none breaks a pattern"),
    (ContractName::Policy, "no policy module objects"),
    (
        ContractName::SinkGate,
        "no destination is gated: the tool is not known to send, or nothing in the call says to whom",
    ),
];

pub(super) fn run(args: &ExplainArgs) -> Result<ExitCode, Failure> {
    match args.line {
        Some(number) => line(args, number),
        None => call(args),
    }
}

fn call(args: &ExplainArgs) -> Result<ExitCode, Failure> {
    let answer = args.asked.answer()?;
    let changes = changes_of(&answer);
    let mut out = anstream::stdout();
    if args.asked.json {
        let mut all = report::to_json(&answer)?;
        if let Some(members) = all.as_object_mut() {
            members.insert("changes".to_owned(), advice::to_json(&changes, &answer.server, &answer.tool));
        }
        writeln!(out, "{all}")?;
        return Ok(ExitCode::SUCCESS);
    }
    report::headline(&mut out, &answer)?;
    contracts(&mut out, &answer)?;
    advise(&mut out, &changes, &answer.server, &answer.tool)?;
    report::notes(&mut out, &answer.notes)?;
    Ok(ExitCode::SUCCESS)
}

fn changes_of(answer: &Answer) -> Vec<Change> {
    let findings = answer.ruling.iter().flat_map(|ruling| &ruling.findings);
    unique(findings.filter(|f| f.verdict != Verdict::Allow).flat_map(|f| Matter::of(f).changes()))
}

fn unique(changes: impl Iterator<Item = Change>) -> Vec<Change> {
    let mut all: Vec<Change> = Vec::new();
    for change in changes {
        if !all.contains(&change) {
            all.push(change);
        }
    }
    all
}

/// Every contract, also those that had nothing to say.
fn contracts(out: &mut impl Write, answer: &Answer) -> Result<(), Failure> {
    let Some(ruling) = &answer.ruling else {
        return Ok(writeln!(out, "\nno contract looked at it: a line like this is never forwarded")?);
    };
    for (number, (contract, silent)) in ORDER.iter().enumerate() {
        let findings: Vec<_> = ruling.findings.iter().filter(|f| f.contract == *contract).collect();
        let verdict = findings.iter().map(|f| f.verdict).fold(Verdict::Allow, Verdict::join);
        let style = report::style(verdict.as_str());
        writeln!(out, "\n{}. {}  {style}{verdict}{style:#}", number + 1, contract.as_str())?;
        if findings.is_empty() {
            writeln!(out, "   {silent}")?;
        }
        for finding in findings {
            let style = report::style(finding.verdict.as_str());
            writeln!(
                out,
                "   {style}{}{style:#}  {}: {}",
                finding.verdict,
                shown(&finding.code),
                shown(&finding.text)
            )?;
            for said in &finding.said {
                writeln!(out, "      said by {}", report::said(said))?;
            }
            if let Some(evidence) = &finding.evidence {
                writeln!(out, "      {}", evidence.trust().as_str())?;
                for line in report::evidence_lines(evidence) {
                    writeln!(out, "      {line}")?;
                }
            }
        }
    }
    Ok(())
}

fn advise(out: &mut impl Write, changes: &[Change], server: &str, tool: &str) -> Result<(), Failure> {
    if changes.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nwhat would change the verdict")?;
    for change in changes {
        writeln!(out, " - {}", change.text)?;
        if !change.keys.is_empty() {
            writeln!(out, "       {}", advice::table(server, tool))?;
            for key in change.keys.iter().flat_map(|keys| keys.lines()) {
                writeln!(out, "       {key}")?;
            }
        }
    }
    if changes.iter().any(|change| !change.keys.is_empty()) {
        writeln!(
            out,
            "   (in the policy file; where the table or the key is there already, add to it. A key in a server's own table takes\n   the place of the same key in the tool's plain one)"
        )?;
    }
    Ok(())
}

fn line(args: &ExplainArgs, number: u64) -> Result<ExitCode, Failure> {
    let found = find(args, number)?;
    let [ts, server, tool] = ["ts", "server", "tool"].map(|key| found.text(key));
    let [verdict, contract, reason] = ["verdict", "contract", "reason"].map(|key| found.text(key));
    let changes = unique(
        found
            .evidence()
            .iter()
            .filter(|e| e.get("verdict").and_then(Json::as_str) != Some("allow"))
            .flat_map(|evidence| Matter::recorded(evidence).changes()),
    );
    let args_text = found.args.as_str();
    let whole = args_text.starts_with('{')
        && !args_text.contains("bouncer:left_out")
        && !args_text.contains("…[cut: ");
    let again =
        if whole && !tool.is_empty() { Some(args.asked.judge(server, tool, args_text)?) } else { None };
    let mut out = anstream::stdout();
    if args.asked.json {
        let again = again.as_ref().map(report::to_json).transpose()?;
        let all = json!({
            "line": number, "ts": ts, "server": server, "tool": tool,
            "verdict": verdict, "contract": contract, "reason": reason,
            "evidence": found.evidence(),
            "changes": advice::to_json(&changes, server, tool),
            "without_history": again,
        });
        writeln!(out, "{all}")?;
        return Ok(ExitCode::SUCCESS);
    }
    let style = report::style(verdict);
    writeln!(
        out,
        "{style}{}{style:#}  {}  {}/{}  (line {number}, {})",
        shown(verdict),
        shown(contract),
        shown(server),
        shown(tool),
        shown(ts)
    )?;
    if !reason.is_empty() {
        writeln!(out, "because  {}", shown(&reason.replace('\n', "; ")))?;
    }
    writeln!(out, "args     {}", shown(args_text))?;
    for evidence in found.evidence() {
        writeln!(out, "recorded {}", shown(&evidence.to_string()))?;
    }
    advise(&mut out, &changes, server, tool)?;
    match &again {
        None => writeln!(out, "\nthe call cannot be looked at anew: the line does not hold it whole")?,
        Some(answer) => {
            writeln!(
                out,
                "\nlooked at anew, by the rules of today: what the session had seen, counted and approved by then is not replayed"
            )?;
            report::headline(&mut out, answer)?;
            contracts(&mut out, answer)?;
            report::notes(&mut out, &answer.notes)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn find(args: &ExplainArgs, number: u64) -> Result<Line, Failure> {
    let path = args.log.clone().map_or_else(|| Ok(settings::home()?.audit()), Ok::<_, Failure>)?;
    let wrong = |what: String| Failure::usage(format!("the log `{}`: {what}", path.display()));
    let file = File::open(&path).map_err(|error| wrong(error.to_string()))?;
    let mut log = BufReader::with_capacity(1 << 20, file);
    let mut buffer = Vec::new();
    for seen in 0..number {
        buffer.clear();
        if log.read_until(b'\n', &mut buffer)? == 0 {
            return Err(wrong(format!("it has {seen} lines, and none numbered {number}")));
        }
    }
    if number == 0 {
        return Err(wrong("its lines are counted from 1".to_owned()));
    }
    let unreadable = |error: serde_json::Error| wrong(format!("line {number} is no line of it: {error}"));
    // The arguments stay as they are written: a number in them may be none that this program can hold.
    let mut raw: BTreeMap<String, Box<RawValue>> = serde_json::from_slice(&buffer).map_err(unreadable)?;
    let args = raw.remove("args");
    let members = raw.into_iter().map(|(key, value)| Ok((key, serde_json::from_str(value.get())?)));
    let members = members.collect::<Result<serde_json::Map<String, Json>, _>>().map_err(unreadable)?;
    if !members.get("verdict").is_some_and(Json::is_string) {
        return Err(wrong(format!("line {number} is no line of it: it has no verdict")));
    }
    Ok(Line { args: args.map_or_else(|| "null".to_owned(), |args| args.get().to_owned()), members })
}
