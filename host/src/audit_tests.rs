use super::*;

fn entry<'a>(tool: &'a str, args: &'a Value) -> Entry<'a> {
    Entry {
        session: "s",
        server: "mail",
        tool,
        args: Some(args),
        verdict: "allow",
        contract: "default",
        ..Entry::default()
    }
}

#[test]
fn times_are_civil_dates_in_utc() {
    for (seconds, text) in [
        (0, "1970-01-01T00:00:00.007Z"),
        (951_782_399, "2000-02-28T23:59:59.007Z"),
        (951_782_400, "2000-02-29T00:00:00.007Z"),
        (1_709_251_199, "2024-02-29T23:59:59.007Z"),
        (4_107_542_400, "2100-03-01T00:00:00.007Z"),
    ] {
        assert_eq!(timestamp(UNIX_EPOCH + Duration::from_millis(seconds * 1000 + 7)), text);
    }
}

#[test]
fn a_line_is_one_json_object_whatever_is_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let audit = Audit::open(&folder.path().join("audit.jsonl")).unwrap();
    let args = Value::Object(vec![("a\n".into(), Value::String("x\u{2028}\"\n".repeat(10_000)))]);
    audit.append(&entry("t\"\n", &args)).unwrap();
    let text = std::fs::read_to_string(audit.path()).unwrap();
    assert_eq!(text.lines().count(), 1);
    let line: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(line["tool"], "t\"\n");
    assert!(line["args"]["a\n"].as_str().unwrap().ends_with("bytes in all]"));
}

#[cfg(unix)]
#[test]
fn the_file_is_the_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let audit = Audit::open(&folder.path().join("audit.jsonl")).unwrap();
    assert_eq!(std::fs::metadata(audit.path()).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn many_writers_never_mix_their_lines() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let args = Value::Object(vec![("body".into(), Value::String("y".repeat(7000)))]);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let audit = Audit::open(&path).unwrap();
                for _ in 0..50 {
                    audit.append(&entry("send", &args)).unwrap();
                }
            });
        }
    });
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().count(), 200);
    assert!(text.lines().all(|l| serde_json::from_str::<serde_json::Value>(l).is_ok()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let audit = Audit::open(Path::new("/dev/full")).unwrap();
    let args = Value::empty_object();
    assert!(matches!(audit.append(&entry("send", &args)), Err(AuditError::Write { .. })));
}

/// Takes so many bytes of what is written at once.
struct Short(usize, Vec<u8>);

impl Write for Short {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = bytes.len().min(self.0);
        self.1.extend_from_slice(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn of_lines_written_in_part_it_is_known_which_are_whole_and_the_next_begins_a_line_of_its_own() {
    let lines = "one\ntwo two\n3\n";
    for torn_before in [false, true] {
        for room in 0..lines.len() + usize::from(torn_before) {
            let (mut file, mut torn) = (Short(room, Vec::new()), torn_before);
            if torn_before {
                file.1.extend_from_slice(b"half");
            }
            let (whole, _) = write_once(&mut file, &mut torn, lines).unwrap_err();
            file.0 = usize::MAX;
            write_once(&mut file, &mut torn, "next\n").unwrap();
            let log = String::from_utf8(file.1).unwrap();
            let in_log: Vec<&str> = log.lines().filter(|l| ["one", "two two", "3"].contains(l)).collect();
            // One that lacked its newline alone is refused, and stands there nevertheless.
            let (recorded, lost) = lines.split_at(whole);
            let lacking = usize::from(lost.lines().any(|l| in_log.contains(&l)));
            let refused = in_log.len() - lacking;
            assert_eq!(in_log[..refused], recorded.lines().collect::<Vec<_>>(), "{room} {log:?}");
            assert!(lacking == 0 || [3, 11, 13].contains(&(room - usize::from(torn_before))));
            assert_eq!(log.lines().last(), Some("next"), "{room} {log:?}");
            assert!(recorded.is_empty() || recorded.ends_with('\n'));
        }
    }
}
