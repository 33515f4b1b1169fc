//! Memory straight from the system.
#![allow(unsafe_code, reason = "memory is handed out by address")]

use std::ptr::null;
use windows_sys::Win32::System::Memory::{
    MEM_COMMIT, MEM_RELEASE, MEM_RESERVE, PAGE_READWRITE, VirtualAlloc, VirtualFree,
};

/// `size` bytes of zeros, from the beginning of a page on.
pub(crate) fn take(size: usize) -> Result<*mut u8, String> {
    // SAFETY: a region of its own, wherever the system likes.
    let start = unsafe { VirtualAlloc(null(), size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE) };
    if start.is_null() { Err(std::io::Error::last_os_error().to_string()) } else { Ok(start.cast()) }
}

/// Gives them back.
///
/// # Safety
/// `start` is what `take` gave, and nobody reads or writes it any more.
pub(crate) unsafe fn give(start: *mut u8, _size: usize) {
    // SAFETY: as said above; a region goes as a whole, so no size is told. Where the system refuses, it stays unused.
    unsafe { VirtualFree(start.cast(), 0, MEM_RELEASE) };
}
