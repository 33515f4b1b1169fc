//! What is said of nearly every call of a tool: worded once, when its contract is merged, not once a call.

use super::Merged;
use crate::ruling::Text;
use crate::shown::shown;
use std::sync::Arc;

/// The sentences about one tool.
#[derive(Debug, Clone)]
pub struct Usual {
    tool: String,
    recorded: Arc<str>,
    unlimited: Arc<str>,
}

impl Usual {
    /// The sentences about the tool of this name.
    #[must_use]
    pub fn of(tool: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            recorded: recorded_as(tool).into(),
            unlimited: without_budget(tool).into(),
        }
    }
}

/// That `tool` is the one that was recorded.
pub(super) fn recorded(tool: &str, contract: &Merged) -> Text {
    found(tool, contract)
        .map_or_else(|| recorded_as(tool).into(), |usual| Text::Shared(Arc::clone(&usual.recorded)))
}

/// That `tool` has no budget.
pub(super) fn unlimited(tool: &str, contract: &Merged) -> Text {
    found(tool, contract)
        .map_or_else(|| without_budget(tool).into(), |usual| Text::Shared(Arc::clone(&usual.unlimited)))
}

/// A contract may be the one of unknown tools, or of a method: nothing else is called by the name of another.
fn found<'m>(tool: &str, contract: &'m Merged) -> Option<&'m Usual> {
    contract.usual.as_ref().filter(|usual| usual.tool == tool)
}

fn recorded_as(tool: &str) -> String {
    format!("`{}` is the tool that was recorded", shown(tool, 80))
}

fn without_budget(tool: &str) -> String {
    format!("`{}` has no budget", shown(tool, 80))
}
