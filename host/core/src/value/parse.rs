//! From bytes to a tree: strict for what a gate judges, lenient for what a server says.

use super::lex::{Lexer, error};
use super::{JsonError, JsonErrorKind, MAX_DEPTH, Value};

impl Value {
    /// Parses exactly one JSON value (whitespace around it, raw CR included, is fine).
    ///
    /// Refused: whatever RFC 8259 does not allow, bytes that are not UTF-8, a key that stands twice in one object after
    /// unescaping, a lone surrogate, and containers nested deeper than `max_depth` (at most [`MAX_DEPTH`] counts).
    ///
    /// # Errors
    /// What is wrong, and where.
    pub fn parse(bytes: &[u8], max_depth: usize) -> Result<Self, JsonError> {
        run(bytes, max_depth, false)
    }

    /// Parses what a server wrote, losing nothing that it says: repeated keys are all kept, lone surrogates and broken
    /// UTF-8 become U+FFFD, and a container nested deeper than `max_depth` becomes a string of its text with all escapes
    /// resolved.
    ///
    /// # Errors
    /// Only for bytes that are not one JSON value.
    pub fn parse_lenient(bytes: &[u8], max_depth: usize) -> Result<Self, JsonError> {
        run(bytes, max_depth, true)
    }
}

fn run(bytes: &[u8], max_depth: usize, lenient: bool) -> Result<Value, JsonError> {
    let lexer = std::str::from_utf8(bytes).map_or_else(|_| Lexer::new(bytes), Lexer::of_text);
    let mut parser = Parser { lexer, lenient };
    let value = parser.value(max_depth.min(MAX_DEPTH))?;
    parser.lexer.end()?;
    Ok(value)
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    lenient: bool,
}

impl Parser<'_> {
    /// A value in which `depth` more containers may be nested.
    fn value(&mut self, depth: usize) -> Result<Value, JsonError> {
        self.lexer.skip_space();
        match self.lexer.peek() {
            Some(b'"') => self.text().map(Value::String),
            Some(b'-' | b'0'..=b'9') => self.lexer.number().map(|text| Value::Number(text.into())),
            Some(b'{' | b'[') if depth == 0 => self.too_deep(),
            Some(b'{') => self.object(depth - 1),
            Some(b'[') => self.array(depth - 1),
            _ => Ok(match self.lexer.literal()? {
                "true" => Value::Bool(true),
                "false" => Value::Bool(false),
                _ => Value::Null,
            }),
        }
    }

    fn text(&mut self) -> Result<String, JsonError> {
        let token = self.lexer.string()?;
        if self.lenient { Ok(token.text_lossy().into_owned()) } else { token.text().map(Into::into) }
    }

    fn too_deep(&mut self) -> Result<Value, JsonError> {
        if !self.lenient {
            let what = "nested too deeply".to_owned();
            return Err(error(JsonErrorKind::TooDeep, self.lexer.pos(), what));
        }
        let raw = self.lexer.skip_value()?;
        Ok(Value::String(readable(raw)))
    }

    fn array(&mut self, depth: usize) -> Result<Value, JsonError> {
        self.lexer.take(b'[');
        let mut items = Vec::new();
        self.lexer.skip_space();
        if self.lexer.take(b']') {
            return Ok(Value::Array(items));
        }
        loop {
            items.push(self.value(depth)?);
            self.lexer.skip_space();
            if !self.lexer.take(b',') {
                self.lexer.expect(b']', "expected `,` or `]`")?;
                return Ok(Value::Array(items));
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, JsonError> {
        let start = self.lexer.pos();
        self.lexer.take(b'{');
        let mut members = Vec::new();
        self.lexer.skip_space();
        if self.lexer.take(b'}') {
            return Ok(Value::Object(members));
        }
        loop {
            self.lexer.skip_space();
            let key = self.lexer.key()?;
            let key = if self.lenient { key.text_lossy() } else { key.text()? };
            let value = self.value(depth)?;
            members.push((key.into_owned(), value));
            self.lexer.skip_space();
            if !self.lexer.take(b',') {
                self.lexer.expect(b'}', "expected `,` or `}`")?;
                break;
            }
        }
        if !self.lenient
            && let Some(key) = repeated(members.iter().map(|(k, _)| k.as_str()))
        {
            let what = format!("duplicate key `{}`", key.escape_debug());
            return Err(error(JsonErrorKind::DuplicateKey, start, what));
        }
        Ok(Value::Object(members))
    }
}

/// A key that occurs twice.
pub(crate) fn repeated<'k>(keys: impl ExactSizeIterator<Item = &'k str> + Clone) -> Option<&'k str> {
    /// So few are compared with each other: faster than sorting them.
    const FEW: usize = 8;
    if keys.len() <= FEW {
        let mut rest = keys;
        while let Some(key) = rest.next() {
            if rest.clone().any(|other| other == key) {
                return Some(key);
            }
        }
        return None;
    }
    let mut keys: Vec<&str> = keys.collect();
    keys.sort_unstable();
    keys.windows(2).find_map(|pair| match pair {
        [a, b] if a == b => Some(*a),
        _ => None,
    })
}

/// JSON text of checked syntax, with the escapes inside its strings resolved.
fn readable(raw: &[u8]) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut lexer = Lexer::new(raw);
    while let Some(byte) = lexer.peek() {
        if byte == b'"' {
            let Ok(token) = lexer.string() else { break };
            out.push('"');
            out.push_str(&token.text_lossy());
            out.push('"');
        } else {
            lexer.take(byte);
            out.push(char::from(byte));
        }
    }
    out
}
