//! A process's own place in a session's folder: the segment that it alone writes.

use super::StoreError;
use super::folder::{clear, failed, lock};
use super::segment::{Place, add, write};
use crate::os;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::Arc;

/// The segment that this process writes. It is a member of the session as long as this lives.
#[derive(Debug)]
pub struct OwnSegment {
    sessions: PathBuf,
    path: PathBuf,
    file: Arc<File>,
    /// Bytes of it that are whole records.
    written: u64,
    /// A record could not be written whole: nothing may stand behind it.
    torn: bool,
    /// Records that are not written yet.
    queued: Vec<u8>,
}

impl OwnSegment {
    /// For a file at `path` that is empty, held by this process, and lies in a folder below `sessions`.
    pub(super) fn new(sessions: PathBuf, path: PathBuf, file: File) -> Self {
        Self { sessions, path, file: Arc::new(file), written: 0, torn: false, queued: Vec::new() }
    }

    /// Takes one record, whose bytes `fill` appends, to be written by the next [`Self::flush`].
    ///
    /// # Errors
    /// Where it is too long.
    pub fn queue(&mut self, fill: impl FnOnce(&mut Vec<u8>)) -> Result<(), StoreError> {
        add(&mut self.queued, fill).map_err(failed("write", &self.path))
    }

    /// Writes what was queued, in one go. When this returns, every other process of the session can read it.
    ///
    /// # Errors
    /// Where it cannot be written; the caller must not let through what the records were to tell of.
    pub fn flush(&mut self) -> Result<(), StoreError> {
        /// More room than this is given back.
        const ROOM: usize = 256 << 10;
        if self.queued.is_empty() {
            return Ok(());
        }
        let written = self.is_whole().and_then(|()| self.file.as_ref().write_all(&self.queued));
        let length = self.queued.len() as u64;
        self.queued.clear();
        self.queued.shrink_to(ROOM);
        self.wrote(written.map(|()| ((), self.written + length)))
    }

    fn is_whole(&self) -> io::Result<()> {
        if self.torn { Err(io::Error::other("an earlier record could not be written whole")) } else { Ok(()) }
    }

    /// Notes how far the segment reaches now. Of a record that was written in part the others must not wait for the rest.
    fn wrote<T>(&mut self, written: io::Result<(T, u64)>) -> Result<T, StoreError> {
        match written {
            Ok((done, end)) => {
                self.written = end;
                Ok(done)
            }
            Err(error) => {
                self.torn = true;
                let _ = self.file.set_len(self.written);
                Err(failed("write", &self.path)(error))
            }
        }
    }

    /// Writes one record at once, whose bytes are those that `fill` appends and then `rest`, which is not copied. Returns where
    /// it lies, and where in it `rest` begins.
    ///
    /// # Errors
    /// As [`Self::queue`] and [`Self::flush`].
    pub fn write(
        &mut self,
        fill: impl FnOnce(&mut Vec<u8>),
        rest: &[u8],
    ) -> Result<(Place, usize), StoreError> {
        self.flush()?;
        let mut first = Vec::new();
        fill(&mut first);
        let from = first.len();
        let place = self.is_whole().and_then(|()| write(&self.file, self.written, &first, rest));
        self.wrote(place.map(|place| {
            let end = place.end();
            ((place, from), end)
        }))
    }

    /// What is written from now on cannot be, as if the disk were full. Returns what the file was.
    #[cfg(test)]
    pub fn fill_disk(&mut self) -> Arc<File> {
        let unwritable = File::open(&self.path).expect("the segment is there");
        std::mem::replace(&mut self.file, Arc::new(unwritable))
    }
}

impl Drop for OwnSegment {
    /// Leaves the session; the last one out, with the client gone, takes the folder away. A failure leaves it to
    /// the next process that joins any session.
    fn drop(&mut self) {
        let _ = self.flush();
        let Ok(_leaving) = lock(&self.sessions) else { return };
        let _ = os::release(&self.file);
        clear(&self.sessions, "");
    }
}

#[cfg(test)]
mod tests {
    use super::super::{SessionKey, Store};
    use super::*;

    #[test]
    fn nothing_is_written_behind_a_torn_record_and_nobody_waits_for_its_rest() {
        let dir = tempfile::tempdir().unwrap();
        let key = SessionKey { client: None, ..SessionKey::find(None, Some("s")) };
        let join = || Store::join(dir.path(), &key).unwrap();
        let (Store { own: mut a, .. }, Store { others: mut b, own: _b }) = (join(), join());
        a.queue(|out| out.extend_from_slice(b"whole")).unwrap();
        a.flush().unwrap();
        let file = a.fill_disk();
        assert!(a.write(|_| (), &[7; 1000]).is_err());
        // There is room again, and half a record was written before there was none.
        a.file = file;
        a.file.as_ref().write_all(&[7; 500]).unwrap();
        assert!(a.wrote::<()>(Err(io::ErrorKind::StorageFull.into())).is_err());
        assert_eq!(a.file.metadata().unwrap().len(), a.written);
        a.queue(|out| out.extend_from_slice(b"behind it")).unwrap();
        assert!(a.flush().is_err() && a.write(|_| (), &[7; 1000]).is_err());
        let mut seen = Vec::new();
        b.read_new(|record| seen.push(record.bytes.to_vec())).unwrap();
        assert_eq!(seen, [b"whole"]);
    }
}
