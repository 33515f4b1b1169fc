//! The user's policy as a layer: the rules for a tool, and what holds for every tool of the file.

use super::{Origin, Policy};
use crate::layer::PolicySource;
use bouncer_core::contract::{Contract, Layer, Said, Stated};

impl PolicySource for Policy {
    fn stated(&self, server: &str, tool: &str) -> Vec<Stated> {
        let (layer, may_loosen) = match self.origin() {
            Origin::User => (Layer::User, true),
            Origin::Project => (Layer::Project, false),
        };
        let mut all = Self::stated(self, server, tool);
        let said = |place: String| Said { layer: layer.clone(), place };
        if let Some(profile) = self.profile() {
            // First, so that a tool's own profile, which is stated later, has the last word.
            let contract = Contract { profile: Some(profile), ..Contract::default() };
            all.insert(0, Stated { said: said(self.path().display().to_string()), contract, may_loosen });
        }
        for (entry, place) in self.trusted() {
            let contract = Contract { trusted_destinations: vec![entry.to_owned()], ..Contract::default() };
            all.push(Stated { said: said(place), contract, may_loosen });
        }
        all
    }
}
