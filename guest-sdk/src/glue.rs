//! Between the world's own types and those of a [`Policy`].

use crate::bindings::exports::bouncer::policy::rules as wit;
use crate::{Call, Contract, Error, Judgement, Policy, Settings, Tool, Value};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::marker::PhantomData;

/// The world's exports for a policy.
#[derive(Debug)]
pub struct Exported<P>(PhantomData<P>);

pub(crate) fn settings<P: Policy>(text: &str) -> Result<P::Settings, Error> {
    if text.is_empty() || text == "{}" {
        return Ok(P::Settings::default());
    }
    let read = || P::Settings::read(&text.parse::<Value>()?);
    read().map_err(|error| Error::new(format!("settings: {error}")))
}

impl<P: Policy> wit::Guest for Exported<P> {
    fn contracts(
        server: wit::Server,
        tools: Vec<wit::Tool>,
        settings: String,
    ) -> Result<Vec<wit::Contract>, String> {
        let answer = || {
            let settings = self::settings::<P>(&settings)?;
            let tools: Vec<Tool> =
                tools.into_iter().map(|tool| Tool::new(tool.name, tool.definition)).collect();
            P::contracts(&server, &tools, &settings)
        };
        let contracts = answer().map_err(|error: Error| error.to_string())?;
        Ok(contracts.into_iter().map(Contract::into_wit).collect())
    }

    fn evaluate(call: wit::Call, destinations: Vec<wit::Destination>) -> Result<wit::Judgement, String> {
        let answer = || {
            let settings = self::settings::<P>(&call.settings)?;
            let arguments =
                call.arguments.parse().map_err(|error: Error| Error::new(format!("arguments: {error}")))?;
            P::evaluate(&Call::new(&call.server, &call.tool, arguments), &destinations, &settings)
        };
        answer().map(Judgement::into_wit).map_err(|error: Error| error.to_string())
    }
}
