//! What the last call of a module used.

/// What one call used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Fuel, about one unit for each instruction.
    pub fuel: u64,
    /// Linear memory of the instance, in bytes: what it may touch, not what it did.
    pub memory: usize,
}
