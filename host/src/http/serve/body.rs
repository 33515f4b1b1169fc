//! Reading a client's body, within bounds of size, time and memory.

use super::Serving;
use http::StatusCode;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// A body that stands still for so long, or takes so long in all, is not waited for.
const STILL: Duration = Duration::from_secs(15);
const IN_ALL: Duration = Duration::from_secs(120);
/// Bytes of bodies that may be under way at once, beside the first.
const MOST_READING: usize = 256 << 20;

impl Serving {
    /// Reads a body, within bounds of size and time.
    pub(super) async fn read(&self, mut body: Incoming) -> Result<Vec<u8>, (StatusCode, &'static str)> {
        let late = (StatusCode::REQUEST_TIMEOUT, "the body did not come in time");
        let mut bytes = Vec::new();
        let mut reading = Reading(&self.reading, 0);
        let until = tokio::time::Instant::now() + IN_ALL;
        loop {
            let still = (tokio::time::Instant::now() + STILL).min(until);
            let Some(frame) = tokio::time::timeout_at(still, body.frame()).await.map_err(|_| late)? else {
                return Ok(bytes);
            };
            let frame = frame.map_err(|_| (StatusCode::BAD_REQUEST, "the body broke off"))?;
            let Ok(data) = frame.into_data() else { continue };
            if bytes.len() + data.len() > self.limits.max_bytes {
                return Err((StatusCode::PAYLOAD_TOO_LARGE, "the message is too long"));
            }
            if !reading.more(data.len()) {
                return Err((StatusCode::SERVICE_UNAVAILABLE, "too much is being sent at once"));
            }
            bytes.extend_from_slice(&data);
        }
    }
}

/// Bytes that are being read, given back at the end.
struct Reading<'a>(&'a AtomicUsize, usize);

impl Reading<'_> {
    fn more(&mut self, bytes: usize) -> bool {
        self.1 += bytes;
        self.0.fetch_add(bytes, Ordering::AcqRel) + bytes - self.1 <= MOST_READING
    }
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(self.1, Ordering::AcqRel);
    }
}
