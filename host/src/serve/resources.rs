//! What can be read by a URI, all of it JSON.

use super::house::{House, Wrong};
use super::tools::USUAL_ENTRIES;
use super::{packs, pinned, recent};
use crate::audit::read::Filter;
use crate::policy::nearest;
use rmcp::model::{Resource, ResourceTemplate};
use serde::Serialize;

const JSON: &str = "application/json";
const BUILTIN: &str = "bouncer://policies/builtin";
const AUDIT: &str = "bouncer://audit/summary";
const POLICIES: &str = "bouncer://policies/";
const PINS: &str = "bouncer://pins/";
/// The template of one pack.
pub(super) const PACK: &str = "bouncer://policies/{pack}";
/// The template of one server's record.
pub(super) const SERVER: &str = "bouncer://pins/{server}";

pub(super) fn list() -> Vec<Resource> {
    vec![
        Resource::new(BUILTIN, "policies_builtin")
            .with_title("Built-in packs")
            .with_description(
                "Every built-in policy pack: identity, version, hash, grants, and what it says of its tools",
            )
            .with_mime_type(JSON),
        Resource::new(AUDIT, "audit_summary")
            .with_title("Recent verdicts")
            .with_description(
                "Counts of recorded verdicts and the last entries, without what the calls carried",
            )
            .with_mime_type(JSON),
    ]
}

pub(super) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(PACK, "policy_pack")
            .with_title("One pack")
            .with_description("One policy pack, by name")
            .with_mime_type(JSON),
        ResourceTemplate::new(SERVER, "pinned_server")
            .with_title("What is pinned for a server")
            .with_description(
                "The definitions that are recorded of a server: untrusted text, with what it hides shown",
            )
            .with_mime_type(JSON),
    ]
}

/// Why something cannot be read.
pub(super) enum Unread {
    /// There is no such thing.
    Missing(String),
    Wrong(Wrong),
}

impl From<Wrong> for Unread {
    fn from(wrong: Wrong) -> Self {
        Self::Wrong(wrong)
    }
}

/// The text behind a URI.
pub(super) fn read(house: &House, uri: &str) -> Result<String, Unread> {
    if uri == BUILTIN {
        return Ok(text(&packs::builtin_views(house)?)?);
    }
    if uri == AUDIT {
        return Ok(text(&recent::summary(house, &Filter::default(), USUAL_ENTRIES)?)?);
    }
    let missing = |what: String| Unread::Missing(what);
    if let Some(name) = uri.strip_prefix(POLICIES) {
        let name = decoded(name).ok_or_else(|| missing(format!("`{}` is no URI", shown(uri))))?;
        let Some(pack) = packs::view_of(house, &name)? else {
            let names = packs::all_names(house);
            let near = nearest(&name, names.iter().map(String::as_str));
            let hint = near.map(|near| format!("; did you mean `{POLICIES}{near}`?")).unwrap_or_default();
            return Err(missing(format!(
                "there is no pack `{}`{hint}; there are {}",
                shown(&name),
                names.join(", ")
            )));
        };
        return Ok(text(&pack)?);
    }
    if let Some(name) = uri.strip_prefix(PINS) {
        let name = decoded(name).ok_or_else(|| missing(format!("`{}` is no URI", shown(uri))))?;
        let Some(record) = pinned::of(house, &name)? else {
            let known = pinned::servers(house)?;
            let near = nearest(&name, known.iter().map(String::as_str));
            let hint = near.map(|near| format!("; did you mean `{}`?", shown(near))).unwrap_or_default();
            return Err(missing(format!("nothing is pinned for a server `{}`{hint}", shown(&name))));
        };
        return Ok(text(&pinned::view(&record))?);
    }
    let all = [BUILTIN, AUDIT, PACK, SERVER];
    let near = nearest(uri, [BUILTIN, AUDIT]);
    let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    Err(missing(format!("there is nothing at `{}`{hint}; there are {}", shown(uri), all.join(", "))))
}

fn shown(text: &str) -> String {
    bouncer_core::shown::shown(text, 120)
}

fn text(value: &impl Serialize) -> Result<String, Wrong> {
    serde_json::to_string_pretty(value).map_err(Wrong::new)
}

/// Percent-encoding undone; `None` where it is broken or no UTF-8.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = text.bytes();
    let mut out = Vec::new();
    let digit = |byte: u8| char::from(byte).to_digit(16);
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let (high, low) = (digit(bytes.next()?)?, digit(bytes.next()?)?);
            out.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            out.push(byte);
        }
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn percent_encoding_is_undone_or_refused() {
        assert_eq!(decoded("a%20b%C3%A9").as_deref(), Some("a bé"));
        for broken in ["%", "%1", "%zz", "%ff", "%+1"] {
            assert_eq!(decoded(broken), None, "{broken}");
        }
    }
}
