//! A pack in an OCI registry: an image manifest with one layer for each file, named by the annotation
//! `org.opencontainers.image.title`, as `oras push` makes it. References and manifests are read by `oci-spec`; the
//! requests are Bouncer's own, since they must be bounded and may follow redirects to encrypted addresses only.

use super::get::{Answer, Client, FetchError, address, is_here};
use crate::pack::bundle::{limit_of, may_hold};
use crate::pack::sha256_hex;
use bouncer_core::shown::{sentence, shown};
use http::header::{ACCEPT, AUTHORIZATION, WWW_AUTHENTICATE};
use http::{HeaderName, HeaderValue, StatusCode, Uri};
use oci_spec::distribution::Reference;
use oci_spec::image::{ANNOTATION_TITLE, Descriptor, ImageManifest, MediaType};
use std::collections::BTreeMap;

/// Bytes of a registry's manifest, and of a token.
const MOST_MANIFEST: u64 = 256 * 1024;
const MOST_LAYERS: usize = 16;
/// What some registries store an image's manifest as.
const DOCKER_MANIFEST: &str = "application/vnd.docker.distribution.manifest.v2+json";

const HINT: &str = "as in `oci://ghcr.io/someone/pack:1.0.0`, or with `@sha256:DIGEST` instead of the tag";

struct Registry<'a> {
    source: &'a str,
    client: Client,
    root: String,
    /// This machine's own, spoken to without encryption.
    here: bool,
    token: Option<HeaderValue>,
}

/// The files of the pack at `source`, and the digest of the manifest that names them.
pub(super) async fn pull(source: &str) -> Result<(BTreeMap<String, Vec<u8>>, String), FetchError> {
    let wrong = |why| FetchError::Address { url: source.to_owned(), why, hint: HINT };
    let written = source.strip_prefix("oci://").ok_or_else(|| wrong("it does not begin with `oci://`"))?;
    let registry = written.split_once('/').map(|(registry, _)| registry);
    let registry = registry.filter(|name| name.contains(['.', ':']) || *name == "localhost");
    let registry = registry.ok_or_else(|| wrong("it names no registry"))?;
    let reference: Reference = written.parse().map_err(|_| wrong("it is no reference"))?;
    if reference.tag().is_none() && reference.digest().is_none() {
        return Err(wrong("it names neither a tag nor a digest"));
    }
    let host = registry.rsplit_once(':').map_or(registry, |(host, _)| host);
    let here = is_here(host);
    let scheme = if here { "http" } else { "https" };
    let mut registry = Registry {
        source,
        client: Client::new(source, !here)?,
        root: format!("{scheme}://{registry}/v2/{}", reference.repository()),
        here,
        token: None,
    };
    let named = reference.digest().or(reference.tag()).unwrap_or_default();
    let bytes = registry.manifest(named).await?;
    let digest = sha256_hex(&bytes);
    if let Some(expected) = reference.digest()
        && expected != format!("sha256:{digest}")
    {
        return Err(
            registry.failed(format!("its manifest has the digest `sha256:{digest}`, not `{expected}`"))
        );
    }
    let manifest: ImageManifest = serde_json::from_slice(&bytes).map_err(|error| {
        // The error quotes what the registry sent.
        let error = sentence(&error.to_string(), 300);
        registry.failed(format!("its manifest is not one of an image with layers: {error}"))
    })?;
    if manifest.layers().len() > MOST_LAYERS {
        return Err(registry.failed(format!("it has more than {MOST_LAYERS} layers")));
    }
    let mut files = BTreeMap::new();
    for layer in manifest.layers() {
        let (name, bytes) = registry.layer(layer).await?;
        if files.insert(name.clone(), bytes).is_some() {
            return Err(registry.failed(format!("two of its layers are called `{name}`")));
        }
    }
    Ok((files, digest))
}

impl Registry<'_> {
    fn failed(&self, why: String) -> FetchError {
        FetchError::Failed { url: self.source.to_owned(), why }
    }

    async fn manifest(&mut self, named: &str) -> Result<Vec<u8>, FetchError> {
        let url = address(&format!("{}/manifests/{named}", self.root), self.here)?;
        let accept = HeaderValue::from_str(&format!("{}, {DOCKER_MANIFEST}", MediaType::ImageManifest));
        let accept = accept.map_err(|error| self.failed(error.to_string()))?;
        let mut answer = self.get(&url, Some(&accept), MOST_MANIFEST).await?;
        if answer.status == StatusCode::UNAUTHORIZED {
            self.token = Some(self.anonymous(&answer).await?);
            answer = self.get(&url, Some(&accept), MOST_MANIFEST).await?;
        }
        answer.success(self.source)
    }

    async fn get(&self, url: &Uri, accept: Option<&HeaderValue>, limit: u64) -> Result<Answer, FetchError> {
        let mut headers: Vec<(HeaderName, HeaderValue)> = Vec::new();
        headers.extend(accept.map(|value| (ACCEPT, value.clone())));
        headers.extend(self.token.clone().map(|token| (AUTHORIZATION, token)));
        self.client.get(url, &headers, limit).await
    }

    /// The token that a registry gives to anybody.
    async fn anonymous(&self, answer: &Answer) -> Result<HeaderValue, FetchError> {
        let challenge = answer.headers.get(WWW_AUTHENTICATE).and_then(|value| value.to_str().ok());
        let parts = challenge.and_then(|challenge| challenge.strip_prefix("Bearer ")).map(parameters);
        let parts = parts.ok_or_else(|| {
            self.failed("it wants a name and password, which Bouncer does not have".to_owned())
        })?;
        let realm =
            parts.get("realm").ok_or_else(|| self.failed("it does not say where to sign in".to_owned()))?;
        let mut query: Vec<String> = Vec::new();
        for key in ["service", "scope"] {
            query.extend(parts.get(key).map(|value| format!("{key}={}", percent(value))));
        }
        let url = address(&format!("{realm}?{}", query.join("&")), self.here)?;
        let body = self.client.get(&url, &[], MOST_MANIFEST).await?.success(realm)?;
        let body: serde_json::Value =
            serde_json::from_slice(&body).map_err(|error| self.failed(format!("its token: {error}")))?;
        let token = body.get("token").or_else(|| body.get("access_token")).and_then(|token| token.as_str());
        let header = token.and_then(|token| HeaderValue::from_str(&format!("Bearer {token}")).ok());
        header.ok_or_else(|| self.failed("it gives no token".to_owned()))
    }

    /// One file: what its layer is called, and its bytes, which have the digest and the size that the manifest names.
    async fn layer(&self, layer: &Descriptor) -> Result<(String, Vec<u8>), FetchError> {
        let title = layer.annotations().as_ref().and_then(|all| all.get(ANNOTATION_TITLE));
        let Some(name) = title.filter(|name| may_hold(name)) else {
            let title = shown(title.map_or("", String::as_str), 80);
            return Err(self.failed(format!(
                "its layer `{title}` is not a file that a pack holds\nhint: `oras push REGISTRY/NAME:TAG pack.toml MODULE.wasm`, without a folder"
            )));
        };
        let limit = limit_of(name);
        let size = Some(layer.size()).filter(|size| *size <= limit);
        let size =
            size.ok_or_else(|| self.failed(format!("its layer `{name}` has more than {limit} bytes")))?;
        let hash = layer.as_digest_sha256().filter(|hash| crate::pack::is_hash(hash));
        let hash =
            hash.ok_or_else(|| self.failed(format!("its layer `{name}` has no SHA-256 for a digest")))?;
        let url = address(&format!("{}/blobs/sha256:{hash}", self.root), self.here)?;
        let bytes = self.get(&url, None, size).await?.success(self.source)?;
        let found = sha256_hex(&bytes);
        if bytes.len() as u64 != size || found != hash {
            return Err(self.failed(format!(
                "its layer `{name}` has the SHA-256 `{found}` and {} bytes, not `{hash}` and {size}",
                bytes.len()
            )));
        }
        Ok((name.clone(), bytes))
    }
}

/// The parameters of a challenge: `realm="...",service="..."`.
fn parameters(text: &str) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    let mut rest = text;
    while let Some((key, after)) = rest.split_once('=') {
        let key = key.trim_matches([' ', ',']).to_ascii_lowercase();
        let (value, next) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_once(',').unwrap_or((after, "")),
        };
        all.insert(key, value.to_owned());
        rest = next;
    }
    all
}

/// For a query.
fn percent(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b':' | b'/' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenges_are_read() {
        let all =
            parameters(r#"realm="https://a.example/token",service="r.example", scope="repository:x/y:pull""#);
        assert_eq!(all.get("realm").unwrap(), "https://a.example/token");
        assert_eq!(all.get("scope").unwrap(), "repository:x/y:pull");
        assert!(parameters("nonsense").is_empty());
        assert_eq!(percent("a b&c"), "a%20b%26c");
    }
}
