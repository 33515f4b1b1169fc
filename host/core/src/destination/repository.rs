//! Repositories: `owner/name`, however the forge's address is written around it.

use super::url;

/// Forges whose addresses are shortened to `owner/name`.
const FORGE: &str = "github.com";

/// `https://github.com/Owner/Name.git` and `git@github.com:owner/name` are `owner/name`; other forges keep their host.
pub(crate) fn canonical(text: &str) -> Option<String> {
    let text = text.trim();
    let (host, path) = if let Some(rest) = text.strip_prefix("git@") {
        let (host, path) = rest.split_once(':')?;
        (super::host::canonical(host)?, path.to_owned())
    } else if text.contains("://") || text.to_ascii_lowercase().starts_with("github.com/") {
        let p = url::parts(text)?;
        if !(p.userinfo.is_empty() || p.userinfo == "git") || p.port.is_some() || p.tail != p.path() {
            return None;
        }
        (p.host.clone(), p.path().to_owned())
    } else {
        (FORGE.to_owned(), text.to_owned())
    };
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path).to_lowercase();
    let segments: Vec<&str> = path.split('/').collect();
    let sound = |s: &&str| {
        !s.is_empty()
            && *s != "."
            && *s != ".."
            && s.chars().all(|c| c.is_alphanumeric() || "-_.~".contains(c))
    };
    if segments.is_empty() || segments.len() > 8 || !segments.iter().all(sound) {
        return None;
    }
    Some(if host == FORGE { path } else { format!("{host}/{path}") })
}

/// Segments of a forge's address that come after the repository.
const PAGES: [&str; 12] = [
    "-",
    "actions",
    "blob",
    "commit",
    "commits",
    "compare",
    "issues",
    "merge_requests",
    "pull",
    "pulls",
    "releases",
    "tree",
];

/// The repositories that a forge's web address may stand for: of `https://github.com/a/b/issues/3` it is `a/b`.
pub(crate) fn of_url(canonical_url: &str) -> Vec<String> {
    let Some(p) = url::parts(canonical_url).filter(|p| p.userinfo.is_empty()) else { return Vec::new() };
    let forge = p.host.contains("git") || ["bitbucket.org", "codeberg.org"].contains(&p.host.as_str());
    if !forge {
        return Vec::new();
    }
    let segments: Vec<&str> =
        p.path().split('/').filter(|s| !s.is_empty()).take_while(|s| !PAGES.contains(s)).collect();
    let most = if p.host == FORGE { segments.len().min(2) } else { segments.len().min(4) };
    (2..=most).filter_map(|n| segments.get(..n)).filter_map(|s| canonical(&s.join("/"))).collect()
}
