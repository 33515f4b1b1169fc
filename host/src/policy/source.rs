//! The user's policy as a layer.

use super::Policy;
use crate::layer::PolicySource;
use bouncer_core::contract::Stated;

impl PolicySource for Policy {
    fn stated(&self, server: &str, tool: &str) -> Vec<Stated> {
        Self::stated(self, server, tool)
    }

    fn strays(&self, server: &str, tools: &[&str]) -> Vec<String> {
        Self::strays(self, server, tools)
    }
}
