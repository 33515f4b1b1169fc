//! From a JSON text of many lines to one line: over stdio a line break ends the message.
//!
//! JSON lets line breaks stand between tokens, where a space means the same. Inside of a string they are no JSON, and a
//! reader that takes them for one and a reader that does not would see different messages: such a text is refused.

use std::borrow::Cow;

/// The text without surrounding space, with spaces for the line breaks between its tokens. `None` where a line break
/// stands inside of a string.
pub(crate) fn one_line(text: &[u8]) -> Option<Cow<'_, [u8]>> {
    let text = text.trim_ascii();
    if memchr::memchr2(b'\n', b'\r', text).is_none() {
        return Some(Cow::Borrowed(text));
    }
    let mut out = text.to_vec();
    let (mut quoted, mut escaped) = (false, false);
    for byte in &mut out {
        match *byte {
            b'\n' | b'\r' if quoted => return None,
            b'\n' | b'\r' => *byte = b' ',
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ => {}
        }
    }
    Some(Cow::Owned(out))
}

#[cfg(test)]
mod tests {
    use super::one_line;

    fn line(text: &str) -> Option<String> {
        one_line(text.as_bytes()).map(|l| String::from_utf8(l.into_owned()).unwrap())
    }

    #[test]
    fn breaks_between_tokens_become_spaces_and_nothing_else_changes() {
        assert_eq!(line("{\"a\":1}").as_deref(), Some("{\"a\":1}"));
        assert_eq!(line("\n{\n\"a\\\"\\n\":\r\n1 }\n").as_deref(), Some("{ \"a\\\"\\n\":  1 }"));
        assert_eq!(line("{\"\\\\\":\n1}").as_deref(), Some("{\"\\\\\": 1}"));
    }

    #[test]
    fn a_break_inside_of_a_string_is_refused() {
        for text in ["{\"a\":\"x\ny\"}", "{\"a\":\"\\\ny\"}", "{\"a\\\\\\\"\r\":1}"] {
            assert_eq!(line(text), None, "{text:?}");
        }
    }
}
