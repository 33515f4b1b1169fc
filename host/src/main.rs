//! The `bouncer` program: everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    bouncer::cli::main()
}
