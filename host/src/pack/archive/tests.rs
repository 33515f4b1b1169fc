use super::*;
use crate::pack::{EMBEDDED, Embedded};
use std::io::Write as _;

fn gmail() -> &'static Embedded {
    EMBEDDED.iter().find(|pack| pack.name == "gmail").unwrap()
}

/// A tar header as an attacker writes it: the name's bytes as they are.
fn entry(name: &[u8], kind: tar::EntryType, link: Option<&str>, content: &[u8]) -> Vec<u8> {
    let mut header = tar::Header::new_ustar();
    header.set_entry_type(kind);
    header.set_size(content.len() as u64);
    header.set_mode(0o644);
    let field = &mut header.as_mut_bytes()[..100];
    field[..name.len()].copy_from_slice(name);
    if let Some(link) = link {
        header.set_link_name(link).unwrap();
    }
    header.set_cksum();
    let mut out = header.as_bytes().to_vec();
    out.extend_from_slice(content);
    out.resize(out.len().next_multiple_of(512), 0);
    out
}

fn file(name: &str, content: &[u8]) -> Vec<u8> {
    entry(name.as_bytes(), tar::EntryType::Regular, None, content)
}

fn tgz(entries: &[Vec<u8>]) -> Vec<u8> {
    let mut plain = entries.concat();
    plain.resize(plain.len() + 1024, 0);
    gz(&plain)
}

fn gz(plain: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

fn zip_of(files: &[(&str, &[u8])], mode: u32) -> Vec<u8> {
    let mut writer = ::zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = ::zip::write::SimpleFileOptions::default()
        .compression_method(::zip::CompressionMethod::Deflated)
        .unix_permissions(mode);
    for (name, content) in files {
        writer.start_file(*name, options).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn refused(bytes: &[u8]) -> String {
    Bundle::from_archive(bytes, "x").unwrap_err().to_string()
}

#[test]
fn honest_archives_are_read() {
    let (manifest, component) = (gmail().manifest.as_bytes(), gmail().component);
    let folder = entry(b"./", tar::EntryType::Directory, None, b"");
    let flat = tgz(&[folder, file("./pack.toml", manifest), file("./gmail.wasm", component)]);
    let inside = tgz(&[
        entry(b"gmail-1/", tar::EntryType::Directory, None, b""),
        file("gmail-1/pack.toml", manifest),
        file("gmail-1/gmail.wasm", component),
        file("gmail-1/README.md", b"hello"),
    ]);
    let zip = zip_of(&[("g/pack.toml", manifest), ("g/gmail.wasm", component)], 0o644);
    for bytes in [flat, inside, zip] {
        let bundle = Bundle::from_archive(&bytes, "x").unwrap();
        assert_eq!((bundle.manifest.name.as_str(), bundle.component.as_slice()), ("gmail", component));
    }
}

#[test]
fn names_that_lead_elsewhere_are_refused() {
    for (name, why) in [
        ("../pack.toml", "leads out"),
        ("a/../../pack.toml", "leads out"),
        ("/etc/pack.toml", "absolute"),
        ("a/b/pack.toml", "deeper"),
        ("a\\pack.toml", "backslash"),
        ("a//pack.toml", "empty part"),
        ("C:/pack.toml", "colon"),
        ("pack.toml\u{7}", "control"),
        ("evil.sh", "not a file that a pack holds"),
        ("Pack.toml", "not a file that a pack holds"),
    ] {
        let said = refused(&tgz(&[file(name, b"x")]));
        assert!(said.contains(why), "{name}: {said}");
        let said = refused(&zip_of(&[(name, b"x")], 0o644));
        assert!(said.contains(why), "{name} in a zip: {said}");
    }
    let said = refused(&tgz(&[entry(b"pack\xff.toml", tar::EntryType::Regular, None, b"x")]));
    assert!(said.contains("`pack\\xff.toml`, which has a name that is not UTF-8"), "{said}");
}

#[test]
fn what_is_no_plain_file_is_refused() {
    for (kind, why) in [
        (tar::EntryType::Symlink, "a symbolic link"),
        (tar::EntryType::Link, "a hard link"),
        (tar::EntryType::Char, "a device"),
        (tar::EntryType::Fifo, "a pipe"),
        (tar::EntryType::GNUSparse, "no plain file"),
    ] {
        let link = matches!(kind, tar::EntryType::Symlink | tar::EntryType::Link).then_some("/etc/passwd");
        let said = refused(&tgz(&[entry(b"pack.toml", kind, link, b"")]));
        assert!(said.contains(why) || (why == "no plain file" && said.contains("damaged")), "{said}");
    }
    let mut writer = ::zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    writer.add_symlink("pack.toml", "/etc/passwd", ::zip::write::SimpleFileOptions::default()).unwrap();
    let said = refused(&writer.finish().unwrap().into_inner());
    assert!(said.contains("a symbolic link"), "{said}");
}

#[test]
fn entries_that_are_there_twice_are_refused() {
    let manifest = gmail().manifest.as_bytes();
    let twice = tgz(&[file("pack.toml", manifest), file("./pack.toml", b"name = 'x'")]);
    assert!(refused(&twice).contains("is there twice"));
    let apart = tgz(&[file("pack.toml", manifest), file("a/pack.toml", b"name = 'x'")]);
    assert!(refused(&apart).contains("another folder"));
    // The writer refuses to, so one name is changed afterwards.
    let mut zip = zip_of(&[("pack.toml", b"a"), ("pack.tomm", b"b")], 0o644);
    let name = b"pack.tomm";
    while let Some(at) = zip.windows(name.len()).position(|window| window == name) {
        zip[at..at + name.len()].copy_from_slice(b"pack.toml");
    }
    assert!(refused(&zip).contains("the same name"), "{}", refused(&zip));
}

#[test]
fn bombs_stay_small() {
    let zeros = vec![0; 64 << 20];
    assert!(refused(&gz(&zeros)).contains("expands to more than"));
    // Within the bound of all, beyond that of one.
    let said = refused(&tgz(&[file("pack.toml", &zeros[..1 << 20])]));
    assert!(said.contains("`pack.toml`, which expands to more than 65536 bytes"), "{said}");
    let said = refused(&zip_of(&[("a.wasm", &zeros)], 0o644));
    assert!(said.contains("expands to more than 8388608 bytes"), "{said}");
    let many: Vec<Vec<u8>> = (0..40).map(|_| entry(b"./", tar::EntryType::Directory, None, b"")).collect();
    assert!(refused(&tgz(&many)).contains("more than 32 entries"));
    // A name that is as long as the bound allows, in GNU's way.
    let long = tgz(&[
        entry(b"././@LongLink", tar::EntryType::GNULongName, None, &vec![b'a'; 8 << 20]),
        file("x", b""),
    ]);
    assert!(refused(&long).contains("`aaaaaaaa"));
    assert!(refused(&vec![0x1f; 17 << 20]).contains("has more than"));
}

#[test]
fn damage_is_told() {
    assert!(refused(b"hello").contains("neither a gzipped tar nor a zip"));
    assert!(refused(b"").contains("neither"));
    assert!(refused(b"PK\x03\x04nonsense").contains("damaged"));
    let whole = tgz(&[file("pack.toml", gmail().manifest.as_bytes())]);
    assert!(refused(&whole[..whole.len() / 2]).contains("damaged"));
    assert!(refused(&whole).contains("has no `gmail.wasm`"));
}
