//! How much a module may use. Fuel decides, so that a verdict does not depend on how busy the machine is; the wall
//! clock only stops what fuel cannot see.

use wasmtime::{ResourceLimiter, Result};

/// The largest component that is loaded, in bytes.
pub const COMPONENT_BYTES: usize = 8 * 1024 * 1024;
/// Linear memory of one instance, in bytes.
pub const MEMORY_BYTES: usize = 64 * 1024 * 1024;
/// Stack of one instance, in bytes.
pub const STACK_BYTES: usize = 512 * 1024;
/// Fuel of one instantiation and one call, in units (about one per instruction), before [`FUEL_PER_BYTE`].
pub const FUEL: u64 = 200_000_000;
/// Fuel on top for each byte that is handed over, so that large arguments can be read.
pub const FUEL_PER_BYTE: u64 = 1_000;
/// Seconds after which a call is stopped whatever its fuel.
pub const WALL_SECONDS: u64 = 10;
/// Bytes that one answer may hold; a list of pointers to one text counts each time.
pub const ANSWER_BYTES: usize = 8 * 1024 * 1024;
/// Findings of one answer.
pub const FINDINGS: usize = 100;
/// Destinations of one answer.
pub const DESTINATIONS: usize = 1_000;
/// Bytes of a text for people; longer ones are cut.
pub const TEXT_BYTES: usize = 1_000;
/// Bytes of a destination's value or of an argument's pointer; a longer one is a fault, since cutting would hide it.
pub const VALUE_BYTES: usize = 16 * 1024;
/// Contracts of one answer.
pub const CONTRACTS: usize = 4_096;
/// Regular expressions of one answer.
pub const PATTERNS: usize = 512;
/// Bytes of one compiled regular expression.
pub const PATTERN_BYTES: usize = 256 * 1024;

const TABLE_ELEMENTS: usize = 20_000;

/// The state of a store: its limits, whether memory was refused (a guest shows that only as a trap), and what counts for
/// [`super::Usage`].
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) memory_refused: bool,
    /// Bytes of linear memory.
    pub(crate) memory: usize,
    /// What the call was given.
    pub(crate) fuel: u64,
}

impl ResourceLimiter for State {
    fn memory_growing(&mut self, _: usize, desired: usize, _: Option<usize>) -> Result<bool> {
        let fits = desired <= MEMORY_BYTES;
        self.memory_refused |= !fits;
        if fits {
            self.memory = desired;
        }
        Ok(fits)
    }

    fn table_growing(&mut self, _: usize, desired: usize, _: Option<usize>) -> Result<bool> {
        Ok(desired <= TABLE_ELEMENTS)
    }

    fn instances(&self) -> usize {
        8
    }

    fn tables(&self) -> usize {
        8
    }

    // One: each memory may reach the limit.
    fn memories(&self) -> usize {
        1
    }
}

/// The fuel of one call that is handed this many bytes.
pub(crate) fn fuel_for(bytes: usize) -> u64 {
    FUEL.saturating_add(FUEL_PER_BYTE.saturating_mul(u64::try_from(bytes).unwrap_or(u64::MAX)))
}
