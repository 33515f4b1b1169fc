//! `docs/write-a-policy.md` done as it says, with the real binary: its files are written, its commands run, and what they
//! print is what stands below them. `[..]` stands for anything in a line, and alone for any lines.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// What the guide has one do.
#[derive(Debug)]
enum Step {
    /// Write this text to the file.
    File(String, String),
    /// Put this text in the place of a line of the file.
    Replace(String, String, String),
    /// Run the command; it prints this.
    Run(String, Vec<String>),
}

fn steps(guide: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut lines = guide.lines();
    let mut mark = None;
    while let Some(line) = lines.next() {
        if let Some(text) = line.strip_prefix("<!-- ").and_then(|text| text.strip_suffix(" -->")) {
            mark = Some(text.to_owned());
        }
        let Some(kind) = line.strip_prefix("```") else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let text = block.iter().map(|line| format!("{line}\n")).collect::<String>();
        match (kind, mark.take()) {
            ("console", None) => {
                for line in block {
                    match (line.strip_prefix("$ "), steps.last_mut()) {
                        (Some(command), _) => steps.push(Step::Run(command.to_owned(), Vec::new())),
                        (None, Some(Step::Run(_, output))) => output.push(line.to_owned()),
                        (None, _) => panic!("output without a command: {line}"),
                    }
                }
            }
            (_, Some(mark)) => {
                if let Some(file) = mark.strip_prefix("file: ") {
                    steps.push(Step::File(file.to_owned(), text));
                } else {
                    let (file, old) = mark.strip_prefix("replace in ").unwrap().split_once(": ").unwrap();
                    steps.push(Step::Replace(file.to_owned(), old.to_owned(), text));
                }
            }
            (kind, None) => panic!("a block of `{kind}` that nothing is done with: {text}"),
        }
    }
    steps
}

/// Whether the lines are those of the pattern.
fn fits(pattern: &[String], lines: &[&str]) -> bool {
    match (pattern.split_first(), lines.split_first()) {
        (None, None) => true,
        (Some((first, rest)), _) if first == "[..]" => {
            (0..=lines.len()).any(|skipped| fits(rest, lines.get(skipped..).unwrap()))
        }
        (Some((first, rest)), Some((line, more))) => line_fits(first, line) && fits(rest, more),
        _ => false,
    }
}

fn line_fits(pattern: &str, line: &str) -> bool {
    let Some((start, rest)) = pattern.split_once("[..]") else { return pattern == line };
    let Some(tail) = line.strip_prefix(start) else { return false };
    (0..=tail.len()).filter_map(|at| tail.get(at..)).any(|tail| line_fits(rest, tail))
}

#[test]
fn the_guide_works_as_it_stands() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let guide = fs::read_to_string(root.join("docs/write-a-policy.md")).unwrap();
    let work = tempfile::tempdir().unwrap();
    let mut folder: PathBuf = work.path().to_owned();
    let binaries = Path::new(env!("CARGO_BIN_EXE_bouncer")).parent().unwrap();
    let mut path = vec![binaries.to_owned()];
    path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap()));
    let path = std::env::join_paths(path).unwrap();
    let (mut commands, mut compared) = (0, 0);
    for step in steps(&guide) {
        match step {
            Step::File(file, text) => fs::write(folder.join(file), text).unwrap(),
            Step::Replace(file, old, new) => {
                let text = fs::read_to_string(folder.join(&file)).unwrap();
                assert!(text.contains(&format!("{old}\n")), "no line `{old}` in {file}");
                fs::write(folder.join(file), text.replace(&format!("{old}\n"), &new)).unwrap();
            }
            Step::Run(command, output) => {
                if let Some(to) = command.strip_prefix("cd ") {
                    folder.push(to);
                    continue;
                }
                let start = Instant::now();
                let done = Command::new("sh")
                    .args(["-c", &command])
                    .current_dir(&folder)
                    .stdin(Stdio::null())
                    .env("PATH", &path)
                    .env("BOUNCER_HOME", work.path().join("home"))
                    .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("guide"))
                    // The crates are there: the tests themselves were built with them.
                    .env("CARGO_NET_OFFLINE", "true")
                    .env("NO_COLOR", "1")
                    .output()
                    .unwrap();
                let said = String::from_utf8(done.stdout).unwrap();
                let errors = String::from_utf8(done.stderr).unwrap();
                eprintln!("{:6.1} s  {command}", start.elapsed().as_secs_f32());
                // An ask is an exit code of its own.
                let fine = matches!(done.status.code(), Some(0 | 10));
                assert!(fine, "{command}\n{said}{errors}");
                commands += 1;
                if !output.is_empty() {
                    compared += 1;
                    let lines: Vec<&str> = said.lines().collect();
                    assert!(fits(&output, &lines), "{command} printed\n{said}and not\n{}", output.join("\n"));
                }
            }
        }
    }
    assert!(commands >= 9 && compared >= 8, "{commands} commands, {compared} compared");
}

#[test]
fn what_stands_for_anything_is_no_more_than_that() {
    let pattern: Vec<String> = ["a [..] c", "[..]", "end"].map(str::to_owned).to_vec();
    assert!(fits(&pattern, &["a b c", "end"]));
    assert!(fits(&pattern, &["a  c", "x", "y", "end"]));
    assert!(!fits(&pattern, &["a b", "end"]));
    assert!(!fits(&pattern, &["a b c", "end", "more"]));
    assert!(!fits(&pattern, &["a b c"]));
}
