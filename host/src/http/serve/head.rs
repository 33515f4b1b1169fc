//! What a client's headers say of the message and of the answer that it takes.

use super::exchange::{INVALID_PARAMS, INVALID_REQUEST};
use crate::http::meta::VERSION;
use http::header::ACCEPT;
use http::{HeaderMap, HeaderValue};

const REVISIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const FIRST_WITHOUT_SESSION: &[u8] = b"2026-07-28";

/// What the header names must be a revision that has sessions, where the body names none.
pub(super) fn revision(headers: &HeaderMap) -> Result<(), (i32, &'static str)> {
    match headers.get(VERSION).map(HeaderValue::as_bytes) {
        None => Ok(()),
        Some(version) if REVISIONS.iter().any(|known| known.as_bytes() == version) => Ok(()),
        Some(version) if version.starts_with(b"20") && version >= FIRST_WITHOUT_SESSION => {
            Err((INVALID_PARAMS, "`_meta` does not name the revision that the header names"))
        }
        Some(_) => Err((INVALID_REQUEST, "the header `mcp-protocol-version` names no revision")),
    }
}

pub(super) fn media_type(headers: &HeaderMap, key: &str) -> String {
    let mut values = headers.get_all(key).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return String::new() };
    let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Whether a client takes this kind of body. One that says nothing takes all.
pub(super) fn accepts(headers: &HeaderMap, kind: &str) -> bool {
    let family = kind.split_once('/').map_or(kind, |(family, _)| family);
    let mut values = headers.get_all(ACCEPT).iter().peekable();
    if values.peek().is_none() {
        return true;
    }
    values.any(|value| {
        let value = String::from_utf8_lossy(value.as_bytes()).to_ascii_lowercase();
        value.split(',').any(|one| {
            let one = one.split(';').next().unwrap_or_default().trim();
            one == kind || one == "*/*" || one.strip_suffix("/*") == Some(family)
        })
    })
}
