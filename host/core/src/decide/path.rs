//! Paths as text: `file:` URLs read, `.` and `..` and `//` collapsed, equal-or-below by components. Touches no disk.

/// Why a value is no path that can be judged.
pub(super) type Unfit = &'static str;

/// The path that an argument's text names.
pub(super) fn named(text: &str) -> Result<String, Unfit> {
    if text.chars().any(char::is_control) {
        return Err("it holds a NUL or another control character");
    }
    if text.get(..5).is_none_or(|scheme| !scheme.eq_ignore_ascii_case("file:")) {
        return Ok(text.to_owned());
    }
    let url = url::Url::parse(text).map_err(|_| "it is a `file:` URL that cannot be read")?;
    if url.host().is_some() {
        return Err("it is a `file:` URL of another host");
    }
    let path = percent_decode(url.path()).ok_or("it is a `file:` URL with a bad escape")?;
    if path.chars().any(char::is_control) {
        return Err("it holds a NUL or another control character");
    }
    Ok(path)
}

fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = text.bytes();
    let mut out = Vec::new();
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let mut digit = || bytes.next().and_then(|b| char::from(b).to_digit(16));
            let (high, low) = (digit()?, digit()?);
            out.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            out.push(byte);
        }
    }
    String::from_utf8(out).ok()
}

/// `.`, `..` and repeated slashes collapsed as text. A `..` at the root stays at the root; at the start of a relative
/// path it is kept.
pub(super) fn normalised(path: &str) -> String {
    let absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if absolute => {}
            _ => parts.push(part),
        }
    }
    match (absolute, parts.join("/")) {
        (true, joined) => format!("/{joined}"),
        (false, joined) if joined.is_empty() => ".".to_owned(),
        (false, joined) => joined,
    }
}

/// Whether the absolute `path` is `prefix` or below it, component by component. A relative prefix holds nothing.
pub(super) fn within(path: &str, prefix: &str) -> bool {
    if let Some(prefix) = of_windows(prefix) {
        // What a `file:` URL leaves of `file:///C:/x`.
        let path = of_windows(path).or_else(|| of_windows(path.strip_prefix('/')?));
        return path.is_some_and(|path| path.is_within(&prefix));
    }
    if !path.starts_with('/') || !prefix.starts_with('/') {
        return false;
    }
    let (path, prefix) = (normalised(path), normalised(prefix));
    let mut components = path.split('/').filter(|c| !c.is_empty());
    prefix.split('/').filter(|c| !c.is_empty()).all(|c| components.next() == Some(c))
}

/// A path with a drive (`C:`) or a share (`\\server\share`), as only Windows has them.
struct OfWindows {
    root: String,
    /// From the root on, with `/`.
    below: String,
}

fn of_windows(path: &str) -> Option<OfWindows> {
    let mut letters = path.chars();
    let (first, second, third) = (letters.next()?, letters.next()?, letters.next()?);
    let plain = path.replace('\\', "/");
    let at = if first.is_ascii_alphabetic() && second == ':' && matches!(third, '/' | '\\') {
        2
    } else if path.starts_with("\\\\") {
        let (server, share) = plain.get(2..)?.split_once('/')?;
        let share = share.split('/').next().unwrap_or_default();
        if matches!(server, "" | "." | "?") || matches!(share, "" | "." | "..") {
            return None;
        }
        2 + server.len() + 1 + share.len()
    } else {
        return None;
    };
    let (root, below) = plain.split_at_checked(at)?;
    Some(OfWindows { root: root.to_owned(), below: normalised(&format!("/{below}")) })
}

impl OfWindows {
    /// Letters beyond ASCII are compared as they are: the disk knows their other case, nobody else does for certain.
    fn is_within(&self, prefix: &Self) -> bool {
        let names = |path: &str| {
            path.split('/').filter(|c| !c.is_empty()).map(str::to_ascii_lowercase).collect::<Vec<_>>()
        };
        let (own, all) = (names(&self.below), names(&prefix.below));
        self.root.eq_ignore_ascii_case(&prefix.root) && own.starts_with(&all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drives_and_shares_are_below_themselves_in_any_case() {
        assert!(within(r"C:\Users\u\out\x", r"c:\users\U\out"));
        assert!(within(r"C:\Users\u\out", "C:/Users/u/out/"));
        assert!(within("/C:/Users/u/x", r"C:\Users\u"), "of a `file:` URL");
        assert!(within(r"D:\x", r"D:\"));
        assert!(within(r"\\files\home\u\x", r"\\FILES\Home\u"));
        for (path, prefix) in [
            (r"C:\Users\u2", r"C:\Users\u"),
            (r"C:\Users\u\..\v", r"C:\Users\u"),
            (r"D:\Users\u", r"C:\Users\u"),
            (r"C:x", r"C:\"),
            (r"\\.\C:\x", r"C:\"),
            (r"\\?\C:\x", r"C:\"),
            (r"\\files\other\x", r"\\files\home"),
            (r"\\C:\x", r"C:\"),
            ("/Users/u/x", r"C:\Users\u"),
            (r"C:\Users\u", "/"),
            ("//files/home/x", r"\\files\home"),
        ] {
            assert!(!within(path, prefix), "{path} {prefix}");
        }
    }

    #[test]
    fn below_is_by_components() {
        assert!(within("/a/b", "/a/b"));
        assert!(within("/a/b/c", "/a/b/"));
        assert!(within("/a//b/./c", "/a/b"));
        assert!(!within("/a/bc", "/a/b"));
        assert!(!within("/a/b/../c", "/a/b"));
        assert!(!within("a/b/c", "a/b"));
        assert!(within("/anything", "/"));
    }

    #[test]
    fn dots_collapse() {
        assert_eq!(normalised("/../../etc/./x//y/.."), "/etc/x");
        assert_eq!(normalised("../a/../../b"), "../../b");
        assert_eq!(normalised("a/.."), ".");
    }

    #[test]
    fn file_urls_are_paths() {
        assert_eq!(named("FILE:///etc/pass%77d").as_deref(), Ok("/etc/passwd"));
        assert_eq!(named("file:///a/%2e%2e/etc").map(|p| normalised(&p)).as_deref(), Ok("/etc"));
        assert!(named("file://evil.io/x").is_err());
        assert!(named("/a\0b").is_err());
        assert!(named("file:///a%00b").is_err());
        assert_eq!(named("/a/file:x").as_deref(), Ok("/a/file:x"));
    }
}
