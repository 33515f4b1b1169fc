//! Whatever the bytes, the scanner neither panics nor lets a line pass that another parser takes for another call.
#![no_main]

use bouncer_core::call::Method;
use bouncer_core::line::{ClientLine, Limits, id_in_prefix, scan};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = id_in_prefix(data);
    let Ok(line) = scan(data.to_vec(), &Limits::default()) else { return };
    let theirs = serde_json::from_slice::<serde_json::Value>(data).ok();
    let method = theirs.as_ref().and_then(|t| t["method"].as_str());
    match line {
        ClientLine::Call(call) => {
            let Some(theirs) = &theirs else { return };
            assert_eq!(method, Some(call.method().as_str()));
            if call.method() == Method::CallTool {
                assert_eq!(theirs["params"]["name"].as_str(), Some(call.tool()));
            }
            let _ = call.arguments().to_json();
        }
        ClientLine::Request(request) => {
            assert!(method.is_none_or(|m| Method::of(m).is_none() && m == request.method()));
            let out = request.permit().into_bytes();
            assert!(!out.contains(&b'\r') && !out.contains(&b'\n'));
            assert_eq!(out.len(), data.len());
        }
        ClientLine::Notification(notification) => {
            assert!(method.is_none_or(|m| Method::of(m).is_none() && m == notification.method()));
            assert!(theirs.is_none_or(|t| t.get("id").is_none()));
        }
        ClientLine::Response(_) => assert!(theirs.is_none_or(|t| t.get("method").is_none())),
    }
});
