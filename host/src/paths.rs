//! Where a path argument really leads: absolute, without `..`, and with the symlinks of its longest existing ancestor
//! resolved. It looks at the file system once, before the call is judged; it does not and cannot hold the file system
//! still until the server acts.

#[cfg(any(windows, test))]
mod windows;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// Resolves each of `values` as a server in `cwd` would open it. What cannot be resolved is left out, which the core
/// takes as a reason to deny.
#[must_use]
pub fn resolve_all(values: &[String], cwd: &Path, home: Option<&Path>) -> BTreeMap<String, String> {
    let known = values.iter().filter_map(|v| Some((v.clone(), resolve(v, cwd, home)?)));
    known.collect()
}

/// Resolves one path as written in a call.
#[must_use]
pub fn resolve(written: &str, cwd: &Path, home: Option<&Path>) -> Option<String> {
    if written.is_empty() || written.contains('\0') {
        return None;
    }
    let path = match file_url(written) {
        Some(path) => path?,
        None => expand_home(written, home)?,
    };
    follow(&path, cwd)?.into_os_string().into_string().ok()
}

/// Where something that exists really lies, written as people write it.
pub fn real(path: &Path) -> io::Result<PathBuf> {
    let real = path.canonicalize()?;
    #[cfg(windows)]
    if let Some(text) = real.to_str() {
        // The system answers in a form that keeps it from reading the path once more.
        if let Some(share) = text.strip_prefix(r"\\?\UNC\") {
            return Ok(PathBuf::from(format!(r"\\{share}")));
        }
        if let Some(plain) = text.strip_prefix(r"\\?\").filter(|rest| rest.get(1..2) == Some(":")) {
            return Ok(PathBuf::from(plain));
        }
    }
    Ok(real)
}

/// `file:` URLs name local files for several servers. `Some(None)` is one that cannot be read for certain.
fn file_url(written: &str) -> Option<Option<PathBuf>> {
    let scheme = written.get(..5)?;
    if !scheme.eq_ignore_ascii_case("file:") {
        return None;
    }
    let rest = written.get(5..).unwrap_or_default();
    let path = match rest.strip_prefix("//") {
        Some(with_host) => with_host.strip_prefix("localhost").unwrap_or(with_host),
        None => rest,
    };
    // An escape or a query would be read differently by different servers.
    let plain = path.starts_with('/') && !path.contains(['%', '?', '#']);
    Some(plain.then(|| PathBuf::from(path)))
}

/// What parts the names in a path.
pub(crate) const SEPARATORS: &[char] = if cfg!(windows) { &['/', '\\'] } else { &['/'] };

/// `~` and `~/x` are the home folder; `~user` depends on more than is known here.
fn expand_home(written: &str, home: Option<&Path>) -> Option<PathBuf> {
    match written.strip_prefix('~') {
        None => Some(PathBuf::from(written)),
        Some("") => home.map(Path::to_owned),
        Some(rest) if rest.starts_with(SEPARATORS) => {
            home.map(|h| h.join(rest.trim_start_matches(SEPARATORS)))
        }
        Some(_) => None,
    }
}

#[cfg(windows)]
fn follow(path: &Path, cwd: &Path) -> Option<PathBuf> {
    windows::follow(&windows::collapse(path.to_str()?, cwd.to_str()?)?)
}

/// Walks `path` from the root, component by component, as the kernel does: `..` after a link leads to the parent of the
/// link's target. Beyond the first component that does not exist, `..` is collapsed by name.
#[cfg(unix)]
fn follow(path: &Path, cwd: &Path) -> Option<PathBuf> {
    use std::io::ErrorKind;
    use std::path::Component;
    /// As many links as the system itself would follow.
    const MOST_LINKS: usize = 40;
    let mut done = PathBuf::new();
    let mut todo: Vec<PathBuf> = parts(&cwd.join(path));
    let mut links = 0;
    while let Some(part) = todo.pop() {
        match part.components().next()? {
            Component::RootDir | Component::Prefix(_) => done = part,
            Component::CurDir => {}
            Component::ParentDir => {
                done.pop();
            }
            Component::Normal(name) => {
                let next = done.join(name);
                match std::fs::symlink_metadata(&next) {
                    Ok(meta) if meta.is_symlink() => {
                        links += 1;
                        if links > MOST_LINKS {
                            return None;
                        }
                        todo.extend(parts(&std::fs::read_link(&next).ok()?));
                    }
                    Ok(_) => done = next,
                    Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                        done = next
                    }
                    Err(_) => return None,
                }
            }
        }
    }
    done.is_absolute().then_some(done)
}

#[cfg(unix)]
fn parts(path: &Path) -> Vec<PathBuf> {
    path.components().rev().map(|c| PathBuf::from(c.as_os_str())).collect()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn at(written: &str, cwd: &Path) -> Option<String> {
        resolve(written, cwd, Some(Path::new("/home/u")))
    }

    #[test]
    fn relative_parent_and_home_forms() {
        let folder = tempfile::tempdir().unwrap();
        let cwd = folder.path().canonicalize().unwrap();
        let base = cwd.to_str().unwrap();
        assert_eq!(at("a/../b.txt", &cwd).unwrap(), format!("{base}/b.txt"));
        assert_eq!(at("./x//y/.", &cwd).unwrap(), format!("{base}/x/y"));
        assert_eq!(at("/nowhere/../../etc/x", &cwd).unwrap(), "/etc/x");
        assert_eq!(at("~/x", &cwd).unwrap(), "/home/u/x");
        assert_eq!(at("~root/x", &cwd), None);
        assert_eq!(at("", &cwd), None);
        assert_eq!(at("a\0b", &cwd), None);
        assert_eq!(at("file:///etc/x", &cwd).unwrap(), "/etc/x");
        assert_eq!(at("FILE:///etc/%78", &cwd), None);
        assert_eq!(resolve("~/x", &cwd, None), None);
    }

    #[test]
    fn a_link_leads_to_its_target_even_for_a_file_that_is_yet_to_be_made() {
        let folder = tempfile::tempdir().unwrap();
        let cwd = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(cwd.join("out")).unwrap();
        std::os::unix::fs::symlink("/etc", cwd.join("out/link")).unwrap();
        std::os::unix::fs::symlink("gone/deeper", cwd.join("out/dangling")).unwrap();
        std::os::unix::fs::symlink("loop", cwd.join("loop")).unwrap();
        assert_eq!(at("out/link/new.txt", &cwd).unwrap(), "/etc/new.txt");
        assert_eq!(at("out/link/../new.txt", &cwd).unwrap(), "/new.txt");
        assert_eq!(at("out/dangling", &cwd).unwrap(), format!("{}/out/gone/deeper", cwd.display()));
        assert_eq!(at("loop/x", &cwd), None);
    }
}
