//! Archives at an `https` address, from a server of the test's own with a certificate of its own, and registries that do
//! what they should not.

use crate::desk::{Desk, component, manifest};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/servers/files.py");
const AUTHORITY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/servers/tls/ca.pem");

const HOSTILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/servers/registry.py");

struct Server {
    child: Child,
    port: String,
}

impl Server {
    /// Serves a folder of the desk's: see the script.
    fn start(script: &str, folder: &Path) -> Self {
        let mut child = Command::new("python3")
            .arg(script)
            .arg(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut port = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut port).unwrap();
        Self { child, port: port.trim().to_owned() }
    }

    fn url(&self, path: &str) -> String {
        format!("https://localhost:{}/{path}", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Code 0 or not, and all that was said.
fn install(desk: &Desk, authority: Option<&str>, args: &[&str]) -> (bool, String) {
    let mut command = desk.command(&["pack", "install"]);
    command.args(args).stdin(Stdio::null());
    command.env_remove("SSL_CERT_FILE").envs(authority.map(|file| ("SSL_CERT_FILE", file)));
    let out = command.output().unwrap();
    let said = [out.stdout, out.stderr].concat();
    (out.status.success(), String::from_utf8(said).unwrap())
}

#[test]
fn an_archive_is_fetched_and_held_against_its_hash() {
    let desk = Desk::new();
    let text = manifest("post", "1.0.0", component("gmail"));
    desk.tgz("post.tgz", &[("pack.toml", text.as_bytes()), ("post.wasm", component("gmail"))]);
    desk.write("big.tgz", vec![0_u8; 17 << 20]);
    let sha256 = bouncer::pack::sha256_hex(&std::fs::read(desk.path("post.tgz")).unwrap());
    let server = Server::start(SERVER, desk.folder.path());
    let refused = |path: &str, authority, hash: &str, why: &str| {
        let (done, said) = install(&desk, authority, &[&server.url(path), "--sha256", hash]);
        assert!(!done && said.contains(why), "{path}: {said}");
        assert!(!desk.path("home/packs/post").exists());
    };
    refused("post.tgz", Some(AUTHORITY), &"0".repeat(64), "nothing of it was opened");
    // Nobody vouches for this server but the test.
    refused("post.tgz", None, &sha256, "certificate");
    refused("gone.tgz", Some(AUTHORITY), &sha256, "404");
    refused("plain/post.tgz", Some(AUTHORITY), &sha256, "it is not encrypted");
    refused("round/post.tgz", Some(AUTHORITY), &sha256, "redirects again and again");
    refused("big.tgz", Some(AUTHORITY), &sha256, "sends more than 16777216 bytes");
    let (done, said) = install(&desk, Some(AUTHORITY), &[&server.url("to/post.tgz"), "--sha256", &sha256]);
    assert!(done && said.contains("installed post 1.0.0"), "{said}");
    let lock = desk.text("home/packs.lock");
    assert!(lock.contains(&format!("archive = \"{sha256}\"")) && lock.contains("/to/post.tgz"), "{lock}");
    // As the lock file names it, elsewhere.
    let other = Desk::new();
    other.write("bouncer.lock", lock);
    let (done, said) = install(&other, Some(AUTHORITY), &["--locked", "bouncer.lock"]);
    assert!(done && said.contains("installed post 1.0.0"), "{said}");
}

#[test]
fn a_registry_is_not_believed() {
    let desk = Desk::new();
    desk.pack("src", "1.0.0", "gmail");
    let server = Server::start(HOSTILE, &desk.path("src"));
    let at = |repository: &str| format!("oci://127.0.0.1:{}/{repository}:1", server.port);
    for (repository, why) in [
        ("endless", "it sends more than 262144 bytes"),
        ("away", "it is not encrypted"),
        ("elsewhere", "it is not encrypted"),
        ("password", "it wants a name and password"),
        ("index", "not one of an image with layers"),
        ("many", "more than 16 layers"),
        ("untitled", "is not a file that a pack holds"),
        ("negative", "is not one of an image with layers"),
        ("walks", "is not one of an image with layers"),
        ("shorter", "it sends more than"),
        ("other", "its layer `pack.toml` has the SHA-256"),
    ] {
        desk.refuses(&["pack", "install", &at(repository)], &[why]);
    }
    assert!(!desk.path("home/packs/post").exists());
    // One that hands out tokens to anybody.
    desk.done(&["pack", "install", &at("token")]);
}
