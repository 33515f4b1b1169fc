//! `bouncer pack new`: a project whose rule builds and whose tests pass at once.

use super::Failure;
use super::author::{project, sdk};
use crate::cli::text::shown;
use clap::Args;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Debug, Args)]
#[command(after_help = "\
The project brings the SDK along, in `.bouncer-sdk`, and needs no other crate: it builds without a network.")]
pub(in crate::cli) struct NewArgs {
    /// Its name: `a-z`, `0-9` and `-`; a folder of this name is made
    name: String,
    /// Use the SDK in this folder instead (`guest-sdk` of Bouncer's sources)
    #[arg(long, value_name = "PATH")]
    sdk: Option<PathBuf>,
}

pub(super) fn run(args: &NewArgs) -> Result<ExitCode, Failure> {
    let name = &args.name;
    if !project::is_name(name) {
        return Err(Failure::usage(format!(
            "`{}` is no name for a pack\nhint: a letter, then `a-z`, `0-9` and `-`, at most 64 characters",
            shown(name)
        )));
    }
    let folder = Path::new(name);
    let sdk_path = match &args.sdk {
        Some(path) => toml_text(&std::path::absolute(path)?)?,
        None => sdk::FOLDER.to_owned(),
    };
    if let Err(error) = fs::create_dir(folder) {
        let hint = if folder.exists() { "\nhint: choose another name, or go on in that folder" } else { "" };
        return Err(Failure::new(format!("cannot make the folder `{name}`: {error}{hint}")));
    }
    let lib = name.replace('-', "_");
    let files = [
        ("Cargo.toml", include_str!("author/template/Cargo.toml.txt")),
        ("pack.toml", include_str!("author/template/pack.toml.txt")),
        ("cases.toml", include_str!("author/template/cases.toml.txt")),
        ("src/lib.rs", include_str!("author/template/lib.rs.txt")),
        ("tests/cases.rs", include_str!("author/template/cases_test.rs.txt")),
        (".gitignore", "/target\n"),
    ];
    for (path, template) in files {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, template.replace("{name}", name).replace("{lib}", &lib).replace("{sdk}", &sdk_path))?;
    }
    if args.sdk.is_none() {
        sdk::write(folder)?;
    }
    writeln!(
        anstream::stdout(),
        "made `{name}`: the rule is in {name}/src/lib.rs, calls to try it on in {name}/cases.toml\n\
         next: cd {name}, then `bouncer pack test`"
    )?;
    Ok(ExitCode::SUCCESS)
}

/// A path inside of a TOML text between quotes.
fn toml_text(path: &Path) -> Result<String, Failure> {
    match path.to_str() {
        Some(text) if path.is_dir() && !text.contains(['"', '\n']) => Ok(text.replace('\\', "\\\\")),
        _ => Err(Failure::usage(format!("`{}` is no folder", path.display()))),
    }
}
