//! The heap of a module: small, quick, and thrown away with the instance after one call.
//!
//! Blocks are powers of two and go back to a list of their size; the last one grows in place. A general allocator costs
//! ten times the code and touches more pages, and each page that a fresh instance touches costs the call.
#![allow(unsafe_code, reason = "an allocator hands out addresses")]

use core::alloc::{GlobalAlloc, Layout};
use core::arch::wasm32::{memory_grow, memory_size};
use core::cell::UnsafeCell;
use core::ptr::{NonNull, null_mut};

const PAGE: usize = 65_536;
const SMALLEST: usize = 16;

#[global_allocator]
static HEAP: Heap = Heap(UnsafeCell::new(State { free: [None; 32], next: 0 }));

struct Heap(UnsafeCell<State>);

struct State {
    /// Freed blocks by the logarithm of their size; each holds the address of the next.
    free: [Option<NonNull<Block>>; 32],
    /// Where memory begins that was never given out; 0 before the first time.
    next: usize,
}

struct Block {
    next: Option<NonNull<Block>>,
}

// SAFETY: a policy module has one thread; the target has no others.
unsafe impl Sync for Heap {}

/// The size of the block for this much, and the place of its list.
fn class(size: usize) -> Option<(usize, usize)> {
    let size = size.max(SMALLEST).checked_next_power_of_two()?;
    Some((size, size.trailing_zeros() as usize))
}

impl State {
    /// Memory up to `end`, from the host where it has not been had yet.
    fn reach(end: usize) -> bool {
        let pages = end.div_ceil(PAGE).saturating_sub(memory_size(0));
        pages == 0 || memory_grow(0, pages) != usize::MAX
    }

    fn take(&mut self, size: usize, align: usize) -> Option<*mut u8> {
        unsafe extern "C" {
            static __heap_base: u8;
        }
        let (size, list) = class(size)?;
        // Blocks are aligned to the smallest size; what wants more is rare and gets new memory.
        if align <= SMALLEST
            && let Some(list) = self.free.get_mut(list)
            && let Some(block) = *list
        {
            // SAFETY: a block in a list was given back and is at least as large as what stands in it.
            *list = unsafe { block.as_ref() }.next;
            return Some(block.as_ptr().cast());
        }
        if self.next == 0 {
            self.next = (&raw const __heap_base).addr();
        }
        let at = self.next.checked_next_multiple_of(align.max(SMALLEST))?;
        let end = at.checked_add(size)?;
        if !Self::reach(end) {
            return None;
        }
        self.next = end;
        Some(core::ptr::with_exposed_provenance_mut(at))
    }

    fn give(&mut self, at: *mut u8, size: usize) {
        let Some((size, list)) = class(size) else { return };
        if at.addr() + size == self.next {
            self.next = at.addr();
        } else if let (Some(list), Some(block)) = (self.free.get_mut(list), NonNull::new(at.cast::<Block>()))
        {
            // SAFETY: the block is the allocator's again, and large and aligned enough.
            unsafe { block.write(Block { next: *list }) };
            *list = Some(block);
        }
    }

    /// Whether the block at this address now has room for `new` bytes.
    fn grow(&mut self, at: *mut u8, old: usize, new: usize) -> bool {
        let (Some((old, _)), Some((new, _))) = (class(old), class(new)) else { return false };
        if new <= old {
            return new == old;
        }
        let end = at.addr().saturating_add(new);
        let grown = at.addr() + old == self.next && Self::reach(end);
        if grown {
            self.next = end;
        }
        grown
    }
}

// SAFETY: blocks do not overlap, are as large and as aligned as asked, and stay until they are given back.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: one thread, and nothing in here allocates.
        let state = unsafe { &mut *self.0.get() };
        state.take(layout.size(), layout.align()).unwrap_or(null_mut())
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as above.
        let state = unsafe { &mut *self.0.get() };
        state.give(at, layout.size());
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: as above.
        let state = unsafe { &mut *self.0.get() };
        if state.grow(at, layout.size(), new_size) {
            return at;
        }
        let Some(new) = state.take(new_size, layout.align()) else { return null_mut() };
        // SAFETY: both blocks hold that many bytes, and a block that was just given out overlaps no other.
        unsafe { core::ptr::copy_nonoverlapping(at, new, layout.size().min(new_size)) };
        state.give(at, layout.size());
        new
    }
}
