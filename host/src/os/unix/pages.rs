//! Memory straight from the system.
#![allow(unsafe_code, reason = "mappings are handed out by address")]

use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};

/// `size` bytes of zeros, from the beginning of a page on.
pub(crate) fn take(size: usize) -> Result<*mut u8, String> {
    let access = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: a mapping of its own, wherever the system likes.
    let start = unsafe { mmap_anonymous(std::ptr::null_mut(), size, access, MapFlags::PRIVATE) };
    start.map(<*mut _>::cast).map_err(|error| error.to_string())
}

/// Gives them back.
///
/// # Safety
/// `start` is what `take` gave for this size, and nobody reads or writes it any more.
pub(crate) unsafe fn give(start: *mut u8, size: usize) {
    // SAFETY: as said above. Where the system refuses, the memory stays ours and unused.
    let _ = unsafe { munmap(start.cast(), size) };
}
