//! Whatever the bytes, the scanner neither panics nor lets a line pass that another parser takes for another call.
#![no_main]

use bouncer_core::line::{ClientLine, Limits, id_in_prefix, scan, server};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let seen = server::look(data);
    let _ = (seen.result(), seen.whole(), id_in_prefix(data));
    let Ok(line) = scan(data.to_vec(), &Limits::default()) else { return };
    let Ok(theirs) = serde_json::from_slice::<serde_json::Value>(data) else { return };
    let is_call = theirs["method"] == "tools/call";
    match line {
        ClientLine::Call(call) => {
            assert!(is_call);
            assert_eq!(theirs["params"]["name"].as_str(), Some(call.tool()));
        }
        ClientLine::Request(request) => {
            assert!(!is_call);
            assert_eq!(theirs["method"].as_str(), Some(request.method()));
            let out = request.permit().into_bytes();
            assert!(!out.contains(&b'\r') && !out.contains(&b'\n'));
        }
        ClientLine::Notification(notification) => {
            assert!(!is_call);
            assert_eq!(theirs["method"].as_str(), Some(notification.method()));
        }
        ClientLine::Response(_) => assert!(theirs.get("method").is_none()),
    }
});
