//! The packs and custom rules that a proxy may ask, loaded when a server turns out to be one that they are for. Which
//! packs there are, and what is granted to them, is settled before; nothing is decided here.

use super::{EMBEDDED, Manifest, Pack, PackSource as Origin};
use crate::layer::{PackCall, PackSource, PackStatements};
use crate::policy::Policy;
use crate::sandbox::{Evaluation, Module, Sandbox};
use bouncer_core::contract::{Contract, Layer, Said, Stated};
use bouncer_core::decide::ModuleOutcome;
use bouncer_core::tool::{ServerIdentity, Tool};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Built-in packs, and the user's own rules from the policy file.
pub struct Shelf {
    cache: Option<PathBuf>,
    policy: Arc<Policy>,
    loaded: Mutex<Loaded>,
}

#[derive(Default)]
struct Loaded {
    sandbox: Option<Sandbox>,
    modules: BTreeMap<String, (Module, String)>,
}

impl Shelf {
    /// A shelf for one proxy. `cache` is the folder of compiled modules; without one, each is compiled anew.
    #[must_use]
    pub fn new(policy: Arc<Policy>, cache: Option<PathBuf>) -> Self {
        Self { cache, policy, loaded: Mutex::default() }
    }

    fn loaded(&self) -> MutexGuard<'_, Loaded> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starting the sandbox costs some milliseconds: a server that no module is for never pays them.
    fn sandbox<'l>(&self, loaded: &'l mut Loaded) -> Result<&'l Sandbox, String> {
        if loaded.sandbox.is_none() {
            let sandbox = Sandbox::new(self.cache.clone()).map_err(|error| error.to_string())?;
            if let Some(problem) = sandbox.cache_problem() {
                tracing::warn!("policy modules are compiled at every start: {problem}");
            }
            loaded.sandbox = Some(sandbox);
        }
        loaded.sandbox.as_ref().ok_or_else(|| "the sandbox is not there".to_owned())
    }

    fn builtin(
        &self,
        loaded: &mut Loaded,
        identity: &ServerIdentity,
        tools: &[Tool],
        out: &mut PackStatements,
    ) {
        for embedded in &EMBEDDED {
            let manifest = match Manifest::parse(embedded.manifest) {
                Ok(manifest) => manifest,
                Err(error) => {
                    out.faults.insert(embedded.name.to_owned(), error.to_string());
                    continue;
                }
            };
            if !manifest.is_for(identity) {
                continue;
            }
            let pack = self.sandbox(loaded).and_then(|sandbox| {
                Pack::new(sandbox, embedded.manifest, embedded.component, Origin::Builtin, true)
                    .map_err(|error| error.to_string())
            });
            match pack {
                Ok(pack) => {
                    let name = pack.manifest.name.clone();
                    let settings = self.policy.settings(&name);
                    let module = pack.module.clone();
                    let said = super::stated(&[pack], identity, tools, &|_| settings.clone());
                    for (tool, stated) in said.by_tool {
                        out.by_tool.entry(tool).or_default().extend(stated);
                    }
                    out.faults.extend(said.faults);
                    loaded.modules.insert(name, (module, settings));
                }
                Err(error) => {
                    out.faults.insert(manifest.name, error);
                }
            }
        }
    }

    /// The user's own rules see every server. What loosens in them counts only by a grant, which they have none of.
    fn custom(
        &self,
        loaded: &mut Loaded,
        identity: &ServerIdentity,
        tools: &[Tool],
        out: &mut PackStatements,
    ) {
        for path in self.policy.modules() {
            let name = format!("rule {}", path.display());
            let settings = self.policy.module_settings(path);
            let module = std::fs::read(path)
                .map_err(|error| format!("cannot read `{}`: {error}", path.display()))
                .and_then(|bytes| {
                    let sandbox = self.sandbox(loaded)?;
                    sandbox.load(&name, &bytes).map_err(|error| error.to_string())
                });
            let contracts = module.and_then(|module| {
                let contracts = module.contracts(identity, tools, &settings).map_err(|fault| fault.reason)?;
                loaded.modules.insert(name.clone(), (module, settings));
                Ok(contracts)
            });
            match contracts {
                Ok(contracts) => {
                    for stated in contracts {
                        let said = Said { layer: Layer::Pack(name.clone()), place: name.clone() };
                        let contract = tightening(stated.contract);
                        out.by_tool.entry(stated.tool).or_default().push(Stated {
                            said,
                            contract,
                            may_loosen: false,
                        });
                    }
                }
                Err(reason) => {
                    out.faults.insert(name, reason);
                }
            }
        }
    }
}

/// The merge ignores what may not loosen; dropping it here as well keeps `explain` from showing it.
fn tightening(contract: Contract) -> Contract {
    Contract { harmless: Vec::new(), trusted_destinations: Vec::new(), directories: Vec::new(), ..contract }
}

impl PackSource for Shelf {
    fn stated(&self, identity: &ServerIdentity, tools: &[Tool]) -> PackStatements {
        let mut loaded = self.loaded();
        let mut out = PackStatements::default();
        self.builtin(&mut loaded, identity, tools, &mut out);
        self.custom(&mut loaded, identity, tools, &mut out);
        for (pack, reason) in &out.faults {
            tracing::error!(
                "policy module `{pack}` failed: {reason}; every call that it would judge is denied"
            );
        }
        out
    }

    fn evaluate(&self, call: PackCall<'_>) -> ModuleOutcome {
        let Some((module, settings)) = self.loaded().modules.get(call.pack).cloned() else {
            return ModuleOutcome::Failed {
                pack: call.pack.to_owned(),
                reason: "it is not loaded".to_owned(),
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

    fn prepare(&self) {
        let modules: Vec<Module> = self.loaded().modules.values().map(|(module, _)| module.clone()).collect();
        for module in modules {
            module.prepare();
        }
    }
}
