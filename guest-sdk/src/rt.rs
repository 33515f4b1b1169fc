//! What the generated bindings need at run time, in the place of `wit_bindgen::rt`.
#![allow(unsafe_code, reason = "the component model's calling convention hands over addresses")]

use alloc::alloc::{Layout, alloc, dealloc, handle_alloc_error, realloc};
use core::ptr::NonNull;

/// Memory for an answer, given back where it is dropped.
#[derive(Debug)]
pub struct Cleanup {
    at: NonNull<u8>,
    layout: Layout,
}

impl Cleanup {
    /// This much memory; none (and a null address) where the size is 0.
    #[must_use]
    pub fn new(layout: Layout) -> (*mut u8, Option<Self>) {
        if layout.size() == 0 {
            return (core::ptr::null_mut(), None);
        }
        // SAFETY: the size is not 0.
        let Some(at) = NonNull::new(unsafe { alloc(layout) }) else { handle_alloc_error(layout) };
        (at.as_ptr(), Some(Self { at, layout }))
    }

    /// The memory is the host's from here on.
    pub fn forget(self) {
        core::mem::forget(self);
    }
}

impl Drop for Cleanup {
    fn drop(&mut self) {
        // SAFETY: it was allocated in `new` with this layout and is given back once.
        unsafe { dealloc(self.at.as_ptr(), self.layout) }
    }
}

/// Where the host puts what it hands over.
///
/// # Safety
/// To be called by the host alone, as the component model says: `old` and `old_size` as an earlier call left them.
#[must_use]
pub unsafe fn cabi_realloc(old: *mut u8, old_size: usize, align: usize, new_size: usize) -> *mut u8 {
    if new_size == 0 {
        return core::ptr::without_provenance_mut(align);
    }
    let Ok(layout) = Layout::from_size_align(old_size.max(1), align) else { trap() };
    let Ok(new) = Layout::from_size_align(new_size, align) else { trap() };
    // SAFETY: neither size is 0, and `old` is what this function gave for `old_size` bytes.
    let at = unsafe { if old_size == 0 { alloc(new) } else { realloc(old, layout, new_size) } };
    if at.is_null() { trap() } else { at }
}

/// Without a message, which would bring the code that formats one.
fn trap() -> ! {
    #[cfg(target_arch = "wasm32")]
    core::arch::wasm32::unreachable();
    #[cfg(not(target_arch = "wasm32"))]
    loop {
        core::hint::spin_loop();
    }
}

/// Static constructors, where a module has some. That this is called at all keeps the linker from wrapping every
/// export in a call of its own.
#[cfg(target_arch = "wasm32")]
pub fn run_ctors_once() {
    use core::sync::atomic::{AtomicBool, Ordering};
    static RUN: AtomicBool = AtomicBool::new(false);
    unsafe extern "C" {
        fn __wasm_call_ctors();
    }
    if !RUN.swap(true, Ordering::Relaxed) {
        // SAFETY: the linker makes this function for exactly this use.
        unsafe { __wasm_call_ctors() }
    }
}

/// [`crate::export_policy`] exports it.
pub const fn maybe_link_cabi_realloc() {}
