//! The policy modules of a run: built-in and installed packs that are for the server, and the user's own rules.
//!
//! A rule that cannot be loaded stops the start, as do grants that cannot be read; a pack that cannot be used is a fault, and
//! denies the calls of the servers that it is for. What is installed and granted is read once, at the start.

use super::Failure;
use crate::home::Home;
use crate::layer::{PackCall, PackSource, PackStatements};
use crate::pack::{self, Bundle, Grants, Pack, Shelf, TableError};
use crate::policy::Policy;
use crate::sandbox::{Evaluation, LoadError, Module, Sandbox, SandboxError};
use bouncer_core::contract::{Contract, Layer, Said, Stated};
use bouncer_core::decide::ModuleOutcome;
use bouncer_core::tool::{ServerIdentity, Tool};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

pub(crate) struct Modules {
    sandbox: Sandbox,
    policy: Arc<Policy>,
    /// The packs for the server as it last identified itself.
    packs: Mutex<Vec<Pack>>,
    rules: Vec<(PathBuf, Module)>,
    installed: Shelf,
}

/// Why there are no modules.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ModulesError {
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    #[error("cannot read the module `{}`: {error}\nhint: `path` in a policy file begins at that file's folder", path.display())]
    Read { path: PathBuf, error: std::io::Error },
    #[error("the module `{}`: {error}", path.display())]
    Load { path: PathBuf, error: LoadError },
    #[error(transparent)]
    Installed(#[from] TableError),
}

impl From<ModulesError> for Failure {
    fn from(error: ModulesError) -> Self {
        match error {
            ModulesError::Sandbox(_) => Self::new(error),
            ModulesError::Installed(error) => Self::from(error),
            ModulesError::Read { .. } | ModulesError::Load { .. } => Self::usage(error),
        }
    }
}

impl Modules {
    pub(super) fn load(policy: &Arc<Policy>, home: &Home) -> Result<Self, ModulesError> {
        Self::load_in(Sandbox::new(Some(home.cache()))?, policy, home)
    }

    /// The same as if this pack were installed too, with these grants.
    pub(super) fn load_with(
        policy: &Arc<Policy>,
        home: &Home,
        bundle: Bundle,
        granted: Grants,
    ) -> Result<Self, ModulesError> {
        let mut modules = Self::load(policy, home)?;
        modules.installed = modules.installed.with(bundle, granted);
        Ok(modules)
    }

    /// The same in a sandbox that is there already.
    pub(crate) fn load_in(sandbox: Sandbox, policy: &Arc<Policy>, home: &Home) -> Result<Self, ModulesError> {
        let installed = Shelf::load(home)?;
        let mut rules: Vec<(PathBuf, Module)> = Vec::new();
        for path in policy.modules() {
            let bytes =
                std::fs::read(path).map_err(|error| ModulesError::Read { path: path.clone(), error })?;
            let name = format!("rule {}", path.display());
            let module = sandbox
                .load(&name, &bytes)
                .map_err(|error| ModulesError::Load { path: path.clone(), error })?;
            rules.push((path.clone(), module));
        }
        Ok(Self { sandbox, policy: Arc::clone(policy), packs: Mutex::new(Vec::new()), rules, installed })
    }
}

impl PackSource for Modules {
    fn stated(&self, identity: &ServerIdentity, tools: &[Tool]) -> PackStatements {
        let mut statements = PackStatements::default();
        let mut packs = match pack::builtin_where(&self.sandbox, |manifest| manifest.is_for(identity)) {
            Ok(packs) => packs,
            Err(error) => {
                statements.faults.insert("built-in packs".to_owned(), error.to_string());
                Vec::new()
            }
        };
        for installed in self.installed.packs.iter().filter(|pack| pack.may_be_for(identity)) {
            match installed.pack(&self.sandbox) {
                Ok(pack) => packs.push(pack),
                Err(why) => {
                    tracing::warn!("the pack `{}` {why}", installed.name);
                    statements.faults.insert(installed.name.clone(), why);
                }
            }
        }
        let of_packs = pack::stated(&packs, identity, tools, &|name| self.policy.settings(name));
        *self.packs.lock().unwrap_or_else(PoisonError::into_inner) = packs;
        statements.by_tool = of_packs.by_tool;
        statements.faults.extend(of_packs.faults);
        for (path, module) in &self.rules {
            let name = module.name().to_owned();
            match module.contracts(identity, tools, &self.policy.module_settings(path)) {
                Ok(contracts) => {
                    for stated in contracts {
                        let said = Said { layer: Layer::Pack(name.clone()), place: name.clone() };
                        // Named by path, not granted by content: it can only tighten.
                        let contract = Contract { replace: false, on_tainted: None, ..stated.contract };
                        let stated_of = statements.by_tool.entry(stated.tool).or_default();
                        stated_of.push(Stated { said, contract, may_loosen: false });
                    }
                }
                Err(fault) => {
                    statements.faults.insert(name, fault.reason);
                }
            }
        }
        statements
    }

    fn evaluate(&self, call: PackCall<'_>) -> ModuleOutcome {
        let pack = self
            .packs
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .find(|pack| pack.manifest.name == call.pack)
            .map(|pack| (pack.module.clone(), self.policy.settings(call.pack)));
        let rule = || {
            let (path, module) = self.rules.iter().find(|(_, module)| module.name() == call.pack)?;
            Some((module.clone(), self.policy.module_settings(path)))
        };
        let Some((module, settings)) = pack.or_else(rule) else {
            return ModuleOutcome::Failed {
                pack: call.pack.to_owned(),
                reason: "the pack is not loaded".to_owned(),
            };
        };
        module.evaluate(&Evaluation {
            server: call.server,
            tool: call.tool,
            arguments_json: call.arguments_json,
            settings_json: &settings,
            destinations: call.destinations,
        })
    }

    fn granted_hash(&self, pack: &str) -> Option<String> {
        let pack = self.installed.named(pack).filter(|pack| !pack.granted.is_empty())?;
        Some(pack::short_hash(&pack.bundle.as_ref().ok()?.sha256).to_owned())
    }

    fn prepare(&self) {
        let packs: Vec<Module> = self
            .packs
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .map(|pack| pack.module.clone())
            .collect();
        packs.iter().chain(self.rules.iter().map(|(_, module)| module)).for_each(Module::prepare);
    }
}
