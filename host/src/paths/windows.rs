//! Paths as Windows reads them. `..` is collapsed as text before the disk is asked, as the system itself does; then the
//! longest part that exists is replaced by where it really lies, with the spelling of the disk.
//!
//! Refused, because programs read them in different ways: paths relative to a drive's own folder (`C:x`), streams
//! (`x:y`), devices (`NUL`, `\\.\x`), names that end with a dot or a space. Shares are refused but for the one that the
//! server's folder lies on: merely looking at another one tells its server who the user is.

/// A whole path: its drive (`C:`) or share (`\\server\share`), and the names below.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Full {
    pub(super) root: String,
    pub(super) names: Vec<String>,
}

/// What `written` means in the folder `cwd`, as text.
pub(super) fn collapse(written: &str, cwd: &str) -> Option<Full> {
    let written = written.replace('/', r"\");
    // What a `file:` URL leaves of `file:///C:/x`.
    let written = match written.strip_prefix('\\') {
        Some(rest) if drive(rest).is_some_and(|(_, rest)| rest.starts_with('\\')) => rest,
        _ => written.as_str(),
    };
    let cwd = cwd.replace('/', r"\");
    let cwd = cwd.strip_prefix(r"\\?\").filter(|rest| drive(rest).is_some()).unwrap_or(&cwd);
    let (home, folder) = split(cwd)?;
    let (root, before, rest) = match split(written) {
        Some((root, rest)) => {
            let other_share = root.starts_with('\\') && !root.eq_ignore_ascii_case(home);
            (root, "", (!other_share).then_some(rest)?)
        }
        None if written.starts_with(r"\\") || drive(written).is_some() => return None,
        None if written.starts_with('\\') => (home, "", written),
        None => (home, folder, written),
    };
    let mut names: Vec<String> = Vec::new();
    for name in before.split('\\').chain(rest.split('\\')) {
        match name {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name if is_plain(name) => names.push(name.to_owned()),
            _ => return None,
        }
    }
    Some(Full { root: root.to_owned(), names })
}

/// The drive or share of an absolute path, and the rest.
fn split(path: &str) -> Option<(&str, &str)> {
    if let Some((root, rest)) = drive(path) {
        return rest.starts_with('\\').then_some((root, rest));
    }
    let below = path.strip_prefix(r"\\")?;
    let (server, share) = below.split_once('\\')?;
    let share = share.split('\\').next().unwrap_or_default();
    if matches!(server, "" | "." | "?") || server.contains(':') || matches!(share, "" | "." | "..") {
        return None;
    }
    path.split_at_checked(r"\\".len() + server.len() + 1 + share.len())
}

fn drive(path: &str) -> Option<(&str, &str)> {
    let (root, rest) = path.split_at_checked(2)?;
    let is_drive = root.ends_with(':') && root.starts_with(|letter: char| letter.is_ascii_alphabetic());
    is_drive.then_some((root, rest))
}

/// Whether every program takes a name for the same file.
fn is_plain(name: &str) -> bool {
    const DEVICES: [&str; 6] = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];
    let stem = name.split('.').next().unwrap_or_default().trim_end();
    let numbered = |kind: &str| {
        let number = stem.split_at_checked(kind.len()).filter(|(own, _)| own.eq_ignore_ascii_case(kind));
        number.is_some_and(|(_, n)| {
            let mut digits = n.chars();
            // The superscripts are taken for digits too.
            digits.next().is_some_and(|d| d.is_ascii_digit() || "\u{b9}\u{b2}\u{b3}".contains(d))
                && digits.next().is_none()
        })
    };
    let device = DEVICES.iter().any(|device| device.eq_ignore_ascii_case(stem));
    !device && !numbered("COM") && !numbered("LPT") && !name.contains(':') && !name.ends_with(['.', ' '])
}

/// Where it really leads; `None` where that cannot be told.
#[cfg(windows)]
pub(super) fn follow(full: &Full) -> Option<std::path::PathBuf> {
    use std::io::ErrorKind;
    use std::path::PathBuf;
    for known in (0..=full.names.len()).rev() {
        let (there, missing) = full.names.split_at_checked(known)?;
        let mut path = PathBuf::from(format!("{}\\", full.root));
        path.extend(there);
        match super::real(&path) {
            Ok(mut real) => {
                real.extend(missing);
                return Some(real);
            }
            // A link that leads nowhere: what is made there lies elsewhere.
            Err(error) if error.kind() == ErrorKind::NotFound && path.symlink_metadata().is_err() => {}
            Err(_) => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(written: &str) -> Option<String> {
        collapse(written, r"C:\Users\u").map(|full| format!("{}\\{}", full.root, full.names.join(r"\")))
    }

    #[test]
    fn every_form_of_a_path_is_one_text() {
        for (written, wanted) in [
            (r"out\x.txt", r"C:\Users\u\out\x.txt"),
            ("out/./a//../x.txt", r"C:\Users\u\out\x.txt"),
            (r"..\..\..\..\etc", r"C:\etc"),
            (r"\etc\x", r"C:\etc\x"),
            ("/etc/x", r"C:\etc\x"),
            ("D:/x/../y", r"D:\y"),
            ("/D:/x", r"D:\x"),
            (r"c:\", r"c:\"),
            ("", r"C:\Users\u"),
        ] {
            assert_eq!(at(written).as_deref(), Some(wanted), "{written}");
        }
        assert_eq!(
            collapse("x", r"\\?\C:\srv"),
            Some(Full { root: "C:".to_owned(), names: vec!["srv".to_owned(), "x".to_owned()] })
        );
    }

    #[test]
    fn what_can_be_read_in_several_ways_is_refused() {
        for odd in [
            "C:x",
            "C:",
            "a:b",
            r"out\x.txt:stream",
            r"out\..::$INDEX_ALLOCATION\x",
            r"\\.\C:\x",
            r"\\?\C:\x",
            r"\??\C:\x:y",
            r"\\?\UNC\server\share\x",
            r"\\evil.example\share\x",
            "//evil.example/share/x",
            r"\\evil.example",
            r"\\evil.example\..\x",
            "NUL",
            r"out\nul.txt",
            "con .txt",
            "Com1",
            "LPT\u{b9}.log",
            r"out.\x",
            "out /x",
            "x. ",
            "...",
        ] {
            assert_eq!(at(odd), None, "{odd}");
        }
        for plain in ["com", "com10", "console", "nulls", "a.con", "lpt.txt", ".git", "a b"] {
            assert!(at(plain).is_some(), "{plain}");
        }
    }

    #[test]
    fn a_servers_own_share_is_no_foreign_one() {
        let at =
            |written| collapse(written, r"\\files\home\u").map(|full| (full.root, full.names.join(r"\")));
        assert_eq!(at("x"), Some((r"\\files\home".to_owned(), r"u\x".to_owned())));
        assert_eq!(at(r"\\FILES\Home\x"), Some((r"\\FILES\Home".to_owned(), "x".to_owned())));
        assert_eq!(at(r"\\files\other\x"), None);
        assert_eq!(at(r"..\..\x"), Some((r"\\files\home".to_owned(), "x".to_owned())));
    }
}
