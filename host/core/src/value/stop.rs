//! Eight bytes of a string at a time.

/// Where a string goes no further, if that is near: most strings are short, and for those a search costs more to start
/// than to do. Control bytes are left to the search.
#[inline(never)]
pub(super) fn near_stop(rest: &[u8]) -> Option<usize> {
    const NEAR: usize = 4;
    let (words, tail) = rest.as_chunks();
    let mut passed = 0;
    for word in words.iter().take(NEAR) {
        if let Some(at) = first_stop(u64::from_le_bytes(*word)) {
            return word.get(at).is_some_and(|b| *b >= 0x20).then_some(passed + at);
        }
        passed += word.len();
    }
    if words.len() >= NEAR {
        return None;
    }
    let at = tail.iter().position(|b| matches!(b, b'"' | b'\\') || *b < 0x20)?;
    tail.get(at).is_some_and(|b| *b >= 0x20).then_some(passed + at)
}

/// The first quote, backslash or control byte of eight bytes, of which the first is the lowest.
#[inline]
fn first_stop(word: u64) -> Option<usize> {
    const EACH: u64 = 0x0101_0101_0101_0101;
    // The high bit of each byte under the limit. A borrow can set wrong ones, but only above the first right one.
    let under = |word: u64, limit: u8| word.wrapping_sub(EACH * u64::from(limit)) & !word;
    let is = |byte: u8| under(word ^ (EACH * u64::from(byte)), 1);
    let stops = (is(b'"') | is(b'\\') | under(word, 0x20)) & (EACH << 7);
    (stops != 0).then(|| stops.trailing_zeros() as usize / 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_is_found_wherever_it_stands_and_whatever_stands_around_it() {
        for filler in [b'!', b'a', 0x7f, 0x80, 0xa2, 0xdc, 0xff] {
            for len in 0..40 {
                assert_eq!(near_stop(&vec![filler; len]), None);
                for at in 0..len {
                    for byte in 0..=u8::MAX {
                        let mut text = vec![filler; len];
                        text.splice(at..=at, [byte]);
                        // A second one further on, next to it and elsewhere.
                        text.splice(at + 1..(at + 2).min(len), [byte.wrapping_add(1)]);
                        let first = text.iter().position(|b| *b < 0x20 || matches!(b, b'"' | b'\\'));
                        let sound = first.filter(|at| text.get(*at).is_some_and(|b| *b >= 0x20));
                        // What is not near may be found, or not.
                        if at < 31 || near_stop(&text).is_some() {
                            assert_eq!(near_stop(&text), sound, "{text:?}");
                        }
                    }
                }
            }
        }
    }
}
