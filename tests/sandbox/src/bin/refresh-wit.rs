//! Writes what is generated from the world in `wit/`.

use std::fs;
use std::process::ExitCode;

fn main() -> ExitCode {
    for (path, text) in bouncer_sandbox_tests::wit::generated() {
        if let Err(error) = fs::write(&path, text) {
            eprintln!("`{}`: {error}", path.display());
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
