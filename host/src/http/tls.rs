//! How TLS towards servers is set up: rustls over ring, with the system's authorities or those in `SSL_CERT_FILE`.

use std::io;
use std::sync::Arc;

/// The configuration of a client; the authorities are only read where it is `encrypted`.
///
/// # Errors
/// Where no authority can be read.
pub(crate) fn client(encrypted: bool) -> io::Result<rustls::ClientConfig> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versions = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?;
    let mut roots = rustls::RootCertStore::empty();
    if encrypted {
        let found = rustls_native_certs::load_native_certs();
        let (added, _) = roots.add_parsable_certificates(found.certs);
        if added == 0 {
            let why = found.errors.first().map_or("there are none", |_| "they cannot be read");
            return Err(io::Error::other(format!(
                "no certificates of authorities: {why}\nhint: name a file of them in SSL_CERT_FILE"
            )));
        }
    }
    Ok(versions.with_root_certificates(roots).with_no_client_auth())
}

/// An error with what lies behind it, each said once.
pub(crate) fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let said = cause.to_string();
        if !text.ends_with(&said) {
            text = format!("{text}: {said}");
        }
        next = cause.source();
    }
    text
}
