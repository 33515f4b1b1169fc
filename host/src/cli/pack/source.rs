//! Where a pack is taken from, as the command line says it.

use super::Failure;
use crate::cli::text::shown_lines;
use crate::pack::{self, Bundle, Locked, MAX_ARCHIVE, sha256_hex};
use std::io::Read as _;
use std::path::Path;

/// A pack that was read, and where it came from.
#[derive(Debug)]
pub(super) struct Taken {
    pub(super) bundle: Bundle,
    /// As it can be used again: an absolute path or an address.
    pub(super) source: String,
    /// The bytes of the archive, where there was one.
    pub(super) archive: Option<Vec<u8>>,
    /// Their SHA-256, or the digest of the manifest in the registry.
    pub(super) archive_sha256: Option<String>,
}

impl Taken {
    pub(super) fn locked(&self) -> Locked {
        Locked::of(&self.bundle, &self.source, self.archive_sha256.clone())
    }
}

/// Reads the pack that `source` names, whatever kind of source it is; an archive must have this SHA-256 where one is
/// named. Nothing of it has taken effect then.
pub(super) fn take(source: &str, sha256: Option<&str>) -> Result<Taken, Failure> {
    if let Some(expected) = sha256
        && !crate::pack::is_hash(expected)
    {
        return Err(Failure::usage("`--sha256` takes 64 lower-case hexadecimal digits"));
    }
    match source.split_once("://") {
        Some(("https", _)) => {
            let Some(expected) = sha256 else {
                return Err(Failure::usage(
                    "an address needs --sha256\nhint: take the archive's SHA-256 from where you trust it, not from the same server",
                ));
            };
            archive(pack::https(source).map_err(wrong)?, source.to_owned(), Some(expected))
        }
        Some(("oci", _)) => {
            if sha256.is_some() {
                return Err(Failure::usage(
                    "`--sha256` is of an archive; a registry takes `oci://REGISTRY/NAME@sha256:DIGEST`",
                ));
            }
            let pack::FromRegistry { bundle, digest } = pack::oci(source).map_err(wrong)?;
            Ok(Taken { bundle, source: source.to_owned(), archive: None, archive_sha256: Some(digest) })
        }
        Some((scheme, _)) => Err(Failure::usage(format!(
            "packs are not taken from `{}://` addresses\nhint: a folder, an archive, `https://…` with --sha256, or `oci://REGISTRY/NAME:TAG`",
            shown_lines(scheme)
        ))),
        None => local(Path::new(source), sha256),
    }
}

fn local(path: &Path, sha256: Option<&str>) -> Result<Taken, Failure> {
    let named =
        |what: String| Failure::new(format!("`{}`: {what}", shown_lines(&path.display().to_string())));
    let source = crate::cli::settings::absolute(path)?;
    let meta = std::fs::metadata(path).map_err(|error| named(error.to_string()))?;
    if meta.is_dir() {
        if sha256.is_some() {
            return Err(Failure::usage("`--sha256` is of an archive, and this is a folder"));
        }
        let bundle = Bundle::from_folder(path).map_err(wrong)?;
        return Ok(Taken { bundle, source, archive: None, archive_sha256: None });
    }
    if !meta.is_file() {
        return Err(named("is neither a folder nor a file".to_owned()));
    }
    let file = std::fs::File::open(path).map_err(|error| named(error.to_string()))?;
    let mut bytes = Vec::new();
    file.take(MAX_ARCHIVE + 1).read_to_end(&mut bytes).map_err(|error| named(error.to_string()))?;
    archive(bytes, source, sha256)
}

/// An archive's bytes are held against the hash before anything in them is looked at.
pub(super) fn archive(bytes: Vec<u8>, source: String, expected: Option<&str>) -> Result<Taken, Failure> {
    let found = sha256_hex(&bytes);
    if let Some(expected) = expected.filter(|expected| *expected != found) {
        return Err(Failure::new(format!(
            "`{}` has the SHA-256 `{found}`, not `{expected}`: nothing of it was opened\nhint: it is damaged, or is not what its publisher named",
            shown_lines(&source)
        )));
    }
    let bundle = Bundle::from_archive(&bytes, &source).map_err(wrong)?;
    Ok(Taken { bundle, source, archive: Some(bytes), archive_sha256: Some(found) })
}

/// What an attacker wrote stands in these.
pub(super) fn wrong(error: impl std::fmt::Display) -> Failure {
    Failure::new(shown_lines(&error.to_string()))
}
