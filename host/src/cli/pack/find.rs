//! The pack that a word of the command line means: an installed or built-in one by its name, otherwise a folder or archive.

use super::Failure;
use super::source;
use crate::cli::text::shown;
use crate::home::Home;
use crate::pack::{Bundle, EMBEDDED, Grants, Shelf, is_builtin};
use std::path::Path;

/// What was meant.
pub(super) struct Found {
    pub(super) bundle: Bundle,
    /// What is granted to it.
    pub(super) granted: Grants,
    /// `built in`, `installed from …`, or where it lies.
    pub(super) place: String,
    /// It is one that servers are started with.
    pub(super) in_force: bool,
}

/// Whether this is meant as a path: what has a slash or a dot is no pack's name, and what no pack is called may be one.
pub(super) fn is_path(home: &Home, word: &str) -> bool {
    let looks = word.contains(['/', '.', '\\']) || word.is_empty();
    let is_pack = || is_builtin(word) || home.packs().join(word).symlink_metadata().is_ok();
    looks || (Path::new(word).exists() && !is_pack())
}

/// The pack that `word` means.
pub(super) fn find(home: &Home, word: &str) -> Result<Found, Failure> {
    if is_path(home, word) {
        let taken = source::take(word, None)?;
        return Ok(Found {
            place: shown(&taken.source),
            bundle: taken.bundle,
            granted: Grants::default(),
            in_force: false,
        });
    }
    if let Some(pack) = EMBEDDED.iter().find(|pack| pack.name == word) {
        let bundle = pack.bundle().map_err(source::wrong)?;
        return Ok(Found { bundle, granted: Grants::all(), place: "built in".to_owned(), in_force: true });
    }
    let shelf = Shelf::load(home)?;
    let Some(pack) = shelf.named(word) else {
        return Err(super::grant::unknown(&shelf, word));
    };
    let from = pack.locked.as_ref().map(|locked| format!(" from {}", shown(&locked.source)));
    let place = format!("installed{}", from.unwrap_or_default());
    let bundle = pack.bundle.clone().map_err(|why| source::wrong(format!("the pack `{word}` {why}")))?;
    Ok(Found { bundle, granted: pack.granted.clone(), place, in_force: true })
}
