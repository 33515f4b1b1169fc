//! What was heard since somebody last looked something up, and this process's way to tell the session's others of it.
//!
//! It has a lock of its own, so that who hands answers on does not wait for who judges calls: the two meet for as long as it
//! takes to move pointers. Who holds both has taken the lock of [`super::Known`] first.

use super::heard::{Heard, Kept, LARGE};
use super::record;
use super::{Broken, Output};
use crate::store::{OwnSegment, StoreError};
use bouncer_core::arg_path::ArgPath;
use bouncer_core::provenance::Source;
use std::sync::Arc;

/// Bytes in memory, and in all, beyond which what is here is to be taken in although nobody looks anything up.
const MOST_HERE: usize = 8 << 20;
const MOST: usize = 32 << 20;

#[derive(Debug, Default)]
pub(super) struct Inbox {
    pub(super) own: Option<OwnSegment>,
    heard: Vec<Arc<Heard>>,
    bytes: usize,
    here: usize,
    /// How many of the client's calls were answered, in all processes of the session.
    pub(super) answered: u64,
    /// Something could not be written for the session's other processes.
    pub(super) unwritten: bool,
}

impl Inbox {
    /// Of a session that lies in a folder.
    pub(super) fn shared(own: OwnSegment) -> Self {
        Self { own: Some(own), ..Self::default() }
    }

    /// Takes what an upstream sent. `true` when it is time to take in what is here.
    pub(super) fn hear(
        &mut self,
        number: u64,
        source: Arc<Source>,
        output: Output<'_>,
        directories: Arc<[ArgPath]>,
    ) -> bool {
        let Output { kind, bytes } = output;
        let mut kept = None;
        if let Some(own) = &mut self.own {
            let head = |out: &mut Vec<u8>| record::heard(out, number, &source, kind, &directories);
            let written = if bytes.len() > LARGE {
                own.write(head, bytes).map(|(place, from)| kept = Some(Kept::There(place, from)))
            } else {
                own.queue(|out| {
                    head(out);
                    out.extend_from_slice(bytes);
                })
            };
            self.note(written);
        }
        let kept = kept.unwrap_or_else(|| Kept::Here(bytes.into()));
        let heard = Heard::new(number, source, kind, kept, directories);
        self.answered = self.answered.max(number);
        self.bytes += heard.size();
        self.here += heard.here();
        self.heard.push(Arc::new(heard));
        self.bytes > MOST || self.here > MOST_HERE
    }

    /// All that was heard since the last time, in the order in which it came.
    pub(super) fn take(&mut self) -> impl Iterator<Item = Arc<Heard>> {
        (self.bytes, self.here) = (0, 0);
        self.heard.drain(..)
    }

    /// Writes one record at once.
    pub(super) fn keep(&mut self, record: impl FnOnce(&mut Vec<u8>)) {
        if let Some(own) = &mut self.own {
            let queued = own.queue(record);
            self.note(queued);
            self.flush();
        }
    }

    /// Writes what is queued.
    pub(super) fn flush(&mut self) {
        if let Some(own) = &mut self.own {
            let written = own.flush();
            self.note(written);
        }
    }

    /// Whether the others can know all that this process knows.
    pub(super) fn is_told(&self) -> Result<(), Broken> {
        if self.unwritten { Err(Broken) } else { Ok(()) }
    }

    fn note(&mut self, kept: Result<(), StoreError>) {
        if let Err(error) = kept {
            tracing::error!("{error}; every call is refused from now on");
            self.unwritten = true;
        }
    }
}
