//! Packs in an OCI registry: Debian's `docker-registry` on loopback, filled by `oci-client`.

use crate::desk::{Desk, component, manifest};
use bytes::Bytes;
use oci_client::annotations::ORG_OPENCONTAINERS_IMAGE_TITLE;
use oci_client::client::{ClientConfig, ClientProtocol, Config, ImageLayer};
use oci_client::manifest::{OCI_IMAGE_MEDIA_TYPE, OciImageManifest};
use oci_client::secrets::RegistryAuth;
use oci_client::{Client, Reference};
use std::collections::BTreeMap;
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

struct Registry {
    child: Child,
    address: String,
}

impl Drop for Registry {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Registry {
    /// `None` where the program is not installed, which is said, and a failure where everything must be tested.
    fn start(desk: &Desk) -> Option<Self> {
        let there = Command::new("docker-registry").arg("--version").stdout(Stdio::null()).status();
        if there.is_err() {
            assert!(
                std::env::var_os("CI").is_none(),
                "`docker-registry` is missing: scripts/test --setup installs it where it can"
            );
            eprintln!(
                "skipped: packs in a registry: `docker-registry` (a package of Debian) is not installed"
            );
            return None;
        }
        // A port that nobody has; taken again by the registry.
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let address = format!("127.0.0.1:{port}");
        let config = format!(
            "version: 0.1\nlog: {{level: error}}\nstorage:\n  filesystem: {{rootdirectory: {}}}\nhttp: {{addr: '{address}'}}\n",
            desk.path("registry").display()
        );
        desk.write("registry.yml", config);
        let child = Command::new("docker-registry")
            .arg("serve")
            .arg(desk.path("registry.yml"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let registry = Self { child, address };
        let up = || TcpStream::connect(&registry.address).is_ok();
        assert!(crate::common::eventually(Duration::from_secs(30), up), "the registry does not start");
        Some(registry)
    }

    /// Puts files there, a layer each; returns the digest.
    fn push(&self, name: &str, files: &[(&str, &[u8])]) -> String {
        let reference: Reference = format!("{}/{name}", self.address).parse().unwrap();
        let layers: Vec<ImageLayer> = files
            .iter()
            .map(|(title, bytes)| {
                let title = (ORG_OPENCONTAINERS_IMAGE_TITLE.to_owned(), (*title).to_owned());
                let of = Some(BTreeMap::from([title]));
                ImageLayer::new(Bytes::copy_from_slice(bytes), "application/octet-stream".to_owned(), of)
            })
            .collect();
        let config = Config::oci_v1(b"{}".to_vec(), None);
        let mut image = OciImageManifest::build(&layers, &config, None);
        image.media_type = Some(OCI_IMAGE_MEDIA_TYPE.to_owned());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::new(ClientConfig { protocol: ClientProtocol::Http, ..ClientConfig::default() });
        runtime.block_on(async {
            let auth = RegistryAuth::Anonymous;
            client.push(&reference, &layers, config, &auth, Some(image)).await.unwrap();
            client.fetch_manifest_digest(&reference, &auth).await.unwrap()
        })
    }
}

#[test]
fn packs_are_taken_from_a_registry() {
    let desk = Desk::new();
    let Some(registry) = Registry::start(&desk) else { return };
    let text = manifest("post", "1.0.0", component("gmail"));
    let files: [(&str, &[u8]); 2] = [("pack.toml", text.as_bytes()), ("post.wasm", component("gmail"))];
    let digest = registry.push("packs/post:1.0.0", &files);
    let at = |name: &str| format!("oci://{}/{name}", registry.address);

    let said = desk.done(&["pack", "install", &at("packs/post:1.0.0")]);
    assert!(said.contains("installed post 1.0.0"), "{said}");
    let lock = desk.text("home/packs.lock");
    assert!(lock.contains(digest.strip_prefix("sha256:").unwrap()), "{lock}");
    desk.write("bouncer.lock", lock);
    desk.done(&["pack", "remove", "post"]);
    desk.done(&["pack", "install", &at(&format!("packs/post@{digest}"))]);
    desk.done(&["pack", "remove", "post"]);
    desk.done(&["pack", "install", "--locked", "bouncer.lock"]);

    // The tag leads elsewhere now: an update sees that.
    let newer = manifest("post", "1.1.0", component("slack"));
    registry.push("packs/post:1.0.0", &[("pack.toml", newer.as_bytes()), ("post.wasm", component("slack"))]);
    let said = desk.done(&["pack", "update", "post"]);
    assert!(said.contains("updated post to 1.1.0"), "{said}");
    desk.done(&["pack", "remove", "post"]);
    desk.refuses(&["pack", "install", "--locked", "bouncer.lock"], &["is not the pack `post`"]);

    desk.refuses(&["pack", "install", &at("packs/gone:1")], &["404"]);
    let zeros = format!("packs/post@sha256:{}", "0".repeat(64));
    desk.refuses(&["pack", "install", &at(&zeros)], &["404"]);
    registry.push("evil:1", &[("../pack.toml", text.as_bytes())]);
    desk.refuses(&["pack", "install", &at("evil:1")], &["`../pack.toml` is not a file that a pack holds"]);
    registry.push("twice:1", &[files[0], ("pack.toml", newer.as_bytes())]);
    desk.refuses(&["pack", "install", &at("twice:1")], &["two of its layers"]);
    registry.push("large:1", &[("pack.toml", &vec![b'#'; 70_000])]);
    desk.refuses(&["pack", "install", &at("large:1")], &["`pack.toml` has more than 65536 bytes"]);
    registry.push("half:1", &[files[0]]);
    desk.refuses(&["pack", "install", &at("half:1")], &["has no `post.wasm`"]);
    registry.push("other:1", &[files[0], ("post.wasm", component("slack"))]);
    desk.refuses(&["pack", "install", &at("other:1")], &["the module's sha256 is"]);

    // Somebody changed what lies in the registry.
    registry.push("packs/post:2.0.0", &files);
    let hash = bouncer::pack::sha256_hex(component("gmail"));
    let blob =
        desk.path("registry/docker/registry/v2/blobs/sha256").join(&hash[..2]).join(&hash).join("data");
    let mut bytes = std::fs::read(&blob).unwrap();
    bytes[100] ^= 1;
    std::fs::write(&blob, bytes).unwrap();
    desk.refuses(&["pack", "install", &at("packs/post:2.0.0")], &["its layer `post.wasm` has the SHA-256"]);
    assert!(!desk.path("home/packs/post").exists());
}
