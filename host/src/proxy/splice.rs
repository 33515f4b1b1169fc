//! Other bytes at some places of a line, and nothing else touched.

use std::ops::Range;

/// `line` with other bytes at some places, which are in order.
pub(crate) fn spliced(line: &[u8], instead: impl Iterator<Item = (Range<usize>, Option<String>)>) -> Vec<u8> {
    let mut out = Vec::with_capacity(line.len());
    let mut from = 0;
    for (place, instead) in instead {
        if let Some(instead) = instead {
            out.extend_from_slice(line.get(from..place.start).unwrap_or_default());
            out.extend_from_slice(instead.as_bytes());
            from = place.end;
        }
    }
    out.extend_from_slice(line.get(from..).unwrap_or_default());
    out
}
