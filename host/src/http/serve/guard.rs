//! Who may speak to the listener at all: by `Host` and `Origin`, so that no web page can, and by a token where there is
//! one. Everything here is decided before a body is read.

use http::header::{AUTHORIZATION, HOST, ORIGIN};
use http::{HeaderMap, HeaderValue, StatusCode};
use sha2::{Digest, Sha256};
use std::net::IpAddr;

/// Shorter tokens can be guessed.
pub(crate) const SHORTEST_TOKEN: usize = 16;

/// Whom the listener lets in.
#[derive(Clone)]
pub(crate) struct Guard {
    /// It is bound to this machine's own addresses only.
    pub(super) loopback: bool,
    /// Names beside `localhost` and addresses.
    pub(super) hosts: Vec<String>,
    /// Web pages that may speak to it.
    pub(super) origins: Vec<String>,
    /// Hash of the token.
    pub(super) token: Option<[u8; 32]>,
}

/// Why a request is turned away.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Denied {
    pub(super) status: StatusCode,
    pub(super) text: &'static str,
}

const fn denied(status: StatusCode, text: &'static str) -> Denied {
    Denied { status, text }
}

pub(crate) fn hash(token: &[u8]) -> [u8; 32] {
    Sha256::digest(token).into()
}

impl Guard {
    /// Lets a request in, or not. The origin is to be told to a browser that it may read the answer.
    pub(super) fn check(
        &self,
        headers: &HeaderMap,
        is_preflight: bool,
    ) -> Result<Option<HeaderValue>, Denied> {
        let host = one(headers, HOST.as_str())?.ok_or(denied(StatusCode::BAD_REQUEST, "no `Host`"))?;
        if !self.is_own(host) {
            return Err(denied(
                StatusCode::FORBIDDEN,
                "the `Host` is not this listener\nhint: `--allow-host`",
            ));
        }
        let origin = one(headers, ORIGIN.as_str())?;
        if let Some(origin) = origin
            && !self.may_speak(origin, host)
        {
            return Err(denied(StatusCode::FORBIDDEN, "the `Origin` is not allowed\nhint: `--allow-origin`"));
        }
        if !is_preflight && let Some(token) = &self.token {
            let given = one(headers, AUTHORIZATION.as_str())?.unwrap_or_default();
            let given = given.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
            let given = hash(given.map_or("", |(_, token)| token.trim()).as_bytes());
            // Hashes of equal length, every byte looked at: the time taken tells nothing of the token.
            let differences = token.iter().zip(given).fold(0_u8, |all, (a, b)| all | (a ^ b));
            if std::hint::black_box(differences) != 0 {
                return Err(denied(StatusCode::UNAUTHORIZED, "the token is missing or wrong"));
            }
        }
        Ok(origin.and_then(|origin| HeaderValue::from_str(origin).ok()))
    }

    /// Whether the client's `Authorization` is for the listener, and not for the server behind it.
    pub(super) fn takes_authorization(&self) -> bool {
        self.token.is_some()
    }

    /// A name that is not in the list may be any name of the attacker's that leads here; an address is what it says.
    fn is_own(&self, host: &str) -> bool {
        if self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host)) {
            return true;
        }
        let Some(name) = name_of(host) else { return false };
        if name.eq_ignore_ascii_case("localhost")
            || self.hosts.iter().any(|own| own.eq_ignore_ascii_case(&name))
        {
            return true;
        }
        let address = name.strip_prefix('[').and_then(|n| n.strip_suffix(']')).unwrap_or(&name);
        address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback() || !self.loopback)
    }

    fn may_speak(&self, origin: &str, host: &str) -> bool {
        self.origins.iter().any(|allowed| allowed.trim_end_matches('/').eq_ignore_ascii_case(origin))
            || origin.strip_prefix("http://").is_some_and(|own| own.eq_ignore_ascii_case(host))
    }
}

/// The host without its port, by the grammar of URLs: `localhost:80@evil.example` and `localhost/` are none.
fn name_of(host: &str) -> Option<String> {
    let authority: http::uri::Authority = host.parse().ok()?;
    let name = authority.host();
    (!name.is_empty() && !host.contains('@')).then(|| name.to_owned())
}

/// The only value of a header.
fn one<'h>(headers: &'h HeaderMap, key: &str) -> Result<Option<&'h str>, Denied> {
    let mut values = headers.get_all(key).iter();
    let first = values.next();
    if values.next().is_some() {
        return Err(denied(StatusCode::BAD_REQUEST, "a header is there twice"));
    }
    first
        .map(|value| value.to_str().map_err(|_| denied(StatusCode::BAD_REQUEST, "a header is not ASCII")))
        .transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard() -> Guard {
        Guard { loopback: true, hosts: Vec::new(), origins: Vec::new(), token: None }
    }

    fn check(guard: &Guard, pairs: &[(&'static str, &str)]) -> Result<(), u16> {
        let mut headers = HeaderMap::new();
        for (key, value) in pairs {
            headers.append(*key, HeaderValue::from_str(value).unwrap());
        }
        guard.check(&headers, false).map(drop).map_err(|denied| denied.status.as_u16())
    }

    #[test]
    fn only_this_machine_by_its_own_names() {
        for host in ["localhost:80", "LOCALHOST", "127.0.0.1:8080", "[::1]:8080", "[::1]", "127.9.9.9:1"] {
            assert_eq!(check(&guard(), &[("host", host)]), Ok(()), "{host}");
        }
        for host in [
            "evil.example",
            "evil.example:8080",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "localhost@evil.example",
            "evil.example#localhost",
            "10.0.0.1",
            "0.0.0.0:80",
            "",
            ":80",
            "[::2]:1",
        ] {
            assert!(check(&guard(), &[("host", host)]).is_err(), "{host}");
        }
        assert_eq!(check(&guard(), &[]), Err(400));
        assert_eq!(check(&guard(), &[("host", "localhost"), ("host", "evil.example")]), Err(400));
        let named = Guard { hosts: vec!["box.local".to_owned()], ..guard() };
        assert_eq!(check(&named, &[("host", "box.local:80")]), Ok(()));
        let open = Guard { loopback: false, ..guard() };
        assert_eq!(check(&open, &[("host", "10.0.0.1:80")]), Ok(()));
        assert_eq!(check(&open, &[("host", "evil.example")]), Err(403));
    }

    #[test]
    fn no_web_page_but_those_named() {
        let host = ("host", "localhost:8080");
        assert_eq!(check(&guard(), &[host, ("origin", "http://localhost:8080")]), Ok(()));
        for origin in [
            "http://evil.example",
            "null",
            "http://localhost:8081",
            "https://localhost:8080",
            "http://localhost:8080.evil.example",
            "",
        ] {
            assert_eq!(check(&guard(), &[host, ("origin", origin)]), Err(403), "{origin}");
        }
        let named = Guard { origins: vec!["http://localhost:6274/".to_owned()], ..guard() };
        assert_eq!(check(&named, &[host, ("origin", "http://localhost:6274")]), Ok(()));
    }

    #[test]
    fn a_token_is_needed_where_there_is_one() {
        let token = Guard { token: Some(hash(b"0123456789abcdef")), ..guard() };
        let host = ("host", "localhost");
        assert_eq!(check(&token, &[host, ("authorization", "bearer 0123456789abcdef")]), Ok(()));
        for wrong in
            ["", "Bearer", "Bearer ", "Bearer 0123456789abcdeg", "Basic 0123456789abcdef", "0123456789abcdef"]
        {
            assert_eq!(check(&token, &[host, ("authorization", wrong)]), Err(401), "{wrong}");
        }
        assert_eq!(check(&token, &[host]), Err(401));
    }
}
