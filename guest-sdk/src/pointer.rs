//! The steps of a JSON pointer: `~` stands as `~0` and `/` as `~1` in a member's name.
//!
//! Letter by letter: replacing one text by another would bring its search, and what reports its faults, into every
//! module.

use alloc::borrow::Cow;
use alloc::string::String;

/// The member's name that a step stands for.
pub(crate) fn name(step: &str) -> Cow<'_, str> {
    if !step.as_bytes().contains(&b'~') {
        return Cow::Borrowed(step);
    }
    let mut name = String::with_capacity(step.len());
    let mut letters = step.chars().peekable();
    while let Some(letter) = letters.next() {
        let meant = match (letter, letters.peek()) {
            ('~', Some('0')) => Some('~'),
            ('~', Some('1')) => Some('/'),
            _ => None,
        };
        if meant.is_some() {
            letters.next();
        }
        name.push(meant.unwrap_or(letter));
    }
    Cow::Owned(name)
}

/// Adds a step that stands for this member's name.
pub(crate) fn push(pointer: &mut String, name: &str) {
    pointer.push('/');
    for letter in name.chars() {
        match letter {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            letter => pointer.push(letter),
        }
    }
}
