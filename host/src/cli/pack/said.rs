//! What several of the commands print of a pack. What its manifest says is somebody else's text, and shown as such.

use super::Failure;
use crate::cli::text::shown;
use crate::home::Home;
pub(super) use crate::pack::short_hash as short;
use crate::pack::{Effects, GrantKind, Grants, Manifest, Pack};
use crate::pins::{Recorded, store};
use std::io::Write;

/// As many lines of one kind are printed where nobody is asked; what is more is counted.
pub(super) const SOME: usize = 40;

/// The servers that a pack is for: `npm-package`, `command mcp-x`, `a server that calls itself "X"`.
pub(super) fn servers(manifest: &Manifest) -> Vec<String> {
    let mut words = Vec::new();
    for server in &manifest.servers {
        words.extend(server.packages.iter().map(|name| shown(name)));
        words.extend(server.commands.iter().map(|name| format!("command {}", shown(name))));
        let reported = server.reported_name.as_slice().iter();
        words.extend(reported.map(|name| format!("a server that calls itself \"{}\"", shown(name))));
    }
    words
}

/// The recorded servers, readable ones.
pub(super) fn records(home: &Home) -> Result<Vec<Recorded>, Failure> {
    let all = store::all(home).map_err(Failure::new)?;
    Ok(all.into_iter().filter_map(|entry| entry.record.ok()).collect())
}

/// What the pack wants to loosen, what that means, and what it would mean on the recorded servers: at most so many lines of
/// each kind.
pub(super) fn wanted(
    out: &mut impl Write,
    pack: &Pack,
    kinds: &Grants,
    effects: &Effects,
    most: usize,
) -> Result<(), Failure> {
    for kind in kinds.iter() {
        let why = pack.manifest.grants.why(kind).map(|why| shown(why)).unwrap_or_default();
        writeln!(out, "  {:12} {}", kind.as_str(), kind.meaning())?;
        writeln!(out, "               the pack's reason: {why}")?;
        on_servers(out, &pack.manifest.name, kind, effects, most)?;
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

fn on_servers(
    out: &mut impl Write,
    name: &str,
    kind: GrantKind,
    effects: &Effects,
    most: usize,
) -> Result<(), Failure> {
    let mut of_kind: Vec<_> = effects.all.iter().filter(|effect| effect.kind == kind).collect();
    // The pack chose the order: what covers most must not come where nobody looks any more.
    of_kind.sort_by_key(|effect| !effect.text.contains('*'));
    for effect in of_kind.iter().take(most) {
        writeln!(
            out,
            "               {}/{}: {}",
            shown(&effect.server),
            shown(&effect.tool),
            shown(&effect.text)
        )?;
    }
    if let Some(more) = of_kind.len().checked_sub(most).filter(|more| *more > 0) {
        writeln!(
            out,
            "               and {more} more: all of them stand before the question of `bouncer pack grant {name}`"
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::Effect;

    #[test]
    fn what_covers_most_is_not_hidden_behind_the_rest() {
        let pattern = |text: String| Effect {
            kind: GrantKind::Vouch,
            server: "mail".to_owned(),
            tool: "send".to_owned(),
            text,
        };
        let mut all: Vec<Effect> =
            (0..50).map(|n| pattern(format!("vouches for team{n}@corp.example"))).collect();
        all.push(pattern("vouches for *@evil.example".to_owned()));
        let effects = Effects { all, ..Effects::default() };
        let printed = |most: usize| {
            let mut out = Vec::new();
            assert!(on_servers(&mut out, "post", GrantKind::Vouch, &effects, most).is_ok());
            String::from_utf8(out).unwrap_or_default()
        };
        let some = printed(SOME);
        assert!(some.contains("*@evil.example") && some.contains("and 11 more"), "{some}");
        let everything = printed(usize::MAX);
        assert!(everything.contains("team49@corp.example") && !everything.contains("more"), "{everything}");
    }
}
