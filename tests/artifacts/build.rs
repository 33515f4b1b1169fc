//! One nested cargo run that builds all guests for `wasm32-unknown-unknown`.
#![allow(clippy::panic, reason = "a build script has no other way to fail")]

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const TARGET: &str = "wasm32-unknown-unknown";

fn main() {
    let manifest_dir = PathBuf::from(var("CARGO_MANIFEST_DIR"));
    let root = manifest_dir.ancestors().nth(2).unwrap_or(&manifest_dir).to_owned();
    let out = PathBuf::from(var("OUT_DIR"));
    // The shared target folder, so that a changed build script does not start from nothing.
    let target_dir = out.ancestors().nth(4).unwrap_or(&out).join("guests");

    for watched in ["Cargo.toml", "Cargo.lock", "wit", "guest-sdk", "policies", "tests/hostile"] {
        println!("cargo::rerun-if-changed={}", root.join(watched).display());
    }
    let packages = packages(&root);
    build(&root, &target_dir, &packages);

    let mut list = String::from(
        "/// Every guest: package name and core module.\npub const BUILT: &[(&str, &[u8])] = &[\n",
    );
    for package in &packages {
        let built = target_dir.join(TARGET).join("guest").join(format!("{}.wasm", package.replace('-', "_")));
        let kept = out.join(format!("{package}.wasm"));
        if let Err(error) = fs::copy(&built, &kept) {
            panic!("`{package}` built no `{}`: {error}; is its crate-type cdylib?", built.display());
        }
        let _ = writeln!(list, "    ({package:?}, include_bytes!({:?})),", kept.display().to_string());
    }
    list.push_str("];\n");
    if let Err(error) = fs::write(out.join("built.rs"), list) {
        panic!("the list of guests cannot be written: {error}");
    }
}

fn var(name: &str) -> String {
    env::var(name).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The names of all guest packages, sorted by folder.
fn packages(root: &Path) -> Vec<String> {
    let mut manifests: Vec<PathBuf> = ["policies", "tests/hostile"]
        .iter()
        .filter_map(|folder| fs::read_dir(root.join(folder)).ok())
        .flat_map(|entries| entries.flatten().map(|entry| entry.path().join("Cargo.toml")))
        .filter(|manifest| manifest.is_file())
        .collect();
    manifests.sort();
    manifests.iter().filter_map(|manifest| package_name(manifest)).collect()
}

fn package_name(manifest: &Path) -> Option<String> {
    let text = fs::read_to_string(manifest).ok()?;
    // Folders without one hold what the modules share.
    if !text.contains("\"cdylib\"") {
        return None;
    }
    let name = text.lines().find_map(|line| line.strip_prefix("name = \""))?;
    Some(name.trim_end().trim_end_matches('"').to_owned())
}

fn build(root: &Path, target_dir: &Path, packages: &[String]) {
    let mut cargo = Command::new(var("CARGO"));
    cargo.current_dir(root).args([
        "build",
        "--locked",
        "--profile",
        "guest",
        "--target",
        TARGET,
        "--target-dir",
    ]);
    cargo.arg(target_dir);
    for package in packages {
        cargo.args(["-p", package]);
    }
    // What the outer run was told must not change the bytes of a guest.
    for (name, _) in env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if name.starts_with("CARGO_PROFILE_")
            || name.starts_with("CARGO_TARGET_")
            || name.starts_with("CARGO_BUILD_")
        {
            cargo.env_remove(name);
        }
    }
    for name in
        ["RUSTFLAGS", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "CARGO_INCREMENTAL", "RUSTC_BOOTSTRAP"]
    {
        cargo.env_remove(name);
    }
    cargo.env("CARGO_ENCODED_RUSTFLAGS", remappings(root).join("\u{1f}"));
    match cargo.status() {
        Ok(status) if status.success() => {}
        Ok(status) => panic!(
            "the guests do not build ({status}); is the target there? `rustup target add {TARGET}` for the pinned toolchain"
        ),
        Err(error) => panic!("cargo cannot be started: {error}"),
    }
}

/// Flags that keep this machine's paths (they stand in panic messages) out of the modules, and their stacks small. The
/// same as `bouncer pack build` gives.
fn remappings(root: &Path) -> Vec<String> {
    let rustc = |args: &[&str]| {
        let output = Command::new(var("RUSTC")).args(args).output();
        output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default()
    };
    let sysroot = rustc(&["--print", "sysroot"]);
    let version = rustc(&["-vV"]);
    let commit = version.lines().find_map(|line| line.strip_prefix("commit-hash: ")).unwrap_or("unknown");
    let home = env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| Some(env::home_dir()?.join(".cargo")));

    let mut flags = vec![format!("--remap-path-prefix={}=/bouncer", root.display())];
    if let Some(home) = home {
        let registry = home.join("registry").join("src");
        // Each registry has a folder of its own, whose name says only how it was reached.
        for index in fs::read_dir(registry).into_iter().flatten().flatten() {
            flags.push(format!("--remap-path-prefix={}=/registry", index.path().display()));
        }
    }
    let std_source = Path::new(sysroot.trim()).join("lib").join("rustlib").join("src").join("rust");
    flags.push(format!("--remap-path-prefix={}=/rustc/{commit}", std_source.display()));
    // The standard megabyte would have to be looked through before a memory is used again.
    flags.push("-Clink-arg=-zstack-size=262144".to_owned());
    flags
}
