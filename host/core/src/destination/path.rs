//! File paths as text. Symlinks and the working folder are the host's matter.

/// Without doubled slashes, `.` segments and a trailing slash; `..` is resolved where text alone can.
pub(crate) fn canonical(text: &str) -> Option<String> {
    let text = text.trim();
    let text = text
        .get(..7)
        .filter(|p| p.eq_ignore_ascii_case("file://"))
        .map_or(text, |_| text.get(7..).unwrap_or(""));
    if text.is_empty() || text.contains('\0') {
        return None;
    }
    let absolute = text.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in text.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|p| *p != "..") => {
                parts.pop();
            }
            ".." if absolute => {}
            other => parts.push(other),
        }
    }
    let joined = parts.join("/");
    Some(match (absolute, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_owned(),
        (false, false) => joined,
    })
}
