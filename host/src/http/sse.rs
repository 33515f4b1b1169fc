//! Server-sent events: bytes in, whole events out, however the bytes are cut.
//!
//! What an event says is not looked at here. Comments and unknown fields are skipped, as the standard has it.

/// One event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Event {
    /// `event`; empty means `message`.
    pub(crate) name: String,
    /// The `data` lines, joined by line breaks.
    pub(crate) data: Vec<u8>,
    /// The id that the stream may be resumed after, as of this event.
    pub(crate) id: Option<String>,
}

/// An event is larger than the limit.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooLarge;

/// Longer ids, and longer lines of other fields, are not kept.
const MOST_FIELD: usize = 8 << 10;

/// A stream of events that is being read.
#[derive(Debug)]
pub(crate) struct Parser {
    limit: usize,
    line: Vec<u8>,
    /// The last byte was a carriage return: a line feed that follows belongs to it.
    after_cr: bool,
    /// Nothing was read yet: a byte order mark may come.
    first: bool,
    name: String,
    data: Vec<u8>,
    has_data: bool,
    id: Option<String>,
    retry: Option<u64>,
}

impl Parser {
    /// A parser that gives up on events of more than `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            after_cr: false,
            first: true,
            name: String::new(),
            data: Vec::new(),
            has_data: false,
            id: None,
            retry: None,
        }
    }

    /// The id to resume after.
    pub(crate) fn last_id(&self) -> Option<&str> {
        self.id.as_deref().filter(|id| !id.is_empty())
    }

    /// Milliseconds that the server wants to be left alone before a reconnect.
    pub(crate) fn retry(&self) -> Option<u64> {
        self.retry
    }

    /// A new connection: what the last one left unfinished is forgotten, where it can be resumed is not.
    pub(crate) fn begin_again(&mut self) {
        self.line.clear();
        self.data.clear();
        self.name.clear();
        (self.after_cr, self.first, self.has_data) = (false, true, false);
    }

    /// Takes in bytes; whole events are appended to `events`.
    pub(crate) fn feed(&mut self, mut bytes: &[u8], events: &mut Vec<Event>) -> Result<(), TooLarge> {
        while !bytes.is_empty() {
            if std::mem::take(&mut self.after_cr)
                && let Some(rest) = bytes.strip_prefix(b"\n")
            {
                bytes = rest;
                continue;
            }
            match memchr::memchr2(b'\n', b'\r', bytes) {
                None => {
                    self.line.extend_from_slice(bytes);
                    bytes = &[];
                }
                Some(at) => {
                    let (part, rest) = bytes.split_at(at);
                    self.after_cr = rest.first() == Some(&b'\r');
                    bytes = rest.get(1..).unwrap_or_default();
                    if self.line.len() + part.len() + self.data.len() > self.limit {
                        return Err(TooLarge);
                    }
                    if self.line.is_empty() {
                        self.end_line(part, events);
                    } else {
                        let mut line = std::mem::take(&mut self.line);
                        line.extend_from_slice(part);
                        self.end_line(&line, events);
                        line.clear();
                        if line.capacity() <= MOST_FIELD {
                            self.line = line;
                        }
                    }
                }
            }
            if self.line.len() + self.data.len() > self.limit {
                return Err(TooLarge);
            }
        }
        Ok(())
    }

    fn end_line(&mut self, mut line: &[u8], events: &mut Vec<Event>) {
        if std::mem::take(&mut self.first) {
            line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        }
        if line.is_empty() {
            let name = std::mem::take(&mut self.name);
            let data = std::mem::take(&mut self.data);
            if std::mem::take(&mut self.has_data) {
                events.push(Event { name, data, id: self.id.clone() });
            }
            return;
        }
        let colon = memchr::memchr(b':', line).unwrap_or(line.len());
        let (field, value) = line.split_at(colon);
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                if self.has_data {
                    self.data.push(b'\n');
                }
                self.has_data = true;
                self.data.extend_from_slice(value);
            }
            b"event" if value.len() <= MOST_FIELD => self.name = String::from_utf8_lossy(value).into_owned(),
            b"id" if value.len() <= MOST_FIELD && !value.contains(&0) => {
                self.id = std::str::from_utf8(value).ok().map(str::to_owned);
            }
            b"retry" if !value.is_empty() && value.iter().all(u8::is_ascii_digit) => {
                self.retry = std::str::from_utf8(value).ok().and_then(|v| v.parse().ok());
            }
            _ => {}
        }
    }
}

/// One message as an event. A line holds no line break, so that one `data` line is enough.
pub(crate) fn event(line: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(line.len() + 24);
    out.extend_from_slice(b"event: message\ndata: ");
    out.extend_from_slice(line);
    out.extend_from_slice(b"\n\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(parts: &[&[u8]]) -> (Vec<Event>, Parser) {
        let mut parser = Parser::new(1000);
        let mut events = Vec::new();
        for part in parts {
            parser.feed(part, &mut events).unwrap();
        }
        (events, parser)
    }

    #[test]
    fn however_the_bytes_are_cut_the_events_are_the_same() {
        let text = "\u{feff}: hi\r\nid: 1\r\nevent: message\r\ndata: {\"a\":\r\ndata:\"ü\"}\r\n\r\nretry: 20\rdata: b\r\rdata\n\nid\ndata: c\n\nevent: x\n\n";
        let (whole, parser) = all(&[text.as_bytes()]);
        assert_eq!(parser.retry(), Some(20));
        assert_eq!(parser.last_id(), None);
        let data: Vec<_> = whole.iter().map(|e| String::from_utf8_lossy(&e.data).into_owned()).collect();
        assert_eq!(data, ["{\"a\":\n\"ü\"}", "b", "", "c"]);
        assert_eq!(whole[0].id.as_deref(), Some("1"));
        for size in 1..7 {
            let parts: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
            assert_eq!(all(&parts).0, whole, "{size}");
        }
    }

    #[test]
    fn an_event_without_its_end_is_none() {
        assert!(all(&[b"data: x\n"]).0.is_empty());
    }

    #[test]
    fn an_event_beyond_the_limit_is_told() {
        for text in [vec![b'x'; 2000], b"data: 0123456789\n".repeat(200)] {
            let mut parser = Parser::new(1000);
            assert_eq!(parser.feed(&text, &mut Vec::new()), Err(TooLarge));
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let (events, _) = all(&[&event(b"{\"a\": 1}"), &event(b"{}")]);
        assert_eq!(events.len(), 2);
        assert_eq!(events[0].data, b"{\"a\": 1}");
    }
}
