//! Mail addresses out of a header's text: every address that a mail server would deliver to, however it is dressed.

/// What stands in one address list.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Addresses {
    /// Every address, in order, without brackets, comments and group names.
    pub delivered: Vec<String>,
    /// Addresses inside display names and comments: nobody receives mail there, but a person may read them.
    pub shown: Vec<String>,
}

/// Takes `Ann <a@x.io>, b@y.io`, `"Bob, Jr" <c@z.io>`, `Team: d@x.io, e@x.io;` and `f@x.io (comment)` apart.
///
/// It reads like a lenient server: where a list is malformed it finds rather more addresses than fewer.
#[must_use]
pub fn read(text: &str) -> Addresses {
    let mut found = Addresses::default();
    let mut reader = Entry::default();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => reader.shown.push_str(&quoted(&mut chars)),
            '(' => {
                reader.shown.push(' ');
                reader.shown.push_str(&comment(&mut chars));
            }
            '<' => {
                let inside: String = chars.by_ref().take_while(|c| *c != '>').collect();
                // A source route: `<@relay:a@x.io>` is delivered to `a@x.io`.
                reader.bracketed.push(inside.rsplit(':').next().unwrap_or_default().trim().to_owned());
            }
            ',' | ';' | '\n' | '\r' => std::mem::take(&mut reader).close(&mut found),
            // What stands before it is the name of a group.
            ':' => reader.shown.push_str(&std::mem::take(&mut reader.plain)),
            c => reader.plain.push(c),
        }
    }
    reader.close(&mut found);
    found
}

/// One entry of the list while it is read.
#[derive(Default)]
struct Entry {
    plain: String,
    shown: String,
    bracketed: Vec<String>,
}

impl Entry {
    fn close(self, found: &mut Addresses) {
        let words = |text: &str| -> Vec<String> {
            text.split_whitespace().map(trimmed).filter(|word| is_address(word)).map(str::to_owned).collect()
        };
        found.shown.extend(words(&self.shown));
        if self.bracketed.is_empty() {
            found.delivered.extend(words(&self.plain));
        } else {
            found.shown.extend(words(&self.plain));
            found.delivered.extend(self.bracketed.into_iter().filter(|address| !address.is_empty()));
        }
    }
}

/// The text up to the closing quote, escapes resolved.
fn quoted(chars: &mut std::str::Chars<'_>) -> String {
    let mut text = String::new();
    while let Some(c) = chars.next() {
        match c {
            '"' => break,
            '\\' => text.extend(chars.next()),
            c => text.push(c),
        }
    }
    text.push(' ');
    text
}

/// The text up to the bracket that closes the comment; comments nest.
fn comment(chars: &mut std::str::Chars<'_>) -> String {
    let mut text = String::new();
    let mut depth = 1_u32;
    while let Some(c) = chars.next() {
        match c {
            '(' => depth = depth.saturating_add(1),
            ')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    break;
                }
            }
            '\\' => text.extend(chars.next()),
            c => text.push(c),
        }
    }
    text.push(' ');
    text
}

fn trimmed(word: &str) -> &str {
    word.trim_matches(['\'', '[', ']', '.', '<', '>'])
}

fn is_address(word: &str) -> bool {
    word.rsplit_once('@').is_some_and(|(local, domain)| !local.is_empty() && !domain.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delivered(text: &str) -> Vec<String> {
        read(text).delivered
    }

    #[test]
    fn every_dress_of_an_address_is_taken_off() {
        for (text, expected) in [
            ("a@x.io", &["a@x.io"][..]),
            ("Ann <a@x.io>, c@y.io", &["a@x.io", "c@y.io"]),
            ("\"Bob, Jr\" <b@x.io>; c@y.io", &["b@x.io", "c@y.io"]),
            ("Team: a@x.io, Bob <b@x.io>;", &["a@x.io", "b@x.io"]),
            ("a@x.io (home (old) b@x.io)", &["a@x.io"]),
            ("(note) a@x.io", &["a@x.io"]),
            ("a@x.io b@y.io", &["a@x.io", "b@y.io"]),
            ("<@relay.io,@second.io:a@x.io>", &["a@x.io"]),
            ("Ann <a@x.io> <b@y.io>", &["a@x.io", "b@y.io"]),
            ("\"x\\\" <e@x.io>\" <a@x.io>", &["a@x.io"]),
            ("a@x.io\r\nBcc: b@y.io", &["a@x.io", "b@y.io"]),
            ("Ann <a@x.io", &["a@x.io"]),
            ("", &[]),
            ("nobody", &[]),
            (",,;", &[]),
        ] {
            assert_eq!(delivered(text), expected, "{text}");
        }
    }

    #[test]
    fn an_address_that_is_only_shown_is_told_apart() {
        for text in ["\"boss@corp.com\" <e@x.io>", "boss@corp.com <e@x.io>", "e@x.io (boss@corp.com)"] {
            let found = read(text);
            assert_eq!(
                (found.delivered, found.shown),
                (vec!["e@x.io".into()], vec!["boss@corp.com".into()]),
                "{text}"
            );
        }
    }

    #[test]
    fn nothing_makes_it_hang_or_panic() {
        for text in ["\"", "(", "<", "((((", "\"\\", "(\\", "<<<>>>", ":::", "@", "\u{202e}@\u{0}", "a@b@c@d"]
        {
            let _ = read(text);
        }
        assert_eq!(read(&"(".repeat(100_000)).delivered.len(), 0);
    }
}
