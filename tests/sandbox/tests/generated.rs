//! What is generated from the world is what is committed.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[test]
fn the_generated_files_are_what_the_world_gives() {
    for (path, text) in bouncer_sandbox_tests::wit::generated() {
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(committed == text, "{} is stale: run `scripts/refresh-wit`", path.display());
    }
}
