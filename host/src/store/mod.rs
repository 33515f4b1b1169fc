//! The session folder: what several processes of one client have seen, heard and approved, shared through files.
//!
//! Every process appends to a segment of its own and reads those of all others, so nobody waits for anybody and a
//! killed process loses nothing that it had written. A record is in the file (and so visible to the others) before
//! [`OwnSegment::flush`] or [`OwnSegment::write`] returns. This module knows nothing of what the records mean: [`crate::session`] does.

mod client_process;
mod folder;
mod key;
mod others;
mod own;
mod segment;

pub use client_process::ClientProcess;
pub use folder::{Store, StoreError};
pub use key::SessionKey;
pub use others::Others;
pub use own::OwnSegment;
pub use segment::{Place, Record};
