//! Finds a needle in a growing text without reading all of it: bit-sliced signatures of blocks.
//!
//! Each block of the text sets, among a fixed number of rows, the rows of the five-byte grams (and of the words of at
//! most four bytes) that begin in it or shortly after. Blocks stand side by side as bits of a row, so that a look-up
//! ANDs a few rows and searches the blocks that are left. A signature is never the answer, only a filter: what an
//! attacker does to it costs time, at worst that of reading all the text, and changes no result.

use memchr::memmem;

/// Bytes of text in one block.
const BLOCK: usize = 16 << 10;
/// Bytes after a block that its signature covers too; a longer needle is filtered by this much of its beginning.
const REACH: usize = 256;
/// Rows of a signature, as a power of two.
const ROW_BITS: u32 = 15;
const ROWS: usize = 1 << ROW_BITS;
/// Bytes of a gram.
const GRAM: usize = 5;
/// 64-bit words of a row in the first groups; later ones have the last width (512 blocks, one cache line).
const WIDTHS: [usize; 4] = [1, 1, 2, 4];
const WIDEST: usize = 8;

/// The index over one text that only grows.
#[derive(Debug, Default)]
pub(super) struct Signatures {
    groups: Vec<Group>,
    /// Blocks that are in a group; the text after them is searched as it is.
    sealed: usize,
    column: Column,
}

/// The rows that one block has, as bits.
#[derive(Debug)]
struct Column(Box<[u64; ROWS / 64]>);

impl Default for Column {
    fn default() -> Self {
        Self(Box::new([0; ROWS / 64]))
    }
}

impl Column {
    fn fill(&mut self, word: u64) {
        self.0.fill(word);
    }

    fn set(&mut self, row: usize) {
        if let Some(word) = self.0.get_mut(row / 64) {
            *word |= 1 << (row % 64);
        }
    }
}

/// Letters and digits of ASCII.
const WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut b = 0_u8;
    while b < 0x80 {
        // Constant evaluation has no iterators.
        #[allow(clippy::indexing_slicing)]
        {
            table[b as usize] = b.is_ascii_alphanumeric();
        }
        b += 1;
    }
    table
};

#[derive(Debug)]
struct Group {
    width: usize,
    blocks: usize,
    rows: Vec<u64>,
}

impl Group {
    fn new(index: usize) -> Self {
        let width = WIDTHS.get(index).copied().unwrap_or(WIDEST);
        Self { width, blocks: 0, rows: vec![0; ROWS * width] }
    }

    fn add(&mut self, column: &[u64]) {
        let (word, bit) = (self.blocks / 64, 1_u64 << (self.blocks % 64));
        for (i, bits) in column.iter().enumerate() {
            let mut bits = *bits;
            while bits != 0 {
                let row = i * 64 + bits.trailing_zeros() as usize;
                if let Some(w) = self.rows.get_mut(row * self.width + word) {
                    *w |= bit;
                }
                bits &= bits - 1;
            }
        }
        self.blocks += 1;
    }

    /// The blocks that have all rows, as bits.
    fn candidates(&self, rows: &[usize]) -> [u64; WIDEST] {
        let mut left = [0_u64; WIDEST];
        for (i, word) in left.iter_mut().enumerate() {
            let here = self.blocks.saturating_sub(i * 64).min(64);
            *word = if here == 64 { u64::MAX } else { (1 << here) - 1 };
        }
        // Four at a time, so that their cache misses overlap.
        for some in rows.chunks(4) {
            for row in some {
                let words = self.rows.get(row * self.width..(row + 1) * self.width).unwrap_or(&[]);
                for (l, w) in left.iter_mut().zip(words) {
                    *l &= w;
                }
            }
            if left.iter().all(|w| *w == 0) {
                break;
            }
        }
        left
    }
}

fn row_of(gram: u64) -> usize {
    (gram.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - ROW_BITS)) as usize
}

/// The row of a word of one to four ASCII letters and digits; no gram has that key.
fn row_of_word(word: u64, len: usize) -> usize {
    row_of(word | (0xff_u64 - len as u64) << 48)
}

impl Signatures {
    /// Takes in what was appended to `text` since the last call.
    pub(super) fn grow(&mut self, text: &[u8]) {
        while let Some(window) = text.get(self.sealed * BLOCK..(self.sealed + 1) * BLOCK + REACH) {
            self.fill(window);
            if self.groups.last().is_none_or(|g| g.blocks == g.width * 64) {
                self.groups.push(Group::new(self.groups.len()));
            }
            if let Some(group) = self.groups.last_mut() {
                group.add(self.column.0.as_slice());
            }
            self.sealed += 1;
        }
    }

    fn fill(&mut self, window: &[u8]) {
        self.column.fill(0);
        let column = &mut self.column;
        // The last five bytes, the newest highest.
        let mut last = window.iter().take(GRAM - 1).fold(0_u64, |last, b| (last >> 8) | u64::from(*b) << 32);
        for b in window.iter().skip(GRAM - 1) {
            last = (last >> 8) | u64::from(*b) << 32;
            column.set(row_of(last));
        }
        // The word that runs now, the newest byte lowest.
        let (mut word, mut len) = (0_u64, 0_usize);
        for b in window {
            if WORD.get(usize::from(*b)).copied().unwrap_or(false) {
                word = (word << 8) | u64::from(*b);
                len += 1;
            } else {
                if (1..GRAM).contains(&len) {
                    column.set(row_of_word(word, len));
                }
                (word, len) = (0, 0);
            }
        }
    }

    /// Calls `visit` with each place where `needle` stands, in order, until it returns `true`; whether it did. A needle
    /// of fewer than five bytes is found only where it does not begin or end inside a word of letters and digits.
    pub(super) fn find(&self, text: &[u8], needle: &[u8], mut visit: impl FnMut(usize) -> bool) -> bool {
        let finder = memmem::Finder::new(needle);
        let rows = rows_of(needle);
        let mut search = |from: usize, until: usize| {
            // Matches that begin before `until`.
            let end = (until + needle.len().saturating_sub(1)).min(text.len());
            text.get(from..end).is_some_and(|part| finder.find_iter(part).any(|at| visit(from + at)))
        };
        let tail = self.sealed * BLOCK;
        if rows.is_empty() {
            return search(0, text.len());
        }
        // Neighbouring blocks are searched as one.
        let mut run: Option<(usize, usize)> = None;
        let mut first = 0;
        for group in &self.groups {
            for (i, word) in group.candidates(&rows).into_iter().enumerate() {
                let mut bits = word;
                while bits != 0 {
                    let block = first + i * 64 + bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    run = match run {
                        Some((from, until)) if until == block => Some((from, block + 1)),
                        Some((from, until)) => {
                            if search(from * BLOCK, until * BLOCK) {
                                return true;
                            }
                            Some((block, block + 1))
                        }
                        None => Some((block, block + 1)),
                    };
                }
            }
            first += group.blocks;
        }
        if let Some((from, until)) = run
            && search(from * BLOCK, until * BLOCK)
        {
            return true;
        }
        search(tail, text.len())
    }
}

/// The rows that every block with the needle in it has; none where nothing can be said.
fn rows_of(needle: &[u8]) -> Vec<usize> {
    if needle.len() >= GRAM {
        let head = needle.get(..REACH).unwrap_or(needle);
        return head
            .windows(GRAM)
            .map(|w| row_of(w.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b))))
            .collect();
    }
    needle
        .split(|b| !b.is_ascii_alphanumeric())
        .filter(|w| !w.is_empty())
        .map(|w| row_of_word(w.iter().fold(0, |n, b| n << 8 | u64::from(*b)), w.len()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_exactly_what_a_scan_finds() {
        // Words from a small generator, so that needles recur and straddle blocks.
        let mut state = 7_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize
        };
        let mut text = Vec::new();
        let mut index = Signatures::default();
        while text.len() < 3 << 20 {
            for _ in 0..next() % 400 {
                for _ in 0..next() % 9 + 1 {
                    text.push(b"abcdefghij"[next() % 10]);
                }
                text.push(b" .@-"[next() % 4]);
            }
            index.grow(&text);
        }
        assert!(index.groups.len() > 2);
        for _ in 0..300 {
            let len = next() % 60 + 5;
            let at = next() % (text.len() - len);
            let needle = text[at..at + len].to_vec();
            let scan: Vec<usize> = memmem::find_iter(&text, &needle).collect();
            let mut got = Vec::new();
            index.find(&text, &needle, |at| {
                got.push(at);
                false
            });
            assert_eq!(got, scan);
            let mut absent = needle.clone();
            absent.push(b'#');
            assert!(!index.find(&text, &absent, |_| true));
        }
        for word in ["abc", "a", "jjjj", "ab.c", "a@b"] {
            let whole = |at: usize| {
                let edge =
                    |i: Option<usize>| i.and_then(|i| text.get(i)).is_none_or(|b| !b.is_ascii_alphanumeric());
                edge(at.checked_sub(1)) && edge(Some(at + word.len()))
            };
            let scan: Vec<usize> = memmem::find_iter(&text, word).filter(|at| whole(*at)).collect();
            let mut got = Vec::new();
            index.find(&text, word.as_bytes(), |at| {
                if whole(at) {
                    got.push(at);
                }
                false
            });
            assert_eq!(got, scan, "{word}");
        }
    }
}
