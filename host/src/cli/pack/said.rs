//! What several of the commands print of a pack. What its manifest says is somebody else's text, and shown as such.

use super::Failure;
use crate::cli::text::shown;
use crate::home::Home;
pub(super) use crate::pack::short_hash as short;
use crate::pack::{Effects, GrantKind, Grants, Manifest, Pack};
use crate::pins::{Recorded, store};
use std::io::Write;

/// As many lines of one kind for one server are printed; what is more is counted.
const MOST: usize = 40;
/// The servers that a pack is for: `npm-package, command mcp-x, servers that call themselves "X"`.
pub(super) fn servers(manifest: &Manifest) -> String {
    let mut words = Vec::new();
    for server in &manifest.servers {
        words.extend(server.packages.iter().map(|name| shown(name)));
        words.extend(server.commands.iter().map(|name| format!("command {}", shown(name))));
        let reported = server.reported_name.as_slice().iter();
        words.extend(reported.map(|name| format!("a server that calls itself \"{}\"", shown(name))));
    }
    words.join(", ")
}

/// The recorded servers, readable ones.
pub(super) fn records(home: &Home) -> Result<Vec<Recorded>, Failure> {
    let all = store::all(home).map_err(Failure::new)?;
    Ok(all.into_iter().filter_map(|entry| entry.record.ok()).collect())
}

/// What the pack wants to loosen, what that means, and what it would mean on the recorded servers.
pub(super) fn wanted(
    out: &mut impl Write,
    pack: &Pack,
    kinds: &Grants,
    effects: &Effects,
) -> Result<(), Failure> {
    for kind in kinds.iter() {
        let why = pack.manifest.grants.why(kind).map(|why| shown(why)).unwrap_or_default();
        writeln!(out, "  {:12} {}", kind.as_str(), kind.meaning())?;
        writeln!(out, "               the pack's reason: {why}")?;
        on_servers(out, kind, effects)?;
    }
    for server in &effects.by_name_only {
        writeln!(
            out,
            "  `{}` only calls itself as the pack wants; nothing loosens there, granted or not",
            shown(server)
        )?;
    }
    for (server, why) in &effects.faults {
        writeln!(
            out,
            "  on the tools of `{}` the pack fails, and its calls are denied: {}",
            shown(server),
            shown(why)
        )?;
    }
    if !kinds.is_empty() && effects.servers.is_empty() {
        writeln!(
            out,
            "  none of your servers that it is for is recorded yet, so what this means for their tools is not known"
        )?;
    }
    Ok(())
}

fn on_servers(out: &mut impl Write, kind: GrantKind, effects: &Effects) -> Result<(), Failure> {
    let of_kind: Vec<_> = effects.all.iter().filter(|effect| effect.kind == kind).collect();
    for effect in of_kind.iter().take(MOST) {
        writeln!(
            out,
            "               {}/{}: {}",
            shown(&effect.server),
            shown(&effect.tool),
            shown(&effect.text)
        )?;
    }
    if let Some(more) = of_kind.len().checked_sub(MOST).filter(|more| *more > 0) {
        writeln!(out, "               and {more} more; `bouncer pack inspect` shows each tool")?;
    }
    Ok(())
}
