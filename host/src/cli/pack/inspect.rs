//! `bouncer pack inspect`: what a pack is, what it wants, and what comes of it for the tools of one server.

use super::Failure;
use super::find::find;
use super::said::{SOME, records, servers, wanted};
use super::source::wrong;
use crate::cli::input::{Upstream, recorded};
use crate::cli::text::shown;
use crate::cli::{report, settings, show};
use crate::pack::{Bundle, Effects, Grants, Pack, PackSource};
use crate::sandbox::{Sandbox, imports};
use clap::Args;
use std::io::Write;
use std::process::ExitCode;

#[derive(Debug, Args)]
#[command(after_help = "\
With --server or --tools it also prints the contract of each tool, by every layer in force and this pack, and who said what.
Exit codes: 0 success; 1 it is no usable pack; 2 the command line or one of the files is wrong.")]
pub(in crate::cli) struct InspectArgs {
    /// A folder, an archive, or the name of an installed or built-in pack
    #[arg(value_name = "PATH|NAME")]
    pack: String,
    /// Show contracts as they would be with everything granted that it wants
    #[arg(long)]
    as_granted: bool,
    #[command(flatten)]
    upstream: Upstream,
}

pub(super) fn run(args: &InspectArgs) -> Result<ExitCode, Failure> {
    let home = settings::home()?;
    let found = find(&home, &args.pack)?;
    let sandbox = Sandbox::new(Some(home.cache())).map_err(Failure::new)?;
    let granted = if args.as_granted { Grants::all() } else { found.granted.clone() };
    let source = PackSource::Installed(None);
    let pack = Pack::of(&sandbox, &found.bundle, source, granted.clone()).map_err(wrong)?;
    let manifest = &pack.manifest;
    let mut out = anstream::stdout();
    writeln!(out, "{} {}  {}", manifest.name, manifest.version, shown(&manifest.summary))?;
    writeln!(out, "  source     {}", found.place)?;
    writeln!(out, "  component  {} bytes, sha256 {}", found.bundle.component.len(), pack.sha256)?;
    writeln!(out, "  manifest   sha256 {}", pack.manifest_sha256)?;
    writeln!(out, "  imports    nothing")?;
    let exports = imports::exports(&found.bundle.component);
    writeln!(out, "  exports    {}", shown(&exports.join(", ")))?;
    writeln!(out, "  servers    {}", servers(manifest).join(", "))?;
    for checked in &manifest.checked {
        writeln!(out, "  checked    {}", shown(checked))?;
    }
    let wants = manifest.grants.kinds();
    writeln!(out, "  granted    {}", found.granted.and(&wants))?;
    if wants.is_empty() {
        writeln!(out, "it wants to loosen nothing")?;
    } else {
        writeln!(out, "it wants to loosen, where that is granted:")?;
        let policy = settings::policy(args.upstream.policy.as_deref(), &home)?;
        let effects = Effects::of(&pack, &records(&home)?, &policy.settings(&manifest.name));
        wanted(&mut out, &pack, &wants, &effects, SOME)?;
    }
    if args.upstream.server.is_some() || args.upstream.tools.is_some() {
        writeln!(out)?;
        // What is in force is taken as it is installed, with everything else.
        let tried = (!found.in_force || args.as_granted).then(|| (found.bundle.clone(), granted));
        contracts(&mut out, args, &pack, tried)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The contract of each tool of the server that was named.
fn contracts(
    out: &mut impl Write,
    args: &InspectArgs,
    pack: &Pack,
    tried: Option<(Bundle, Grants)>,
) -> Result<(), Failure> {
    let server = match (&args.upstream.server, &args.upstream.tools) {
        (Some(server), _) => server.clone(),
        (None, Some(file)) => {
            let named = recorded(file)?.server;
            if named.is_empty() { pack.manifest.name.clone() } else { named }
        }
        (None, None) => return Ok(()),
    };
    let (mut scene, policy) = args.upstream.scene_with(&server, tried)?;
    match pack.manifest.matched(&scene.identity) {
        None => scene.notes.push(format!("the pack is not for `{server}`, so it says nothing here")),
        Some(matched) if !matched.may_loosen() => scene.notes.push(format!(
            "`{server}` only calls itself as the pack wants, so nothing loosens there, granted or not"
        )),
        Some(_) => {}
    }
    let contracts = show::contracts(&mut scene, &policy, None);
    show::print(out, &contracts)?;
    report::notes(out, &scene.notes)
}
