//! Write a policy module for Bouncer in Rust.
//!
//! A module answers two questions. *What do these tools do?* ([`Policy::contracts`], once per tool list): which
//! arguments name who receives a call, which name a file to be written, how often a tool may be called. And *what of
//! this call?* ([`Policy::evaluate`], for each call of a tool whose contract asks for it): findings that pass, ask or
//! deny, and further destinations that stand inside an argument. A module can only make a verdict stricter.
//!
//! It runs in a sandbox without imports and gets fresh state for each call, so there is nothing to remember, read or
//! send; a panic denies the call and names the module.
//!
//! ```
//! use bouncer_guest::prelude::*;
//!
//! /// Sending to more than three people is worth a question.
//! struct ManyRecipients;
//!
//! #[derive(Default, serde::Deserialize)]
//! #[serde(default, deny_unknown_fields)]
//! struct Settings {
//!     limit: Option<usize>,
//! }
//!
//! impl Policy for ManyRecipients {
//!     type Settings = Settings;
//!
//!     fn contracts(_: &Server, tools: &[Tool], _: &Settings) -> Result<Vec<Contract>, Error> {
//!         Ok(tools
//!             .iter()
//!             .filter(|tool| tool.name() == "send_email")
//!             .map(|tool| Contract::new(tool.name()).exfiltrating().sink("/to", Kind::Email).evaluate())
//!             .collect())
//!     }
//!
//!     fn evaluate(call: &Call<'_>, _: &[Destination], settings: &Settings) -> Result<Judgement, Error> {
//!         let people = call.texts("/to").len();
//!         if people > settings.limit.unwrap_or(3) {
//!             return Ok(Finding::ask("many_recipients", format!("{people} people would receive this")).at("/to").into());
//!         }
//!         Ok(Judgement::new())
//!     }
//! }
//!
//! export_policy!(ManyRecipients);
//!
//! // In native unit tests:
//! use bouncer_guest::testing::{self, json};
//! let call = testing::call("send_email", json!({"to": ["a@x.io", "b@x.io"]}));
//! let judgement = ManyRecipients::evaluate(&call, &[], &Settings { limit: Some(1) }).unwrap();
//! assert_eq!(judgement.findings()[0].code(), "many_recipients");
//! ```
//!
//! `Cargo.toml` of a module: `crate-type = ["cdylib", "rlib"]`, this crate and `serde` as dependencies, built for
//! `wasm32-unknown-unknown`.

#![no_std]

extern crate alloc;

#[doc(hidden)]
#[rustfmt::skip]
#[allow(unsafe_code, missing_docs, unreachable_pub, clippy::all, clippy::pedantic, clippy::panic, clippy::unwrap_used)]
pub mod bindings;
mod call;
mod contract;
mod error;
mod glue;
#[cfg(target_arch = "wasm32")]
mod heap;
mod json;
mod judgement;
mod pointer;
#[doc(hidden)]
pub mod rt;
mod server;
mod settings;
pub mod testing;

#[doc(hidden)]
pub use alloc::vec as __vec;
use alloc::vec::Vec;
pub use bindings::exports::bouncer::policy::rules::{Destination, Kind, Server, Trust, Verdict};
pub use call::Call;
pub use contract::Contract;
pub use error::Error;
#[doc(hidden)]
pub use glue::Exported;
pub use json::{Index, Map, Members, Number, ToValue, Value};
pub use judgement::{Finding, Judgement};
pub use server::Tool;
pub use settings::Settings;

/// Everything that a policy usually needs, and what a crate with `#![no_std]` lacks otherwise.
pub mod prelude {
    pub use crate::{
        Call, Contract, Destination, Error, Finding, Judgement, Kind, Policy, Server, Tool, Trust, Value,
        Verdict, export_policy,
    };
    pub use alloc::borrow::ToOwned;
    pub use alloc::boxed::Box;
    pub use alloc::string::{String, ToString};
    pub use alloc::vec::Vec;
    pub use alloc::{format, vec};
}

/// A policy module.
pub trait Policy {
    /// The module's settings, from the user's policy file (`[modules.NAME]`). Where there are none, the text is `{}`:
    /// give every field a default. A text that does not fit is an error, and the module's calls are denied.
    type Settings: Settings;

    /// What this module states of the server's tools; called once per tool list. State contracts only for tools in
    /// `tools`: one for another tool is a fault of the module.
    ///
    /// # Errors
    /// An error denies the calls that the module would be asked about.
    fn contracts(server: &Server, tools: &[Tool], settings: &Self::Settings) -> Result<Vec<Contract>, Error>;

    /// Judges one call; called only for tools whose contract says [`Contract::evaluate`].
    ///
    /// # Errors
    /// An error denies the call and names the module.
    fn evaluate(
        call: &Call<'_>,
        destinations: &[Destination],
        settings: &Self::Settings,
    ) -> Result<Judgement, Error> {
        let _ = (call, destinations, settings);
        Ok(Judgement::new())
    }
}

/// Makes a [`Policy`] the one that this module exports. Native builds (unit tests) export nothing.
#[macro_export]
macro_rules! export_policy {
    ($policy:ty) => {
        #[cfg(target_arch = "wasm32")]
        #[allow(unsafe_code, missing_docs)]
        const _: () = {
            type TheExport = $crate::Exported<$policy>;
    $crate::bindings::export_world!(TheExport with_types_in $crate::bindings);

            #[unsafe(export_name = "cabi_realloc")]
            unsafe extern "C" fn cabi_realloc(
                old: *mut u8,
                old_size: usize,
                align: usize,
                size: usize,
            ) -> *mut u8 {
                unsafe { $crate::rt::cabi_realloc(old, old_size, align, size) }
            }
        };
    };
}
