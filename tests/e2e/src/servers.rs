//! Where the binary under test and the real servers lie. A part that `scripts/test` should have installed and
//! that is missing fails the test; only `../shared` may be absent, since a user's clone has none.

use std::path::{Path, PathBuf};

/// The root of the repository.
#[must_use]
pub fn repository_root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

/// The `bouncer` binary of the build that runs this test.
///
/// # Panics
/// Where it has not been built: `cargo test --workspace` builds it, `cargo test -p bouncer-e2e` alone does not.
#[must_use]
#[allow(clippy::panic)]
pub fn bouncer() -> PathBuf {
    let test = std::env::current_exe().unwrap_or_default();
    let binary = test.ancestors().nth(2).unwrap_or(Path::new("")).join("bouncer");
    if !binary.is_file() {
        panic!(
            "`{}` is missing\nhint: `cargo build -p bouncer` first, or run `scripts/test`",
            binary.display()
        );
    }
    binary
}

/// The script of a server that `npm ci` put into `tests/e2e/node_modules`.
///
/// # Panics
/// Where it is not installed: a skipped test would look like a passed one.
#[must_use]
#[allow(clippy::panic)]
pub fn npm_server(package: &str) -> PathBuf {
    npm_script(&format!("{package}/dist/index.js"))
}

/// A file that `npm ci` put into `tests/e2e/node_modules`.
///
/// # Panics
/// Where it is not installed.
#[must_use]
#[allow(clippy::panic)]
pub fn npm_script(path: &str) -> PathBuf {
    let script = repository_root().join("tests/e2e/node_modules").join(path);
    if !script.is_file() {
        panic!("`{path}` is not installed\nhint: run `scripts/test`, or `npm ci` in `tests/e2e`");
    }
    script
}

/// The Python of the environment `name` that `scripts/test` made in `tests/e2e/.venv-NAME`.
///
/// # Panics
/// Where it is not installed.
#[must_use]
#[allow(clippy::panic)]
pub fn python(name: &str) -> PathBuf {
    let python = repository_root().join(format!("tests/e2e/.venv-{name}/bin/python"));
    if !python.is_file() {
        panic!("the Python environment `{name}` is not installed\nhint: run `scripts/test`");
    }
    python
}

/// The folder of shared test data beside the checkout, or `None` with a line that says what is skipped.
#[must_use]
pub fn shared(skipped: &str) -> Option<PathBuf> {
    let folder = repository_root().parent()?.join("shared");
    if folder.join("README.md").is_file() {
        return Some(folder);
    }
    eprintln!("skipped: {skipped}: `../shared` is absent");
    None
}
