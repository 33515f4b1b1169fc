//! Whether a pack is signed as the user's own policy demands: `[pack_keys]` names a key for a pack, or for all of them.

use super::Failure;
use super::source::Taken;
use crate::cli::text::shown;
use crate::pack::{MAX_SIGNATURE, SIGNATURE, verify};
use crate::policy::Policy;
use std::io::Read as _;
use std::path::Path;

/// Refuses a pack that has a key in the policy and no signature by it. Returns what was signed, for the user to be told.
pub(super) fn demand(
    policy: &Policy,
    taken: &Taken,
    file: Option<&Path>,
) -> Result<Option<&'static str>, Failure> {
    let name = &taken.bundle.manifest.name;
    let Some(key) = policy.pack_key(name) else {
        return match file {
            None => Ok(None),
            Some(_) => Err(Failure::usage(format!(
                "there is no key to hold the signature against\nhint: `[pack_keys]` and `{name} = \"KEY\"` in your policy file"
            ))),
        };
    };
    let refused = |why: String| {
        Failure::new(format!(
            "`{name}` must be signed by the key in your policy file, and {why}\nhint: its publisher's `pack.toml.minisig` belongs beside `pack.toml`; --signature FILE names another signature, of the archive or of `pack.toml`"
        ))
    };
    let manifest = taken.bundle.text.as_bytes();
    let beside = taken.archive.as_ref().map(|_| format!("{}.minisig", taken.source));
    let beside = beside.filter(|path| Path::new(path).is_file());
    if let Some(file) = file.or(beside.as_deref().map(Path::new)) {
        let signature = read(file)?;
        let of_archive = taken.archive.as_ref().map(|bytes| verify(key, &signature, bytes));
        if matches!(of_archive, Some(Ok(()))) {
            return Ok(Some("archive"));
        }
        let of_manifest = verify(key, &signature, manifest);
        let Err(why) = of_manifest else { return Ok(Some("`pack.toml`")) };
        let why = of_archive.and_then(Result::err).unwrap_or(why);
        return Err(refused(format!(
            "the signature `{}` does not do: {why}",
            shown(&file.display().to_string())
        )));
    }
    match taken.bundle.others.get(SIGNATURE) {
        None => Err(refused("it has no signature".to_owned())),
        Some(signature) => match verify(key, signature, manifest) {
            Ok(()) => Ok(Some("`pack.toml`")),
            Err(why) => Err(refused(format!("its `{SIGNATURE}` does not do: {why}"))),
        },
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let named =
        |why: String| Failure::usage(format!("cannot read `{}`: {why}", shown(&path.display().to_string())));
    let file = std::fs::File::open(path).map_err(|error| named(error.to_string()))?;
    let mut bytes = Vec::new();
    file.take(MAX_SIGNATURE + 1).read_to_end(&mut bytes).map_err(|error| named(error.to_string()))?;
    if bytes.len() as u64 > MAX_SIGNATURE {
        return Err(named("it is too large for a signature".to_owned()));
    }
    Ok(bytes)
}
