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
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How long the native answers may take. A module has 10 s for a call, and fuel.
const NATIVE_LIMIT: Duration = Duration::from_secs(30);

#[derive(Debug, Args)]
#[command(after_help = "\
Builds the module, runs the project's tests with cargo, and puts each call of cases.toml to the rule natively and as Wasm. \
A case fails where the answer is not the wanted one, where the two differ, or where the rule states no contract with \
`evaluate` for the tool, so that it would never be asked.
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
    let tools = cases.tools.as_deref();
    let as_wasm: Vec<Said> = cases.all.iter().map(|case| Said::of(case.put_to(&module))).collect();
    own_tests(&project)?;
    let natively = match natively(&project, &cases.all) {
        Ok(answers) => answers,
        Err(failure) => {
            // Nothing is fine yet, but what the module gets wrong may say why.
            let missed = cases.all.iter().zip(&as_wasm).map(|(case, said)| (case, case.missed(said)));
            for (case, wrong) in missed.filter(|(_, wrong)| !wrong.is_empty()) {
                report(case, &wrong)?;
            }
            return Err(failure);
        }
    };
    let mut failed = 0;
    for ((case, native), wasm) in cases.all.iter().zip(natively).zip(&as_wasm) {
        let native = Said::of(native.outcome("module"));
        let mut wrong = native.differs(wasm);
        if wrong.is_empty() {
            wrong = case.missed(wasm);
        }
        wrong.extend(case.never_asked(&module, tools));
        report(case, &wrong)?;
        failed += usize::from(!wrong.is_empty());
    }
    if failed > 0 {
        return Err(Failure::new(format!("{failed} of {} cases failed", cases.all.len())));
    }
    writeln!(anstream::stdout(), "{} cases, natively and as Wasm alike", cases.all.len())?;
    Ok(ExitCode::SUCCESS)
}

fn report(case: &Case, wrong: &[String]) -> Result<(), Failure> {
    let mut out = anstream::stdout();
    let word = if wrong.is_empty() { "ok    " } else { "FAILED" };
    writeln!(out, "{word} {}", shown(&case.name))?;
    for line in wrong {
        writeln!(out, "         {line}")?;
    }
    Ok(())
}

/// Runs the tests that the project has for itself.
fn own_tests(project: &Project) -> Result<(), Failure> {
    let mut cargo = cargo::cargo(project);
    // What the tests print is for the person, who gets our answer on stdout.
    let output = cargo.args(["test", "--quiet"]).output().map_err(|error| cargo::missing(&error))?;
    if output.status.success() {
        return Ok(());
    }
    let mut err = anstream::stderr();
    err.write_all(&output.stdout)?;
    err.write_all(&output.stderr)?;
    Err(Failure::new("the project's own tests fail"))
}

/// The native answers.
fn natively(project: &Project, cases: &[Case]) -> Result<Vec<NativeAnswer>, Failure> {
    if !project.folder.join("tests").join("cases.rs").is_file() {
        return Err(Failure::usage(
            "there is no `tests/cases.rs`\nhint: `bouncer pack new` shows one; it calls `bouncer_guest::testing::answer_cases::<YourRule>()`",
        ));
    }
    let program = cargo::cases_program(project)?;
    let exchange = Exchange::new()?;
    let calls: Vec<Json> = cases.iter().map(Case::handed_over).collect();
    fs::write(exchange.path("cases.json"), Json::from(calls).to_string())?;
    let told = fs::File::create(exchange.path("told"))?;
    let mut command = Command::new(program);
    command.args(["--include-ignored", "--nocapture"]).current_dir(&project.folder);
    command.env("CARGO_MANIFEST_DIR", &project.folder);
    command.env("BOUNCER_CASES", exchange.path("cases.json"));
    command.env("BOUNCER_ANSWERS", exchange.path("answers.json"));
    command.stdin(Stdio::null()).stdout(told.try_clone()?).stderr(told);
    let ended = in_time(&mut command)?;
    let tell = || -> std::io::Result<()> { anstream::stderr().write_all(&fs::read(exchange.path("told"))?) };
    let Some(status) = ended else {
        return Err(Failure::new(format!(
            "the rule did not answer within {} s natively\nhint: an endless loop? the host would stop it",
            NATIVE_LIMIT.as_secs()
        )));
    };
    if !status.success() {
        tell()?;
        return Err(Failure::new("the project's own tests fail"));
    }
    let text = fs::read_to_string(exchange.path("answers.json")).or_else(|_| {
        tell()?;
        Err(Failure::new(
            "the project's tests answered no case\nhint: `tests/cases.rs` calls `bouncer_guest::testing::answer_cases::<YourRule>()`",
        ))
    })?;
    let answers: Vec<NativeAnswer> = serde_json::from_str(&text)
        .map_err(|error| Failure::new(format!("the native answers cannot be read: {error}")))?;
    if answers.len() != cases.len() {
        return Err(Failure::new(format!("{} cases got {} native answers", cases.len(), answers.len())));
    }
    // Only natively does a panic say what it is about, and where.
    if answers.iter().any(|answer| matches!(answer, NativeAnswer::Panicked { .. })) {
        tell()?;
    }
    Ok(answers)
}

/// Runs a program to its end, or for as long as it may take: `None` where it had to be stopped.
fn in_time(command: &mut Command) -> Result<Option<ExitStatus>, Failure> {
    const STEP: Duration = Duration::from_millis(10);
    let mut child = command.spawn()?;
    let until = Instant::now() + NATIVE_LIMIT;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() > until {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(STEP);
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
