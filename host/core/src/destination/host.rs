//! Host names and IP addresses, perhaps with a port: IDNA, odd IPv4 notations, trailing dots.

use std::net::{IpAddr, Ipv6Addr};
use url::Host;

/// `Example.COM.` is `example.com`, `0x7f.1` is `127.0.0.1`, `bücher.de` is `xn--bcher-kva.de`. A port is kept.
pub(crate) fn canonical(text: &str) -> Option<String> {
    let text = text.trim();
    if let Ok(ip) = text.trim_start_matches('[').trim_end_matches(']').parse::<Ipv6Addr>() {
        return Some(ipv6(ip));
    }
    let (name, port) = split_port(text)?;
    if name.is_empty() || name.chars().any(|c| c.is_whitespace() || "/\\?#@%".contains(c)) {
        return None;
    }
    let host = of(&Host::parse(name).ok()?)?;
    Some(match port {
        Some(p) => format!("{host}:{p}"),
        None => host,
    })
}

/// The compared form of a parsed host.
pub(crate) fn of<S: AsRef<str>>(host: &Host<S>) -> Option<String> {
    match host {
        Host::Domain(d) => {
            let written = d.as_ref();
            let d = written.trim_end_matches('.');
            if d.len() + 1 < written.len() {
                // Without its dots it may be an address in numbers: `1...` is `0.0.0.1`.
                return of(&Host::parse(d).ok()?);
            }
            let d = d.to_ascii_lowercase();
            if d.is_empty() || d.split('.').any(|l| l.is_empty() || l.len() > 63) || d.len() > 253 {
                return None;
            }
            Some(d)
        }
        Host::Ipv4(ip) => Some(ip.to_string()),
        Host::Ipv6(ip) => Some(ipv6(*ip)),
    }
}

fn ipv6(ip: Ipv6Addr) -> String {
    match ip.to_canonical() {
        IpAddr::V4(v4) => v4.to_string(),
        IpAddr::V6(v6) => format!("[{v6}]"),
    }
}

fn split_port(text: &str) -> Option<(&str, Option<u16>)> {
    if text.starts_with('[') {
        let (host, rest) = text.split_at(text.find(']')? + 1);
        return match rest.strip_prefix(':') {
            Some(p) => Some((host, Some(p.parse().ok()?))),
            None if rest.is_empty() => Some((host, None)),
            None => None,
        };
    }
    match text.split_once(':') {
        Some((host, port)) if port.bytes().all(|b| b.is_ascii_digit()) && !port.is_empty() => {
            Some((host, Some(port.parse().ok()?)))
        }
        Some(_) => None,
        None => Some((text, None)),
    }
}

/// Endings of file names that are no top-level domain a person would send to.
const FILE_ENDINGS: [&str; 36] = [
    "pdf", "txt", "doc", "docx", "md", "png", "jpg", "jpeg", "gif", "csv", "xls", "xlsx", "ppt", "pptx",
    "json", "html", "htm", "xml", "yaml", "yml", "toml", "rs", "py", "js", "ts", "sh", "log", "exe", "dll",
    "zip", "tar", "gz", "svg", "ini", "lock", "mp4",
];

/// Endings that are top-level domains as well as those of files: `main.tf` in somebody's words is a file.
const FILES_OR_DOMAINS: [&str; 11] = ["cc", "md", "mov", "pm", "ps", "py", "rs", "sh", "st", "tf", "zip"];

fn ending(host: &str) -> &str {
    host.split(':').next().and_then(|name| name.rsplit_once('.')).map_or("", |(_, last)| last)
}

/// Whether a word names a host even in a prompt, where what it names is vouched for.
pub(crate) fn is_meant(text: &str) -> bool {
    is_certain(text) && canonical(text).is_some_and(|host| !FILES_OR_DOMAINS.contains(&ending(&host)))
}

/// Whether what stands where a host could may be one: also with an ending that files have, and an address written as
/// one number. For what tightens only.
pub(crate) fn may_be(text: &str) -> bool {
    let Some(host) = canonical(text) else { return false };
    if host.split(':').next().is_some_and(|name| name.parse::<std::net::Ipv4Addr>().is_ok()) {
        // `test://7/x` is an entry of some list; whoever means an address of the first network writes its dots.
        return !host.starts_with("0.") || text.contains('.');
    }
    is_certain(text) || FILES_OR_DOMAINS.contains(&ending(&host)) && !text.chars().any(char::is_whitespace)
}

/// Whether a bare word is a host name and not a file name, a version or the end of one sentence and the start of
/// the next.
pub(crate) fn is_certain(text: &str) -> bool {
    if text.chars().any(char::is_whitespace) {
        return false;
    }
    let Some(host) = canonical(text) else { return false };
    let name = host.split(':').next().unwrap_or("");
    if name.parse::<std::net::Ipv4Addr>().is_ok() {
        return text.matches('.').count() == 3;
    }
    if host.starts_with('[') {
        return true;
    }
    let Some((front, last)) = name.rsplit_once('.') else { return false };
    !front.is_empty()
        && last.len() >= 2
        && (last.bytes().all(|b| b.is_ascii_alphabetic()) || last.starts_with("xn--"))
        && !FILE_ENDINGS.contains(&last)
}

/// The host and its parents that still have two labels, nearest first, without the host itself.
pub(crate) fn parents(host: &str) -> impl Iterator<Item = &str> {
    let mut rest =
        if host.parse::<std::net::Ipv4Addr>().is_ok() || host.starts_with('[') { "" } else { host };
    std::iter::from_fn(move || {
        let (_, parent) = rest.split_once('.')?;
        rest = parent;
        parent.contains('.').then_some(parent)
    })
}
