//! `bouncer pack test`: a project's own tests, and its cases both natively and as Wasm.

use super::Failure;
use super::author::{cargo, cases, cases::Case, cases::Said, project::Project};
use super::build::build;
use crate::cli::text::shown;
use crate::sandbox::{NativeAnswer, Sandbox};
use clap::Args;
use serde_json::Value as Json;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};

#[derive(Debug, Args)]
#[command(after_help = "\
Builds the module, runs the project's tests with cargo, and puts each call of cases.toml to the rule natively and as Wasm. \
A case fails where the answer is not the wanted one, or where the two differ.
Exit codes: 0 all is well; 1 a test or a case fails, or the project does not build; 2 a file is wrong.")]
pub(in crate::cli) struct TestArgs {
    /// The project's folder
    #[arg(value_name = "DIR", default_value = ".")]
    dir: PathBuf,
}

pub(super) fn run(args: &TestArgs) -> Result<ExitCode, Failure> {
    let project = Project::open(&args.dir)?;
    let cases = cases::read(&project.folder)?;
    let built = build(&project)?;
    let module =
        Sandbox::new(None).map_err(Failure::new)?.load("module", &built.component).map_err(Failure::new)?;
    let natively = natively(&project, &cases)?;
    let mut out = anstream::stdout();
    let mut failed = 0;
    for (case, native) in cases.iter().zip(natively) {
        let native = Said::of(native.outcome("module"));
        let wasm = Said::of(case.put_to(&module));
        let mut wrong = native.differs(&wasm);
        if wrong.is_empty() {
            wrong = case.missed(&wasm);
        }
        let word = if wrong.is_empty() { "ok    " } else { "FAILED" };
        writeln!(out, "{word} {}", shown(&case.name))?;
        for line in &wrong {
            writeln!(out, "         {line}")?;
        }
        failed += usize::from(!wrong.is_empty());
        module.prepare();
    }
    if failed > 0 {
        return Err(Failure::new(format!("{failed} of {} cases failed", cases.len())));
    }
    writeln!(out, "{} cases, natively and as Wasm alike", cases.len())?;
    Ok(ExitCode::SUCCESS)
}

/// Runs the project's tests, the native answers among them.
fn natively(project: &Project, cases: &[Case]) -> Result<Vec<NativeAnswer>, Failure> {
    if !project.folder.join("tests").join("cases.rs").is_file() {
        return Err(Failure::usage(
            "there is no `tests/cases.rs`\nhint: `bouncer pack new` shows one; it calls `bouncer_guest::testing::answer_cases::<YourRule>()`",
        ));
    }
    let exchange = Exchange::new()?;
    let calls: Vec<Json> = cases.iter().map(Case::handed_over).collect();
    fs::write(exchange.path("cases.json"), Json::from(calls).to_string())?;
    let mut cargo = cargo::cargo(project);
    cargo.args(["test", "--quiet", "--", "--include-ignored"]);
    cargo.env("BOUNCER_CASES", exchange.path("cases.json"));
    cargo.env("BOUNCER_ANSWERS", exchange.path("answers.json"));
    // What the tests print is for the person, who gets our answer on stdout.
    let output = cargo.stdout(Stdio::piped()).stderr(Stdio::piped()).output();
    let output = output.map_err(|error| cargo::missing(&error))?;
    if !output.status.success() {
        let mut err = anstream::stderr();
        err.write_all(&output.stdout)?;
        err.write_all(&output.stderr)?;
        return Err(Failure::new("the project's own tests fail"));
    }
    let text = fs::read_to_string(exchange.path("answers.json")).map_err(|_| {
        Failure::new(
            "the project's tests answered no case\nhint: `tests/cases.rs` calls `bouncer_guest::testing::answer_cases::<YourRule>()`",
        )
    })?;
    let answers: Vec<NativeAnswer> = serde_json::from_str(&text)
        .map_err(|error| Failure::new(format!("the native answers cannot be read: {error}")))?;
    if answers.len() == cases.len() {
        Ok(answers)
    } else {
        Err(Failure::new(format!("{} cases got {} native answers", cases.len(), answers.len())))
    }
}

/// A folder that is gone afterwards.
struct Exchange(PathBuf);

impl Exchange {
    fn new() -> Result<Self, Failure> {
        let mut random = [0_u8; 8];
        getrandom::fill(&mut random).map_err(Failure::new)?;
        let name = format!("bouncer-cases-{:016x}", u64::from_le_bytes(random));
        let folder = std::env::temp_dir().join(name);
        fs::create_dir(&folder)?;
        Ok(Self(folder))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(Path::new(name))
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        // It lies in the folder for what is temporary.
        let _ = fs::remove_dir_all(&self.0);
    }
}
