//! Cargo as a policy module is built with: for the Wasm target, with the same bytes wherever and whenever that is.

use super::project::Project;
use crate::cli::Failure;
use crate::cli::text::shown;
use serde_json::Value as Json;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const TARGET: &str = "wasm32-unknown-unknown";
/// The guest's stack. The linker's own choice is a megabyte, all of it to be looked through before memory is used again.
const STACK: &str = "-Clink-arg=-zstack-size=262144";

/// A core module and the crate it is of.
pub(in crate::cli::pack) struct Built {
    pub(in crate::cli::pack) package: String,
    pub(in crate::cli::pack) module: Vec<u8>,
}

/// Cargo, started in the project's folder, so that a toolchain that is chosen there is used.
pub(in crate::cli::pack) fn cargo(project: &Project) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut cargo = Command::new(program);
    cargo.current_dir(&project.folder).stdin(Stdio::null());
    cargo
}

/// What is said where cargo cannot be started.
pub(in crate::cli::pack) fn missing(error: &std::io::Error) -> Failure {
    Failure::new(format!("cargo cannot be started: {error}\nhint: https://rustup.rs installs it"))
}

/// Builds the project's module.
pub(in crate::cli::pack) fn build(project: &Project) -> Result<Built, Failure> {
    let rustc = Rustc::find(project);
    if let Some(rustc) = &rustc
        && !rustc.sysroot.join("lib/rustlib").join(TARGET).is_dir()
    {
        return Err(Failure::new(format!(
            "the Rust toolchain has no standard library for {TARGET}\nhint: rustup target add {TARGET}"
        )));
    }
    let mut cargo = cargo(project);
    cargo.args(["build", "--quiet", "--release", "--lib", "--target", TARGET]);
    cargo.arg("--message-format=json-render-diagnostics").stdout(Stdio::piped());
    plain_environment(&mut cargo);
    let flags = flags(project, rustc.as_ref());
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
    let output = cargo.output_with_errors_shown()?;
    let built = artifact(&output, &project.folder).ok_or_else(|| {
        Failure::new(
            "the project builds no policy module\nhint: `crate-type = [\"cdylib\", \"rlib\"]` under `[lib]` in Cargo.toml",
        )
    })?;
    let module = std::fs::read(&built.1).map_err(|error| {
        Failure::new(format!("cannot read `{}`: {error}", shown(&built.1.display().to_string())))
    })?;
    Ok(Built { package: built.0, module })
}

/// Builds `tests/cases.rs`, and says where the program is.
pub(in crate::cli::pack) fn cases_program(project: &Project) -> Result<PathBuf, Failure> {
    let mut cargo = cargo(project);
    cargo.args(["test", "--no-run", "--quiet", "--test", "cases"]);
    cargo.arg("--message-format=json-render-diagnostics").stdout(Stdio::piped());
    let output = cargo.output_with_errors_shown()?;
    let program = messages(&output).find_map(|message| {
        let is_it = message.pointer("/target/name").and_then(Json::as_str) == Some("cases");
        is_it.then(|| message.get("executable")?.as_str().map(PathBuf::from))?
    });
    program.ok_or_else(|| Failure::new("`tests/cases.rs` builds no program"))
}

trait Shown {
    /// Standard output, where it succeeds; its errors go to ours.
    fn output_with_errors_shown(&mut self) -> Result<Vec<u8>, Failure>;
}

impl Shown for Command {
    fn output_with_errors_shown(&mut self) -> Result<Vec<u8>, Failure> {
        let output = self.stderr(Stdio::inherit()).output().map_err(|error| missing(&error))?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        Err(Failure::new("the project does not build; cargo has said why"))
    }
}

/// What decides on the bytes is the project and the flags given here, not what the shell happens to have set.
fn plain_environment(cargo: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        let bends = text.starts_with("CARGO_PROFILE_")
            || text.starts_with("CARGO_BUILD_")
            || (text.starts_with("CARGO_TARGET_") && text != "CARGO_TARGET_DIR")
            || ["RUSTFLAGS", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "CARGO_INCREMENTAL"]
                .contains(&&*text);
        if bends {
            cargo.env_remove(&name);
        }
    }
}

struct Rustc {
    sysroot: PathBuf,
    commit: String,
}

impl Rustc {
    /// `None` where there is no compiler to be asked: cargo then says so.
    fn find(project: &Project) -> Option<Self> {
        let program = std::env::var_os("RUSTC").unwrap_or_else(|| OsString::from("rustc"));
        let ask = |args: &[&str]| {
            let output = Command::new(&program)
                .args(args)
                .current_dir(&project.folder)
                .stdin(Stdio::null())
                .stderr(Stdio::null())
                .output()
                .ok()
                .filter(|output| output.status.success())?;
            String::from_utf8(output.stdout).ok()
        };
        let sysroot = PathBuf::from(ask(&["--print", "sysroot"])?.trim());
        let version = ask(&["-vV"])?;
        let commit = version.lines().find_map(|line| line.strip_prefix("commit-hash: ")).unwrap_or("unknown");
        Some(Self { sysroot, commit: commit.to_owned() })
    }
}

/// A small stack, and none of this machine's paths in panic messages.
fn flags(project: &Project, rustc: Option<&Rustc>) -> Vec<String> {
    let remap = |path: &Path, to: &str| format!("--remap-path-prefix={}={to}", path.display());
    let mut flags = vec![STACK.to_owned()];
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    if let Some(home) = home {
        flags.push(remap(&home.join("git/checkouts"), "/git"));
        // Each registry has a folder of its own, whose name says only how it was reached.
        let registries = std::fs::read_dir(home.join("registry/src")).into_iter().flatten().flatten();
        flags.extend(registries.map(|registry| remap(&registry.path(), "/registry")));
    }
    if let Some(rustc) = rustc {
        flags.push(remap(&rustc.sysroot.join("lib/rustlib/src/rust"), &format!("/rustc/{}", rustc.commit)));
    }
    // The last that fits counts, and the project may lie in one of the others.
    flags.push(remap(&project.folder, "/module"));
    if let Ok(real) = project.folder.canonicalize()
        && real != project.folder
    {
        flags.push(remap(&real, "/module"));
    }
    flags
}

/// The name of the project's crate and the module it was built into, out of cargo's messages.
fn artifact(messages: &[u8], folder: &Path) -> Option<(String, PathBuf)> {
    let manifest = folder.join("Cargo.toml").canonicalize().ok()?;
    self::messages(messages)
        .filter(|message| {
            let of = message.get("manifest_path").and_then(Json::as_str).map(Path::new);
            of.and_then(|path| path.canonicalize().ok()) == Some(manifest.clone())
        })
        .find_map(|message| {
            let files = message.get("filenames")?.as_array()?;
            let module = files.iter().filter_map(Json::as_str).find(|file| file.ends_with(".wasm"))?;
            let name = message.pointer("/target/name")?.as_str()?.replace('_', "-");
            Some((name, PathBuf::from(module)))
        })
}

/// What cargo says of each artifact.
fn messages(output: &[u8]) -> impl Iterator<Item = Json> {
    let lines: Vec<Json> = String::from_utf8_lossy(output)
        .lines()
        .filter_map(|line| serde_json::from_str::<Json>(line).ok())
        .filter(|message| message.get("reason").and_then(Json::as_str) == Some("compiler-artifact"))
        .collect();
    lines.into_iter()
}
