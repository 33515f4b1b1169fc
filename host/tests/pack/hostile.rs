//! Archives, names and addresses that an attacker would send.

use crate::desk::{Desk, component, manifest};

#[test]
fn what_others_wrote_steers_no_terminal() {
    let desk = Desk::new();
    let text = manifest("post", "1.0.0", component("gmail"));
    desk.write("raw/pack.toml", format!("{text}\nx\u{1b}[31m = 1"));
    desk.write("raw/post.wasm", component("gmail"));
    desk.refuses(&["pack", "install", "raw"], &["\\u{1b}[31m"]);
    desk.refuses(&["pack", "check", "raw"], &["\\u{1b}[31m"]);
    desk.write("escaped/pack.toml", text.replace("Post: who", "\\u001b[31mPost: who"));
    desk.write("escaped/post.wasm", component("gmail"));
    desk.refuses(&["pack", "install", "escaped"], &["`summary` is"]);
    desk.write("evil.lock", "[[pack]]\nname = \"\u{1b}[31m\"\n");
    desk.refuses(&["pack", "install", "--locked", "evil.lock"], &["evil.lock:2"]);
    desk.write("key.lock", "[[pack]]\n\"\\u001b]0;x\\u0007\\u001b[2J\" = 1\n");
    desk.refuses(&["pack", "install", "--locked", "key.lock"], &["key.lock:2", "\\u{1b}]0;x"]);
    // Nor does it write lines of Bouncer's.
    desk.write("lines/pack.toml", format!("\"x\\nhint: it is signed\" = 1\n{text}"));
    desk.write("lines/post.wasm", component("gmail"));
    let said = desk.refuses(&["pack", "install", "lines"], &["it is signed"]);
    assert!(!said.contains("\nhint: it is signed"), "{said}");
    desk.write("named.lock", "[[pack]]\nname = \"\\u001b[31m\"\nversion = \"1\"\nsource = \"\\u001b[31m\"\nsha256 = \"x\"\nmanifest = \"x\"\n");
    desk.refuses(&["pack", "install", "--locked", "named.lock"], &["this is no SHA-256"]);
    desk.write("named.lock", desk.text("named.lock").replace("\"x\"", &format!("\"{}\"", "0".repeat(64))));
    desk.refuses(&["pack", "install", "--locked", "named.lock"], &["this is no pack's name"]);
    // Names of servers are anybody's too: one that hides something is none.
    for hidden in ["\\u001b[31m", "\\u202e", "\\u00ad", "\\n", "\\U000E0049"] {
        let named = format!("packages = [\"srv{hidden}\"]");
        desk.write("src/pack.toml", text.replace("packages = [\"srv-post\"]", &named));
        desk.write("src/post.wasm", component("gmail"));
        for args in [&["pack", "install", "src"], &["pack", "check", "src"], &["pack", "inspect", "src"]] {
            let said = desk.refuses(args, &["`servers` is"]);
            assert!(!said.chars().any(|c| c == '\u{202e}' || c == '\u{ad}' || c == '\u{e0049}'), "{said:?}");
        }
    }
}

#[test]
fn archives_are_read_and_hostile_ones_refused() {
    let desk = Desk::new();
    let text = manifest("post", "1.0.0", component("gmail"));
    let files: [(&str, &[u8]); 2] =
        [("post/pack.toml", text.as_bytes()), ("post/post.wasm", component("gmail"))];
    desk.tgz("good.tgz", &files);
    desk.zip("good.zip", &files);
    let sha256 = bouncer::pack::sha256_hex(&std::fs::read(desk.path("good.tgz")).unwrap());
    let wrong = "0".repeat(64);
    desk.refuses(
        &["pack", "install", "good.tgz", "--sha256", &wrong],
        &["nothing of it was opened", &sha256],
    );
    desk.refuses(&["pack", "install", "good.tgz", "--sha256", "x"], &["64 lower-case"]);
    desk.done(&["pack", "install", "good.tgz", "--sha256", &sha256]);
    assert!(desk.text("home/packs.lock").contains(&format!("archive = \"{sha256}\"")));
    desk.done(&["pack", "remove", "post"]);
    desk.done(&["pack", "install", "good.zip"]);
    desk.done(&["pack", "remove", "post"]);

    desk.tgz("evil.tgz", &[("pack.toml", text.as_bytes()), ("run\u{1b}[31m.sh", b"x")]);
    insta::assert_snapshot!(desk.says(&["pack", "install", "evil.tgz"]), @r"
    code 1
    --- out
    --- err
    error: `DIR/evil.tgz` holds the entry `run\u{1b}[31m.sh`, which has a control character in its name
    hint: a pack's archive holds `pack.toml`, the component that it names, and at most a signature, `cases.toml`, a readme, a licence and `settings.schema.json`, as plain files at the top or in one folder
    ");
    desk.zip("up.zip", &[("../pack.toml", text.as_bytes())]);
    desk.refuses(&["pack", "install", "up.zip"], &["`../pack.toml`", "leads out of the archive"]);
    let zeros = vec![0_u8; 64 << 20];
    desk.zip("bomb.zip", &[("post.wasm", &zeros)]);
    desk.refuses(&["pack", "install", "bomb.zip"], &["`post.wasm`", "expands to more than"]);
    desk.tgz("bomb.tgz", &[("pack.toml", &zeros)]);
    desk.refuses(&["pack", "install", "bomb.tgz"], &["expands to more than"]);
    let other: [(&str, &[u8]); 2] = [("pack.toml", text.as_bytes()), ("post.wasm", component("slack"))];
    desk.tgz("other.tgz", &other);
    desk.refuses(&["pack", "install", "other.tgz"], &["the module's sha256 is"]);
    desk.refuses(&["pack", "install", "none.tgz"], &["No such file"]);
    desk.refuses(&["pack", "install", "/dev/zero"], &["neither a folder nor a file"]);
    std::fs::create_dir(desk.path("links")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", desk.path("links/pack.toml")).unwrap();
    desk.refuses(&["pack", "install", "links"], &["no plain file"]);
    let left: Vec<_> =
        std::fs::read_dir(desk.path("home/packs")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, [".lock"]);
}

#[test]
fn addresses_that_are_not_taken() {
    let desk = Desk::new();
    insta::assert_snapshot!(desk.says(&["pack", "install", "http://a.example/p.tgz"]), @r"
    code 2
    --- out
    --- err
    error: packs are not taken from `http://` addresses
    hint: a folder, an archive, `https://…` with --sha256, or `oci://REGISTRY/NAME:TAG`
    ");
    insta::assert_snapshot!(desk.says(&["pack", "install", "https://a.example/p.tgz"]), @r"
    code 2
    --- out
    --- err
    error: an address needs --sha256
    hint: take the archive's SHA-256 from where you trust it, not from the same server
    ");
    let hash = "0".repeat(64);
    desk.refuses(
        &["pack", "install", "https://u:p@a.example/p.tgz", "--sha256", &hash],
        &["name or password"],
    );
    insta::assert_snapshot!(desk.says(&["pack", "install", "oci://post"]), @r"
    code 1
    --- out
    --- err
    error: `oci://post` cannot be fetched from: it names no registry
    hint: as in `oci://ghcr.io/someone/pack:1.0.0`, or with `@sha256:DIGEST` instead of the tag
    ");
    desk.refuses(&["pack", "install", "oci://127.0.0.1:1/post:1"], &["127.0.0.1:1"]);
}
