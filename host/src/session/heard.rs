//! Something that was heard and is not in the index yet. Whoever needs it first digests it, and everybody else waits for that
//! one. The clerk does so without the session's lock, and digesting never takes it: who looks something up holds it.

use super::output::{Output, OutputKind};
use crate::store::Place;
use bouncer_core::arg_path::ArgPath;
use bouncer_core::provenance::{Digest, Source};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// What is longer than this, in bytes, is read back from the session's folder when its time has come.
pub(super) const LARGE: usize = 8 << 10;

/// Where the bytes are kept.
#[derive(Debug)]
pub(super) enum Kept {
    /// In memory.
    Here(Box<[u8]>),
    /// In a record of the session's folder, from this byte of it on.
    There(Place, usize),
}

/// It could not be read back or digested: there would be a hole in what is known to be untrusted.
#[derive(Debug)]
pub(super) struct Lost;

#[derive(Debug)]
pub(super) struct Heard {
    pub(super) source: Arc<Source>,
    /// Which of the client's calls it answered, 0 for none.
    pub(super) number: u64,
    kind: OutputKind,
    kept: Kept,
    directories: Arc<[ArgPath]>,
    digests: OnceLock<Mutex<Result<Vec<Digest>, Lost>>>,
}

impl Heard {
    pub(super) fn new(
        number: u64,
        source: Arc<Source>,
        kind: OutputKind,
        kept: Kept,
        directories: Arc<[ArgPath]>,
    ) -> Self {
        Self { source, number, kind, kept, directories, digests: OnceLock::new() }
    }

    /// Bytes of it.
    pub(super) fn size(&self) -> usize {
        match &self.kept {
            Kept::Here(bytes) => bytes.len(),
            Kept::There(place, from) => place.length().saturating_sub(*from),
        }
    }

    /// About how many bytes it takes in memory.
    pub(super) fn here(&self) -> usize {
        /// What is kept beside the bytes: of many small messages it is the most.
        const BESIDE: usize = 256;
        BESIDE + if let Kept::Here(bytes) = &self.kept { bytes.len() } else { 0 }
    }

    /// Makes the digests, or waits until they are made.
    pub(super) fn digest(&self) {
        self.digests.get_or_init(|| {
            let digested = catch_unwind(AssertUnwindSafe(|| self.make())).unwrap_or(Err(Lost));
            Mutex::new(digested)
        });
    }

    fn make(&self) -> Result<Vec<Digest>, Lost> {
        let pieces = |bytes: &[u8]| Output { kind: self.kind, bytes }.pieces();
        let pieces = match &self.kept {
            Kept::Here(bytes) => pieces(bytes),
            Kept::There(place, from) => {
                // Gone before the digests are made: both would be large.
                let record = place.read().map_err(|e| {
                    tracing::error!("cannot read back what was heard: {e}");
                    Lost
                })?;
                record.get(*from..).map(pieces).ok_or(Lost)?
            }
        };
        Ok(pieces.into_iter().map(|piece| piece.digest(&self.directories)).collect())
    }

    /// Whether nobody has to wait for the digests.
    pub(super) fn is_digested(&self) -> bool {
        self.digests.get().is_some()
    }

    /// The digests, once.
    ///
    /// # Errors
    /// [`Lost`] where they could not be made, or are not.
    pub(super) fn take(&self) -> Result<Vec<Digest>, Lost> {
        let digests = self.digests.get().ok_or(Lost)?;
        std::mem::replace(&mut *digests.lock().unwrap_or_else(PoisonError::into_inner), Err(Lost))
    }
}
