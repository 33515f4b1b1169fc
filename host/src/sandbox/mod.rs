//! The sandbox in which policy modules run: WebAssembly components without any import, bounded in fuel, memory, stack
//! and time, each call on fresh state.
//!
//! It knows nothing of packs, grants or verdicts: it turns bytes into a [`Module`], and a module's answers into the
//! core's types. Whatever a module does, the answer is either well formed or a [`Fault`] that names it; what a
//! fault leads to (the call is denied) is the core's business.

mod bindings;
mod cache;
pub mod component;
mod convert;
mod engine;
pub mod imports;
mod json;
pub mod limits;
mod memory;
mod module;
mod native;
mod usage;

pub use imports::LoadError;
pub use module::Module;
pub use native::NativeAnswer;
pub use usage::Usage;

use bouncer_core::contract::Contract;
use bouncer_core::decide::Weighed;
use cache::Cache;
use engine::Wasm;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The engine that compiles and runs modules, and its cache of compiled code. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Sandbox {
    wasm: Arc<Wasm>,
    cache: Option<Arc<Cache>>,
    loaded: Arc<Mutex<Loaded>>,
}

/// Modules by name and SHA-256 of the component: whoever asks again, as `bouncer serve` does, does not wait again.
type Loaded = BTreeMap<(String, [u8; 32]), Module>;

/// The engine could not be set up.
#[derive(Debug, thiserror::Error)]
#[error("the WebAssembly engine cannot start: {0}")]
pub struct SandboxError(String);

/// A module did something that no answer can be made of. The calls it was asked about are denied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("policy module `{pack}` {reason}")]
pub struct Fault {
    /// The module's name.
    pub pack: String,
    /// What it did, in words: `used up its fuel`, `trapped: ...`.
    pub reason: String,
}

/// What a module states of one tool.
#[derive(Debug, Clone)]
pub struct PackContract {
    /// The tool, one of those it was given.
    pub tool: String,
    /// What is said of it.
    pub contract: Contract,
}

/// One call for a module to judge.
#[derive(Debug, Clone, Copy)]
pub struct Evaluation<'a> {
    /// The user's name for the server.
    pub server: &'a str,
    /// The tool.
    pub tool: &'a str,
    /// The arguments as JSON text.
    pub arguments_json: &'a str,
    /// The module's settings as JSON text, `{}` where there are none.
    pub settings_json: &'a str,
    /// The destinations that the host found, with what is known of them.
    pub destinations: &'a [Weighed],
}

impl Sandbox {
    /// An engine that keeps compiled modules in `cache_dir`, or nowhere. The folder is made where it is missing; one
    /// that others can write to is not used, since compiled code is trusted.
    ///
    /// # Errors
    /// Where this machine has no code generator or the settings do not suit it. A cache that cannot be used is
    /// no error: modules are compiled at each start, and [`Self::cache_problem`] says why.
    pub fn new(cache_dir: Option<PathBuf>) -> Result<Self, SandboxError> {
        let wasm = Wasm::new().map_err(|error| SandboxError(format!("{error:#}")))?;
        let cache = cache_dir.map(|dir| Arc::new(Cache::open(dir, &wasm.engine)));
        Ok(Self { wasm: Arc::new(wasm), cache, loaded: Arc::default() })
    }

    /// Why the cache is not used, where one was asked for.
    #[must_use]
    pub fn cache_problem(&self) -> Option<&str> {
        self.cache.as_ref()?.problem()
    }

    /// A module from the bytes of a component: loaded already, taken from the cache, or compiled.
    ///
    /// # Errors
    /// What is wrong with it: no component, an import that is a function (named), an export that is missing (named).
    pub fn load(&self, name: &str, component: &[u8]) -> Result<Module, LoadError> {
        let key = (name.to_owned(), Sha256::digest(component).into());
        if let Some(module) = self.loaded().get(&key) {
            return Ok(module.clone());
        }
        let compiled = match self.cache.as_ref().and_then(|cache| cache.get(&self.wasm.engine, component)) {
            // What is in the cache passed the checks when it was put there.
            Some(compiled) => compiled,
            None => {
                imports::check(component)?;
                let compiled = self.wasm.compile(component)?;
                if let Some(cache) = &self.cache {
                    cache.put(component, &compiled);
                }
                compiled
            }
        };
        let module = Module::new(name, Arc::clone(&self.wasm), &compiled)?;
        self.loaded().insert(key, module.clone());
        Ok(module)
    }

    fn loaded(&self) -> MutexGuard<'_, Loaded> {
        // It is never left half changed.
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
