//! A ruling: the verdict on one call with every reason that led to it, as data.

use crate::contract::Said;
use crate::destination::Destination;
use crate::evidence::Evidence;
use crate::verdict::{ContractName, Verdict};
use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A finding's sentence. What can be said of every call of a tool is worded once, when its contract is merged.
#[derive(Clone)]
pub enum Text {
    /// Worded for this call.
    Own(String),
    /// Worded for all calls that it holds for.
    Shared(Arc<str>),
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Own(text) => text,
            Self::Shared(text) => text,
        }
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self::Own(text)
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

/// One thing that one contract found. Findings that pass are kept as well: `explain` shows them.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The contract that looked.
    pub contract: ContractName,
    /// What it would do by itself.
    pub verdict: Verdict,
    /// A stable word for programs: `unknown_tool`, `budget_exceeded`, `outside_prefix`, `tainted_destination`, ...
    pub code: Cow<'static, str>,
    /// One sentence for people, without a full stop.
    pub text: Text,
    /// Which layer said so; empty where it is built in.
    pub said: Vec<Said>,
    /// The destination it is about.
    pub destination: Option<Destination>,
    /// What is known of that destination. Boxed: most findings have none, and all of them are moved about.
    pub evidence: Option<Box<Evidence>>,
}

/// One thing to ask a human. Answering yes approves exactly this `key`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// What an approval is remembered under.
    pub key: String,
    /// The argument it stands in, as a JSON pointer; empty where it is about the call as a whole.
    pub argument: String,
    /// The destination as written, or a short name of the matter.
    pub subject: String,
    /// The sentence that names what is asked, with the evidence, for a person; control and bidi characters shown.
    pub text: String,
}

/// The decision about one call.
#[derive(Debug, Clone)]
pub struct Ruling {
    /// The strictest verdict of all findings.
    pub verdict: Verdict,
    /// The contract that decided; the earliest of the strictest, `default` for a plain allow.
    pub contract: ContractName,
    /// The deciding finding's text; empty for a plain allow.
    pub reason: String,
    /// Every finding, in the order of the contracts.
    pub findings: Vec<Finding>,
    /// What a human may be asked; empty means that no answer can help, so an ask is a deny.
    pub questions: Vec<Question>,
}
