//! What the other processes of a session write: their segments, found and read from where the last look ended.

use super::StoreError;
use super::folder::{failed, is_segment};
use super::segment::{Reader, Record};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The segments of all others.
#[derive(Debug)]
pub struct Others {
    folder: PathBuf,
    own_name: OsString,
    readers: BTreeMap<OsString, Reader>,
    /// When the folder was last changed as it tells, and when this process first saw that.
    seen: Option<(SystemTime, Instant)>,
    /// The same, once no file can be made any more that would leave that time as it is: the folder is known.
    listed: Option<SystemTime>,
}

/// The steps in which a file system counts time: changes further apart are told by different times. One that tells
/// parts of a second follows the system's clock; others may count by twos.
fn step(changed: SystemTime) -> Duration {
    let fine = changed.duration_since(UNIX_EPOCH).is_ok_and(|time| time.subsec_nanos() != 0);
    if fine { Duration::from_millis(50) } else { Duration::from_secs(2) }
}

impl Others {
    pub(super) fn new(folder: PathBuf, own_name: OsString) -> Self {
        Self { folder, own_name, readers: BTreeMap::new(), seen: None, listed: None }
    }

    /// Hands every record that others have written since the last call to `each`, segment by segment.
    ///
    /// # Errors
    /// Where a segment cannot be read or is damaged.
    pub fn read_new(&mut self, mut each: impl FnMut(Record<'_>)) -> Result<(), StoreError> {
        self.find_new()?;
        for (name, reader) in &mut self.readers {
            reader.read_new(&mut each).map_err(failed("read", &self.folder.join(name)))?;
        }
        Ok(())
    }

    /// Opens the segments that were made since the last look. The folder is listed only where its time tells of a
    /// change, or is seen for so short a time that it could hide one.
    fn find_new(&mut self) -> Result<(), StoreError> {
        // Taken before the listing: what is made during it is found by the next one.
        let changed = fs::metadata(&self.folder).and_then(|m| m.modified());
        let changed = changed.map_err(failed("read", &self.folder))?;
        if self.listed == Some(changed) {
            return Ok(());
        }
        let now = Instant::now();
        let since = match self.seen {
            Some((time, since)) if time == changed => since,
            _ => now,
        };
        self.seen = Some((changed, since));
        // By this process's own clock: the file system's may be another machine's.
        let is_settled = now.duration_since(since) > step(changed);
        let entries = fs::read_dir(&self.folder).map_err(failed("read", &self.folder))?;
        for entry in entries {
            let name = entry.map_err(failed("read", &self.folder))?.file_name();
            if is_segment(&name) && name != self.own_name && !self.readers.contains_key(&name) {
                let path = self.folder.join(&name);
                self.readers.insert(name, Reader::open(&path).map_err(failed("open", &path))?);
            }
        }
        // Not every file system of Windows tells when a folder changed: exFAT does not.
        self.listed = (is_settled && cfg!(unix)).then_some(changed);
        Ok(())
    }
}
