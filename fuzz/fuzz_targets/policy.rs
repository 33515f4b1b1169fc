//! A policy file of any bytes is read or refused, in both syntaxes, without a panic; its problems can be drawn.
#![no_main]
#![allow(dead_code, unused_imports)]

/// The seam that `host/src/policy` fills.
mod layer {
    use bouncer_core::contract::Stated;

    pub trait PolicySource: Send + Sync {
        fn stated(&self, server: &str, tool: &str) -> Vec<Stated>;
        fn strays(&self, server: &str, tools: &[&str]) -> Vec<String>;
    }
}
/// What `host/src/policy` asks of packs, without those that are built in.
#[path = "../../host/src/pack"]
mod pack {
    mod signature;

    pub use signature::check_key;

    pub struct Embedded {
        pub name: &'static str,
    }

    pub const EMBEDDED: [Embedded; 1] = [Embedded { name: "gmail" }];

    pub fn is_builtin(name: &str) -> bool {
        EMBEDDED.iter().any(|pack| pack.name == name)
    }
}
/// What it asks of paths.
mod paths {
    pub const SEPARATORS: &[char] = &['/'];
}
#[path = "../../host/src/policy/mod.rs"]
mod policy;

use libfuzzer_sys::fuzz_target;
use policy::{Format, Policy};
use std::path::Path;

fuzz_target!(|text: &str| {
    let _ = Format::of(Path::new("bouncer"), text);
    for format in [Format::Toml, Format::OlderYaml] {
        match Policy::parse(text, format, Path::new("/base"), Path::new("bouncer.toml")) {
            Ok(policy) => {
                let _ = (policy.stated("mail", "send_email"), policy.tools().count(), policy.trusted().count());
                let _ = policy.strays("mail", &["send_email"]);
            }
            Err(error) => {
                let drawn = if let policy::PolicyError::Malformed(all) = &error { all.draw(false) } else { String::new() };
                let _ = (error.to_string(), drawn);
            }
        }
    }
});
