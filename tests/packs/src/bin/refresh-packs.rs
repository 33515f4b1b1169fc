//! Writes the built-in packs' components and the hashes in their manifests from the sources.

use bouncer_pack_tests::{component, folder, with_hash};
use std::fs;
use std::process::ExitCode;

fn main() -> ExitCode {
    for pack in bouncer::pack::EMBEDDED {
        if let Err(error) = refresh(pack.name) {
            eprintln!("pack `{}`: {error}", pack.name);
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn refresh(pack: &str) -> Result<(), String> {
    let component = component(pack)?;
    let folder = folder(pack);
    let manifest = folder.join("pack.toml");
    let text = fs::read_to_string(&manifest).map_err(|error| error.to_string())?;
    fs::write(folder.join(format!("{pack}.wasm")), &component).map_err(|error| error.to_string())?;
    fs::write(manifest, with_hash(&text, &component)).map_err(|error| error.to_string())?;
    eprintln!("{pack}: {} bytes", component.len());
    Ok(())
}
