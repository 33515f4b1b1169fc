//! Text of anyone's, made safe to show: nothing in it can hide, reorder or end what a person reads.
//!
//! For reasons, questions and evidence. It does not judge look-alike letters; the canonical form of a destination does.

/// `text` for a person: control, bidi, zero-width and other invisible characters and the backtick as `\u{..}`, at most
/// `max` characters of the original, `…` where it was cut.
#[must_use]
pub fn shown(text: &str, max: usize) -> String {
    // Nearly all names are: nothing to change.
    if text.len() <= max && text.bytes().all(|b| matches!(b, b' '..=b'~') && b != b'`') {
        return text.to_owned();
    }
    let mut out = String::new();
    for (count, c) in text.chars().enumerate() {
        if count >= max {
            out.push('…');
            break;
        }
        if c == '`' || c.is_whitespace() && c != ' ' || invisible(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

/// As [`shown`], but backticks stay: for sentences, which quote with them themselves. Never inside of backticks.
#[must_use]
pub fn sentence(text: &str, max: usize) -> String {
    text.split('`')
        .map(|part| shown(part, usize::MAX))
        .collect::<Vec<_>>()
        .join("`")
        .chars()
        .take(max)
        .collect()
}

/// `text` as one word of a command line that a person may copy: quoted where a shell would read more into it.
#[must_use]
pub fn shell_word(text: &str, max: usize) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '@' | ':');
    let text = shown(text, max);
    if !text.is_empty() && !text.starts_with('-') && text.chars().all(plain) {
        return text;
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Characters that show nothing, or change how others show; control characters and with them line ends are among them.
#[must_use]
pub fn invisible(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::{sentence, shell_word, shown};

    #[test]
    fn nothing_hides_or_breaks_out() {
        assert_eq!(shown("a\u{202e}b\n`c", 99), "a\\u{202e}b\\u{a}\\u{60}c");
        assert_eq!(shown("abcdef", 3), "abc…");
        assert_eq!(sentence("is `a\u{202e}`\n", 99), "is `a\\u{202e}`\\u{a}");
        assert_eq!(shown("grüße 東京", 99), "grüße 東京");
    }

    #[test]
    fn a_copied_word_runs_nothing_else() {
        assert_eq!(shell_word("my-mail.2", 80), "my-mail.2");
        assert_eq!(shell_word("my mail", 80), "'my mail'");
        assert_eq!(shell_word("x; rm -rf '$HOME'", 80), r"'x; rm -rf '\''$HOME'\'''");
        assert_eq!(shell_word("a`b`\n", 80), r"'a\u{60}b\u{60}\u{a}'");
        assert_eq!(shell_word("--yes", 80), "'--yes'");
        assert_eq!(shell_word("", 80), "''");
    }
}
