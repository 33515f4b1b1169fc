//! `bouncer pack build`: from a project to the component that the host loads, and its hash in `pack.toml`.

use super::Failure;
use super::author::{cargo, project::Project};
use crate::cli::text::{shown, shown_lines};
use crate::pack::{Manifest, sha256_hex};
use crate::sandbox::{LoadError, component, imports};
use clap::Args;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Debug, Args)]
#[command(after_help = "\
Needs cargo and the target wasm32-unknown-unknown (`rustup target add wasm32-unknown-unknown`), nothing else. Without a \
`pack.toml` the module is a rule of your own, for `[[modules]]` of the policy.")]
pub(in crate::cli) struct BuildArgs {
    /// The project's folder
    #[arg(value_name = "DIR", default_value = ".")]
    dir: PathBuf,
}

pub(super) fn run(args: &BuildArgs) -> Result<ExitCode, Failure> {
    let project = Project::open(&args.dir)?;
    let built = build(&project)?;
    let mut out = anstream::stdout();
    let name = built.file.file_name().unwrap_or_default().to_string_lossy();
    writeln!(
        out,
        "{}: {} bytes, sha256 {}",
        shown(&name),
        built.component.len(),
        sha256_hex(&built.component)
    )?;
    // What is wrong with the rest of the manifest stops nobody from building.
    if let Some(Err(error)) =
        fs::read_to_string(args.dir.join("pack.toml")).ok().map(|text| Manifest::parse(&text))
    {
        writeln!(
            anstream::stderr(),
            "note: `pack.toml` would be refused: {}",
            shown_lines(&error.to_string())
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A component and where it was written.
pub(super) struct Component {
    pub(super) file: PathBuf,
    pub(super) component: Vec<u8>,
}

/// Builds the component and writes it with its hash.
pub(super) fn build(project: &Project) -> Result<Component, Failure> {
    let built = cargo::build(project)?;
    let component = component::from_core_module(&built.module).map_err(Failure::new)?;
    imports::check(&component).map_err(|error| match error {
        LoadError::MissingExport(_) => Failure::new(format!(
            "{error}\nhint: `export_policy!(YourRule);` in src/lib.rs makes a rule of a crate"
        )),
        error => Failure::new(error),
    })?;
    let file = project.module(&built.package)?;
    write_whole(&file, &component)?;
    project.put_hash(&sha256_hex(&component))?;
    Ok(Component { file, component })
}

/// A host that reads it meanwhile sees the old one or the new one.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
    let written = fs::write(&temporary, bytes).and_then(|()| crate::os::replace(&temporary, path));
    written.map_err(|error| {
        let _ = fs::remove_file(&temporary);
        Failure::new(format!("cannot write `{}`: {error}", shown(&path.display().to_string())))
    })
}
