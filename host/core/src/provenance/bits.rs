//! Which bytes of a text are of a class, 64 at a time as the bits of a word: what stands where is then told by counting
//! bits, and texts are mostly passed over. The loops have no branches, so that the compiler makes vector instructions of
//! them; a class has to be written without `&&` and `||` for that.

use std::ops::Range;

/// Bytes of one word of bits.
pub(super) const CHUNK: usize = 64;

/// The bits of bytes that each are 0 or 1.
#[inline]
fn gathered(each: &[u8; CHUNK]) -> u64 {
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let (eights, _) = each.as_chunks::<8>();
    // The multiplication brings the lowest bits of eight bytes together in the highest byte.
    eights
        .iter()
        .rev()
        .fold(0, |bits, eight| bits << 8 | u64::from_le_bytes(*eight).wrapping_mul(GATHER) >> 56)
}

/// Which of the bytes are of the class, the first as the lowest bit.
#[inline]
pub(super) fn of_chunk(chunk: &[u8; CHUNK], class: impl Fn(u8) -> bool + Copy) -> u64 {
    let mut each = [0; CHUNK];
    for (is, b) in each.iter_mut().zip(chunk) {
        *is = u8::from(class(*b));
    }
    gathered(&each)
}

/// As [`of_chunk`], of a text in order; bits beyond its end are not set.
#[inline]
pub(super) fn of_text(text: &[u8], class: impl Fn(u8) -> bool + Copy) -> impl Iterator<Item = u64> {
    let (chunks, rest) = text.as_chunks::<CHUNK>();
    let mut last = [0; CHUNK];
    for (to, from) in last.iter_mut().zip(rest) {
        *to = *from;
    }
    let beyond = u64::MAX.checked_shl(u32::try_from(rest.len()).unwrap_or(0)).unwrap_or(0);
    let tail = (!rest.is_empty()).then(|| of_chunk(&last, class) & !beyond);
    chunks.iter().map(move |chunk| of_chunk(chunk, class)).chain(tail)
}

/// The places of the bits that are set, the lowest first.
pub(super) fn ones(word: u64) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(word), |bits| Some(bits & bits.wrapping_sub(1)))
        .take_while(|bits| *bits != 0)
        .map(|bits| bits.trailing_zeros() as usize)
}

/// Where the bytes of a class stand in a text, to be asked again and again.
#[derive(Debug)]
pub(super) struct Places {
    words: Vec<u64>,
    len: usize,
}

impl Places {
    #[inline]
    pub(super) fn of(text: &[u8], class: impl Fn(u8) -> bool + Copy) -> Self {
        Self { words: of_text(text, class).collect(), len: text.len() }
    }

    /// The first place from `at` on, or what is `reach` bytes away or the end of the text.
    pub(super) fn from(&self, at: usize, reach: usize) -> usize {
        let (index, bit) = (at / CHUNK, at % CHUNK);
        let mut words = self.words.iter().enumerate().skip(index).take(reach / CHUNK + 2);
        let head = words.next().map(|(i, w)| (i, w >> bit << bit));
        let found = head.into_iter().chain(words.map(|(i, w)| (i, *w))).find(|(_, w)| *w != 0);
        let place = found.map_or(usize::MAX, |(i, w)| i * CHUNK + w.trailing_zeros() as usize);
        place.min(self.len).min(at + reach)
    }

    /// Behind the last place before `at`, or what is `reach` bytes away or the beginning of the text.
    pub(super) fn before(&self, at: usize, reach: usize) -> usize {
        let (index, bit) = (at / CHUNK, at % CHUNK);
        let head = self.words.get(index).map(|w| (index, w & !(u64::MAX << bit)));
        let words = self.words.iter().enumerate().take(index).rev().take(reach / CHUNK + 1);
        let found = head.into_iter().chain(words.map(|(i, w)| (i, *w))).find(|(_, w)| *w != 0);
        let place = found.map_or(0, |(i, w)| i * CHUNK + CHUNK - w.leading_zeros() as usize);
        place.max(at.saturating_sub(reach))
    }
}

/// Where the runs of ones begin that are at least `len` long, as the bits that begin so many ones.
#[inline]
pub(super) fn long_runs(bits: u128, len: usize) -> u128 {
    let mut out = bits;
    let mut have = 1;
    while have < len {
        let step = have.min(len - have);
        out &= out >> step;
        have += step;
    }
    out
}

/// Calls `visit` with each run of bytes of the class, in order.
#[inline]
pub(super) fn runs(text: &[u8], class: impl Fn(u8) -> bool + Copy, mut visit: impl FnMut(Range<usize>)) {
    let mut open = None;
    for (i, word) in of_text(text, class).enumerate() {
        let at = i * CHUNK;
        let mut left = word;
        if let Some(start) = open {
            let len = left.trailing_ones() as usize;
            if len == CHUNK {
                continue;
            }
            visit(start..at + len);
            open = None;
            left = left >> len << len;
        }
        while left != 0 {
            let start = left.trailing_zeros() as usize;
            let end = start + (left >> start).trailing_ones() as usize;
            if end == CHUNK {
                open = Some(at + start);
                break;
            }
            visit(at + start..at + end);
            left = left >> end << end;
        }
    }
    if let Some(start) = open {
        visit(start..text.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn runs_are_those_that_a_plain_scan_finds(text in proptest::collection::vec(0..3_u8, 0..300)) {
            let mut found = Vec::new();
            runs(&text, |b| b != 0, |run| found.push(run));
            let mut plain = Vec::new();
            let mut start = 0;
            for part in text.split(|b| *b == 0) {
                if !part.is_empty() {
                    plain.push(start..start + part.len());
                }
                start += part.len() + 1;
            }
            prop_assert_eq!(found, plain);
            let all: Vec<usize> =
                of_text(&text, |b| b == 1).enumerate().flat_map(|(i, w)| ones(w).map(move |at| i * CHUNK + at)).collect();
            let places = Places::of(&text, |b| b == 1);
            for at in 0..=text.len() {
                for reach in [1, 70, 400] {
                    let (far, near) = ((at + reach).min(text.len()), at.saturating_sub(reach));
                    prop_assert_eq!(places.from(at, reach), (at..far).find(|i| text[*i] == 1).unwrap_or(far));
                    prop_assert_eq!(places.before(at, reach), (near..at).rfind(|i| text[*i] == 1).map_or(near, |i| i + 1));
                }
            }
            let each: Vec<usize> = text.iter().enumerate().filter(|(_, b)| **b == 1).map(|(i, _)| i).collect();
            prop_assert_eq!(all, each);
        }
    }
}
