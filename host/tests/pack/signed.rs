//! Signatures as `minisign` makes them, demanded by the user's own policy file.

use crate::desk::{Desk, component, manifest};
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use std::io::Write as _;
use std::process::{Command, Stdio};

/// A key of the publisher's.
struct Key {
    pair: Ed25519KeyPair,
    id: [u8; 8],
}

impl Key {
    fn new(seed: u8) -> Self {
        Self { pair: Ed25519KeyPair::from_seed_unchecked(&[seed; 32]).unwrap(), id: [seed; 8] }
    }

    fn public(&self) -> String {
        base64(&[b"Ed", self.id.as_slice(), self.pair.public_key().as_ref()].concat())
    }

    /// What `minisign -S` writes beside a file with these bytes.
    fn sign(&self, bytes: &[u8]) -> String {
        let signature = self.pair.sign(&blake2b(bytes));
        let comment = "timestamp:1";
        let global = self.pair.sign(&[signature.as_ref(), comment.as_bytes()].concat());
        format!(
            "untrusted comment: x\n{}\ntrusted comment: {comment}\n{}\n",
            base64(&[b"ED", self.id.as_slice(), signature.as_ref()].concat()),
            base64(global.as_ref())
        )
    }
}

fn python(program: &str, bytes: &[u8]) -> Vec<u8> {
    let mut child = Command::new("python3")
        .args(["-c", program])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(bytes).unwrap();
    child.wait_with_output().unwrap().stdout
}

fn blake2b(bytes: &[u8]) -> Vec<u8> {
    python(
        "import sys,hashlib;sys.stdout.buffer.write(hashlib.blake2b(sys.stdin.buffer.read()).digest())",
        bytes,
    )
}

fn base64(bytes: &[u8]) -> String {
    let text =
        python("import sys,base64;sys.stdout.buffer.write(base64.b64encode(sys.stdin.buffer.read()))", bytes);
    String::from_utf8(text).unwrap()
}

#[test]
fn a_pack_with_a_key_must_be_signed_by_it() {
    let desk = Desk::new();
    let (own, other) = (Key::new(1), Key::new(2));
    let text = manifest("post", "1.0.0", component("gmail"));
    desk.pack("src", "1.0.0", "gmail");
    desk.write("home/bouncer.toml", format!("[pack_keys]\npost = \"{}\"\n", own.public()));
    insta::assert_snapshot!(desk.says(&["pack", "install", "src"]), @r"
    code 1
    --- out
    --- err
    error: `post` must be signed by the key in your policy file, and it has no signature
    hint: its publisher's `pack.toml.minisig` belongs beside `pack.toml`; --signature FILE names another signature, of the archive or of `pack.toml`
    ");
    desk.write("src/pack.toml.minisig", other.sign(text.as_bytes()));
    desk.refuses(&["pack", "install", "src"], &["made with another key"]);
    desk.write("src/pack.toml.minisig", own.sign(b"something else"));
    desk.refuses(&["pack", "install", "src"], &["not of these bytes"]);
    desk.write("src/pack.toml.minisig", "nonsense");
    desk.refuses(&["pack", "install", "src"], &["no minisign signature"]);
    // Signed, and then given another component: the manifest names the hash of the old one.
    desk.write("src/pack.toml.minisig", own.sign(text.as_bytes()));
    desk.write("src/post.wasm", component("slack"));
    desk.refuses(&["pack", "install", "src"], &["the module's sha256 is"]);
    desk.write("src/post.wasm", component("gmail"));
    let said = desk.done(&["pack", "install", "src"]);
    assert!(said.contains("its `pack.toml` is signed by the key in your policy file"), "{said}");

    // An update and a lock file too.
    desk.pack("src", "1.1.0", "gmail");
    desk.refuses(&["pack", "update", "post"], &["not of these bytes"]);
    desk.write("src/pack.toml.minisig", own.sign(manifest("post", "1.1.0", component("gmail")).as_bytes()));
    desk.done(&["pack", "update", "post"]);
    desk.write("bouncer.lock", desk.text("home/packs.lock"));
    desk.done(&["pack", "remove", "post"]);
    desk.write("src/pack.toml.minisig", "");
    desk.refuses(&["pack", "install", "--locked", "bouncer.lock"], &["no minisign signature"]);

    // An archive, by a signature of its bytes: beside it, or named.
    desk.tgz("post.tgz", &[("pack.toml", text.as_bytes()), ("post.wasm", component("gmail"))]);
    desk.refuses(&["pack", "install", "post.tgz"], &["it has no signature"]);
    let archive = std::fs::read(desk.path("post.tgz")).unwrap();
    desk.write("elsewhere.minisig", own.sign(&archive));
    desk.done(&["pack", "install", "post.tgz", "--signature", "elsewhere.minisig"]);
    desk.done(&["pack", "remove", "post"]);
    desk.write("post.tgz.minisig", own.sign(&archive));
    let said = desk.done(&["pack", "install", "post.tgz"]);
    assert!(said.contains("its archive is signed"), "{said}");
    desk.done(&["pack", "remove", "post"]);
    desk.write("post.tgz.minisig", other.sign(&archive));
    desk.refuses(&["pack", "install", "post.tgz"], &["post.tgz.minisig", "made with another key"]);

    // A key for all packs, and none.
    desk.write("home/bouncer.toml", format!("[pack_keys]\n\"*\" = \"{}\"\n", other.public()));
    desk.done(&["pack", "install", "post.tgz"]);
    desk.done(&["pack", "remove", "post"]);
    desk.write("home/bouncer.toml", "");
    desk.refuses(
        &["pack", "install", "post.tgz", "--signature", "elsewhere.minisig"],
        &["no key to hold the signature against"],
    );
    desk.write("home/bouncer.toml", "[pack_keys]\npost = \"RWQ\"\n");
    desk.refuses(&["pack", "install", "src"], &["bouncer.toml:2:8", "no minisign public key"]);
}
