//! Finds a needle in a growing text without reading all of it: bit-sliced signatures of blocks.
//!
//! Each block of the text sets, among a fixed number of rows, the rows of the five-byte grams (and of the words of at
//! most four bytes) that begin in it or shortly after. Blocks stand side by side as bits of a row, so that a look-up
//! ANDs a few rows and searches the blocks that are left. A signature is never the answer, only a filter: what an
//! attacker does to it costs time, at worst that of reading all the text, and changes no result.

use super::bits::{self, ones};
use memchr::memmem;

/// Bytes of text in one block.
const BLOCK: usize = 16 << 10;
/// Bytes after a block that its signature covers too; a longer needle is filtered by this much of its beginning.
const REACH: usize = 256;
/// Rows of a signature, as a power of two: a quarter of a byte for each byte of text.
const ROW_BITS: u32 = 15;
const ROWS: usize = 1 << ROW_BITS;
/// Bytes of a gram.
const GRAM: usize = 5;
/// 64-bit words of a row in the first groups; later ones have the last width (512 blocks, one cache line).
const WIDTHS: [usize; 4] = [1, 1, 2, 4];
const WIDEST: usize = 8;

/// Blocks whose columns are put into a group together: as many as a byte has bits.
const BATCH: usize = 8;

/// The index over one text that only grows.
#[derive(Debug, Default)]
pub(super) struct Signatures {
    groups: Vec<Group>,
    /// Columns that are in no group yet, in order.
    pending: Vec<Column>,
    /// Columns with no rows, to be used again.
    spare: Vec<Column>,
    /// Blocks that are in a group or pending; the text after them is searched as it is.
    sealed: usize,
}

/// The rows that one block has, a byte each: setting one is then a plain store.
#[derive(Debug)]
struct Column(Box<[u8; ROWS]>);

impl Default for Column {
    fn default() -> Self {
        Self(Box::new([0; ROWS]))
    }
}

impl Column {
    #[inline]
    fn set(&mut self, rows: [usize; 2]) {
        for row in rows {
            if let Some(byte) = self.0.get_mut(row) {
                *byte = 1;
            }
        }
    }

    fn has(&self, row: usize) -> bool {
        self.0.get(row).is_some_and(|byte| *byte == 1)
    }
}

#[derive(Debug)]
struct Group {
    /// 64-bit words of a row.
    width: usize,
    blocks: usize,
    /// Bit by bit, little-endian, the blocks that have a row; row after row.
    rows: Vec<u8>,
}

impl Group {
    fn new(index: usize) -> Self {
        let width = WIDTHS.get(index).copied().unwrap_or(WIDEST);
        Self { width, blocks: 0, rows: vec![0; ROWS * width * 8] }
    }

    fn is_full(&self) -> bool {
        self.blocks == self.width * 64
    }

    /// Adds as many blocks as a byte has bits.
    fn add(&mut self, columns: &[Column]) {
        let mut all = [0_u8; ROWS];
        for (bit, column) in columns.iter().enumerate() {
            for (to, from) in all.iter_mut().zip(column.0.iter()) {
                *to |= from << bit;
            }
        }
        let place = self.blocks / 8;
        for (row, bits) in self.rows.chunks_exact_mut(self.width * 8).zip(&all) {
            if let Some(byte) = row.get_mut(place) {
                *byte = *bits;
            }
        }
        self.blocks += BATCH;
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
                let bytes = self.rows.get(row * self.width * 8..(row + 1) * self.width * 8).unwrap_or(&[]);
                for (l, w) in left.iter_mut().zip(bytes.as_chunks::<8>().0) {
                    *l &= u64::from_le_bytes(*w);
                }
            }
            if left.iter().all(|w| *w == 0) {
                break;
            }
        }
        left
    }
}

/// The two rows of a gram or word whose bytes are the upper five of `key`; the lower three tell words from grams. What is in
/// every block of a text shares its rows with few others: two by chance hardly ever.
fn rows_of_key(key: u64) -> [usize; 2] {
    let mixed = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    // A product alone is linear: of some grams both rows would be those of what is in every block.
    let mixed = (mixed ^ mixed >> 32).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
    [64 - ROW_BITS, 64 - 2 * ROW_BITS].map(|place| (mixed >> place) as usize % ROWS)
}

/// The rows of the gram that begins with the lowest byte.
fn rows_of_gram(bytes: u64) -> [usize; 2] {
    rows_of_key(bytes << (8 * (8 - GRAM)))
}

/// The rows of the word of so many ASCII letters and digits, one to four, that begins with the lowest byte; no gram has
/// that key.
fn rows_of_word(bytes: u64, len: usize) -> [usize; 2] {
    let word = bytes & !(u64::MAX << (8 * len));
    rows_of_key(word << (8 * (8 - GRAM)) | len as u64)
}

/// The first eight bytes, or as many as there are, the first as the lowest.
fn eight(bytes: &[u8]) -> u64 {
    bytes
        .first_chunk()
        .map_or_else(|| bytes.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b)), |b| u64::from_le_bytes(*b))
}

impl Signatures {
    /// Takes in what was appended to `text` since the last call.
    pub(super) fn grow(&mut self, text: &[u8]) {
        while let Some(window) = text.get(self.sealed * BLOCK..(self.sealed + 1) * BLOCK + REACH) {
            let mut column = self.spare.pop().unwrap_or_default();
            grams(window, &mut column);
            short_words(window, &mut column);
            self.pending.push(column);
            self.sealed += 1;
            if self.pending.len() < BATCH {
                continue;
            }
            if self.groups.last().is_none_or(Group::is_full) {
                self.groups.push(Group::new(self.groups.len()));
            }
            if let Some(group) = self.groups.last_mut() {
                group.add(&self.pending);
            }
            for mut column in self.pending.drain(..) {
                column.0.fill(0);
                self.spare.push(column);
            }
        }
    }

    /// The blocks that may hold what has these rows, in order.
    fn candidates<'a>(&'a self, rows: &'a [usize]) -> impl Iterator<Item = usize> + 'a {
        let starts = self.groups.iter().scan(0, |next, group| {
            let first = *next;
            *next += group.blocks;
            Some(first)
        });
        let grouped = self.groups.iter().zip(starts).flat_map(move |(group, first)| {
            let words = group.candidates(rows).into_iter().enumerate();
            words.flat_map(move |(i, word)| ones(word).map(move |bit| first + i * 64 + bit))
        });
        let first = self.sealed - self.pending.len();
        let pending = self.pending.iter().enumerate();
        grouped.chain(
            pending
                .filter(|(_, column)| rows.iter().all(|row| column.has(*row)))
                .map(move |(i, _)| first + i),
        )
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
        for block in self.candidates(&rows) {
            run = match run {
                Some((from, until)) if until == block => Some((from, block + 1)),
                Some((from, until)) if search(from * BLOCK, until * BLOCK) => return true,
                _ => Some((block, block + 1)),
            };
        }
        if let Some((from, until)) = run
            && search(from * BLOCK, until * BLOCK)
        {
            return true;
        }
        search(tail, text.len())
    }
}

/// Sets the rows of all grams of a block, but for the last few.
fn grams(window: &[u8], column: &mut Column) {
    for bytes in window.windows(8) {
        column.set(rows_of_gram(eight(bytes)));
    }
}

/// Sets the rows of the words of fewer letters than a gram. Which bytes are of words is told 64 at a time as bits, so that
/// only the beginnings of short words are looked at, those of one length after the other: where a word ends is nothing
/// that a processor could foresee.
fn short_words(window: &[u8], column: &mut Column) {
    let mut chunks = bits::of_text(window, is_of_word).chain([0]);
    let mut now = chunks.next().unwrap_or(0);
    let mut runs_on = 0;
    for (i, next) in chunks.enumerate() {
        let chunk = window.get(i * bits::CHUNK..).unwrap_or(&[]);
        // Words that begin here and have at least so many letters.
        let mut left = now & !(now << 1 | runs_on);
        for len in 1..GRAM {
            let goes_on = now >> len | next << (bits::CHUNK - len);
            for at in ones(left & !goes_on) {
                column.set(rows_of_word(eight(chunk.get(at..).unwrap_or(&[])), len));
            }
            left &= goes_on;
        }
        runs_on = now >> 63;
        now = next;
    }
}

fn is_of_word(b: u8) -> bool {
    ((b | 0x20).wrapping_sub(b'a') < 26) | (b.wrapping_sub(b'0') < 10)
}

/// The rows that every block with the needle in it has; none where nothing can be said.
fn rows_of(needle: &[u8]) -> Vec<usize> {
    if needle.len() >= GRAM {
        // The last grams of a window are in no row.
        let head = needle.get(..REACH - 8).unwrap_or(needle);
        return head.windows(GRAM).flat_map(|w| rows_of_gram(eight(w))).collect();
    }
    needle
        .split(|b| !b.is_ascii_alphanumeric())
        .filter(|w| !w.is_empty())
        .flat_map(|w| rows_of_word(eight(w), w.len()))
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
