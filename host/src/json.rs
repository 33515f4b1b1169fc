//! JSON that Bouncer writes itself: into the audit log and into its few own messages. Reading is the core's matter.

use bouncer_core::value::Value;

/// Appends `text` as a JSON string.
pub fn write_str(text: &str, out: &mut String) {
    let mut rest = text;
    out.reserve(text.len() + 2);
    out.push('"');
    loop {
        let (plain, after) = rest.split_at_checked(plain_bytes(rest.as_bytes())).unwrap_or(("", rest));
        out.push_str(plain);
        if after.is_empty() {
            break;
        }
        let mut chars = after.chars();
        match chars.next() {
            Some('"') => out.push_str("\\\""),
            Some('\\') => out.push_str("\\\\"),
            Some('\n') => out.push_str("\\n"),
            Some('\r') => out.push_str("\\r"),
            Some('\t') => out.push_str("\\t"),
            Some(c) if c < ' ' || matches!(c, '\u{7f}' | '\u{85}' | '\u{2028}' | '\u{2029}') => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            Some(c) => out.push(c),
            None => {}
        }
        rest = chars.as_str();
    }
    out.push('"');
}

/// How many bytes from the start on stand for themselves in a JSON string. Letters outside of ASCII are not among them:
/// they may be line separators, which end a line for some readers of an audit log.
fn plain_bytes(bytes: &[u8]) -> usize {
    let (words, _) = bytes.as_chunks::<8>();
    let whole = 8 * words.iter().take_while(|word| is_plain_word(u64::from_ne_bytes(**word))).count();
    let rest = bytes.get(whole..).unwrap_or_default();
    whole + rest.iter().position(|b| !is_plain(*b)).unwrap_or(rest.len())
}

fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\')
}

/// Whether [`is_plain`] holds for each of eight bytes, by the well-known tests of a word for a byte that is less, more, or
/// equal: each sets the high bit of some byte exactly where there is such a byte.
fn is_plain_word(word: u64) -> bool {
    const EACH: u64 = u64::from_ne_bytes([1; 8]);
    let equals = |byte: u64| {
        let other = word ^ (EACH * byte);
        other.wrapping_sub(EACH) & !other
    };
    let less = word.wrapping_sub(EACH * 0x20) & !word;
    let more = word.wrapping_add(EACH) | word;
    (less | more | equals(0x22) | equals(0x5c)) & (EACH * 0x80) == 0
}

/// Appends `number` in decimal digits.
pub fn write_number(number: u64, out: &mut String) {
    if number > 9 {
        write_number(number / 10, out);
    }
    out.push(char::from(b'0' + u8::try_from(number % 10).unwrap_or(0)));
}

/// `text` as a JSON string.
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    write_str(text, &mut out);
    out
}

/// Appends `value` as JSON without white space. Strings longer than `cut` bytes are cut, with a note of their length.
pub fn write(value: &Value, cut: usize, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Value::Number(n) => out.push_str(n),
        Value::String(s) if s.len() > cut => {
            let end = (0..=cut).rev().find(|&i| s.is_char_boundary(i)).unwrap_or(0);
            let head = s.get(..end).unwrap_or_default();
            write_str(&format!("{head}…[cut: {} bytes in all]", s.len()), out);
        }
        Value::String(s) => write_str(s, out),
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write(item, cut, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (i, (key, item)) in members.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_str(key, out);
                out.push(':');
                write(item, cut, out);
            }
            out.push('}');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_plain_where_each_of_its_bytes_is() {
        for (byte, other) in (0..=u8::MAX).flat_map(|byte| (0..=u8::MAX).map(move |other| (byte, other))) {
            for at in 0..8 {
                let mut bytes = [other; 8];
                bytes[at] = byte;
                let plain = is_plain(byte) && is_plain(other);
                assert_eq!(is_plain_word(u64::from_ne_bytes(bytes)), plain, "{bytes:?}");
            }
        }
    }

    #[test]
    fn a_number_is_written_as_it_is_read() {
        for number in [0, 9, 10, 99, 100, 12_345, u64::MAX] {
            let mut out = String::new();
            write_number(number, &mut out);
            assert_eq!(out, number.to_string());
        }
    }

    #[test]
    fn a_written_string_stays_on_one_line_and_long_ones_are_cut_at_a_character() {
        assert_eq!(quoted("a\n\u{2028}\"\u{1}"), r#""a\n\u2028\"\u0001""#);
        let mut out = String::new();
        write(&Value::String("é".repeat(10)), 5, &mut out);
        assert_eq!(out, "\"éé…[cut: 20 bytes in all]\"");
    }
}
