//! The engine: settings under which a module's answer depends on its input alone, and the clock that backs up fuel.

use super::limits::{STACK_BYTES, WALL_SECONDS};
use super::{LoadError, memory};
use std::sync::Once;
use std::thread;
use std::time::Duration;
use wasmtime::component::Component;
use wasmtime::{Config, Engine, Result};

/// Ticks after which a store is stopped: the first may come at once, so one more than the seconds.
pub(crate) const DEADLINE_TICKS: u64 = WALL_SECONDS + 1;

/// The engine and its clock.
pub(crate) struct Wasm {
    pub(crate) engine: Engine,
    clock: Once,
}

impl std::fmt::Debug for Wasm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Wasm").finish_non_exhaustive()
    }
}

impl Wasm {
    pub(crate) fn new() -> Result<Self> {
        let mut config = Config::new();
        config
            .consume_fuel(true)
            .epoch_interruption(true)
            .max_wasm_stack(STACK_BYTES)
            .cranelift_nan_canonicalization(true)
            .wasm_relaxed_simd(false)
            .relaxed_simd_deterministic(true)
            .wasm_memory64(false)
            .wasm_backtrace_max_frames(None);
        memory::configure(&mut config);
        Ok(Self { engine: Engine::new(&config)?, clock: Once::new() })
    }

    pub(crate) fn compile(&self, component: &[u8]) -> Result<Component, LoadError> {
        Component::from_binary(&self.engine, component)
            .map_err(|error| LoadError::Invalid(format!("{error:#}")))
    }

    /// Starts the clock with the first call; it ends within a second of the engine. Without it (no thread to
    /// be had) fuel still bounds every call.
    pub(crate) fn start_clock(&self) {
        self.clock.call_once(|| {
            let engine = self.engine.weak();
            let tick = move || {
                loop {
                    thread::sleep(Duration::from_secs(1));
                    match engine.upgrade() {
                        Some(engine) => engine.increment_epoch(),
                        None => return,
                    }
                }
            };
            if let Err(error) = thread::Builder::new().name("module-clock".to_owned()).spawn(tick) {
                tracing::warn!(
                    "the wall-clock limit of policy modules is off, fuel still bounds them: {error}"
                );
            }
        });
    }
}
