//! What each command says, how it ends, and what lies in Bouncer's folder then.

use crate::desk::{Desk, component, manifest};
use std::os::unix::fs::PermissionsExt;

#[test]
fn installing_grants_nothing_and_says_what_it_would_loosen() {
    let desk = Desk::new();
    desk.record();
    desk.pack("src", "1.0.0", "gmail");
    insta::assert_snapshot!(desk.says(&["pack", "install", "src"]), @r"
    code 0
    --- out
    installed post 1.0.0 (sha256 GMAIL_SHA) from DIR/src
      Post: who receives a mail
      for srv-post, command srv-post
    it makes verdicts stricter from the next start of a server on; restart the client for that
    it would like to loosen as well, and none of that is granted:
      harmless     call arguments no destinations: what stands in them is not asked about
                   the pack's reason: Subject and body name nobody who receives the mail
                   mail/download_attachment: `/filename` is no destination, whatever stands in it
                   mail/send_email: where `/to`, `/cc`, `/bcc` says who receives a call, the other arguments are content
      not_sending  call tools not sending or not destroying: their calls are not asked about
                   the pack's reason: Reading sends nothing
    `bouncer pack grant post` grants all of it, `bouncer pack grant post KIND` one kind
    --- err
    ");
    insta::assert_snapshot!(desk.says(&["pack", "list", "--installed"]), @r"
    code 0
    --- out
    post 1.0.0  Post: who receives a mail
      source   DIR/src
      sha256   GMAIL_SHA
      servers  srv-post, command srv-post
      granted  nothing; it would like harmless, not_sending
      checked  srv-post 1.0.0 (2 tools)
    --- err
    ");
    for (path, mode) in [("packs/post", 0o700), ("packs/post/post.wasm", 0o600), ("packs.lock", 0o600)] {
        let found = std::fs::metadata(desk.path("home").join(path)).unwrap().permissions().mode();
        assert_eq!(found & 0o777, mode, "{path}");
    }
    assert!(!desk.path("home/grants.toml").exists());
    let lock = desk.text("home/packs.lock");
    assert!(lock.contains("name = \"post\"") && lock.contains("[[pack.servers]]"), "{lock}");
    let again = desk.done(&["pack", "install", "src"]);
    assert!(again.contains("is installed already, with the same content"), "{again}");
}

#[test]
fn grants_are_given_by_a_person_and_fall_away_with_the_content() {
    let desk = Desk::new();
    desk.record();
    desk.pack("src", "1.0.0", "gmail");
    // Nobody to ask, so not even the pack is there.
    desk.refuses(&["pack", "install", "src", "--grant"], &["nobody to ask"]);
    assert!(!desk.path("home/packs/post").exists());
    desk.done(&["pack", "install", "src"]);
    desk.refuses(&["pack", "grant", "post"], &["nobody to ask"]);
    desk.refuses(
        &["pack", "grant", "post", "vouch", "--yes"],
        &["does not ask for vouch", "harmless, not_sending"],
    );
    insta::assert_snapshot!(desk.says(&["pack", "grant", "post", "harmless", "--yes"]), @r"
    code 0
    --- out
    post 1.0.0 (sha256 GMAIL_SHA) would then
      harmless     call arguments no destinations: what stands in them is not asked about
                   the pack's reason: Subject and body name nobody who receives the mail
                   mail/download_attachment: `/filename` is no destination, whatever stands in it
                   mail/send_email: where `/to`, `/cc`, `/bcc` says who receives a call, the other arguments are content
    granted harmless to post; takes effect at the next start of a server; restart the client for that
    --- err
    ");
    insta::assert_snapshot!(desk.named(&desk.text("home/grants.toml")), @r#"
    # What installed packs may loosen. `bouncer pack grant` and `bouncer pack revoke` write this file; it can be edited too.
    # A grant holds for exactly this module and this manifest (pack.toml), by SHA-256. Kinds:
    #   harmless     call arguments no destinations: what stands in them is not asked about
    #   not_sending  call tools not sending or not destroying: their calls are not asked about
    #   directories  name directories: whom such an answer lists may be sent to without a question
    #   vouch        vouch for destinations: they may be sent to without a question

    [[grant]]
    pack = "post"
    sha256 = "GMAIL_SHA256"
    manifest = "MANIFEST_1.0.0"
    kinds = ["harmless"]
    date = "TODAY"
    "#);
    assert!(
        desk.done(&["pack", "list"]).contains("granted  harmless since TODAY; it would like not_sending")
    );
    // One more, and one taken back.
    desk.done(&["pack", "grant", "post", "--yes"]);
    insta::assert_snapshot!(desk.says(&["pack", "revoke", "post", "harmless"]), @r"
    code 0
    --- out
    took back harmless from post; takes effect at the next start of a server; restart the client for that
    granted now: not_sending
    --- err
    ");
    // The same component under another manifest has none.
    desk.pack("src", "1.1.0", "gmail");
    insta::assert_snapshot!(desk.says(&["pack", "update", "post"]), @r"
    code 0
    --- out
    post: 1.0.0 (sha256 GMAIL_SHA) -> 1.1.0 (sha256 GMAIL_SHA)
    updated post to 1.1.0 (sha256 GMAIL_SHA)
    what was granted to the old content is gone: not_sending
    it makes verdicts stricter from the next start of a server on; restart the client for that
    it would like to loosen as well, and none of that is granted:
      harmless     call arguments no destinations: what stands in them is not asked about
                   the pack's reason: Subject and body name nobody who receives the mail
                   mail/download_attachment: `/filename` is no destination, whatever stands in it
                   mail/send_email: where `/to`, `/cc`, `/bcc` says who receives a call, the other arguments are content
      not_sending  call tools not sending or not destroying: their calls are not asked about
                   the pack's reason: Reading sends nothing
    `bouncer pack grant post` grants all of it, `bouncer pack grant post KIND` one kind
    --- err
    ");
    assert!(!desk.text("home/grants.toml").contains("[[grant]]"));
    assert!(desk.done(&["pack", "revoke", "post"]).contains("nothing is granted to post"));
    desk.refuses(&["pack", "revoke", "gone"], &["no pack called `gone`", "`post`"]);
    desk.refuses(&["pack", "grant", "gmail", "--yes"], &["built in"]);
}

#[test]
fn a_yes_is_typed_at_a_terminal() {
    let desk = Desk::new();
    desk.pack("src", "1.0.0", "gmail");
    for answer in ["", "n", "yess"] {
        let said = desk.typed(answer, &["pack", "install", "src", "--grant=harmless"]);
        assert!(
            said.contains("grant harmless to post? [y/N]") && said.contains("nothing was granted"),
            "{said}"
        );
        assert!(!desk.path("home/grants.toml").exists());
    }
    let said = desk.typed("yes", &["pack", "grant", "post", "harmless"]);
    assert!(said.contains("granted harmless to post"), "{said}");
    assert!(desk.text("home/grants.toml").contains("kinds = [\"harmless\"]"));
}

#[test]
fn an_update_shows_what_changes_over_the_recorded_tools() {
    let desk = Desk::new();
    desk.record();
    desk.pack("src", "1.0.0", "gmail");
    desk.done(&["pack", "install", "src", "--grant", "--yes"]);
    desk.pack("new", "2.0.0", "slack");
    insta::assert_snapshot!(desk.says(&["pack", "update", "post", "new", "--dry-run"]), @r"
    code 0
    --- out
    post: 1.0.0 (sha256 GMAIL_SHA) -> 2.0.0 (sha256 SLACK_SHA)
      mail/download_attachment
      - evaluated by post
      - exfiltrating false  (where granted)
      - harmless_param /filename  (where granted)
      - write_param /savePath
      mail/send_email
      - evaluated by post
      - exfiltrating true
      - sink /bcc (email)
      - sink /cc (email)
      - sink /to (email)
      its code changed; what that says of single calls cannot be compared here
    nothing was changed
    --- err
    ");
    assert!(desk.done(&["pack", "list", "--installed"]).contains("post 1.0.0"));
    let said = desk.done(&["pack", "update", "post", "new"]);
    assert!(said.contains("what was granted to the old content is gone: harmless, not_sending"), "{said}");
    assert!(desk.done(&["pack", "list", "--installed"]).contains("granted  nothing; it would like harmless"));
    assert!(desk.done(&["pack", "update", "post"]).contains("is what is installed already"));
    desk.write("other/pack.toml", manifest("other", "1.0.0", component("gmail")));
    desk.write("other/other.wasm", component("gmail"));
    desk.refuses(&["pack", "update", "post", "other"], &["holds the pack `other`"]);
    desk.refuses(&["pack", "update", "gone", "new"], &["no pack called `gone`"]);
}

#[test]
fn names_are_taken_once() {
    let desk = Desk::new();
    desk.pack("src", "1.0.0", "gmail");
    desk.done(&["pack", "install", "src"]);
    desk.pack("theirs", "9.9.9", "slack");
    insta::assert_snapshot!(desk.says(&["pack", "install", "theirs"]), @r"
    code 1
    --- out
    --- err
    error: a pack called `post` is installed already from `DIR/src`
    hint: `bouncer pack update post SOURCE` shows what would change and replaces it
    ");
    desk.write("b/pack.toml", manifest("gmail", "1.0.0", component("slack")));
    desk.write("b/gmail.wasm", component("slack"));
    insta::assert_snapshot!(desk.says(&["pack", "install", "b"]), @r"
    code 1
    --- out
    --- err
    error: a pack called `gmail` is built in, and no other can have its name
    hint: whoever wrote this pack can give it another name in its `pack.toml`
    ");
    insta::assert_snapshot!(desk.says(&["pack", "remove", "post"]), @r"
    code 0
    --- out
    removed post and its grants; servers that run already keep it until they are started anew
    --- err
    ");
    assert!(desk.done(&["pack", "list", "--installed"]).contains("no pack is installed"));
    desk.refuses(&["pack", "remove", "post"], &["no pack called `post` is installed", "none yet"]);
    desk.done(&["pack", "install", "theirs"]);
}

/// A component that imports a function called `evil`, by hand.
const IMPORTS: &[u8] = b"\0asm\x0d\0\x01\0\x07\x05\x01\x40\0\x01\0\x0a\x09\x01\0\x04evil\x01\0";

#[test]
fn check_says_everything_at_once() {
    let desk = Desk::new();
    desk.record();
    desk.pack("src", "1.0.0", "gmail");
    insta::assert_snapshot!(desk.says(&["pack", "check", "src"]), @r"
    code 0
    --- out
    post 1.0.0: component of GMAIL_BYTES bytes
    `mail`: it states contracts for 2 of 2 tools and judges the calls of 2, with at most 1% of the fuel that a call has
    nothing in it would be refused
    --- err
    ");
    let bad = manifest("Post", "1", component("gmail")).replace("Post.wasm", "post.wasm");
    desk.write("bad/pack.toml", bad);
    desk.write("bad/post.wasm", IMPORTS);
    insta::assert_snapshot!(desk.says(&["pack", "check", "bad"]), @r"
    code 1
    --- out
    Post 1: component of 26 bytes
    --- err
    error: `pack.toml`: `name` is `Post`: expected `a-z`, `0-9` and, not at the beginning, `-`; at most 64 characters
    error: `pack.toml`: `version` is `1`: expected a version such as `1.2.3`
    error: the component's sha256 is `fba453f4c7917dabdd2650bec20ecbb6bd9ec6fbc9ece996d4e51f62fcc52801`, `pack.toml` says `GMAIL_SHA256`
    error: the component: the component imports `evil`: a policy module may import nothing
    error: the component: the component does not export `bouncer:policy/rules@0.1.0`: it is no module of the world `bouncer:policy/policy@0.1.0`
    ");
    desk.write("bad/pack.toml", "name = 3");
    desk.refuses(&["pack", "check", "bad"], &["pack.toml", "invalid type"]);
    desk.write("core/pack.toml", manifest("core", "1.0.0", b"\0asm\x01\0\0\0"));
    desk.write("core/core.wasm", b"\0asm\x01\0\0\0");
    desk.refuses(&["pack", "check", "core"], &["core module"]);
    desk.refuses(&["pack", "install", "core"], &["core module"]);
    desk.refuses(&["pack", "check", "none.tgz"], &["No such file"]);
    desk.done(&["pack", "install", "src"]);
    desk.done(&["pack", "check", "post"]);
    // Sound, and not what was installed.
    let sound = desk.text("home/packs/post/pack.toml");
    desk.write("home/packs/post/pack.toml", format!("{sound}# x\n"));
    desk.refuses(&["pack", "check", "post"], &["its hashes are not those in `packs.lock`"]);
    desk.write("home/packs/post/pack.toml", sound);
    desk.write("home/packs/post/post.wasm", "x");
    desk.refuses(&["pack", "check", "post"], &["sha256"]);
}

#[test]
fn inspect_shows_what_it_is_and_what_results() {
    let desk = Desk::new();
    desk.record();
    desk.pack("src", "1.0.0", "gmail");
    insta::assert_snapshot!(desk.says(&["pack", "inspect", "src/", "--server", "mail"]), @r#"
    code 0
    --- out
    post 1.0.0  Post: who receives a mail
      source     DIR/src/
      component  GMAIL_BYTES bytes, sha256 GMAIL_SHA256
      manifest   sha256 MANIFEST_1.0.0
      imports    nothing
      exports    bouncer:policy/rules@0.1.0#contracts, bouncer:policy/rules@0.1.0#evaluate
      servers    srv-post, command srv-post
      checked    srv-post 1.0.0 (2 tools)
      granted    nothing
    it wants to loosen, where that is granted:
      harmless     call arguments no destinations: what stands in them is not asked about
                   the pack's reason: Subject and body name nobody who receives the mail
                   mail/download_attachment: `/filename` is no destination, whatever stands in it
                   mail/send_email: where `/to`, `/cc`, `/bcc` says who receives a call, the other arguments are content
      not_sending  call tools not sending or not destroying: their calls are not asked about
                   the pack's reason: Reading sends nothing

    download_attachment
      exfiltrating           false  (nobody says otherwise)
      destructive            false  (nobody says otherwise)
      write_param            /savePath  (pack post 1.0.0)
      write_param            /filename  (schema heuristics)
      write_param            /savePath  (schema heuristics)
      evaluated by           post
    send_email
      exfiltrating           true  (pack post 1.0.0)
      destructive            false  (nobody says otherwise)
      sink                   /to (email)  (pack post 1.0.0)
      sink                   /cc (email)  (pack post 1.0.0)
      sink                   /bcc (email)  (pack post 1.0.0)
      sink                   /to (unknown)  (schema heuristics)
      evaluated by           post
    note: its tools are those recorded since NOW; hint: `bouncer pins list mail`
    note: taken to be started as `npx -y srv-post`
    --- err
    "#);
    let granted = desk.done(&["pack", "inspect", "./src", "--server", "mail", "--as-granted"]);
    assert!(granted.contains("harmless_param"), "{granted}");
    desk.done(&["pack", "install", "src"]);
    let installed = desk.done(&["pack", "inspect", "post", "--server", "mail"]);
    assert!(!installed.contains("harmless_param") && installed.contains("pack post 1.0.0"), "{installed}");
    desk.done(&["pack", "grant", "post", "--yes"]);
    let shown = desk.done(&["policy", "show", "--server", "mail"]);
    assert!(shown.contains("harmless_param         /filename  (pack post 1.0.0)"), "{shown}");
    let builtin = desk.done(&["pack", "inspect", "gmail"]);
    assert!(builtin.contains("source     built in"), "{builtin}");
    desk.refuses(&["pack", "inspect", "gone"], &["no pack called `gone`"]);
}

#[test]
fn a_lock_file_names_what_is_taken_and_grants_nothing() {
    let desk = Desk::new();
    desk.pack("src", "1.0.0", "gmail");
    desk.done(&["pack", "install", "src", "--grant", "--yes"]);
    let lock = desk.text("home/packs.lock").replace(desk.path("src").to_str().unwrap(), "src");
    desk.write("bouncer.lock", lock);
    desk.done(&["pack", "remove", "post"]);
    insta::assert_snapshot!(desk.says(&["pack", "install", "--locked", "bouncer.lock"]), @r"
    code 0
    --- out
    installed post 1.0.0 (sha256 GMAIL_SHA) from DIR/src
      Post: who receives a mail
      for srv-post, command srv-post
      nothing that it would loosen is granted; `bouncer pack inspect post` shows it
    --- err
    ");
    assert!(!desk.text("home/grants.toml").contains("[[grant]]"));
    assert!(desk.done(&["pack", "install", "--locked", "bouncer.lock"]).contains("is installed as locked"));
    desk.done(&["pack", "remove", "post"]);
    desk.pack("src", "1.1.0", "gmail");
    desk.refuses(
        &["pack", "install", "--locked", "bouncer.lock"],
        &["is not the pack `post` of the lock file"],
    );
    assert!(!desk.path("home/packs/post").exists());
    desk.done(&["pack", "install", "src"]);
    desk.refuses(&["pack", "install", "--locked", "bouncer.lock"], &["with another content"]);
    desk.refuses(&["pack", "install", "--locked", "none.lock"], &["no lock file"]);
    desk.refuses(
        &["pack", "install", "--locked", "bouncer.lock", "--grant", "--yes"],
        &["cannot be used with"],
    );
    let hash = "0".repeat(64);
    desk.refuses(
        &["pack", "install", "--locked", "bouncer.lock", "--sha256", &hash],
        &["the lock file names the hash of each"],
    );
}

#[test]
fn grants_that_cannot_be_read_stop_the_start() {
    let desk = Desk::new();
    desk.write("home/grants.toml", "[[grant]]\npack = \"post\"\nkinds = [\"everything\"]\n");
    insta::assert_snapshot!(desk.says(&["run", "--", "sh", "-c", "touch launched"]), @r#"
    code 2
    --- out
    --- err
    error: this is not what Bouncer wrote here
     --> DIR/home/grants.toml:3:10
      |
    3 | kinds = ["everything"]
      |          ^^^^^^^^^^^^ unknown variant `everything`, expected one of `harmless`, `not_sending`, `directories`, `vouch`
      |
      = hint: a grant is [[grant]] with pack, sha256, manifest, kinds and date; deleting the file takes all grants back
    "#);
    assert!(!desk.path("launched").exists());
    desk.write("home/grants.toml", "");
    desk.write("home/packs.lock", "[[pack]]\n");
    desk.refuses(&["run", "--", "sh", "-c", "touch launched"], &["packs.lock:1:1", "missing field"]);
    assert!(!desk.path("launched").exists());
}

#[test]
fn what_is_broken_is_listed_replaced_and_removed() {
    let desk = Desk::new();
    desk.pack("src", "1.0.0", "gmail");
    desk.done(&["pack", "install", "src"]);
    desk.write("home/packs/post/pack.toml", "nonsense");
    insta::assert_snapshot!(desk.says(&["pack", "list", "--installed"]), @r"
    code 0
    --- out
    post  BROKEN: is installed and cannot be used; `bouncer pack update post SOURCE` replaces it, `bouncer pack remove post` takes it away: pack `DIR/home/packs/post`: TOML parse error at line 1, column 9; key with no value, expected `=`
    --- err
    ");
    desk.refuses(&["pack", "grant", "post", "--yes"], &["cannot be used", "bouncer pack remove post"]);
    desk.refuses(&["pack", "inspect", "post"], &["cannot be used"]);
    let denied =
        desk.says(&["check", "--server", "mail", "--tool", "read", "--command", "npx", "-y", "srv-post"]);
    assert!(denied.starts_with("code 11\n") && denied.contains("policy module `post` failed"), "{denied}");
    desk.done(&["check", "--server", "mail", "--tool", "read", "--command", "npx", "-y", "other"]);
    let said = desk.done(&["pack", "update", "post"]);
    assert!(said.contains("nothing to compare with") && said.contains("updated post to 1.0.0"), "{said}");
    desk.done(&["pack", "inspect", "post"]);
    std::fs::remove_dir_all(desk.path("home/packs/post")).unwrap();
    desk.refuses(&["pack", "inspect", "post"], &["its folder is gone"]);
    desk.done(&["pack", "remove", "post"]);
    assert!(desk.done(&["pack", "list", "--installed"]).contains("no pack is installed"));
}

#[test]
fn a_kill_at_any_moment_leaves_the_old_or_the_new() {
    let desk = Desk::new();
    desk.pack("one", "1.0.0", "gmail");
    desk.pack("two", "2.0.0", "slack");
    desk.done(&["pack", "install", "one"]);
    desk.done(&["pack", "update", "post", "two"]);
    let began = std::time::Instant::now();
    desk.done(&["pack", "update", "post", "one"]);
    let whole = began.elapsed();
    for step in 0..12 {
        let source = if step % 2 == 0 { "two" } else { "one" };
        let mut child = desk.command(&["pack", "update", "post", source]);
        let mut child =
            child.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap();
        std::thread::sleep(whole * (6 + step) / 14);
        let _ = child.kill();
        child.wait().unwrap();
        let said = desk.done(&["pack", "list", "--installed"]);
        assert!(said.contains("post 1.0.0") || said.contains("post 2.0.0"), "{said}");
        assert!(!said.contains("BROKEN"), "{said}");
    }
    desk.done(&["pack", "update", "post", "one"]);
    desk.done(&["pack", "update", "post", "two"]);
    let mut left: Vec<_> =
        std::fs::read_dir(desk.path("home/packs")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, [".lock", "post"]);
    // A name that leads elsewhere is none of a pack, and nothing is tidied there.
    for odd in [".old-", ".old-..", ".old-."] {
        std::fs::create_dir(desk.path("home/packs").join(odd)).unwrap();
        desk.done(&["pack", "update", "post", "one"]);
        desk.done(&["pack", "update", "post", "two"]);
        std::fs::remove_dir(desk.path("home/packs").join(odd)).unwrap();
    }
    assert!(desk.path("home/packs.lock").exists());
}
