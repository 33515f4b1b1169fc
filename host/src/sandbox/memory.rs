//! The linear memories of instances, used again once they are blank.
//!
//! Memory fresh from the system costs a fault for each page that a call touches, which is many times the call itself. So
//! what an instance leaves behind is wiped, off the path, and becomes the next one's: the pages that calls touch are
//! there, and all that a guest finds in them is zeros. Code checks each access against the memory's size, since there
//! are no guard pages.
#![allow(unsafe_code, reason = "the engine takes host memory by address")]

use crate::os;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use wasmtime::{Config, LinearMemory, MemoryCreator, MemoryType};

/// A WebAssembly page: a multiple of any system's.
const PAGE: usize = 64 * 1024;
/// What is wiped at once, and only where something was written.
const PIECE: usize = 4 * 1024;
/// Larger ones go back to the system: wiping them costs more than fetching new ones.
const KEPT_BYTES: usize = 2 * 1024 * 1024;
/// More wait only where many calls went on at once.
const KEPT: usize = 16;

/// Has the engine take its memories from here, with the settings that they need.
pub(crate) fn configure(config: &mut Config) {
    config
        .memory_reservation(0)
        .memory_reservation_for_growth(0)
        .memory_guard_size(0)
        .guard_before_linear_memory(false)
        .memory_may_move(true)
        // Data is copied in while an instance is made ready, not mapped and copied page by page while it runs.
        .memory_init_cow(false)
        .with_host_memory(Arc::new(Memories::default()));
}

/// The memories that wait for an instance, all blank.
#[derive(Default)]
struct Memories {
    blank: Arc<Mutex<Vec<Block>>>,
}

fn locked(blank: &Mutex<Vec<Block>>) -> MutexGuard<'_, Vec<Block>> {
    // A list is whole at any time.
    blank.lock().unwrap_or_else(PoisonError::into_inner)
}

// SAFETY: each memory has bytes of its own, zeros at first, that stay where they are until it grows or is dropped; no
// guard and no reservation is promised, and where the engine asks for one it gets an error.
unsafe impl MemoryCreator for Memories {
    fn new_memory(
        &self,
        _: MemoryType,
        minimum: usize,
        _: Option<usize>,
        reserved: Option<usize>,
        guard: usize,
    ) -> Result<Box<dyn LinearMemory>, String> {
        if guard != 0 || reserved.is_some_and(|bytes| bytes != 0) {
            return Err("memories have no guard and no reservation here".to_owned());
        }
        let waiting = {
            let mut blank = locked(&self.blank);
            let found = blank.iter().rposition(|block| block.size >= minimum && block.size <= minimum * 2);
            found.map(|at| blank.swap_remove(at))
        };
        let block = match waiting {
            Some(block) => block,
            None => Block::new(minimum)?,
        };
        Ok(Box::new(Memory { block, size: minimum, blank: Arc::clone(&self.blank) }))
    }
}

struct Memory {
    block: Block,
    size: usize,
    blank: Arc<Mutex<Vec<Block>>>,
}

// SAFETY: the address is aligned to any system's page, and all bytes up to the capacity can be read and written; those
// beyond the size are zeros, as the engine never writes there.
unsafe impl LinearMemory for Memory {
    fn byte_size(&self) -> usize {
        self.size
    }

    fn byte_capacity(&self) -> usize {
        self.block.size
    }

    fn grow_to(&mut self, size: usize) -> wasmtime::Result<()> {
        if size > self.block.size {
            // Twice as much, so that a guest that grows page by page is not copied each time.
            let wanted = size.max(self.block.size.saturating_mul(2));
            let larger = Block::new(wanted).map_err(wasmtime::Error::msg)?;
            // SAFETY: both blocks have that many bytes and are different ones.
            unsafe { std::ptr::copy_nonoverlapping(self.block.start, larger.start, self.size) };
            self.block = larger;
        }
        self.size = size;
        Ok(())
    }

    fn as_ptr(&self) -> *mut u8 {
        self.block.start
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if self.block.size > KEPT_BYTES {
            return;
        }
        let Ok(nothing) = Block::new(0) else { return };
        let mut block = std::mem::replace(&mut self.block, nothing);
        block.wipe();
        let mut blank = locked(&self.blank);
        // The oldest makes room: its size may be one that no module wants any more.
        if blank.len() >= KEPT {
            blank.remove(0);
        }
        blank.push(block);
    }
}

/// Bytes of our own, from the beginning of one of the system's pages on.
struct Block {
    start: *mut u8,
    size: usize,
}

// SAFETY: it owns its bytes, and whoever holds it alone reads or writes them.
unsafe impl Send for Block {}
// SAFETY: without `&mut` it hands out an address and nothing else.
unsafe impl Sync for Block {}

impl Block {
    /// Zeros, straight from the system, which gives each page where it is touched first: an allocator would write them
    /// wherever it has used the memory before.
    fn new(size: usize) -> Result<Self, String> {
        if size == 0 {
            return Ok(Self { start: std::ptr::without_provenance_mut(PAGE), size });
        }
        Ok(Self { start: os::take(size)?, size })
    }

    /// Zeros again, all of them. What was never written is not touched.
    fn wipe(&mut self) {
        // SAFETY: the bytes are this block's, and no instance has it any more.
        let bytes = unsafe { std::slice::from_raw_parts_mut(self.start, self.size) };
        for piece in bytes.chunks_mut(PIECE) {
            let written = |part: &[u8]| part.iter().fold(0, |all, byte| all | byte) != 0;
            if piece.chunks(PIECE / 8).any(written) {
                piece.fill(0);
            }
        }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        if self.size > 0 {
            // SAFETY: taken with this size, and given back once.
            unsafe { os::give(self.start, self.size) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    fn a_block_is_aligned_and_blank_after_it_was_wiped() {
        for size in [PAGE, 5 * PAGE, 3 * PAGE] {
            let mut block = Block::new(size).unwrap();
            assert_eq!(block.start.align_offset(PIECE), 0);
            for at in [0, 1, PIECE - 1, PIECE, size / 2 + 17, size - 1] {
                // SAFETY: inside the block.
                unsafe { block.start.add(at).write(0xa5) };
            }
            block.wipe();
            // SAFETY: the whole block.
            let bytes = unsafe { std::slice::from_raw_parts(block.start, size) };
            assert!(bytes.iter().all(|byte| *byte == 0));
        }
    }
}
