//! The contracts of requests that call no tool, by method: what they name may be a destination, and a policy file speaks
//! of a method as of a tool of that name.

use super::Judge;
use crate::layer::Layers;
use bouncer_core::call::Method;
use bouncer_core::contract::{Contract, Layer, Said, Stated};
use bouncer_core::decide::{self, Merged};
use bouncer_core::resource::Resources;
use bouncer_core::tool::Tool;
use bouncer_core::value::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

/// One contract for each method that is judged, `tools/call` excepted.
pub(super) fn contracts(
    server: &str,
    layers: &Layers,
    resources: &Arc<Resources>,
) -> BTreeMap<Method, Merged> {
    let of = |method: Method| {
        let name = method.as_str();
        let said = Said { layer: Layer::Heuristic, place: format!("`{name}` can name a destination") };
        let contract = Contract { exfiltrating: Some(true), ..Contract::default() };
        let mut stated = vec![Stated { said, contract, may_loosen: false }];
        stated.extend(layers.policy.stated(server, name));
        let tool = Tool { name: name.to_owned(), definition: Value::empty_object() };
        let merged = decide::merge(&tool, &stated);
        (method, Merged { resources: Arc::clone(resources), ..merged })
    };
    Method::JUDGED.into_iter().filter(|method| *method != Method::CallTool).map(of).collect()
}

impl Judge {
    /// Takes what the server lists of its resources.
    pub fn set_resources(&self, resources: Resources) {
        let fresh = contracts(&self.server, &self.layers, &Arc::new(resources));
        *self.requests.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(fresh);
    }

    pub(super) fn requests(&self) -> Arc<BTreeMap<Method, Merged>> {
        Arc::clone(&self.requests.read().unwrap_or_else(PoisonError::into_inner))
    }
}
