//! Archives at an `https` address, from a server of the test's own with a certificate of its own.

use crate::desk::{Desk, component, manifest};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/servers/files.py");
const AUTHORITY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/servers/tls/ca.pem");

struct Server {
    child: Child,
    port: String,
}

impl Server {
    /// Serves the desk's folder; `/to/NAME` redirects to it, `/plain/NAME` to an address without encryption.
    fn start(desk: &Desk) -> Self {
        let mut child = Command::new("python3")
            .args([SERVER])
            .arg(desk.folder.path())
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
    let server = Server::start(&desk);
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
