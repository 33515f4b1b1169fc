//! Text of anyone's, made safe to show: nothing in it can hide, reorder or end what a person reads.
//!
//! For reasons, questions and evidence. It does not judge look-alike letters; the canonical form of a destination does.

/// `text` for a person: control, bidi, zero-width and other invisible characters and the backtick as `\u{..}`, at most
/// `max` characters of the original, `…` where it was cut.
#[must_use]
pub fn shown(text: &str, max: usize) -> String {
    let mut out = String::new();
    for (count, c) in text.chars().enumerate() {
        if count >= max {
            out.push('…');
            break;
        }
        if c == '`' || hidden(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

/// Characters that show nothing, or change how others show.
fn hidden(c: char) -> bool {
    c.is_control()
        || (c.is_whitespace() && c != ' ')
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn nothing_hides_or_breaks_out() {
        assert_eq!(shown("a\u{202e}b\n`c", 99), "a\\u{202e}b\\u{a}\\u{60}c");
        assert_eq!(shown("abcdef", 3), "abc…");
        assert_eq!(shown("grüße 東京", 99), "grüße 東京");
    }
}
