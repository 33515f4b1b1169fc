//! One append-only file of records: length, checksum, payload. A torn last record is ignored, by the writer's
//! successors and by all readers; a damaged one ends the reading of that segment, with an error, never a guess.

use crate::parts::write_all;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Bytes before each payload: length and checksum, both little endian.
const HEAD: usize = 8;
/// A longer record is a damaged length. Above the longest line that the proxy relays.
const LONGEST: usize = 1 << 31;
/// A segment is read in pieces of this size, and of the size of the record where that is longer.
const PIECE: usize = 256 << 10;

/// Adds one record, whose payload `fill` appends, to what is to be written.
///
/// # Errors
/// Where the payload is too long; nothing is added then.
pub(super) fn add(records: &mut Vec<u8>, fill: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
    let start = records.len();
    records.extend_from_slice(&[0; HEAD]);
    fill(records);
    match head(&[records.get(start + HEAD..).unwrap_or(&[])]) {
        Ok(head) => {
            if let Some(place) = records.get_mut(start..start + HEAD) {
                place.copy_from_slice(&head);
            }
            Ok(())
        }
        Err(error) => {
            records.truncate(start);
            Err(error)
        }
    }
}

/// Writes one record, whose payload is `first` and `rest`, to the end of `file`, which has `offset` bytes.
///
/// # Errors
/// Where it is too long or cannot be written.
pub(super) fn write(file: &Arc<File>, offset: u64, first: &[u8], rest: &[u8]) -> io::Result<Place> {
    let head = head(&[first, rest])?;
    write_all(file, &[&head, first, rest])?;
    Ok(Place { file: Arc::clone(file), offset, head })
}

/// Length and checksum of a record. The sum is turned round, so that a tail of zeros is no record. It tells torn and damaged
/// records from whole ones; it is no defence against a forger, who would need write access to a folder that only the user can
/// open.
fn head(payload: &[&[u8]]) -> io::Result<[u8; HEAD]> {
    let mut hash = crc32fast::Hasher::new();
    payload.iter().for_each(|part| hash.update(part));
    let length: usize = payload.iter().map(|part| part.len()).sum();
    let length = u32::try_from(length).ok().filter(|n| (*n as usize) < LONGEST);
    let length =
        length.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the record is too long"))?;
    let mut head = [0; HEAD];
    head.as_chunks_mut::<4>().0.copy_from_slice(&[length.to_le_bytes(), (!hash.finalize()).to_le_bytes()]);
    Ok(head)
}

/// Where a record lies, for whoever wants to read it later.
#[derive(Debug, Clone)]
pub struct Place {
    file: Arc<File>,
    /// Of its head.
    offset: u64,
    head: [u8; HEAD],
}

impl Place {
    /// Bytes of the record.
    #[must_use]
    pub fn length(&self) -> usize {
        length_in(&self.head)
    }

    /// Where the next record begins in its file.
    pub(super) fn end(&self) -> u64 {
        self.offset + (HEAD + self.length()) as u64
    }

    /// Reads the record once more.
    ///
    /// # Errors
    /// Where it cannot be read, or is not what it was.
    pub fn read(&self) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; self.length()];
        let from = self.offset + HEAD as u64;
        if read_at(&self.file, &mut bytes, from)? < bytes.len() || head(&[&bytes])? != self.head {
            return Err(damaged("a record is not what it was"));
        }
        Ok(bytes)
    }
}

/// A record as it was just read.
#[derive(Debug)]
pub struct Record<'a> {
    /// What was written.
    pub bytes: &'a [u8],
    file: &'a Arc<File>,
    offset: u64,
    head: [u8; HEAD],
}

impl Record<'_> {
    /// Where it lies.
    #[must_use]
    pub fn place(&self) -> Place {
        Place { file: Arc::clone(self.file), offset: self.offset, head: self.head }
    }
}

/// Reads one segment from where it last stopped.
#[derive(Debug)]
pub(super) struct Reader {
    file: Arc<File>,
    offset: u64,
}

impl Reader {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { file: Arc::new(File::open(path)?), offset: 0 })
    }

    /// Hands every complete record that came since the last call to `each`.
    ///
    /// # Errors
    /// Where the file cannot be read, or a complete record does not match its checksum.
    pub(super) fn read_new(&mut self, mut each: impl FnMut(Record<'_>)) -> io::Result<()> {
        let end = self.file.metadata()?.len();
        let mut want = PIECE;
        while self.offset < end {
            let left = usize::try_from(end - self.offset).unwrap_or(usize::MAX);
            let mut bytes = vec![0; want.min(left)];
            let read = read_at(&self.file, &mut bytes, self.offset)?;
            let mut rest = bytes.get(..read).unwrap_or(&[]);
            let start = self.offset;
            while let Some((head, after)) = rest.split_first_chunk::<HEAD>() {
                let length = length_in(head);
                if length >= LONGEST {
                    return Err(damaged("a record's length is damaged"));
                }
                let Some((payload, after)) = after.split_at_checked(length) else {
                    let whole = HEAD + length;
                    // The rest is not written yet, and may never be.
                    if whole as u64 > end - self.offset {
                        return Ok(());
                    }
                    want = want.max(whole);
                    break;
                };
                if self::head(&[payload])? != *head {
                    return Err(damaged("a record does not match its checksum"));
                }
                each(Record { bytes: payload, file: &self.file, offset: self.offset, head: *head });
                self.offset += (rest.len() - after.len()) as u64;
                rest = after;
            }
            // Nothing whole in as much as can be had: the rest comes later.
            if self.offset == start && (bytes.len() == left || read < bytes.len()) {
                break;
            }
        }
        Ok(())
    }
}

fn length_in(head: &[u8; HEAD]) -> usize {
    head.first_chunk::<4>().map_or(0, |length| u32::from_le_bytes(*length) as usize)
}

fn damaged(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Fills `bytes` from `offset` on, without a place in the file that threads would share; how many there were.
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    #[cfg(unix)]
    let read = |bytes: &mut [u8], at| std::os::unix::fs::FileExt::read_at(file, bytes, at);
    #[cfg(windows)]
    let read = |bytes: &mut [u8], at| std::os::windows::fs::FileExt::seek_read(file, bytes, at);
    let mut done = 0;
    while let Some(left) = bytes.get_mut(done..).filter(|left| !left.is_empty()) {
        match read(left, offset + done as u64) {
            Ok(0) => break,
            Ok(n) => done += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

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
            reader.read_new(|r| seen.push(r.bytes.to_vec())).unwrap();
            let mut whole = 0;
            let mut end = 0;
            for payload in payloads {
                end += HEAD + payload.len();
                whole += usize::from(end <= cut);
            }
            assert_eq!(seen, payloads[..whole]);
            // What was torn becomes whole when the rest arrives.
            std::fs::write(&path, &bytes).unwrap();
            reader.read_new(|r| seen.push(r.bytes.to_vec())).unwrap();
            assert_eq!(seen, payloads);
        }
    }

    #[test]
    fn a_long_record_is_read_whole_and_again_from_its_place() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s");
        let file = Arc::new(File::options().read(true).append(true).create_new(true).open(&path).unwrap());
        let before = written(&[b"before"]);
        file.as_ref().write_all(&before).unwrap();
        let long = vec![7; 3 * PIECE];
        let place = write(&file, before.len() as u64, b"kind", &long).unwrap();
        file.as_ref().write_all(&written(&[b"after"])).unwrap();
        let all = [b"kind".as_slice(), &long].concat();
        assert_eq!(place.read().unwrap(), all);
        let mut seen = Vec::new();
        let read = Reader::open(&path).unwrap().read_new(|r| seen.push((r.bytes.to_vec(), r.place())));
        read.unwrap();
        let bytes: Vec<&[u8]> = seen.iter().map(|(bytes, _)| bytes.as_slice()).collect();
        assert_eq!(bytes, [b"before".as_slice(), &all, b"after"]);
        assert!(seen.iter().all(|(bytes, place)| place.read().unwrap() == *bytes));
        File::options().write(true).open(&path).unwrap().set_len(1000).unwrap();
        assert!(place.read().is_err(), "it is no longer there");
    }

    #[test]
    fn all_that_is_whole_is_read_at_once_wherever_a_piece_of_the_file_ends() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s");
        // Not a divisor of the pieces, so that their ends fall into records; the last record is torn.
        let payload = [7; 1000];
        for count in [PIECE / 1000, PIECE / 1000 + 1, 3 * PIECE / 1000] {
            let mut bytes = written(&vec![payload.as_slice(); count]);
            bytes.extend_from_slice(&written(&[&payload])[..500]);
            std::fs::write(&path, &bytes).unwrap();
            let mut seen = 0;
            Reader::open(&path).unwrap().read_new(|_| seen += 1).unwrap();
            assert_eq!(seen, count);
        }
    }

    #[test]
    fn zeros_are_no_record() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("z");
        std::fs::write(&path, [0; 64]).unwrap();
        assert!(Reader::open(&path).unwrap().read_new(|_| panic!("a record")).is_err());
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
