//! A client's `tools/call`, parsed once from the very bytes that a permit would forward.

use crate::value::Value;
use crate::value::lex::Lexer;
use crate::value::write::write_string;

/// A JSON-RPC id. `1` and `"1"` and `1.0` differ; `"a"` and `"\u0061"` are one, since a server may answer with either.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(Box<str>);

impl Id {
    /// The id's JSON text, quotes included where it is a string.
    #[must_use]
    pub fn json(&self) -> &str {
        &self.0
    }

    /// An id from JSON text that the host made itself or that [`crate::line`] has checked.
    #[must_use]
    pub fn from_json(text: &str) -> Self {
        Self::read(text.trim().as_bytes()).unwrap_or_else(|| Self(text.trim().into()))
    }

    /// An id that stands inside of a message, such as `requestId`: `None` unless it is a string or an integer.
    #[must_use]
    pub fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Number(text) => Self::from_number(text),
            Value::String(text) => Some(Self::from_string(text)),
            _ => None,
        }
    }

    /// An id from bytes of anyone: `None` unless they are a string (without lone surrogates) or an integer.
    pub(crate) fn read(raw: &[u8]) -> Option<Self> {
        let mut lexer = Lexer::new(raw);
        let id = match lexer.peek()? {
            b'"' => Self::from_string(&lexer.string().ok()?.text().ok()?),
            b'-' | b'0'..=b'9' => Self::from_number(lexer.number().ok()?)?,
            _ => return None,
        };
        lexer.end().ok().map(|()| id)
    }

    fn from_number(text: &str) -> Option<Self> {
        text.bytes().all(|b| b == b'-' || b.is_ascii_digit()).then(|| Self(text.into()))
    }

    fn from_string(text: &str) -> Self {
        // The quotes; what is escaped makes it longer.
        let mut json = String::with_capacity(text.len() + 2);
        write_string(text, &mut json);
        Self(json.into())
    }
}

/// What is judged before it is forwarded: calls of tools, and the requests that can lead elsewhere by what they name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Method {
    /// `tools/call`
    CallTool,
    /// `resources/read`
    ReadResource,
    /// `resources/subscribe`
    Subscribe,
    /// `subscriptions/listen`, which names resources from revision 2026-07-28 on.
    Listen,
    /// `completion/complete`
    Complete,
    /// A server's `elicitation/create` that shows a person a link. Never forwarded to a server: see [`Call::link`].
    ShowLink,
}

impl Method {
    /// The methods of clients, with their names.
    const ALL: [(Self, &'static str); 5] = [
        (Self::CallTool, "tools/call"),
        (Self::ReadResource, "resources/read"),
        (Self::Subscribe, "resources/subscribe"),
        (Self::Listen, "subscriptions/listen"),
        (Self::Complete, "completion/complete"),
    ];

    /// All methods that are judged, those of servers included.
    pub const JUDGED: [Self; 6] =
        [Self::CallTool, Self::ReadResource, Self::Subscribe, Self::Listen, Self::Complete, Self::ShowLink];

    /// The client's method of exactly this name, where it is judged.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, n)| *n == name).map(|(m, _)| *m)
    }

    /// Its name on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(m, _)| *m == self).map_or("elicitation/create", |(_, n)| *n)
    }

    /// Whether what it names may be a resource that the server lists.
    #[must_use]
    pub const fn names_resources(self) -> bool {
        matches!(self, Self::ReadResource | Self::Subscribe | Self::Listen | Self::Complete)
    }

    /// Whether a call may be answered with `input_required`, from revision 2026-07-28 on.
    #[must_use]
    pub const fn has_rounds(self) -> bool {
        matches!(self, Self::CallTool | Self::ReadResource)
    }
}

/// A call that can be judged. Made by [`crate::line::scan`] only: it holds the bytes it was read from.
#[derive(Debug)]
pub struct Call {
    pub(crate) method: Method,
    pub(crate) id: Id,
    pub(crate) tool: String,
    pub(crate) arguments: Value,
    pub(crate) params: Value,
    pub(crate) bytes: Vec<u8>,
}

impl Call {
    /// A link that a server wants a person to follow, as a call that can be judged. It holds no bytes: nothing comes of
    /// a permit for it.
    #[must_use]
    pub fn link(id: Id, url: &str) -> Self {
        let arguments = Value::Object(vec![("url".to_owned(), Value::String(url.to_owned()))]);
        let tool = Method::ShowLink.as_str().to_owned();
        Self {
            method: Method::ShowLink,
            id,
            tool,
            arguments,
            params: Value::empty_object(),
            bytes: Vec::new(),
        }
    }

    /// What is asked for.
    #[must_use]
    pub fn method(&self) -> Method {
        self.method
    }

    /// The JSON-RPC id of the request.
    #[must_use]
    pub fn id(&self) -> &Id {
        &self.id
    }

    /// The tool's name as the server knows it; the method's name where no tool is called.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The arguments: always an object, empty where the call has none. Where no tool is called: what else stands in
    /// `params`, without `_meta` and what belongs to a retry.
    #[must_use]
    pub fn arguments(&self) -> &Value {
        &self.arguments
    }

    /// All of `params` but the arguments: `_meta`, `task`, `requestState`, `inputResponses`, unknown members.
    #[must_use]
    pub fn params(&self) -> &Value {
        &self.params
    }
}
