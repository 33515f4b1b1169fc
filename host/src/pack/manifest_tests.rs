use super::*;

const GOOD: &str = r#"
name = "gmail"
version = "0.1.0"
summary = "Mail through Gmail."
module = "gmail.wasm"
sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
checked = ["x 1.0 (3 tools)"]

[[servers]]
packages = ["@x/gmail"]

[[servers]]
reported_name = ["gmail", "google mail"]
commands = ["gmail-mcp"]

[grants]
harmless = "A filter's criteria name nobody who receives mail."
"#;

#[test]
fn a_good_manifest_is_read_whole() {
    let manifest = Manifest::parse(GOOD).unwrap();
    assert_eq!(manifest.servers.len(), 2);
    assert!(manifest.grants.harmless.is_some() && manifest.grants.vouch.is_none());
    assert_eq!(manifest.verify(b"abc").unwrap(), manifest.sha256);
}

#[test]
fn another_module_than_the_one_named_is_refused() {
    let manifest = Manifest::parse(GOOD).unwrap();
    let error = manifest.verify(b"abd").unwrap_err().to_string();
    assert!(error.contains("a52d159f262b2c6ddb724a61840befc36eb30c88877a4030b65cbe86298449c9"), "{error}");
}

#[test]
fn the_strongest_match_counts() {
    let manifest = Manifest::parse(GOOD).unwrap();
    let both = ServerIdentity {
        reported_name: "google mail".into(),
        command: ["npx", "@x/gmail"].map(Into::into).into(),
        ..ServerIdentity::default()
    };
    assert_eq!(manifest.matched(&both), Some(Matched::Command));
    let named = ServerIdentity { reported_name: "google mail".into(), ..ServerIdentity::default() };
    assert_eq!(manifest.matched(&named), Some(Matched::ReportedName));
    assert!(!manifest.is_for(&ServerIdentity { name: "gmail".into(), ..ServerIdentity::default() }));
}

#[test]
fn what_a_manifest_cannot_say_is_refused_with_the_key() {
    for (from, to, key) in [
        ("\"gmail\"\nversion", "\"../gmail\"\nversion", "name"),
        ("\"gmail\"\nversion", "\"\"\nversion", "name"),
        ("0.1.0", "latest", "version"),
        ("0.1.0", "1.2", "version"),
        ("gmail.wasm", "../gmail.wasm", "module"),
        ("gmail.wasm", "gmail.txt", "module"),
        ("gmail.wasm", "/gmail.wasm", "module"),
        ("ba7816bf", "BA7816BF", "sha256"),
        ("ba7816bf", "", "sha256"),
        ("Mail through Gmail.", "", "summary"),
        ("Mail through Gmail.", "Mail\\nthrough", "summary"),
        ("Mail through Gmail.", "Mail \\u202e through", "summary"),
        ("packages = [\"@x/gmail\"]", "packages = []", "servers"),
        ("packages = [\"@x/gmail\"]", "packages = [\"\"]", "servers"),
        ("packages = [\"@x/gmail\"]", "tools = [\"send_email\"]", "tools"),
        ("harmless", "everything", "everything"),
        ("summary", "sumary", "sumary"),
    ] {
        let text = GOOD.replacen(from, to, 1);
        assert_ne!(text, GOOD, "{from} is not in the manifest");
        let error = Manifest::parse(&text).unwrap_err().to_string();
        assert!(error.contains(key), "{to}: {error}");
    }
    let without_servers = GOOD.split("[[servers]]").next().unwrap();
    assert!(Manifest::parse(without_servers).unwrap_err().to_string().contains("servers"));
    assert!(matches!(Manifest::parse(&" ".repeat(MAX_MANIFEST + 1)), Err(ManifestError::TooLarge(_))));
}
