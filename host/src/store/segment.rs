//! One append-only file of records: length, checksum, payload. A torn last record is ignored, by the writer's
//! successors and by all readers; a damaged one ends the reading of that segment, with an error, never a guess.

use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom};
use std::path::Path;

/// Bytes before each payload: length and checksum, both little endian.
const HEAD: usize = 8;
/// A longer record is a damaged length. Above the longest line that the proxy relays.
const LONGEST: usize = 1 << 31;

/// Adds one record, whose payload `fill` appends, to what is to be written.
///
/// # Errors
/// Where the payload is too long; nothing is added then.
pub(super) fn add(records: &mut Vec<u8>, fill: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
    let start = records.len();
    records.extend_from_slice(&[0; HEAD]);
    fill(records);
    let payload = records.get(start + HEAD..).unwrap_or(&[]);
    let length = u32::try_from(payload.len()).ok().filter(|n| (*n as usize) < LONGEST);
    let Some(length) = length else {
        records.truncate(start);
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the record is too long"));
    };
    let head = [length.to_le_bytes(), checksum(payload).to_le_bytes()];
    if let Some(place) = records.get_mut(start..start + HEAD) {
        place.copy_from_slice(head.as_flattened());
    }
    Ok(())
}

/// Reads one segment from where it last stopped.
#[derive(Debug)]
pub(super) struct Reader {
    file: File,
    offset: u64,
}

impl Reader {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { file: File::open(path)?, offset: 0 })
    }

    /// Hands every complete record that came since the last call to `each`.
    ///
    /// # Errors
    /// Where the file cannot be read, or a complete record does not match its checksum.
    pub(super) fn read_new(&mut self, mut each: impl FnMut(&[u8])) -> io::Result<()> {
        let length = self.file.metadata()?.len();
        if length <= self.offset {
            return Ok(());
        }
        self.file.seek(SeekFrom::Start(self.offset))?;
        let mut bytes = Vec::new();
        Read::take(&mut self.file, length - self.offset).read_to_end(&mut bytes)?;
        let mut rest = bytes.as_slice();
        while let Some((payload, after)) = split(rest)? {
            each(payload);
            self.offset += (rest.len() - after.len()) as u64;
            rest = after;
        }
        Ok(())
    }
}

/// The first record of `bytes` and what follows, or `None` where it is not complete yet.
fn split(bytes: &[u8]) -> io::Result<Option<(&[u8], &[u8])>> {
    let Some((head, after)) = bytes.split_first_chunk::<4>() else { return Ok(None) };
    let Some((sum, after)) = after.split_first_chunk::<4>() else { return Ok(None) };
    let length = u32::from_le_bytes(*head) as usize;
    if length >= LONGEST {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a record's length is damaged"));
    }
    let Some((payload, after)) = after.split_at_checked(length) else { return Ok(None) };
    if checksum(payload) != u32::from_le_bytes(*sum) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a record does not match its checksum"));
    }
    Ok(Some((payload, after)))
}

/// A multiplicative hash, folded to 32 bits: tells a torn or zero-filled tail from a record; it is no defence against a forger,
/// who would need write access to a folder that only the user can open.
fn checksum(bytes: &[u8]) -> u32 {
    let (words, rest) = bytes.as_chunks::<8>();
    let last = rest.iter().rev().fold(0_u64, |word, byte| word << 8 | u64::from(*byte));
    let last = (!rest.is_empty()).then_some(last);
    let words = words.iter().map(|word| u64::from_le_bytes(*word)).chain(last);
    let hash = words.fold(0xcbf2_9ce4_8422_2325_u64, |hash, word| {
        (hash ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(23)
    });
    (hash ^ (hash >> 32) ^ bytes.len() as u64) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(payloads: &[&[u8]]) -> Vec<u8> {
        let mut records = Vec::new();
        for payload in payloads {
            add(&mut records, |out| out.extend_from_slice(payload)).unwrap();
        }
        records
    }

    #[test]
    fn a_file_cut_at_any_byte_yields_exactly_the_whole_records_before_the_cut() {
        let payloads: [&[u8]; 4] = [b"one", b"", b"three three three", b"4"];
        let bytes = written(&payloads);
        let dir = tempfile::tempdir().unwrap();
        for cut in 0..=bytes.len() {
            let path = dir.path().join("cut");
            std::fs::write(&path, &bytes[..cut]).unwrap();
            let mut reader = Reader::open(&path).unwrap();
            let mut seen = Vec::new();
            reader.read_new(|r| seen.push(r.to_vec())).unwrap();
            let mut whole = 0;
            let mut end = 0;
            for payload in payloads {
                end += HEAD + payload.len();
                whole += usize::from(end <= cut);
            }
            assert_eq!(seen, payloads[..whole]);
            // What was torn becomes whole when the rest arrives.
            std::fs::write(&path, &bytes).unwrap();
            reader.read_new(|r| seen.push(r.to_vec())).unwrap();
            assert_eq!(seen, payloads);
        }
    }

    #[test]
    fn a_flipped_bit_is_an_error_and_never_a_record() {
        let bytes = written(&[b"approval: nobody@x.example"]);
        let dir = tempfile::tempdir().unwrap();
        for at in 4..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            let path = dir.path().join("d");
            std::fs::write(&path, &damaged).unwrap();
            let result = Reader::open(&path).unwrap().read_new(|_| panic!("byte {at}"));
            assert!(result.is_err(), "byte {at}");
        }
    }
}
