//! The destinations of requests that call no tool: parts of an address that the server did not list.

use super::Merged;
use super::gather::{Gathered, Why};
use crate::arg_path::leaves;
use crate::call::{Call, Method};
use crate::destination::{Destination, Kind, read};
use crate::value::Value;

/// All destinations of such a request, each once.
pub(super) fn gather(call: &Call, contract: &Merged) -> Vec<Gathered> {
    let mut all: Vec<Gathered> = Vec::new();
    for (argument, value) in leaves(call.arguments()) {
        let Value::String(text) = value else { continue };
        let known = &contract.resources;
        let found: Vec<Destination> = match call.method() {
            Method::ShowLink => read(Kind::Url, text, &argument),
            Method::Complete if argument.starts_with("/ref/") => {
                known.destinations_of_template(text, &argument)
            }
            _ => known.destinations(text, &argument),
        };
        for destination in found {
            if !all.iter().any(|g| g.destination == destination) {
                all.push(Gathered { destination, why: Why::Declared, said: Vec::new() });
            }
        }
    }
    all
}
