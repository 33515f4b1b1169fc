//! What the tools, prompts and resources share: Bouncer's folder, the user's policy, the sandbox.
//!
//! The policy is read anew for each question, so that what the user changes counts at once; the sandbox is made once.

use crate::cli::modules::Modules;
use crate::home::Home;
use crate::pack::Shelf;
use crate::policy::Policy;
use crate::sandbox::{Sandbox, SandboxError};
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// Why a question has no answer, for whoever asked it.
#[derive(Debug)]
pub(super) struct Wrong(pub(super) String);

impl Wrong {
    pub(super) fn new(error: impl Display) -> Self {
        Self(error.to_string())
    }
}

/// See the module.
pub(super) struct House {
    pub(super) home: Home,
    policy: Option<PathBuf>,
    sandbox: OnceLock<Result<Sandbox, SandboxError>>,
}

impl House {
    pub(super) fn new(home: Home, policy: Option<PathBuf>) -> Self {
        Self { home, policy, sandbox: OnceLock::new() }
    }

    /// The user's own policy.
    pub(super) fn policy(&self) -> Result<Policy, Wrong> {
        Policy::in_force(self.policy.as_deref(), &self.home.policy())
            .map_err(|error| Wrong(format!("your own policy file cannot be used: {error}")))
    }

    /// Where that policy is, or would be.
    pub(super) fn policy_path(&self) -> PathBuf {
        self.policy.clone().unwrap_or_else(|| self.home.policy())
    }

    pub(super) fn sandbox(&self) -> Result<&Sandbox, Wrong> {
        let made = self.sandbox.get_or_init(|| Sandbox::new(Some(self.home.cache())));
        made.as_ref().map_err(Wrong::new)
    }

    /// What is installed, as it is now.
    pub(super) fn shelf(&self) -> Result<Shelf, Wrong> {
        Shelf::load(&self.home).map_err(Wrong::new)
    }

    /// The packs, and the rules that the policy names.
    pub(super) fn modules(&self, policy: &Arc<Policy>) -> Result<Arc<Modules>, Wrong> {
        Modules::load_in(self.sandbox()?.clone(), policy, &self.home).map(Arc::new).map_err(Wrong::new)
    }
}
