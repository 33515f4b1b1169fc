//! JSON that Bouncer writes itself: into the audit log and into its few own messages. Reading is the core's matter.

use bouncer_core::value::Value;

/// Appends `text` as a JSON string.
pub fn write_str(text: &str, out: &mut String) {
    // Letters outside of ASCII may be line separators, which end a line for some readers of an audit log.
    let is_special = |b: u8| !(b' '..0x7f).contains(&b) || matches!(b, b'"' | b'\\');
    let mut rest = text;
    out.push('"');
    while let Some(at) = rest.bytes().position(is_special) {
        let (plain, after) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(plain);
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
    out.push_str(rest);
    out.push('"');
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
    fn a_written_string_stays_on_one_line_and_long_ones_are_cut_at_a_character() {
        assert_eq!(quoted("a\n\u{2028}\"\u{1}"), r#""a\n\u2028\"\u0001""#);
        let mut out = String::new();
        write(&Value::String("é".repeat(10)), 5, &mut out);
        assert_eq!(out, "\"éé…[cut: 20 bytes in all]\"");
    }
}
