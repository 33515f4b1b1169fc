//! What is generated from the world in `wit/`: the guest's bindings, and the page for people.

mod page;

use std::fs;
use std::path::{Path, PathBuf};
use wit_bindgen_core::wit_parser::Resolve;
use wit_bindgen_core::{Files, WorldGenerator as _};
use wit_bindgen_rust::Opts;

/// The root of the repository.
#[must_use]
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_owned()
}

/// Every generated file with its text.
#[must_use]
pub fn generated() -> Vec<(PathBuf, String)> {
    vec![
        (root().join("guest-sdk/src/bindings.rs"), bindings()),
        (
            root().join("docs/wit.md"),
            page::page(&fs::read_to_string(root().join("wit/policy.wit")).expect("the world")),
        ),
    ]
}

/// The guest's half of the world, without the proc macro that a user's build would have to fetch and compile.
fn bindings() -> String {
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(root().join("wit")).expect("the world can be read");
    let world = resolve.select_world(&[package], Some("policy")).expect("the world is there");
    let options = Opts {
        pub_export_macro: true,
        export_macro_name: Some("export_world".into()),
        default_bindings_module: Some("bouncer_guest::bindings".into()),
        runtime_path: Some("crate::rt".into()),
        additional_derive_attributes: vec!["PartialEq".into()],
        format: false,
        ..Opts::default()
    };
    let mut files = Files::default();
    options.build().generate(&mut resolve, world, &mut files).expect("the world has bindings");
    let (_, text) = files.iter().next().expect("one file");
    let text = String::from_utf8(text.to_vec()).expect("the bindings are text");
    without_post_returns(&text)
}

/// Every call gets an instance of its own, so nothing has to be given back after it.
fn without_post_returns(text: &str) -> String {
    let mut lines = text.lines();
    let mut kept = String::new();
    while let Some(line) = lines.next() {
        if line.contains("export_name = \"cabi_post_") {
            // The function: its head, its body, its end.
            lines.by_ref().take(3).for_each(drop);
        } else {
            kept.push_str(line.trim_end());
            kept.push('\n');
        }
    }
    kept
}
