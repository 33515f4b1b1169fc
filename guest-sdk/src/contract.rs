//! The builder of a contract: what a module states of one tool.

use crate::Kind;
use crate::bindings::exports::bouncer::policy::rules as wit;
use alloc::string::String;
use alloc::vec::Vec;

/// What a module states of one tool. What is not said leaves the other layers' word.
///
/// ```
/// use bouncer_guest::{Contract, Kind};
/// Contract::new("create_issue")
///     .exfiltrating()
///     .joined_sink(["/owner", "/repo"], "/", Kind::Repository)
///     .sink("/assignees", Kind::User)
///     .max_calls(5)
///     .evaluate();
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Contract {
    inner: wit::Contract,
}

impl Contract {
    /// A contract for this tool that says nothing yet.
    #[must_use]
    pub fn new(tool: impl Into<String>) -> Self {
        Self {
            inner: wit::Contract {
                tool: tool.into(),
                exfiltrating: None,
                destructive: None,
                sinks: Vec::new(),
                harmless: Vec::new(),
                trusted_destinations: Vec::new(),
                write_params: Vec::new(),
                arg_patterns: Vec::new(),
                max_calls: None,
                directories: Vec::new(),
                evaluate: false,
            },
        }
    }

    /// A call can carry data to a party that its arguments or the server's state choose.
    #[must_use]
    pub fn exfiltrating(mut self) -> Self {
        self.inner.exfiltrating = Some(true);
        self
    }

    /// A call carries nothing to anybody. Loosens: takes effect only where the user granted it.
    #[must_use]
    pub fn not_exfiltrating(mut self) -> Self {
        self.inner.exfiltrating = Some(false);
        self
    }

    /// A call can lose something for good.
    #[must_use]
    pub fn destructive(mut self) -> Self {
        self.inner.destructive = Some(true);
        self
    }

    /// A call loses nothing for good.
    #[must_use]
    pub fn not_destructive(mut self) -> Self {
        self.inner.destructive = Some(false);
        self
    }

    /// This argument names who receives the call: `/to`, `/files/*/path` (each item), `/env/{}` (each value).
    #[must_use]
    pub fn sink(self, param: impl Into<String>, kind: Kind) -> Self {
        self.joined_sink([param], "", kind)
    }

    /// These arguments, joined, name one destination: `/owner` and `/repo` with `/`.
    #[must_use]
    pub fn joined_sink<P: Into<String>>(
        mut self,
        params: impl IntoIterator<Item = P>,
        join: impl Into<String>,
        kind: Kind,
    ) -> Self {
        let params = params.into_iter().map(Into::into).collect();
        self.inner.sinks.push(wit::Sink { params, join: join.into(), kind });
        self
    }

    /// This argument is no sink. Loosens: takes effect only where the user granted it.
    #[must_use]
    pub fn harmless(mut self, param: impl Into<String>) -> Self {
        self.inner.harmless.push(param.into());
        self
    }

    /// The module vouches for this destination. Loosens: takes effect only where the user granted it.
    #[must_use]
    pub fn trusted_destination(mut self, value: impl Into<String>) -> Self {
        self.inner.trusted_destinations.push(value.into());
        self
    }

    /// This argument names a file or folder to be written.
    #[must_use]
    pub fn write_param(mut self, param: impl Into<String>) -> Self {
        self.inner.write_params.push(param.into());
        self
    }

    /// The whole value of this argument must match this regular expression.
    #[must_use]
    pub fn arg_pattern(mut self, param: impl Into<String>, regex: impl Into<String>) -> Self {
        self.inner.arg_patterns.push((param.into(), regex.into()));
        self
    }

    /// Calls per session; 0 forbids the tool.
    #[must_use]
    pub fn max_calls(mut self, calls: u64) -> Self {
        self.inner.max_calls = Some(calls);
        self
    }

    /// This place in the tool's output is a directory: only the user or their organisation can write it. Loosens:
    /// takes effect only where the user granted it.
    #[must_use]
    pub fn directory(mut self, place: impl Into<String>) -> Self {
        self.inner.directories.push(place.into());
        self
    }

    /// Have [`crate::Policy::evaluate`] called for each call of this tool.
    #[must_use]
    pub fn evaluate(mut self) -> Self {
        self.inner.evaluate = true;
        self
    }

    /// The tool it is about.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.inner.tool
    }

    /// Whether the tool is said to be exfiltrating; `None` where nothing is said.
    #[must_use]
    pub fn is_exfiltrating(&self) -> Option<bool> {
        self.inner.exfiltrating
    }

    /// Whether the tool is said to be destructive; `None` where nothing is said.
    #[must_use]
    pub fn is_destructive(&self) -> Option<bool> {
        self.inner.destructive
    }

    /// The argument paths of all sinks, in the order in which they were given.
    #[must_use]
    pub fn sink_params(&self) -> Vec<&str> {
        self.inner.sinks.iter().flat_map(|sink| &sink.params).map(String::as_str).collect()
    }

    /// The argument paths that name a file to be written.
    #[must_use]
    pub fn write_params(&self) -> &[String] {
        &self.inner.write_params
    }

    /// The argument paths that are said to be no sinks.
    #[must_use]
    pub fn harmless_params(&self) -> &[String] {
        &self.inner.harmless
    }

    /// The places in the output that are said to be a directory.
    #[must_use]
    pub fn directories(&self) -> &[String] {
        &self.inner.directories
    }

    /// Whether `evaluate` is to be called.
    #[must_use]
    pub fn wants_evaluate(&self) -> bool {
        self.inner.evaluate
    }

    pub(crate) fn into_wit(self) -> wit::Contract {
        self.inner
    }
}
